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
  const held = feeds.filter(({ bars, firstRow }) => firstRow < bars.length);
  const [only] = held;
  if (only === undefined) return null;
  if (held.length === 1) return timeMs.map((ms) => only.bars.close[Math.max(only.firstRow, lastRowAtOrBefore(only.bars.closeMs, ms))]!);
  return heldValue(timeMs, held, fromMs);
}

/** Returns the returns between ascending times, from the start of the run on, of feeds bought in equal parts at their first opens. Null without rows inside the run. */
export function heldReturns(timeMs: Float64Array, feeds: readonly PricedFeed[]): Float64Array | null {
  const held = feeds.filter(({ bars, firstRow }) => firstRow < bars.length);
  if (held.length === 0) return null;
  const value = heldValue(timeMs, held, timeMs[0]!);
  return value.subarray(1).map((now, day) => now / value[day]! - 1);
}

/** Returns, at each time, the mean of the last closes divided by the first opens at or after `fromMs`. */
function heldValue(timeMs: Float64Array, held: readonly PricedFeed[], fromMs: number): Float64Array {
  const bought = held.map(({ bars, firstRow }) => firstOpenAfter(bars, firstRow, fromMs));
  return timeMs.map((ms) => {
    let sum = 0;
    for (const [feed, { bars }] of held.entries()) {
      const row = lastRowAtOrBefore(bars.closeMs, ms);
      sum += (row < bought[feed]! ? 1 : bars.close[row]! / bars.open[bought[feed]!]!) / held.length;
    }
    return sum;
  });
}
