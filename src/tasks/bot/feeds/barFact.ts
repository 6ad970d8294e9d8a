// The form of a bar in the journal.

import type { MarketBar } from '../../../adapters/exchange/klines/klineWindow.ts';
import type { BarRow } from '../../../model/bars/growingBars.ts';
import { isTradeBars } from '../../../model/tradeBars.ts';

/**
 * A received bar, once for every feed of its set: index of the feed in the engine, then openMs, open, high, low, close, volume. A bar from
 * trades also has its closeMs, and 1 if trades may be missing in it.
 */
export type BarFact = readonly [
  feed: number,
  openMs: number,
  open: number,
  high: number,
  low: number,
  close: number,
  volume: number,
  ...ofTrades: number[],
];

/** Number of values of a bar from trades that may miss trades. */
const INCOMPLETE_LENGTH = 9;

/** Returns the fact of a bar of a feed of `interval`. */
export function barFactOf(feedIndex: number, interval: string, bar: MarketBar): BarFact {
  const { openMs, open, high, low, close, volume, closeMs, isIncomplete } = bar;
  if (!isTradeBars(interval)) return [feedIndex, openMs, open, high, low, close, volume];
  if (isIncomplete !== true) return [feedIndex, openMs, open, high, low, close, volume, closeMs];
  return [feedIndex, openMs, open, high, low, close, volume, closeMs, 1];
}

/** Returns the row of a fact. */
export function rowOfFact([, openMs, open, high, low, close, volume, closeMs]: BarFact): BarRow {
  const row = { openMs, open, high, low, close, volume };
  return closeMs === undefined ? row : { ...row, closeMs };
}

/** True for a bar from trades in which trades may be missing. Strategies do not decide on it. */
export const isIncompleteFact = (fact: readonly unknown[]): boolean => fact.length === INCOMPLETE_LENGTH;
