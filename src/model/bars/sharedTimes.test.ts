// Tests that bars with equal times share their time columns.

import { expect, test } from 'vitest';
import { walkBars } from '../../../test/engine/world.ts';
import type { BarColumns } from './bars.ts';
import { SharedTimes } from './sharedTimes.ts';

test('bars with equal times share their time columns and have prices of their own', () => {
  const times = new SharedTimes();
  const [one, other] = [1, 2].map((seed) => walkBars({ rows: 50, seed })) as [BarColumns, BarColumns];
  const [first, second] = [times.of(one), times.of(other)];
  expect(first).toBe(one);
  expect([second.openMs, second.closeMs]).toEqual([other.openMs, other.closeMs]);
  expect(second.openMs).toBe(one.openMs);
  expect(second.closeMs).toBe(one.closeMs);
  expect(second.close).toBe(other.close);
});

test('bars that differ in one time, or that still grow, have time columns of their own', () => {
  const times = new SharedTimes();
  const bars = times.of(walkBars({ rows: 50 }));
  const shifted = { ...bars, openMs: bars.openMs.map((ms, row) => (row === 20 ? ms + 1 : ms)) };
  expect(times.of(shifted)).toBe(shifted);
  const growing = { ...bars, length: 40 };
  expect(times.of(growing)).toBe(growing);
});
