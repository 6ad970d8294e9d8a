// Tests the search for later prices in series and feeds: prices that come from bars which close later are found, and known ones are not.

import { describe, expect, test } from 'vitest';
import { seededRng } from '../../../base/number/rng.ts';
import type { FeedPlan, SeriesPlan } from '../../../definition/plan/plan.ts';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import type { Interval } from '../../../model/interval.ts';
import { laterPrices } from './laterPrices.ts';

const HOUR_MS = 3_600_000;
const ROWS = 1000;
const INSTRUMENT = spotInstrument();

/** Returns closes of a random walk, in whole ticks. */
function walk(): readonly number[] {
  const rng = seededRng(7);
  let price = 10_000;
  return Array.from({ length: ROWS }, () => (price += Math.round((rng.next() - 0.5) * 40)) / 100);
}
const CLOSES = walk();

/** Returns a feed with these closes, whose first bar closes at `firstCloseMs`. */
function feedOf(interval: string, closes: readonly number[], firstCloseMs: number, stepMs: number): FeedPlan {
  const close = Float64Array.from(closes);
  const closeMs = Float64Array.from(closes, (_, row) => firstCloseMs + row * stepMs);
  const openMs = closeMs.map((ms) => ms - stepMs);
  const bars = { instrument: INSTRUMENT, interval: interval as Interval, length: closes.length, openMs, closeMs, close };
  return { bars } as unknown as FeedPlan;
}
const HOURS = feedOf('1h', CLOSES, HOUR_MS, HOUR_MS);

/** Returns a series with a value for each hour, known at the close of its bar. */
function seriesOf(valueAt: (row: number) => number, earlyMs = 0): SeriesPlan {
  const knownMs = Float64Array.from(CLOSES, (_, row) => (row + 1) * HOUR_MS - earlyMs);
  const value = Float64Array.from(CLOSES, (_, row) => valueAt(row));
  return { name: 'model', symbol: null, values: { length: ROWS, knownMs, timeMs: knownMs, value } } as unknown as SeriesPlan;
}
/** Returns the close of each day of 24 hours that ends `hoursLate` hours after the time of its bar. */
const daysOf = (hoursLate: number): FeedPlan => {
  const rows = Array.from({ length: 40 }, (_, day) => (day + 1) * 24 - 1 + hoursLate);
  const closes = rows.map((row) => CLOSES[row]!);
  return feedOf('1d', closes, 24 * HOUR_MS, 24 * HOUR_MS);
};
const foundIn = (feeds: readonly FeedPlan[], series: readonly SeriesPlan[] = []): string | null =>
  laterPrices({ feeds, series })?.first?.what ?? null;

describe('the search for later prices', () => {
  test.each([
    ['the next close', seriesOf((row) => CLOSES[row + 1] ?? 0), 'a value of the series model'],
    [
      'the close five bars later, with fewer digits',
      seriesOf((row) => Number((CLOSES[row + 5] ?? 0).toPrecision(9))),
      'a value of the series model',
    ],
    ['the close of its own bar', seriesOf((row) => CLOSES[row]!), null],
    ['the close before', seriesOf((row) => CLOSES[row - 1] ?? 0), null],
    ['a mean of closes', seriesOf((row) => (CLOSES[row]! + (CLOSES[row - 1] ?? 0)) / 2), null],
    ['the close of its own bar, known a millisecond before it', seriesOf((row) => CLOSES[row]!, 1), null],
    ['the close of its own bar, known at its open', seriesOf((row) => CLOSES[row]!, HOUR_MS), 'a value of the series model'],
    ['one price', seriesOf(() => 100), null],
  ])('a series with %s is judged by its values', (_, series, found) => {
    expect(foundIn([HOURS], [series])).toBe(found);
  });

  test('a feed of days whose bars end later than its times say is found', () => {
    expect(foundIn([HOURS, daysOf(5)])).toMatch(/^a value of the feed \w+ 1d$/);
  });

  test('a feed of days that end with the hours is not found, and neither is one that is late', () => {
    expect([foundIn([HOURS, daysOf(0)]), foundIn([HOURS, daysOf(-2)])]).toEqual([null, null]);
  });

  test('a series that has the close of a day from its first hour on is found', () => {
    const endOfDay = (row: number): number => CLOSES[Math.floor((row + 1) / 24) * 24 + 23] ?? 0;
    expect(foundIn([HOURS], [seriesOf(endOfDay)])).toBe('a value of the series model');
  });

  test('a series of a price that stands still is not found', () => {
    const still = feedOf(
      '1h',
      CLOSES.map(() => 100),
      HOUR_MS,
      HOUR_MS,
    );
    expect(foundIn([still], [seriesOf((row) => 100 + (row % 2) / 1e9)])).toBe(null);
  });

  test('a series of the newest price of a market that trades seldom is not found', () => {
    const rng = seededRng(11);
    // The price of each quarter of an hour; most hours have no trade.
    let price = 10_000;
    const prices = Array.from(
      { length: ROWS * 4 },
      () => (rng.next() < 0.015 ? (price += Math.round((rng.next() - 0.5) * 40)) : price) / 100,
    );
    const hours = feedOf(
      '1h',
      Array.from({ length: ROWS }, (_, row) => prices[row * 4 + 3]!),
      HOUR_MS,
      HOUR_MS,
    );
    const knownMs = Float64Array.from(prices, (_, row) => ((row + 1) * HOUR_MS) / 4);
    const value = Float64Array.from(prices);
    const last = {
      name: 'last',
      symbol: null,
      values: { length: prices.length, knownMs, timeMs: knownMs, value },
    } as unknown as SeriesPlan;
    expect(foundIn([hours], [last])).toBe(null);
  });

  test('a late series of prices that repeat each day is not found', () => {
    const waves = Array.from({ length: ROWS }, (_, row) => Math.round(1000 * (100 + Math.sin((row % 24) / 3.8) * 5)) / 1000);
    expect(foundIn([feedOf('1h', waves, HOUR_MS, HOUR_MS)], [seriesOf((row) => waves[row - 3] ?? 0)])).toBe(null);
  });
});
