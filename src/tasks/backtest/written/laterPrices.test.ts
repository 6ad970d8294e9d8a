// Tests the search for prices that a series or feed cannot know yet, because the bars that have them close later.

import { describe, expect, test } from 'vitest';
import { seededRng } from '../../../base/number/rng.ts';
import type { FeedPlan, SeriesPlan } from '../../../definition/plan/plan.ts';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import type { Interval } from '../../../model/interval.ts';
import { laterPrices } from './laterPrices.ts';

const HOUR_MS = 3_600_000;
const ROWS = 1000;
const INSTRUMENT = spotInstrument();

/**
 * Returns a maker of prices of a random walk, with two decimals, from 100.00 on. Each price differs from the one before with the
 * probability `moveProbability`.
 */
function randomWalk(seed: number, moveProbability: number): () => number {
  const rng = seededRng(seed);
  let cents = 10_000;
  return () => {
    if (moveProbability === 1 || rng.next() < moveProbability) cents += Math.round((rng.next() - 0.5) * 40);
    return cents / 100;
  };
}
const CLOSES: readonly number[] = Array.from({ length: ROWS }, randomWalk(7, 1));

/** Returns a feed with these closes, whose first bar closes at `firstCloseMs`. */
function feedOf(interval: string, closes: readonly number[], firstCloseMs: number, stepMs: number): FeedPlan {
  const close = Float64Array.from(closes);
  const closeMs = Float64Array.from(closes, (_, row) => firstCloseMs + row * stepMs);
  const openMs = closeMs.map((ms) => ms - stepMs);
  const bars = { instrument: INSTRUMENT, interval: interval as Interval, length: closes.length, openMs, closeMs, close };
  return { bars } as unknown as FeedPlan;
}
const HOURLY_FEED = feedOf('1h', CLOSES, HOUR_MS, HOUR_MS);

/** Returns the series `model` with these values, which are known at these times. */
function seriesPlan(values: readonly number[], knownMsOf: (row: number) => number): SeriesPlan {
  const knownMs = Float64Array.from(values, (_, row) => knownMsOf(row));
  const value = Float64Array.from(values);
  return { name: 'model', symbol: null, values: { length: values.length, knownMs, timeMs: knownMs, value } } as unknown as SeriesPlan;
}
/** Returns a series with a value for each row of the hourly feed, known `earlyMs` before the close of that row. */
const hourlySeries = (valueAt: (row: number) => number, earlyMs = 0): SeriesPlan =>
  seriesPlan(
    CLOSES.map((_, row) => valueAt(row)),
    (row) => (row + 1) * HOUR_MS - earlyMs,
  );
/** Returns a daily feed. Each bar has the price of the hour that ends `hoursLater` hours after its close. */
function dailyFeed(hoursLater: number): FeedPlan {
  const closes = Array.from({ length: 40 }, (_, day) => CLOSES[(day + 1) * 24 - 1 + hoursLater]!);
  return feedOf('1d', closes, 24 * HOUR_MS, 24 * HOUR_MS);
}
/** Returns where the first later price is found; null if none is found. */
const findingIn = (feeds: readonly FeedPlan[], series: readonly SeriesPlan[] = []): string | null =>
  laterPrices({ feeds, series })?.first?.what ?? null;
const FOUND_IN_SERIES = 'a value of the series model';

