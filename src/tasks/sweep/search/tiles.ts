// Parts the sets of a sweep into tasks: neighbours in the grid stand in one task, because they share indicators.

import type { Axis, ParamSet } from '../../trials/grid.ts';

/** A task that is over at once costs more to send than to do. */
const MIN_TASK_MS = 5;
/** What a task may lose when it is cut, and the step of the progress line. */
const MAX_TASK_MS = 2000;
/** House figure for planning alone: a bar and set of an SMA cross cost some 15 ns, user code with orders several times that. */
const BAR_MS = 15e-6;
/** Lanes of one task are in memory at the same time. */
const MAX_TASK_SETS = 256;
/**
 * Lanes of one task walk through each block in turn: with more of them, what they keep has left the second cache (1 MB) when it is their
 * turn again. Of 200 sets of 20 by 10 over a million bars in tasks of 12 to 34 a bar and set took 10.0 to 12.4 ns, in tasks of 50 it took
 * 11.9 to 15, though these fill fewer windows (one thread; 2026-11-22, Node 20).
 */
const CACHED_SETS = 28;
/** Of a worker alone, for the progress that it shows. */
const TASKS_ALONE = 4;
/**
 * A batch hands each worker one task, two thirds of what is left in all where a task may hold as much; the next batch the same of the
 * rest. Small tasks from the start would fill more windows: these fill 94 that one thread fills 80 times (200 sets of 20 by 10, two workers).
 * Factoring: S. F. Hummel, E. Schonberg, L. E. Flynn (1992), there with a half; the sets of one half of a grid took at most 1.5 times as
 * long as those of the other, which a third that is left makes up for.
 */
const BATCH_SHARE = 2 / 3;
/** Of a worker's part: to wait for so little at the end costs less than another set-up. */
const MIN_SHARE = 1 / 40;

/**
 * The sets in tasks, in the order in which they are best handed out. The last ones are small: at the end a worker waits for the others
 * while they do a part of a task, and not a whole one. Decides about speed only, never about results.
 */
export function tasksOf(axes: readonly Axis[], sets: readonly ParamSet[], rows: number, workers: number): readonly (readonly number[])[] {
  const max = maxSets(rows);
  if (workers === 1) return tilesOf(axes, sets, Math.min(max, Math.max(minSets(rows), Math.ceil(sets.length / TASKS_ALONE))));
  const min = Math.max(minSets(rows), Math.ceil((sets.length / workers) * MIN_SHARE));
  const tasks: (readonly number[])[] = [];
  let left = sets.map((_, index) => index);
  while (left.length > 0) {
    const size = Math.min(max, Math.max(min, Math.ceil((left.length * BATCH_SHARE) / workers)));
    const tiles = tilesOf(axes, sets, size, left);
    // Where a task may not be as large as its batch would have it, all but the last ones are of that size.
    const batch = size === min ? tiles.length : Math.max(workers, tiles.length - workers);
    tasks.push(...tiles.slice(0, batch));
    left = tiles.slice(batch).flat();
  }
  return tasks;
}

/** What a task may hold: it must not be longer than what may be lost, nor take more memory than lanes may, and should stay in a cache. */
function maxSets(rows: number): number {
  return Math.min(MAX_TASK_SETS, Math.max(minSets(rows), Math.min(CACHED_SETS, Math.floor(MAX_TASK_MS / setMs(rows)))));
}

function minSets(rows: number): number {
  return Math.ceil(MIN_TASK_MS / setMs(rows));
}

function setMs(rows: number): number {
  return Math.max(rows * BAR_MS, 1e-3);
}

/**
 * Indices of `sets` (of all, or of those that are named) in groups of at most `size`: a larger group is halved across the axis on which it is longest, so that groups
 * are compact blocks of the grid. Every index stands in exactly one group.
 */
export function tilesOf(
  axes: readonly Axis[],
  sets: readonly ParamSet[],
  size: number,
  of: readonly number[] = sets.map((_, index) => index),
): readonly (readonly number[])[] {
  const ranks = axes.map(({ values }) => new Map(values.map((value, rank) => [value, rank])));
  const places = sets.map((set) => axes.map(({ name }, axis) => ranks[axis]?.get(set[name] ?? '') ?? 0));
  const tiles: (readonly number[])[] = [];
  const split = (indices: readonly number[]): void => {
    if (indices.length <= size) {
      if (indices.length > 0) tiles.push(indices.toSorted((a, b) => a - b));
      return;
    }
    const axis = longestAxis(axes.length, indices, places);
    const along = indices.toSorted((a, b) => (places[a]?.[axis] ?? 0) - (places[b]?.[axis] ?? 0) || a - b);
    // Halves of whole tasks: cutting 100 sets for tasks of 30 at 50 would leave four tasks of 25.
    const tasks = Math.ceil(indices.length / size);
    const middle = Math.ceil(tasks / 2) * Math.ceil(indices.length / tasks);
    split(along.slice(0, middle));
    split(along.slice(middle));
  };
  split(of);
  return tiles;
}

/** The axis with the most different values among `indices`. */
function longestAxis(axes: number, indices: readonly number[], places: readonly (readonly number[])[]): number {
  const counts = Array.from({ length: axes }, (_, axis) => new Set(indices.map((index) => places[index]?.[axis])).size);
  return counts.indexOf(Math.max(...counts));
}
