// Divides the sets of a sweep into tasks. Neighbours in the grid share a task, because they share indicators.

import { appendAll } from '../../../base/memory/appendAll.ts';
import { largestOf } from '../../../base/number/extremes.ts';
import type { Axis, ParamSet } from '../../trials/paramGrid.ts';

/** Shortest task. A shorter one costs more to send than to run. */
const MIN_TASK_MS = 5;
/** Longest task. It limits the loss by an interruption and the step of the progress line. */
const MAX_TASK_MS = 2000;
/** Estimate for planning only: a bar and set of an SMA cross cost about 15 ns, user code with orders several times that. */
const BAR_MS = 15e-6;
/** Maximum number of sets in a task, whose simulation lanes are all in memory at the same time. */
const MAX_TASK_SETS = 256;
/**
 * Number of lanes whose data stays in the second-level cache (1 MB). The lanes of one task process each block in turn. Measured with 200
 * sets of 20 by 10 over a million bars (one thread; 2026-11-22, Node 20): tasks of 12 to 34 sets took 10.0 to 12.4 ns a bar and set. Tasks
 * of 50 took 11.9 to 15 ns, though they fill fewer windows.
 */
const CACHED_SETS = 28;
/** Number of tasks for a single worker, to show progress. */
const TASKS_ALONE = 4;
/**
 * Part of the remaining sets in a batch, which gives each worker one task if tasks may be that large. Small tasks from the start would fill
 * more windows. This share fills 94 windows with two workers, and one thread fills 80 (200 sets of 20 by 10). The method is factoring by S.
 * F. Hummel, E. Schonberg and L. E. Flynn (1992), there with one half. The sets of one half of a grid took at most 1.5 times as long as
 * those of the other half. The remaining third evens that out.
 */
const BATCH_SHARE = 2 / 3;
/** Smallest task as a fraction of a worker's part. Waiting for such a task at the end costs less than another set-up. */
const MIN_SHARE = 1 / 40;

/**
 * Returns the sets in tasks, in the best order to hand them out. The last tasks are small, so that workers wait only briefly at the end.
 * Affects only speed, never results.
 */
export function tasksOf(axes: readonly Axis[], sets: readonly ParamSet[], rows: number, workers: number): readonly (readonly number[])[] {
  const max = maxSets(rows);
  if (workers === 1) return tilesOf(axes, sets, Math.min(max, Math.max(minSets(rows), Math.ceil(sets.length / TASKS_ALONE))));
  const min = Math.max(minSets(rows), Math.ceil((sets.length / workers) * MIN_SHARE));
  const tasks: (readonly number[])[] = [];
  let remaining = sets.map((_, index) => index);
  while (remaining.length > 0) {
    const size = Math.min(max, Math.max(min, Math.ceil((remaining.length * BATCH_SHARE) / workers)));
    const tiles = tilesOf(axes, sets, size, remaining);
    // If the size limit splits the batch into smaller tasks, all but the last ones keep that size.
    const batch = size === min ? tiles.length : Math.max(workers, tiles.length - workers);
    appendAll(tasks, tiles.slice(0, batch));
    remaining = tiles.slice(batch).flat();
  }
  return tasks;
}

/** Returns the largest task: limited by the time that may be lost, by the memory of its lanes, and by the cache. */
function maxSets(rows: number): number {
  return Math.min(MAX_TASK_SETS, Math.max(minSets(rows), Math.min(CACHED_SETS, Math.floor(MAX_TASK_MS / setMs(rows)))));
}

/** Returns the number of sets in the shortest task. */
function minSets(rows: number): number {
  return Math.ceil(MIN_TASK_MS / setMs(rows));
}

/** Returns the estimated time of one set, ms. */
function setMs(rows: number): number {
  return Math.max(rows * BAR_MS, 1e-3);
}

/**
 * Groups the indices of `sets` (all, or those in `rows`) into groups of at most `size`. A larger group is halved along its longest axis, so
 * that groups are compact blocks of the grid. Every index is in exactly one group.
 */
export function tilesOf(
  axes: readonly Axis[],
  sets: readonly ParamSet[],
  size: number,
  rows: readonly number[] = sets.map((_, index) => index),
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
    // Split into whole tasks: splitting 100 sets at 50 for tasks of 30 would leave four tasks of 25.
    const tasks = Math.ceil(indices.length / size);
    const middle = Math.ceil(tasks / 2) * Math.ceil(indices.length / tasks);
    split(along.slice(0, middle));
    split(along.slice(middle));
  };
  split(rows);
  return tiles;
}

/** Returns the axis with the most different values among `indices`. */
function longestAxis(axes: number, indices: readonly number[], places: readonly (readonly number[])[]): number {
  const counts = Array.from({ length: axes }, (_, axis) => new Set(indices.map((index) => places[index]?.[axis])).size);
  return counts.indexOf(largestOf(counts));
}
