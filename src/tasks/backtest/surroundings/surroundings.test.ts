// Tests the other clocks that a run gets: their times are valid dates, however often they are read.

import { expect, it } from 'vitest';
import { otherClockTime, withOtherClock } from './surroundings.ts';

const YEAR_MS = 365 * 86_400_000;

it('a clock that leaps at each read shows years of four digits after a million reads', async () => {
  const { result: latestMs } = await withOtherClock({ aheadMs: 60 * YEAR_MS, stepMs: YEAR_MS / 3 }, async () => {
    let maxMs = 0;
    for (let read = 0; read < 1_000_000; read++) maxMs = Math.max(maxMs, otherClockTime(Date.UTC(2024, 0)) ?? NaN);
    return maxMs;
  });
  expect(new Date(latestMs).getUTCFullYear()).toBeGreaterThan(7000);
  expect(new Date(latestMs).getUTCFullYear()).toBeLessThan(10_000);
});
