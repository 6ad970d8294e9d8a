// Intervals of mark price klines: those of bars up to a day, and others that venues publish, such as the 8 h of funding.

import { fixedLengthMs, parseInterval } from '../../../model/interval.ts';

const MINUTE = 60_000;
const LENGTH_MS = {
  '1m': MINUTE,
  '3m': 3 * MINUTE,
  '5m': 5 * MINUTE,
  '15m': 15 * MINUTE,
  '30m': 30 * MINUTE,
  '1h': 60 * MINUTE,
  '2h': 120 * MINUTE,
  '4h': 240 * MINUTE,
  '6h': 360 * MINUTE,
  '8h': 480 * MINUTE,
  '12h': 720 * MINUTE,
  '1d': 1440 * MINUTE,
} as const;

/** Each divides a day and lies on its UTC grid. */
export type MarkInterval = keyof typeof LENGTH_MS;
/** Shortest first. */
export const MARK_INTERVALS: readonly MarkInterval[] = ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '8h', '12h', '1d'];

/** Returns the length of an interval of mark prices, ms. */
export const markLengthMs = (interval: MarkInterval): number => LENGTH_MS[interval];

/** Returns the interval named by `text`, also by names of bar intervals (60min); null for an unknown name. */
export function parseMarkInterval(text: string): MarkInterval | null {
  const found = MARK_INTERVALS.find((interval) => interval === text);
  if (found !== undefined) return found;
  const asBars = parseInterval(text);
  return asBars === null ? null : (MARK_INTERVALS.find((interval) => LENGTH_MS[interval] === fixedLengthMs(asBars)) ?? null);
}
