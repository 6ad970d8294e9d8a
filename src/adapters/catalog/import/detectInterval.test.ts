// Tests the interval of bars that is found from their times.

import { expect, it } from 'vitest';
import { seededRng } from '../../../base/number/rng.ts';
import { closeOf, openOf, type Interval } from '../../../model/interval.ts';
import { intervalOf } from './detectInterval.ts';

const SEED = 311;
/** About three years. */
const START_RANGE_MS = 1e11;
/** Share of bars that are missing. */
const GAP_SHARE = 0.1;

/** Returns the open times of bars of an interval from a random start. */
function timesOf(interval: Interval, rows: number, seed: number): Float64Array {
  const rng = seededRng(seed);
  let ms = openOf(interval, Date.UTC(2020, 0, 1) + Math.floor(rng.next() * START_RANGE_MS));
  return Float64Array.from({ length: rows }, () => {
    do ms = closeOf(interval, ms);
    while (rng.next() < GAP_SHARE);
    return ms;
  });
}

it('bars with gaps have the interval that their times show', () => {
  const intervals: readonly Interval[] = ['1s', '15s', '1m', '3m', '7m', '15m', '1h', '2h', '6h', '8h', '1d', '3d', '1w', '2w', '1M'];
  for (const interval of intervals) {
    for (let seed = SEED; seed < SEED + 20; seed++)
      expect(intervalOf(timesOf(interval, 60, seed)), `${interval}, seed ${seed}`).toBe(interval);
  }
});

it('times with more different steps than a call has room for arguments give null', () => {
  let ms = 0;
  const times = Float64Array.from({ length: 300_000 }, (_, row) => (ms += 60_000 + row));
  expect(intervalOf(times)).toBeNull();
});

it('times that show no interval give null', () => {
  const minute = 60_000;
  expect(intervalOf(new Float64Array(0)), 'no row').toBeNull();
  expect(intervalOf(Float64Array.of(0, minute)), 'two rows').toBeNull();
  expect(intervalOf(Float64Array.of(0, 0, minute, minute)), 'two rows, twice each').toBeNull();
  expect(intervalOf(Float64Array.of(0, 7000, 14_000)), 'a length that divides no minute').toBeNull();
  expect(intervalOf(Float64Array.of(1, minute + 1, 2 * minute + 1)), 'off the grid').toBeNull();
  const uneven = Float64Array.of(0, minute, 61 * minute, 121 * minute, 181 * minute, 241 * minute);
  expect(intervalOf(uneven), 'hours, and one minute among them').toBeNull();
});
