// Makes coarser bars from finer ones: which intervals nest, and the arithmetic of one coarse bar.

import { INTERVALS, typicalLengthMs, type Interval } from '../interval.ts';

/** True when each bar of `coarse` holds a whole number of bars of `fine`. Weeks do not nest in months. */
export function nests(fine: Interval, coarse: Interval): boolean {
  const [short, long] = [typicalLengthMs(fine), typicalLengthMs(coarse)];
  return short < long && (coarse === '1M' ? fine !== '1w' : long % short === 0);
}

/** Returns the intervals from which bars of `coarse` can be made, the longest first. */
export function nestedIn(coarse: Interval): readonly Interval[] {
  return INTERVALS.filter((fine) => nests(fine, coarse)).toReversed();
}

/** The figures of bars as columns of one length. */
export interface FigureColumns {
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  readonly volume: Float64Array;
}

/**
 * Merges the rows `from` to `to` (exclusive, at least one) of `fine` into one bar, at row `at` of `into`. Volumes are added in float64,
 * oldest first.
 */
export function mergeRows(fine: FigureColumns, from: number, to: number, into: FigureColumns, at: number): void {
  const { high, low, volume } = fine;
  let [top, bottom, sum] = [high[from]!, low[from]!, 0];
  for (let row = from; row < to; row++) {
    if (high[row]! > top) top = high[row]!;
    if (low[row]! < bottom) bottom = low[row]!;
    sum += volume[row]!;
  }
  into.open[at] = fine.open[from]!;
  into.high[at] = top;
  into.low[at] = bottom;
  into.close[at] = fine.close[to - 1]!;
  into.volume[at] = sum;
}
