// Names, lengths and UTC grid of the intervals of bars.

import { InvariantError } from '../base/errors.ts';
import { civilMonth, monthStart } from '../base/calendar.ts';
import { isTradeBars, parseTradeBars, TRADE_BAR_FORM, type TradeBars } from './tradeBars.ts';

/** The common intervals, which the exchange offers and to which reports aggregate. */
export const INTERVALS = ['1m', '5m', '15m', '30m', '1h', '4h', '1d', '1w', '1M'] as const;
/** One of the common intervals. */
export type CommonInterval = (typeof INTERVALS)[number];

/**
 * The length of a bar, in the largest unit that fits. It is a number of seconds that divides a minute, a number of minutes, hours, days or weeks
 * up to a year, or a month. In UTC, weeks begin on Mondays, months are those of the calendar, and shorter lengths count from 1970-01-01. Bars
 * from trades have no fixed length.
 */
export type Interval = `${number}${'s' | 'm' | 'h' | 'd' | 'w'}` | '1M' | TradeBars;

/** The interval of rows of trades. Each row has the trades of one ms. Bars never have this interval, so `INTERVALS` lacks it. */
export const TRADE_ROWS = 'trades' as string as Interval;

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 1440 * MINUTE_MS;
const WEEK_MS = 7 * DAY_MS;
const MAX_LENGTH_MS = 366 * DAY_MS;
/** The units, the longest first. */
const UNIT_LENGTHS = [
  ['w', WEEK_MS],
  ['d', DAY_MS],
  ['h', 60 * MINUTE_MS],
  ['m', MINUTE_MS],
  ['s', SECOND_MS],
] as const;
/** Lengths of the units in ms, also by their names in the specification, such as 5min, 1day and 1week. */
const UNIT_MS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(UNIT_LENGTHS),
  min: MINUTE_MS,
  day: DAY_MS,
  week: WEEK_MS,
};
/** The common intervals by their own names and by those of the specification. */
const COMMON_NAMES: Readonly<Record<string, CommonInterval>> = {
  ...Object.fromEntries(INTERVALS.map((interval) => [interval, interval])),
  '1min': '1m',
  '5min': '5m',
  '15min': '15m',
  '30min': '30m',
  '60min': '1h',
  '1day': '1d',
  '1week': '1w',
  '1month': '1M',
};
/** The valid forms of an interval, for messages. */
export const INTERVAL_FORM = 'a length such as 15s, 1m, 3h, 1d, 1w or 1M (seconds divide a minute, weeks at most a year)';
/** Pattern of interval names, for schemas. A few matching texts are invalid, such as 7s, which does not divide a minute. */
export const INTERVAL_PATTERN = /^([1-9]\d{0,6}(s|m|min|h|d|day|w|week)|1M|1month)$/;
/** 1970-01-05T00:00Z, the first Monday. Weeks are counted from here. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** Returns the interval of a fixed length, ms. Null if no interval has this length. */
export function intervalOfLength(lengthMs: number): Interval | null {
  if (!(lengthMs > 0 && lengthMs <= MAX_LENGTH_MS)) return null;
  if (lengthMs % MINUTE_MS !== 0 && (lengthMs % SECOND_MS !== 0 || MINUTE_MS % lengthMs !== 0)) return null;
  const [unit, ms] = UNIT_LENGTHS.find((each) => lengthMs % each[1] === 0)!;
  return `${lengthMs / ms}${unit}`;
}

/**
 * Returns the interval that `text` names, also by the names of the specification, or null. Texts of equal length name the same interval: 60m and
 * 60min are 1h. Case matters: 1m is a minute, 1M a month.
 */
export function parseInterval(text: string): Interval | null {
  if (text === '1M' || text === '1month') return '1M';
  const [, count, unit = ''] = INTERVAL_PATTERN.exec(text)?.[0].match(/^(\d+)(\w+)$/) ?? [];
  const unitMs = UNIT_MS[unit];
  return count === undefined || unitMs === undefined ? null : intervalOfLength(Number(count) * unitMs);
}

