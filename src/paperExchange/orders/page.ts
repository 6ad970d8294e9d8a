// Pages of a growing list: newest first, or continued from an id.

import type { IndexedList } from './pagedList.ts';

/**
 * Returns a page of at most `limit` rows, newest first. Without `isBefore` it has the newest rows. With `isBefore`, which is true for every
 * row below some id, it has the oldest rows from that id on. A reader that continues with its newest id thus sees every row. `tag`: rows of
 * one market only; null: all.
 */
export function listPage<T>(
  rows: IndexedList<T>,
  limit: number,
  tag: number | null,
  isBefore: ((row: T) => boolean) | null = null,
): readonly T[] {
  const selected: T[] = [];
  const matchesTag = (index: number): boolean => tag === null || rows.tagAt(index) === tag;
  if (isBefore === null) {
    for (let index = rows.length - 1; index >= 0 && selected.length < limit; index--) if (matchesTag(index)) selected.push(rows.at(index));
    return selected;
  }
  for (let index = firstRowFrom(rows, isBefore); index < rows.length && selected.length < limit; index++)
    if (matchesTag(index)) selected.push(rows.at(index));
  return selected.toReversed();
}

/** Returns the index of the first row for which `isBefore` is false. Ids must be ascending. */
export function firstRowFrom<T>(rows: IndexedList<T>, isBefore: (row: T) => boolean): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(rows.at(middle))) low = middle + 1;
    else high = middle;
  }
  return low;
}
