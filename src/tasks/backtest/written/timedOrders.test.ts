// Tests the search for holdings that match the moves of the bars: those of a table of later moves are found, those of a calendar or of random times not.

import { describe, expect, test } from 'vitest';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { seededRng } from '../../../base/number/rng.ts';
import type { FeedPlan, RunPlan } from '../../../definition/plan/plan.ts';
import type { Interval } from '../../../model/interval.ts';
import { heldByCalls, matchedHolding, type HeldChanges } from './timedOrders.ts';

const QUARTER_MS = 900_000;
const ROWS_PER_DAY = 96;
const DAYS = 42;
const ROWS = ROWS_PER_DAY * DAYS;

/** Returns a feed of a random walk of bars of 15 minutes. */
function walkOf(seed: number): FeedPlan {
  const rng = seededRng(seed);
  let price = 100;
  const open = Float64Array.from({ length: ROWS }, () => (price *= 1 + (rng.next() - 0.5) / 100));
  const openMs = Float64Array.from({ length: ROWS }, (_, row) => row * QUARTER_MS);
  const bars = { instrument: spotInstrument(), interval: '15m' as Interval, length: ROWS, open, openMs };
  return { bars, firstRow: 0 } as unknown as FeedPlan;
}

/** Returns the holdings of a feed that is held in the periods for which `isHeld` is true. */
function holdingOf(feed: FeedPlan, rowsPerPeriod: number, isHeld: (period: number) => boolean): HeldChanges {
  const periods = Array.from({ length: ROWS / rowsPerPeriod }, (_, period) => period);
  const timeMs = periods.map((period) => period * rowsPerPeriod * QUARTER_MS);
  return { feed, timeMs, held: periods.map((period) => Number(isHeld(period))) };
}

/** True if the price is higher at the end of a period. */
const isRising = (feed: FeedPlan, rowsPerPeriod: number, period: number): boolean => {
  const { open } = feed.bars;
  return open[Math.min(ROWS - 1, (period + 1) * rowsPerPeriod)]! > open[period * rowsPerPeriod]!;
};

describe('a holding that matches the moves of its bars', () => {
  test.each([16, 32, 48, ROWS_PER_DAY])('the rising periods of %i bars are found', (rowsPerPeriod) => {
    for (const seed of [1, 2, 3]) {
      const feed = walkOf(seed);
      const holding = holdingOf(feed, rowsPerPeriod, (period) => isRising(feed, rowsPerPeriod, period));
      expect(matchedHolding([holding])?.deviations).toBeGreaterThan(4.25);
    }
  });

  test('random periods, the hours of a session and the days of the week are not found', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const feed = walkOf(seed);
      const rng = seededRng(1000 + seed);
      const holdings = [
        holdingOf(feed, 16, () => rng.next() < 0.5),
        holdingOf(feed, 4, (hour) => hour % 24 >= 9 && hour % 24 < 16),
        holdingOf(feed, ROWS_PER_DAY, (day) => day % 7 < 5),
      ];
      expect(matchedHolding(holdings)).toBeNull();
    }
  });

  test('a session whose hours were the best ones of these bars is a calendar, and is not found', () => {
    const feed = walkOf(4);
    const { open } = feed.bars;
    const gains = Array.from({ length: 24 }, (_, hour) => {
      const days = Array.from({ length: DAYS - 1 }, (_unused, day) => day * ROWS_PER_DAY + hour * 4);
      return days.reduce((sum, row) => sum + open[row + 4]! / open[row]! - 1, 0);
    });
    expect(matchedHolding([holdingOf(feed, 4, (hour) => gains[hour % 24]! > 0)])).toBeNull();
  });

  test('one period that is held from a low to a high is not found', () => {
    const feed = walkOf(5);
    expect(matchedHolding([holdingOf(feed, 96, (day) => day >= 10 && day < 20)])).toBeNull();
  });
});

describe('the holding by the calls of a strategy', () => {
  const plan = { feeds: [walkOf(1)] } as unknown as RunPlan;

  test('buys hold, sells and exits release, and spot is never short', () => {
    const trace = { orderMs: [1, 2, 3, 4, 5], orderCalls: ['sell', 'buy', 'buy', 'exit', 'buy'] };
    expect(heldByCalls(plan, trace)).toMatchObject([{ timeMs: [1, 2, 3, 4, 5], held: [0, 1, 1, 0, 1] }]);
  });

  test('a call that names a holding itself says nothing', () => {
    expect(heldByCalls(plan, { orderMs: [1], orderCalls: ['target'] })).toEqual([]);
  });
});
