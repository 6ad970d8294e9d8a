// Computes the price beside the equity of each bar: the close of the instrument, or the value of several bought in equal parts.

import type { BarColumns } from '../../../model/bars/bars.ts';
import { firstOpenAfter } from '../../series/daily.ts';
import { lastRowAtOrBefore } from './input.ts';

/** Bars of an instrument, including its warm-up. */
export interface PricedFeed {
  readonly bars: BarColumns;
  /** First row of the run. */
  readonly firstRow: number;
}

/**
 * Returns the price at each time. For one feed it is the last close. For several feeds it is the mean of their last closes, each divided by
 * its first open at or after `fromMs`, the start of the run. Null without rows inside the run.
 */
export function closesAt(timeMs: Float64Array, feeds: readonly PricedFeed[], fromMs: number): Float64Array | null {
  const feedsInRun = feeds.filter(({ bars, firstRow }) => firstRow < bars.length);
  const [firstFeed] = feedsInRun;
  if (firstFeed === undefined) return null;
  if (feedsInRun.length > 1) return heldValue(timeMs, feedsInRun, fromMs);
  const { bars, firstRow } = firstFeed;
  return timeMs.map((ms) => bars.close[Math.max(firstRow, lastRowAtOrBefore(bars.closeMs, ms))]!);
}

/**
 * Returns the returns of feeds bought in equal parts at their first opens: one between each two of the ascending times, which begin with the
 * start of the run. Null without rows inside the run.
 */
export function heldReturns(timeMs: Float64Array, feeds: readonly PricedFeed[]): Float64Array | null {
  const feedsInRun = feeds.filter(({ bars, firstRow }) => firstRow < bars.length);
  if (feedsInRun.length === 0) return null;
  const values = heldValue(timeMs, feedsInRun, timeMs[0]!);
  return values.subarray(1).map((value, index) => value / values[index]! - 1);
}

/** Returns, at each time, the mean of the last closes divided by the first opens at or after `fromMs`. */
function heldValue(timeMs: Float64Array, held: readonly PricedFeed[], fromMs: number): Float64Array {
  const boughtRows = held.map(({ bars, firstRow }) => firstOpenAfter(bars, firstRow, fromMs));
  return timeMs.map((ms) => {
    let sum = 0;
    for (const [feed, { bars }] of held.entries()) {
      const row = lastRowAtOrBefore(bars.closeMs, ms);
      const boughtRow = boughtRows[feed]!;
      const growth = row < boughtRow ? 1 : bars.close[row]! / bars.open[boughtRow]!;
      sum += growth / held.length;
    }
    return sum;
  });
}
