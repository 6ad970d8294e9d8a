// Tests the search for series that agree with later moves: labels, centred means and other values from after a bar are found, known ones are not.

import { describe, expect, test } from 'vitest';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { seededRng } from '../../../base/number/rng.ts';
import type { FeedPlan, SeriesPlan } from '../../../definition/plan/plan.ts';
import type { Interval } from '../../../model/interval.ts';
import { laterMoves } from './laterMoves.ts';

const HOUR_MS = 3_600_000;
const ROWS = 4000;
const HOURS_PER_DAY = 24;

/** Returns the closes of a random walk. `bounce`: how far a close lies from its true price, as a share of it, on either side. */
function walkOf(seed: number, bounce = 0): readonly number[] {
  const rng = seededRng(seed);
  let price = 100;
  return Array.from({ length: ROWS }, () => {
    price *= 1 + (rng.next() + rng.next() - 1) / 100;
    return price * (1 + (rng.next() < 0.5 ? -bounce : bounce));
  });
}

/** Returns a feed of hours with these closes. */
function hoursOf(closes: readonly number[]): FeedPlan {
  const close = Float64Array.from(closes);
  const closeMs = Float64Array.from(closes, (_, row) => (row + 1) * HOUR_MS);
  const bars = {
    instrument: spotInstrument(),
    interval: '1h' as Interval,
    length: closes.length,
    openMs: closeMs.map((ms) => ms - HOUR_MS),
    closeMs,
    close,
  };
  return { bars } as unknown as FeedPlan;
}

/** Returns a series with a value for each hour, known at the close of its bar. */
function seriesOf(valueAt: (row: number) => number): SeriesPlan {
  const knownMs = Float64Array.from({ length: ROWS }, (_, row) => (row + 1) * HOUR_MS);
  return {
    name: 'model',
    symbol: null,
    values: { length: ROWS, knownMs, timeMs: knownMs, value: knownMs.map((_, row) => valueAt(row)) },
  } as unknown as SeriesPlan;
}

const foundIn = (closes: readonly number[], valueAt: (row: number) => number): string | null =>
  laterMoves({ feeds: [hoursOf(closes)], series: [seriesOf(valueAt)] })?.first?.what ?? null;

const CLOSES = walkOf(7);
const at = (row: number): number => CLOSES[Math.max(0, Math.min(ROWS - 1, row))]!;
const meanOf = (row: number, before: number, after: number): number => {
  let sum = 0;
  for (let near = row - before; near <= row + after; near++) sum += at(near);
  return sum / (before + after + 1);
};
/** Returns a smoothed walk: an exponential average, or the same one once more from the end to the start. */
function smoothed(values: readonly number[]): number[] {
  let mean = values[0]!;
  return values.map((value) => (mean += (value - mean) * 0.1));
}
const FORWARD = smoothed(CLOSES);
const BOTH_WAYS = smoothed(FORWARD.toReversed()).toReversed();
/** Returns the move of the day in which a bar closes. */
const moveOfDay = (row: number): number => {
  const day = Math.floor(row / HOURS_PER_DAY);
  return at(day * HOURS_PER_DAY + HOURS_PER_DAY - 1) / at(day * HOURS_PER_DAY - 1) - 1;
};
/** Returns 1 for a close that is the lowest one of a day on either side, -1 for the highest one, else 0. */
function turnAt(row: number): number {
  const near = Array.from({ length: 2 * HOURS_PER_DAY + 1 }, (_, index) => at(row - HOURS_PER_DAY + index));
  return Number(near.every((price) => price >= at(row))) - Number(near.every((price) => price <= at(row)));
}

describe('a series that agrees with later moves', () => {
  test.each<[name: string, valueAt: (row: number) => number]>([
    ['the direction of the next bar', (row) => Math.sign(at(row + 1) - at(row))],
    ['the return over the next four bars', (row) => at(row + 4) / at(row) - 1],
    ['a label of three kinds for the next eight bars', (row) => Math.round(Math.max(-1, Math.min(1, (at(row + 8) / at(row) - 1) * 60)))],
    ['a centred mean', (row) => meanOf(row, 8, 8)],
    ['the distance from a centred mean', (row) => at(row) - meanOf(row, 48, 48)],
    ['a filter in both directions', (row) => BOTH_WAYS[row]!],
    ['the move of the day, from its start on', moveOfDay],
    ['the lows and highs', turnAt],
  ])('%s is found', (_, valueAt) => {
    expect(foundIn(CLOSES, valueAt)).toBe('a value of the series model');
  });

  test('means, returns and filters of known closes, and random numbers, are not found', () => {
    for (let seed = 1; seed <= 4; seed++) {
      const closes = walkOf(seed);
      const forward = smoothed(closes);
      const rng = seededRng(100 + seed);
      const known: readonly ((row: number) => number)[] = [
        (row) => closes[row]!,
        (row) => closes[row]! / (closes[row - 5] ?? closes[0]!) - 1,
        (row) => Math.sign(closes[row]! - (closes[row - 1] ?? 0)),
        (row) => forward[row]!,
        (row) => closes[row]! - forward[row]!,
        (row) => Math.floor(row / 24) % 7,
        () => rng.next(),
      ];
      for (const valueAt of known) expect(foundIn(closes, valueAt)).toBeNull();
    }
  });

  test('a forecast that is right in 55 of 100 bars is not found', () => {
    const rng = seededRng(3);
    expect(foundIn(CLOSES, (row) => (rng.next() < 0.55 ? 1 : -1) * Math.sign(at(row + 1) - at(row)))).toBeNull();
  });

  test('the true price of a market whose closes lie on either side of it is not found', () => {
    const [closes, truth] = [walkOf(7, 0.01), walkOf(7)];
    expect(foundIn(closes, (row) => truth[row]! - closes[row]!)).toBeNull();
  });

  test('an earlier price of a market that repeats each day is not found', () => {
    const waves = Array.from({ length: ROWS }, (_, row) => 100 + Math.sin((row % 24) / 3.8) * 5);
    expect(foundIn(waves, (row) => waves[row - 3] ?? 0)).toBeNull();
  });
});
