// Intervals of bars: names, aliases on the exchange's wire, lengths, and their UTC grid.

import { civilMonth, monthStart } from '../base/calendar.ts';

export const INTERVALS = ['1m', '5m', '15m', '30m', '1h', '4h', '1d', '1w', '1M'] as const;
/** A bar interval; UTC, weeks from Monday, months of the calendar. */
export type Interval = (typeof INTERVALS)[number];
/** Rows of trades have it: a row has the trades of one ms. It is not in `INTERVALS`, because no bar and no feed of a strategy has it. */
export const TRADE_ROWS = 'trades' as string as Interval;

const ALIASES: Readonly<Record<string, Interval>> = {
  '1min': '1m',
  '5min': '5m',
  '15min': '15m',
  '30min': '30m',
  '60min': '1h',
  '1day': '1d',
  '1week': '1w',
  '1month': '1M',
};
/** Every name that an input may use for an interval. */
export const INTERVAL_NAMES: readonly string[] = [...INTERVALS, ...Object.keys(ALIASES)];
const MINUTE = 60_000;
const LENGTH_MS: Readonly<Record<Exclude<Interval, '1M'>, number>> = {
  [TRADE_ROWS as string]: 1,
  '1m': MINUTE,
  '5m': 5 * MINUTE,
  '15m': 15 * MINUTE,
  '30m': 30 * MINUTE,
  '1h': 60 * MINUTE,
  '4h': 240 * MINUTE,
  '1d': 1440 * MINUTE,
  '1w': 10080 * MINUTE,
};
/** 1970-01-05T00:00Z, the first Monday: weeks are counted from here. */
const FIRST_MONDAY = 4 * 86_400_000;

/** Returns the interval that `text` names (including the specification's names), or null. Case matters: 1m is a minute, 1M a month. */
export function parseInterval(text: string): Interval | null {
  return (INTERVALS as readonly string[]).includes(text) ? (text as Interval) : (ALIASES[text] ?? null);
}

/** Returns the length in ms, or null for 1M, whose length varies. */
export function fixedLengthMs(interval: Interval): number | null {
  return interval === '1M' ? null : LENGTH_MS[interval];
}

/** Returns the typical length in ms (30 days for a month): for ordering intervals and for display, never for a grid. */
export function typicalLengthMs(interval: Interval): number {
  return fixedLengthMs(interval) ?? 30 * 86_400_000;
}

/** Returns the open time (ms UTC) of the bar of `interval` that contains `ms`. */
export function openOf(interval: Interval, ms: number): number {
  if (interval === '1M') {
    const { year, month } = civilMonth(ms);
    return monthStart(year, month);
  }
  const length = LENGTH_MS[interval];
  const origin = interval === '1w' ? FIRST_MONDAY : 0;
  return Math.floor((ms - origin) / length) * length + origin;
}

/** Returns the end (exclusive, ms UTC) of the bar that opens at `openMs`. */
export function closeOf(interval: Interval, openMs: number): number {
  if (interval !== '1M') return openMs + LENGTH_MS[interval];
  const { year, month } = civilMonth(openMs);
  return month === 12 ? monthStart(year + 1, 1) : monthStart(year, month + 1);
}

/** Returns the number of bars of `interval` from the one that opens at `fromMs` to the one that opens at `toMs`, exclusive. */
export function barsBetween(interval: Interval, fromMs: number, toMs: number): number {
  if (interval !== '1M') return Math.round((toMs - fromMs) / LENGTH_MS[interval]);
  const from = civilMonth(fromMs);
  const to = civilMonth(toMs);
  return (to.year - from.year) * 12 + to.month - from.month;
}
