// The price beside the equity of each bar: the close of the instrument, or what several bought in equal parts are worth.

import type { BarColumns } from '../../../model/bars/bars.ts';
import { rowAt } from './input.ts';

/** Bars of an instrument, its warm-up first. */
export interface PricedFeed {
  readonly bars: BarColumns;
  /** First row of the run. */
  readonly firstRow: number;
}

/**
 * Returns the price at each time: of one feed its last close, of several the mean of their last closes over their first opens. Null without
 * rows of the run.
 */
export function closesAt(timeMs: Float64Array, feeds: readonly PricedFeed[]): Float64Array | null {
  const held = feeds.filter(({ bars, firstRow }) => firstRow < bars.length);
  const [only] = held;
  if (only === undefined) return null;
  if (held.length === 1) return timeMs.map((ms) => only.bars.close[Math.max(only.firstRow, rowAt(only.bars.closeMs, ms))]!);
  return heldValue(timeMs, held);
}

/** Returns the daily returns of feeds bought in equal parts at their first opens, between ascending times. Null without rows of the run. */
export function heldReturns(timeMs: Float64Array, feeds: readonly PricedFeed[]): Float64Array | null {
  const held = feeds.filter(({ bars, firstRow }) => firstRow < bars.length);
  if (held.length === 0) return null;
  const value = heldValue(timeMs, held);
  return value.subarray(1).map((now, day) => now / value[day]! - 1);
}

/** Returns the mean of the last closes over the first opens. */
function heldValue(timeMs: Float64Array, held: readonly PricedFeed[]): Float64Array {
  return timeMs.map((ms) => {
    let sum = 0;
    for (const { bars, firstRow } of held) {
      const row = rowAt(bars.closeMs, ms);
      sum += (row < firstRow ? 1 : bars.close[row]! / bars.open[firstRow]!) / held.length;
    }
    return sum;
  });
}
