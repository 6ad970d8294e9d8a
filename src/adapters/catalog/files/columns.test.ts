import { expect, it } from 'vitest';
import { closesOf, emptyColumns, RAW } from './columns.ts';

const MINUTE = 60_000;
const minutesFrom = (times: Float64Array, step = MINUTE) => times.forEach((_, row) => (times[row] = (row + 5) * step));

it('columns of 0, 1 and 9 rows have their own places, and are zeros', () => {
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
  minutesFrom(openMs);
  const before = [...openMs];
  const closeMs = closesOf(openMs, '1m');
  expect([...closeMs]).toEqual(before.map((ms) => ms + MINUTE));
  expect(closeMs.buffer).toBe(openMs.buffer);
  expect([[...openMs], [...volume]]).toEqual([before, [0, 0, 0, 0]]);
  // Once more, and for a part that has bars behind it.
  expect([...closesOf(openMs, '1m')]).toEqual([...closeMs]);
  const part = closesOf(openMs.subarray(1, 3), '1m');
  expect([part.buffer === openMs.buffer, ...part]).toEqual([false, ...before.slice(1, 3).map((ms) => ms + MINUTE)]);
});

it.each([
  ['a gap', (openMs: Float64Array) => (openMs[2]! += MINUTE), '1m', MINUTE],
  ['bars longer than their distance', () => 0, '5m', 5 * MINUTE],
] as const)('close times have their own memory: %s', (_, change, interval, lengthMs) => {
  const { openMs } = emptyColumns(4);
  minutesFrom(openMs);
  change(openMs);
  const closeMs = closesOf(openMs, interval);
  expect([...closeMs]).toEqual(Array.from(openMs, (ms) => ms + lengthMs));
  expect(closeMs.buffer).not.toBe(openMs.buffer);
});

it('close times never use the memory of arrays of others, nor a calendar month as a length', () => {
  const times = new Float64Array(5).fill(7);
  minutesFrom(times.subarray(0, 4));
  expect(closesOf(times.subarray(0, 4), '1m').buffer).not.toBe(times.buffer);
  expect(times[4]).toBe(7);
  const { openMs } = emptyColumns(2);
  openMs.set([Date.UTC(2024, 0), Date.UTC(2024, 1)]);
  expect([...closesOf(openMs, '1M')]).toEqual([Date.UTC(2024, 1), Date.UTC(2024, 2)]);
});