/** The valid forms of the interval of a feed, for messages. */
export const FEED_FORM = `${INTERVAL_FORM}; or ${TRADE_BAR_FORM}`;

/** Returns the interval or the bars from trades that `text` names, or null. */
export function parseFeedInterval(text: string): Interval | null {
  return parseInterval(text) ?? parseTradeBars(text);
}

/** True for a common interval. */
export function isCommon(interval: Interval): interval is CommonInterval {
  return (INTERVALS as readonly string[]).includes(interval);
}

/** Returns the common interval with this name. Null for any other text, such as 60m. */
export function parseCommonInterval(text: string): CommonInterval | null {
  return Object.hasOwn(COMMON_NAMES, text) ? COMMON_NAMES[text]! : null;
}

/** Lengths in ms that were computed before. */
const knownLengths = new Map<Interval, number>([[TRADE_ROWS, 1]]);

/** Returns the length in ms. Null for 1M and for bars from trades, whose lengths vary. */
export function fixedLengthMs(interval: Interval): number | null {
  return interval === '1M' || isTradeBars(interval) ? null : lengthOf(interval);
}

/** Returns the length in ms. Throws InvariantError for bars from trades. */
function lengthOf(interval: Exclude<Interval, '1M'>): number {
  const cachedLength = knownLengths.get(interval);
  if (cachedLength !== undefined) return cachedLength;
  if (isTradeBars(interval)) throw new InvariantError(`bars of ${interval} lie on no grid`);
  const lengthMs = Number(interval.slice(0, -1)) * UNIT_MS[interval.slice(-1)]!;
  knownLengths.set(interval, lengthMs);
  return lengthMs;
}

/** Returns the origin of the grid: a time, ms UTC, at which a bar of a fixed length opens. */
function originOf(interval: Interval): number {
  return interval.endsWith('w') ? FIRST_MONDAY_MS : 0;
}

/** True when each bar of `coarse` consists of whole bars of `fine`. Weeks do not nest in months, and bars from trades nest in no interval. */
export function nests(fine: Interval, coarse: Interval): boolean {
  if (isTradeBars(coarse)) return false;
  const fineMs = fixedLengthMs(fine);
  const coarseMs = fixedLengthMs(coarse);
  if (fineMs === null) return false;
  // `coarse` is a month, which consists of whole days.
  if (coarseMs === null) return DAY_MS % fineMs === 0;
  return fineMs < coarseMs && coarseMs % fineMs === 0 && (originOf(coarse) - originOf(fine)) % fineMs === 0;
}

/**
 * Returns the typical length in ms, which is 30 days for a month and a minute for bars from trades. Use it to sort intervals and to display
 * them, never for a grid.
 */
export function typicalLengthMs(interval: Interval): number {
  return fixedLengthMs(interval) ?? (interval === '1M' ? 30 * DAY_MS : MINUTE_MS);
}

/** Returns the open time (ms UTC) of the bar of `interval` that contains `timeMs`. */
export function openOf(interval: Interval, timeMs: number): number {
  if (interval === '1M') {
    const { year, month } = civilMonth(timeMs);
    return monthStart(year, month);
  }
  const lengthMs = lengthOf(interval);
  const origin = originOf(interval);
  return Math.floor((timeMs - origin) / lengthMs) * lengthMs + origin;
}

/** Returns the end (exclusive, ms UTC) of the bar that opens at `openMs`. */
export function closeOf(interval: Interval, openMs: number): number {
  if (interval !== '1M') return openMs + lengthOf(interval);
  const { year, month } = civilMonth(openMs);
  return month === 12 ? monthStart(year + 1, 1) : monthStart(year, month + 1);
}

/** Returns the number of bars from the bar that opens at `fromMs` to the bar that opens at `toMs`, without the latter. */
export function barsBetween(interval: Interval, fromMs: number, toMs: number): number {
  if (interval !== '1M') return Math.round((toMs - fromMs) / lengthOf(interval));
  const from = civilMonth(fromMs);
  const to = civilMonth(toMs);
  return (to.year - from.year) * 12 + to.month - from.month;
}
