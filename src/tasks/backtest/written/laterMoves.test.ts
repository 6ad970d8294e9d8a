// Tests the search for series that follow later moves: values that were computed from later bars are found, and known ones are not.

import { describe, expect, test } from 'vitest';
import { seededRng } from '../../../base/number/rng.ts';
import type { FeedPlan, SeriesPlan } from '../../../definition/plan/plan.ts';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { laterMoves, standardisedSeries } from './laterMoves.ts';

const HOUR_MS = 3_600_000;
const ROWS = 1500;
const DAY_ROWS = 24;
const INSTRUMENT = spotInstrument();

/** Returns closes of a random walk, in which this share of the bars moves. */
function walk(seed: number, movingShare = 1): readonly number[] {
  const rng = seededRng(seed);
  let price = 100;
  return Array.from({ length: ROWS }, () => {
    const move = Math.exp((rng.next() + rng.next() + rng.next() - 1.5) / 50);
    return rng.next() < movingShare ? (price *= move) : price;
  });
}

/** Returns a feed of hours with these closes. Each bar opens at the close before. */
function feedOf(closes: readonly number[]): FeedPlan {
  const close = Float64Array.from(closes);
  const open = Float64Array.from(closes, (price, row) => closes[row - 1] ?? price);
  const openMs = Float64Array.from(closes, (_, row) => row * HOUR_MS);
  const closeMs = openMs.map((ms) => ms + HOUR_MS);
  return { bars: { instrument: INSTRUMENT, interval: '1h', length: closes.length, openMs, closeMs, open, close } } as unknown as FeedPlan;
}

/** Returns a series with a value for every `every`th hour, known at the close of its bar. */
function seriesOf(valueAt: (row: number) => number, every = 1): SeriesPlan {
  const rows = Array.from({ length: ROWS / every }, (_, index) => (index + 1) * every - 1);
  const knownMs = Float64Array.from(rows, (row) => (row + 1) * HOUR_MS);
  return {
    name: 'model',
    symbol: null,
    values: { length: rows.length, knownMs, timeMs: knownMs, value: Float64Array.from(rows, valueAt) },
  } as unknown as SeriesPlan;
}

const foundIn = (closes: readonly number[], series: SeriesPlan): string | null =>
  laterMoves({ feeds: [feedOf(closes)], series: [series] })?.first?.actual ?? null;

describe.each([1, 2, 3])('series beside the random walk of seed %i', (seed) => {
  const closes = walk(seed);
  const noise = seededRng(seed + 100);
  /** Returns the close of a row, or the nearest one. */
  const at = (row: number): number => closes[Math.max(0, Math.min(ROWS - 1, row))]!;
  const meanOf = (from: number, to: number): number => {
    let sum = 0;
    for (let row = from; row <= to; row++) sum += at(row);
    return sum / (to - from + 1);
  };
  /** Exponential means over the past, and over the means of later rows. */
  const forward: number[] = [];
  for (const close of closes) forward.push(forward.length === 0 ? close : 0.2 * close + 0.8 * forward.at(-1)!);
  const bothWays = forward.slice();
  for (let row = ROWS - 2; row >= 0; row--) bothWays[row] = 0.2 * forward[row]! + 0.8 * bothWays[row + 1]!;

  test.each<[string, (row: number) => number, every?: number]>([
    ['labels of the next bar', (row) => Math.sign(at(row + 1) - at(row))],
    ['labels of the next bar, turned round', (row) => -Math.sign(at(row + 1) - at(row))],
    ['the move of the next four bars', (row) => at(row + 4) / at(row) - 1],
    ['a label of three kinds for the next eight bars', (row) => Math.round(Math.max(-1, Math.min(1, (at(row + 8) / at(row) - 1) * 30)))],
    ['a centred mean of nine bars', (row) => meanOf(row - 4, row + 4)],
    ['an exponential mean that runs in both directions', (row) => bothWays[row]!],
    ['the highest close of the next day', (row) => Math.max(...Array.from({ length: DAY_ROWS }, (_, ahead) => at(row + 1 + ahead)))],
    [
      'the move of the whole day, in each of its hours',
      (row) => at(Math.floor((row + 1) / DAY_ROWS) * DAY_ROWS + DAY_ROWS - 1) / at(Math.floor((row + 1) / DAY_ROWS) * DAY_ROWS - 1),
    ],
    [
      'marks of the lows and highs of a day',
      (row) => {
        const around = closes.slice(Math.max(0, row - DAY_ROWS / 2), row + DAY_ROWS / 2 + 1);
        return at(row) === Math.min(...around) ? 1 : at(row) === Math.max(...around) ? -1 : 0;
      },
    ],
    ['the regime of the next day', (row) => (at(row + DAY_ROWS) > at(row) ? 1 : 0), DAY_ROWS],
  ])('%s is found', (_, valueAt, every) => {
    expect(foundIn(closes, seriesOf(valueAt, every))).toMatch(
      /^values whose rank correlation with the moves of the next .*bars? is (?:0\.\d\d|1\.00)$/,
    );
  });

  test.each<[string, (row: number) => number, every?: number]>([
    ['labels of the bar that has closed', (row) => Math.sign(at(row) - at(row - 1))],
    ['the close', at],
    ['a mean of past closes', (row) => meanOf(row - 20, row)],
    ['a momentum', (row) => at(row) / at(row - 10)],
    ['a flag of a trend', (row) => (at(row) > meanOf(Math.max(0, row - 100), row) ? 1 : 0)],
    ['the number of the hour', (row) => row],
    ['noise', () => noise.next()],
    ['a forecast with a correlation of 0.4', (row) => Math.log(at(row + 1) / at(row)) + (noise.next() + noise.next() - 1) / 18],
    ['a forecast that is right in 55 of 100 bars', (row) => (noise.next() < 0.55 ? 1 : -1) * Math.sign(at(row + 1) - at(row))],
    ['the regime of the last day', (row) => (at(row) > at(row - DAY_ROWS) ? 1 : 0), DAY_ROWS],
  ])('%s is not found', (_, valueAt, every) => {
    expect(foundIn(closes, seriesOf(valueAt, every))).toBe(null);
  });

  test('a price of a busier market is not found beside one that trades seldom', () => {
    const seldom = closes.map((_, row) => closes[row - (row % 5)]!);
    expect(foundIn(seldom, seriesOf(at))).toBe(null);
  });
});

