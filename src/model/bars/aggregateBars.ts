// Builds longer bars from shorter ones: finds intervals that nest, and merges rows into one bar.

import { nests, typicalLengthMs, type Interval } from '../interval.ts';

/** Returns the candidates from which bars of `coarse` can be built, the longest first. */
export function nestedIn<Candidate extends Interval>(coarse: Interval, candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter((fine) => nests(fine, coarse)).toSorted((a, b) => typicalLengthMs(b) - typicalLengthMs(a));
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
