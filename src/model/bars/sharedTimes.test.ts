// Tests that bars with equal times share their time columns.

import { expect, test } from 'vitest';
import { walkBars } from '../../../test/engine/backtestFixture.ts';
import type { BarColumns } from './bars.ts';
import { SharedTimes } from './sharedTimes.ts';

test('bars with equal times share their time columns and have prices of their own', () => {
  const times = new SharedTimes();
  const [firstBars, secondBars] = [1, 2].map((seed) => walkBars({ rows: 50, seed })) as [BarColumns, BarColumns];
  const firstShared = times.of(firstBars);
  const secondShared = times.of(secondBars);
  expect(firstShared).toBe(firstBars);
  expect([secondShared.openMs, secondShared.closeMs]).toEqual([secondBars.openMs, secondBars.closeMs]);
  expect(secondShared.openMs).toBe(firstBars.openMs);
  expect(secondShared.closeMs).toBe(firstBars.closeMs);
  expect(secondShared.close).toBe(secondBars.close);
});

test('bars that differ in one time, or that still grow, have time columns of their own', () => {
  const times = new SharedTimes();
  const bars = times.of(walkBars({ rows: 50 }));
  const shifted = { ...bars, openMs: bars.openMs.map((ms, row) => (row === 20 ? ms + 1 : ms)) };
  expect(times.of(shifted)).toBe(shifted);
  const growing = { ...bars, length: 40 };
  expect(times.of(growing)).toBe(growing);
});
