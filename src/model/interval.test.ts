// Tests intervals: the grid of their bars, their names, and which intervals nest.

import { expect, it } from 'vitest';
import { seededRng } from '../base/number/rng.ts';
import {
  barsBetween,
  closeOf,
  fixedLengthMs,
  INTERVAL_PATTERN,
  intervalOfLength,
  nests,
  openOf,
  parseCommonInterval,
  parseInterval,
  type Interval,
} from './interval.ts';

const SEED = 2711;
const DAY_MS = 86_400_000;

/** Returns a time at which a bar of `weekCount` weeks opens: Monday 2018-01-01, or an earlier Monday. Bars count from the first Monday of 1970. */
function firstWeekMs(weekCount: number): number {
  const weekMs = 7 * DAY_MS;
  const firstMondayMs = Date.UTC(1970, 0, 5);
  let openMs = Date.UTC(2018, 0, 1);
  while (((openMs - firstMondayMs) / weekMs) % weekCount !== 0) openMs -= weekMs;
  return openMs;
}

/** Returns the bounds of the bar that contains `ms`. Steps through the calendar, while the tested code divides. */
function boundsByCalendar(interval: Interval, ms: number): readonly [number, number] {
  const date = new Date(ms);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  if (interval === '1M') return [Date.UTC(year, month), Date.UTC(year, month + 1)];
  const unit = interval.at(-1)!;
  const count = Number(interval.slice(0, -1));
  const lengthMs = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS }[unit]! * count;
  let openMs = unit === 'w' ? firstWeekMs(count) : Date.UTC(1970, 0, 1);
  const stepsMs = [lengthMs * 100_000, lengthMs * 1000, lengthMs * 30, lengthMs];
  for (const stepMs of stepsMs) {
    while (openMs + stepMs <= ms) openMs += stepMs;
    while (openMs > ms) openMs -= stepMs;
  }
  return [openMs, openMs + lengthMs];
}

const INTERVALS: readonly Interval[] = [
  '1s', '5s', '15s', '30s', '1m', '3m', '7m', '45m', '90m', '1h', '2h', '5h', '6h', '8h', '12h', '1d', '2d', '3d', '10d', '1w', '2w', '1M',
]; // prettier-ignore

it('bars of every interval open and close on the grid of the calendar', () => {
  const rng = seededRng(SEED);
  for (const interval of INTERVALS) {
    for (let drawIndex = 0; drawIndex < 200; drawIndex++) {
      const ms = Date.UTC(2018, 0, 8) + Math.floor(rng.next() * 8 * 365 * DAY_MS);
      const [openMs, closeMs] = boundsByCalendar(interval, ms);
      expect([openOf(interval, ms), closeOf(interval, openOf(interval, ms))], `${interval} ${ms}, seed ${SEED}`).toEqual([openMs, closeMs]);
      expect(openOf(interval, openMs)).toBe(openMs);
      // The close of a bar is the open of the next one.
      expect(openOf(interval, closeMs)).toBe(closeMs);
      expect(barsBetween(interval, openMs, closeMs)).toBe(1);
    }
  }
});

it('an interval nests in a longer one if each of its bars is inside one bar of the longer interval', () => {
  for (const fine of INTERVALS) {
    for (const coarse of INTERVALS) {
      if (fine === coarse) continue;
      let isNested = (fixedLengthMs(fine) ?? Infinity) < (fixedLengthMs(coarse) ?? Infinity);
      const rng = seededRng(SEED);
      for (let drawIndex = 0; drawIndex < 400 && isNested; drawIndex++) {
        const ms = Date.UTC(2018, 0, 8) + Math.floor(rng.next() * 8 * 365 * DAY_MS);
        const [openMs, closeMs] = boundsByCalendar(coarse, ms);
        // The first bar of `fine` must open with the bar of `coarse`, and the last one must close with it.
        isNested = boundsByCalendar(fine, openMs)[0] === openMs && boundsByCalendar(fine, closeMs - 1)[1] === closeMs;
      }
      expect(nests(fine, coarse), `${fine} in ${coarse}, seed ${SEED}`).toBe(isNested);
    }
  }
});

it('texts for the same duration are parsed as the same interval, and invalid texts as null', () => {
  const cases: readonly (readonly [string, Interval | null])[] = [
    ['60s', '1m'], ['60m', '1h'], ['60min', '1h'], ['120m', '2h'], ['90m', '90m'], ['24h', '1d'], ['36h', '36h'], ['7d', '1w'], ['14d', '2w'],
    ['1day', '1d'], ['1week', '1w'], ['1month', '1M'], ['1M', '1M'], ['3m', '3m'], ['3min', '3m'], ['366d', '366d'], ['367d', null], ['53w', null],
    ['7s', null], ['90s', null], ['45s', null], ['120s', '2m'], ['0m', null], ['-1m', null], ['1.5h', null], ['1e3m', null], ['2M', null],
    ['m', null], ['', null], [' 1m', null], ['1m ', null], ['1H', null], ['01m', null], ['9999999w', null], ['constructor', null],
  ]; // prettier-ignore
  for (const [text, expected] of cases) expect(parseInterval(text), text).toBe(expected);
});

it('the name of an interval matches the pattern and is parsed as the interval', () => {
  for (const interval of INTERVALS) {
    expect(parseInterval(interval)).toBe(interval);
    expect(INTERVAL_PATTERN.test(interval)).toBe(true);
  }
});

it('a length gives its interval, and an invalid length gives null', () => {
  for (const interval of INTERVALS) {
    const lengthMs = fixedLengthMs(interval);
    if (lengthMs !== null) expect(intervalOfLength(lengthMs)).toBe(interval);
  }
  for (const invalidLengthMs of [0, -60_000, NaN, Infinity, 1, 61_000, 367 * DAY_MS]) expect(intervalOfLength(invalidLengthMs)).toBeNull();
});

it('parseCommonInterval accepts only the names of the specification', () => {
  expect(parseCommonInterval('60min')).toBe('1h');
  for (const text of ['60m', '2h', '3m', 'toString']) expect(parseCommonInterval(text), text).toBeNull();
});
