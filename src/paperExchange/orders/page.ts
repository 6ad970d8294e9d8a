// Pages of a growing list: newest first, or continued from an id.

import type { IndexedList } from './pagedList.ts';

/**
 * Returns a page, newest first. Without `isBefore` it has the newest `limit` rows. `isBefore` is true for every row below some id; the page
 * then has the oldest `limit` rows from that id on. A reader that continues with its newest id thus sees every row. `tag`: rows of one
 * market only; null: all.
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

/** Returns the index of the first row for which `isBefore` is false. Ids must be ascending. */
export function firstFrom<T>(rows: IndexedList<T>, isBefore: (row: T) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(rows.at(middle))) low = middle + 1;
    else high = middle;
  }
  return low;
}
