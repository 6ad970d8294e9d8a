// Computes what a run is compared with in a profile: the closes of its instrument, or the growth of several bought in equal parts.

import type { BarColumns } from '../../../model/bars/bars.ts';
import { firstOpenAfter } from '../../series/daily.ts';
import { lastRowAtOrBefore } from './profileInput.ts';

/** Bars of a traded instrument, including its warm-up. */
export interface PricedFeed {
  readonly bars: BarColumns;
  /** First row of the run. */
  readonly firstRow: number;
}

/**
 * Returns the price at each time. For one feed it is the last close. For several feeds it is their mean growth since `fromMs`, the start of
 * the run. Null without rows inside the run.
 */
export function closesAt(timeMs: Float64Array, feeds: readonly PricedFeed[], fromMs: number): Float64Array | null {
  const feedsInRun = feeds.filter(({ bars, firstRow }) => firstRow < bars.length);
  const [firstFeed] = feedsInRun;
  if (firstFeed === undefined) return null;
  if (feedsInRun.length > 1) return meanGrowth(timeMs, feedsInRun, fromMs);
  const { bars, firstRow } = firstFeed;
  return timeMs.map((ms) => bars.close[Math.max(firstRow, lastRowAtOrBefore(bars.closeMs, ms))]!);
}

/**
 * Returns the returns of feeds bought in equal parts at their first opens, one between each two times. The times ascend, and begin with the
 * start of the run. Null without rows inside the run.
 */
export function buyAndHoldReturns(timeMs: Float64Array, feeds: readonly PricedFeed[]): Float64Array | null {
  const feedsInRun = feeds.filter(({ bars, firstRow }) => firstRow < bars.length);
  if (feedsInRun.length === 0) return null;
  const growth = meanGrowth(timeMs, feedsInRun, timeMs[0]!);
  return growth.subarray(1).map((factor, index) => factor / growth[index]! - 1);
}

/** Returns the mean growth factor of the feeds at each time: the last close divided by the first open at or after `fromMs`. */
function meanGrowth(timesMs: Float64Array, feeds: readonly PricedFeed[], fromMs: number): Float64Array {
  const buyRows = feeds.map(({ bars, firstRow }) => firstOpenAfter(bars, firstRow, fromMs));
  return timesMs.map((timeMs) => {
    let mean = 0;
    for (const [feed, { bars }] of feeds.entries()) {
      const lastRow = lastRowAtOrBefore(bars.closeMs, timeMs);
      const buyRow = buyRows[feed]!;
      const growth = lastRow < buyRow ? 1 : bars.close[lastRow]! / bars.open[buyRow]!;
      mean += growth / feeds.length;
    }
    return mean;
  });
}
