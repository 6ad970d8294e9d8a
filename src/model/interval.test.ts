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
const DAY = 86_400_000;

/** Returns the bounds of the bar that contains `ms`. Steps through the calendar, while the tested code divides. */
function boundsByCalendar(interval: Interval, ms: number): readonly [number, number] {
  const date = new Date(ms);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  if (interval === '1M') return [Date.UTC(year, month), Date.UTC(year, month + 1)];
  const unit = interval.at(-1)!;
  const count = Number(interval.slice(0, -1));
  const length = { s: 1000, m: 60_000, h: 3_600_000, d: DAY, w: 7 * DAY }[unit]! * count;
  let open = unit === 'w' ? Date.UTC(2018, 0, 1) : Date.UTC(1970, 0, 1);
  // 2018-01-01 is a Monday, so it is on the grid of single weeks. Several weeks count from the first Monday of 1970.
  if (unit === 'w') while (Math.round((open - Date.UTC(1970, 0, 5)) / (7 * DAY)) % count !== 0) open -= 7 * DAY;
  const steps = [length * 100_000, length * 1000, length * 30, length];
  for (const step of steps) {
    while (open + step <= ms) open += step;
    while (open > ms) open -= step;
  }
  return [open, open + length];
}

const NAMES: readonly Interval[] = [
  '1s', '5s', '15s', '30s', '1m', '3m', '7m', '45m', '90m', '1h', '2h', '5h', '6h', '8h', '12h', '1d', '2d', '3d', '10d', '1w', '2w', '1M',
]; // prettier-ignore

it('bars of every interval open and close on the grid of the calendar', () => {
  const rng = seededRng(SEED);
  for (const interval of NAMES) {
    for (let drawIndex = 0; drawIndex < 200; drawIndex++) {
      const ms = Date.UTC(2018, 0, 8) + Math.floor(rng.next() * 8 * 365 * DAY);
      const [open, close] = boundsByCalendar(interval, ms);
      expect([openOf(interval, ms), closeOf(interval, openOf(interval, ms))], `${interval} ${ms}, seed ${SEED}`).toEqual([open, close]);
      expect(openOf(interval, open)).toBe(open);
      expect(openOf(interval, close)).toBe(close);
      expect(barsBetween(interval, open, close)).toBe(1);
    }
  }
});

it('an interval nests in a longer one if each of its bars is inside one bar of the longer interval', () => {
  for (const fine of NAMES) {
    for (const coarse of NAMES) {
      if (fine === coarse) continue;
      let isNested = (fixedLengthMs(fine) ?? Infinity) < (fixedLengthMs(coarse) ?? Infinity);
      const rng = seededRng(SEED);
      for (let drawIndex = 0; drawIndex < 400 && isNested; drawIndex++) {
        const ms = Date.UTC(2018, 0, 8) + Math.floor(rng.next() * 8 * 365 * DAY);
        const [open, close] = boundsByCalendar(coarse, ms);
        // The first bar of `fine` must open with the bar of `coarse`, and the last one must close with it.
        isNested = boundsByCalendar(fine, open)[0] === open && boundsByCalendar(fine, close - 1)[1] === close;
      }
      expect(nests(fine, coarse), `${fine} in ${coarse}, seed ${SEED}`).toBe(isNested);
    }
  }
});

it('texts of the same length are parsed as the same interval, and invalid texts as null', () => {
  const cases: readonly (readonly [string, Interval | null])[] = [
    ['60s', '1m'], ['60m', '1h'], ['60min', '1h'], ['120m', '2h'], ['90m', '90m'], ['24h', '1d'], ['36h', '36h'], ['7d', '1w'], ['14d', '2w'],
    ['1day', '1d'], ['1week', '1w'], ['1month', '1M'], ['1M', '1M'], ['3m', '3m'], ['3min', '3m'], ['366d', '366d'], ['367d', null], ['53w', null],
    ['7s', null], ['90s', null], ['45s', null], ['120s', '2m'], ['0m', null], ['-1m', null], ['1.5h', null], ['1e3m', null], ['2M', null],
    ['m', null], ['', null], [' 1m', null], ['1m ', null], ['1H', null], ['01m', null], ['9999999w', null], ['constructor', null],
  ]; // prettier-ignore
  for (const [text, expected] of cases) expect(parseInterval(text), text).toBe(expected);
  for (const name of NAMES) {
    expect(parseInterval(name)).toBe(name);
    expect(INTERVAL_PATTERN.test(name)).toBe(true);
    const length = fixedLengthMs(name);
    if (length !== null) expect(intervalOfLength(length)).toBe(name);
  }
  for (const invalidLength of [0, -60_000, NaN, Infinity, 1, 61_000, 367 * DAY]) expect(intervalOfLength(invalidLength)).toBeNull();
});

it('parseCommonInterval accepts only the names of the specification', () => {
  expect(parseCommonInterval('60min')).toBe('1h');
  for (const text of ['60m', '2h', '3m', 'toString']) expect(parseCommonInterval(text), text).toBeNull();
});