describe('the search for later prices', () => {
  /** The close of the row `rowsLater` rows after `row`; 0 beyond the last row. */
  const closeLater = (row: number, rowsLater: number): number => CLOSES[row + rowsLater] ?? 0;

  test.each([
    ['the close of the next bar', hourlySeries((row) => closeLater(row, 1))],
    ['the close five bars later, with fewer digits', hourlySeries((row) => Number(closeLater(row, 5).toPrecision(9)))],
    ['the close of its own bar, known at the open of that bar', hourlySeries((row) => CLOSES[row]!, HOUR_MS)],
    [
      'the close of the day, known from the first hour of the day on',
      hourlySeries((row) => closeLater(Math.floor((row + 1) / 24) * 24, 23)),
    ],
  ])('%s is found in a series', (_, series) => {
    expect(findingIn([HOURLY_FEED], [series])).toBe(FOUND_IN_SERIES);
  });

  test.each([
    ['the close of its own bar', hourlySeries((row) => CLOSES[row]!)],
    ['the close of the bar before', hourlySeries((row) => closeLater(row, -1))],
    ['a mean of two known closes', hourlySeries((row) => (CLOSES[row]! + closeLater(row, -1)) / 2)],
    ['the close of its own bar, known a millisecond before it', hourlySeries((row) => CLOSES[row]!, 1)],
    ['a price that never changes', hourlySeries(() => 100)],
  ])('%s is no finding in a series', (_, series) => {
    expect(findingIn([HOURLY_FEED], [series])).toBe(null);
  });

  test('a daily feed with prices of five hours after its closes is found', () => {
    expect(findingIn([HOURLY_FEED, dailyFeed(5)])).toMatch(/^a value of the feed \w+ 1d$/);
  });

  test.each([
    ['at its closes', dailyFeed(0)],
    ['of two hours before its closes', dailyFeed(-2)],
  ])('a daily feed with the prices %s is no finding', (_, feed) => {
    expect(findingIn([HOURLY_FEED, feed])).toBe(null);
  });

  test('prices of later bars are a finding from nine tenths of the values on', () => {
    /** Returns daily closes. Of the 21 that are compared this number has the price of five hours later, the others no price of the market. */
    const feedWith = (laterCount: number): FeedPlan => {
      const firstCompared = 2;
      const closes = Array.from({ length: firstCompared + 21 }, (_, day) =>
        day < firstCompared + laterCount ? CLOSES[(day + 1) * 24 + 4]! : 1 + day / 100,
      );
      return feedOf('1d', closes, 24 * HOUR_MS, 24 * HOUR_MS);
    };
    expect(findingIn([HOURLY_FEED, feedWith(19)])).toMatch(/^a value of the feed/);
    expect(findingIn([HOURLY_FEED, feedWith(18)])).toBe(null);
  });

  test('a series that hardly differs from a constant price is no finding', () => {
    const constantCloses = CLOSES.map(() => 100);
    const constantFeed = feedOf('1h', constantCloses, HOUR_MS, HOUR_MS);
    expect(findingIn([constantFeed], [hourlySeries((row) => 100 + (row % 2) / 1e9)])).toBe(null);
  });

  test('a series with the last price of a market that trades seldom is no finding', () => {
    const quarterPrices = Array.from({ length: ROWS * 4 }, randomWalk(11, 0.015));
    const hourlyCloses = CLOSES.map((_, row) => quarterPrices[row * 4 + 3]!);
    const lastPrice = seriesPlan(quarterPrices, (row) => ((row + 1) * HOUR_MS) / 4);
    expect(findingIn([feedOf('1h', hourlyCloses, HOUR_MS, HOUR_MS)], [lastPrice])).toBe(null);
  });

  test('a series with the prices of three hours before is no finding if prices repeat each day', () => {
    const dailyWave = CLOSES.map((_, row) => Math.round(1000 * (100 + Math.sin((row % 24) / 3.8) * 5)) / 1000);
    const threeHoursLate = hourlySeries((row) => dailyWave[row - 3] ?? 0);
    expect(findingIn([feedOf('1h', dailyWave, HOUR_MS, HOUR_MS)], [threeHoursLate])).toBe(null);
  });
});

test('closes of another market that are those of the next bars of this one are found, and those of an unrelated market are not', () => {
  const other = (closes: readonly number[]): FeedPlan => {
    const { bars } = feedOf('1h', closes, HOUR_MS, HOUR_MS);
    return { bars: { ...bars, instrument: { ...INSTRUMENT, id: 'OTHER', wireName: 'OTHERUSDT' } } } as unknown as FeedPlan;
  };
  const early = other(CLOSES.map((_, row) => CLOSES[Math.min(ROWS - 1, row + 1)]!));
  expect(laterPrices({ feeds: [HOURLY_FEED, early] })?.first?.what).toBe('a value of the feed OTHERUSDT 1h');
  const unrelated = other(Array.from({ length: ROWS }, randomWalk(8, 1)));
  expect(laterPrices({ feeds: [HOURLY_FEED, unrelated] })).toBeNull();
});
