// Tests the columns of bars: their memory, and close times that share the memory of the open times where there is no gap.

import { expect, it } from 'vitest';
import { closesOf, emptyColumns, RAW } from './columns.ts';

const MINUTE_MS = 60_000;
const fillWithMinutes = (times: Float64Array, step = MINUTE_MS) => times.forEach((_, row) => (times[row] = (row + 5) * step));

it('columns of 0, 1 and 9 rows are zeros, and do not overlap', () => {
  for (const length of [0, 1, 9]) {
    const columns = emptyColumns(length);
    RAW.forEach((name, index) => {
      expect([...columns[name]]).toEqual(Array.from({ length }, () => 0));
      columns[name].fill(index + 1);
    });
    expect(RAW.map((name) => [...columns[name]])).toEqual(RAW.map((_, index) => Array.from({ length }, () => index + 1)));
  }
});

it('close times without a gap share the memory of the open times, and change none of them', () => {
  const { openMs, volume } = emptyColumns(4);
  fillWithMinutes(openMs);
  const before = [...openMs];
  const closeMs = closesOf(openMs, '1m');
  expect([...closeMs]).toEqual(before.map((ms) => ms + MINUTE_MS));
  expect(closeMs.buffer).toBe(openMs.buffer);
  expect([[...openMs], [...volume]]).toEqual([before, [0, 0, 0, 0]]);
  // Once more, and for a part that has bars behind it.
  expect([...closesOf(openMs, '1m')]).toEqual([...closeMs]);
  const part = closesOf(openMs.subarray(1, 3), '1m');
  expect([part.buffer === openMs.buffer, ...part]).toEqual([false, ...before.slice(1, 3).map((ms) => ms + MINUTE_MS)]);
});

it.each([
  { situation: 'a gap', change: (openMs: Float64Array) => (openMs[2]! += MINUTE_MS), interval: '1m', lengthMs: MINUTE_MS },
  { situation: 'bars longer than their distance', change: () => 0, interval: '5m', lengthMs: 5 * MINUTE_MS },
] as const)('close times have their own memory: $situation', ({ change, interval, lengthMs }) => {
  const { openMs } = emptyColumns(4);
  fillWithMinutes(openMs);
  change(openMs);
  const closeMs = closesOf(openMs, interval);
  expect([...closeMs]).toEqual(Array.from(openMs, (ms) => ms + lengthMs));
  expect(closeMs.buffer).not.toBe(openMs.buffer);
});

it('close times never use the memory of an array that isobar did not allocate, and months have their calendar length', () => {
  const times = new Float64Array(5).fill(7);
  fillWithMinutes(times.subarray(0, 4));
  expect(closesOf(times.subarray(0, 4), '1m').buffer).not.toBe(times.buffer);
  expect(times[4]).toBe(7);
  const { openMs } = emptyColumns(2);
  openMs.set([Date.UTC(2024, 0), Date.UTC(2024, 1)]);
  expect([...closesOf(openMs, '1M')]).toEqual([Date.UTC(2024, 1), Date.UTC(2024, 2)]);
});
