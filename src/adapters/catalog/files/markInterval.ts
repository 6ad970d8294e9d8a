// Intervals of mark price klines: those of bars up to a day, and others that venues publish, such as the 8 h of funding.

import { fixedLengthMs, parseInterval } from '../../../model/interval.ts';

const MINUTE_MS = 60_000;
const LENGTH_MS = {
  '1m': MINUTE_MS,
  '3m': 3 * MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '2h': 120 * MINUTE_MS,
  '4h': 240 * MINUTE_MS,
  '6h': 360 * MINUTE_MS,
  '8h': 480 * MINUTE_MS,
  '12h': 720 * MINUTE_MS,
  '1d': 1440 * MINUTE_MS,
} as const;

/** An interval of mark prices. Every length divides a day, so its bars open on a grid that starts at midnight UTC. */
export type MarkInterval = keyof typeof LENGTH_MS;
/** All intervals of mark prices, the shortest first. */
export const MARK_INTERVALS: readonly MarkInterval[] = ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '8h', '12h', '1d'];

/** Returns the length of an interval of mark prices, ms. */
export const markLengthMs = (interval: MarkInterval): number => LENGTH_MS[interval];

/** Returns the interval named by `text`, also by names of bar intervals (60min); null for an unknown name. */
export function parseMarkInterval(text: string): MarkInterval | null {
  const exactName = MARK_INTERVALS.find((interval) => interval === text);
  if (exactName !== undefined) return exactName;
  const barInterval = parseInterval(text);
  return barInterval === null ? null : (MARK_INTERVALS.find((interval) => LENGTH_MS[interval] === fixedLengthMs(barInterval)) ?? null);
}
