// Parts the sets of a sweep into tasks: neighbours in the grid stand in one task, because they share indicators.

import type { Axis, ParamSet } from './grid.ts';

/** A task that is over at once costs more to send than to do. */
const MIN_TASK_MS = 5;
/** What a task may lose when it is cut, and the step of the progress line. */
const MAX_TASK_MS = 2000;
/** House figure for planning alone: a bar and set of an SMA cross cost some 15 ns, user code with orders several times that. */
const BAR_MS = 15e-6;
/** Lanes of one task are in memory at the same time. */
const MAX_TASK_SETS = 256;
/** Tasks for each worker, so that all of them end at about the same time. */
const TASKS_EACH = 4;
/** Of the tasks in the order in which they are handed out: from here on halves of tasks, and from there on quarters. */
const HALVES_FROM = 1 / 2;
const QUARTERS_FROM = 3 / 4;

/**
 * The sets in tasks, in the order in which they are best handed out. The last ones are small: at the end a worker waits for the others
 * while they do a part of a task, and not a whole one. Decides about speed only, never about results.
 */
export function tasksOf(axes: readonly Axis[], sets: readonly ParamSet[], rows: number, workers: number): readonly (readonly number[])[] {
  const size = taskSize(sets.length, rows, workers);
  const least = leastSets(rows);
  const whole = tilesOf(axes, sets, size);
  return whole.flatMap((tile, at) => {
    const place = at / whole.length;
    const parts = workers === 1 || place < HALVES_FROM ? 1 : place < QUARTERS_FROM ? 2 : 4;
    return parts === 1 ? [tile] : tilesOf(axes, sets, Math.max(least, Math.ceil(size / parts)), tile);
  });
}

/** Sets of one task, for `sets` over `rows` bars on `workers` threads. Decides about speed only, never about results. */
export function taskSize(sets: number, rows: number, workers: number): number {
  const least = leastSets(rows);
  const most = Math.max(least, Math.floor(MAX_TASK_MS / setMs(rows)));
  const even = Math.ceil(sets / (workers * TASKS_EACH));
  return Math.max(1, Math.min(MAX_TASK_SETS, most, Math.max(least, even)));
}

function leastSets(rows: number): number {
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
