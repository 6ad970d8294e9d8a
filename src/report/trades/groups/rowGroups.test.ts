// Tests the grouping of rows by a column of keys, against groups that are found key by key.

import { expect, it } from 'vitest';
import { seededRng } from '../../../base/number/rng.ts';
import { areEqual, groupRows, sortInto } from './rowGroups.ts';

const random = seededRng(1);
const DRAWN_KEYS = Array.from({ length: 2000 }, () => 24_000 + Math.floor(random.next() * 40));

it.each([
  ['no rows', []],
  ['one row', [7]],
  ['one key', [3, 3, 3]],
  ['keys in order', [-2, -2, 0, 5, 5]],
  ['drawn keys', DRAWN_KEYS],
])('a column is sorted by group, and rows of a group keep their order: %s', (_, keys) => {
  const ascending = [...new Set(keys)].toSorted((a, b) => a - b);
  const expected = ascending.map((key) => ({ key, rows: [...keys.keys()].filter((row) => keys[row] === key) }));
  const { groups, places } = groupRows(Int32Array.from(keys));
  const rows = Float64Array.from(keys.keys());
  const sorted = new Float64Array(rows.length);
  if (places === null) sorted.set(rows);
  else sortInto(rows, places, sorted);
  expect(groups.map(({ key, from, to }) => ({ key, rows: [...sorted.subarray(from, to)] }))).toEqual(expected);
  expect(areEqual(keys)).toBe(new Set(keys).size < 2);
});
