// Tests that values which are added one by one equal those that a backtest builds from all rows at once.

import { expect, it } from 'vitest';
import { seededRng } from '../../base/number/rng.ts';
import { GrowingValues } from './growingValues.ts';
import { newestValues } from './knownValues.ts';

it.each([1, 2, 3, 4, 5])('added values equal newestValues, also for late rows and rows that became known together (seed %i)', (seed) => {
  const rng = seededRng(seed);
  const rows = Array.from({ length: 300 }, () => [Math.floor(rng.next() * 150), Math.floor(rng.next() * 100), rng.next()] as const);
  rows.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const column = (index: 0 | 1 | 2): Float64Array => Float64Array.from(rows, (row) => row[index]);
  const expected = newestValues(column(0), column(1), column(2));
  const growing = new GrowingValues();
  for (const [knownMs, timeMs, value] of rows) growing.add(knownMs, timeMs, value);
  expect(growing.length).toBe(expected.length);
  for (const name of ['knownMs', 'timeMs', 'value'] as const)
    expect([...growing[name].subarray(0, growing.length)]).toEqual([...expected[name]]);
});