test('values of news in a few bursts are not found, although the moves of one burst are one move', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const rng = seededRng(seed);
    const bursts = Array.from({ length: 4 }, (_, index) => index * 350 + 60 + Math.floor(rng.next() * 200));
    const isNews = (row: number): boolean => bursts.some((begin) => row >= begin && row < begin + 30);
    for (const valueAt of [(row: number) => (isNews(row) ? rng.next() : 0), (row: number) => Number(isNews(row))])
      expect(foundIn(walk(seed), seriesOf(valueAt)), `seed ${seed}`).toBe(null);
  }
});

test('the true price of a market whose closes lie on either side of it is not found', () => {
  const [truth, rng] = [walk(7), seededRng(8)];
  const closes = truth.map((price) => price * (rng.next() < 0.5 ? 0.99 : 1.01));
  expect(
    foundIn(
      closes,
      seriesOf((row) => truth[row]! - closes[row]!),
    ),
  ).toBe(null);
});

test('noise of a few values is not found, although chance follows some moves', () => {
  const closes = walk(1);
  for (let seed = 1; seed <= 300; seed++) {
    const rng = seededRng(seed);
    expect(
      foundIn(
        closes,
        seriesOf(() => rng.next(), 46),
      ),
      `seed ${seed}`,
    ).toBe(null);
  }
});

test('known values of prices that repeat themselves are not found', () => {
  const waves = Array.from({ length: ROWS }, (_, row) => 100 + 5 * Math.sin(row / 8));
  const slope = (row: number): number => (waves[row] ?? 100) - (waves[row - 4] ?? 100);
  expect(foundIn(waves, seriesOf(slope))).toBe(null);
});

describe('a series that was scaled', () => {
  const values = walk(4).map((price) => Math.log(price));
  /** Returns these values less their mean, over their deviation, both of the first `count` values. */
  const scaledBy = (count: number): ((row: number) => number) => {
    const known = values.slice(0, count);
    const mean = known.reduce((sum, each) => sum + each, 0) / count;
    const deviation = Math.sqrt(known.reduce((sum, each) => sum + (each - mean) ** 2, 0) / count);
    return (row) => Number(((values[row]! - mean) / deviation).toFixed(5));
  };
  test('by all of its values is found', () => {
    expect(standardisedSeries({ series: [seriesOf(scaledBy(ROWS))] })?.first?.what).toBe('the values of the series model');
  });
  test('by its earlier values, or not at all, is not found', () => {
    for (const valueAt of [scaledBy(ROWS / 2), scaledBy(ROWS - 1), (row: number) => values[row]!])
      expect(standardisedSeries({ series: [seriesOf(valueAt)] })).toBeNull();
  });
  test('of 1 by day and -1 by night is not found', () => {
    expect(standardisedSeries({ series: [seriesOf((row) => (row % 2 === 0 ? 1 : -1))] })).toBeNull();
  });
});
