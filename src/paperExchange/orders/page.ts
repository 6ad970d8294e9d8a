// A page of a list that only grows: newest first, and how a reader goes on from an id.

import type { IndexedList } from './pagedList.ts';

/**
 * Rows of a list whose oldest row is first: the newest `limit` of them, or, with `isBefore`, which is true of every row below some id, the
 * oldest `limit` from that id on, so that a reader who continues with the newest id that it has sees every row. `tag`: those of one market
 * alone; null: all. Newest first either way.
 */
export function page<T>(
  rows: IndexedList<T>,
  limit: number,
  tag: number | null,
  isBefore: ((row: T) => boolean) | null = null,
): readonly T[] {
  const found: T[] = [];
  const is = (at: number): boolean => tag === null || rows.tagAt(at) === tag;
  if (isBefore === null) {
    for (let at = rows.length - 1; at >= 0 && found.length < limit; at--) if (is(at)) found.push(rows.at(at));
    return found;
  }
  for (let at = firstFrom(rows, isBefore); at < rows.length && found.length < limit; at++) if (is(at)) found.push(rows.at(at));
  return found.toReversed();
}

/** The index of the first row that is not before; ids rise. */
export function firstFrom<T>(rows: IndexedList<T>, isBefore: (row: T) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(rows.at(middle))) low = middle + 1;
    else high = middle;
  }
  return low;
}
