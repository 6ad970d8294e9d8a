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
 * Merges the rows `from` to `to` (exclusive, at least one) of `fine` into one bar, and writes it to the row `target` of `into`. Adds volumes
 * in float64, oldest first.
 */
export function mergeRows(fine: FigureColumns, from: number, to: number, into: FigureColumns, target: number): void {
  const { high, low, volume } = fine;
  let maxHigh = high[from]!;
  let minLow = low[from]!;
  let volumeSum = 0;
  for (let row = from; row < to; row++) {
    if (high[row]! > maxHigh) maxHigh = high[row]!;
    if (low[row]! < minLow) minLow = low[row]!;
    volumeSum += volume[row]!;
  }
  into.open[target] = fine.open[from]!;
  into.high[target] = maxHigh;
  into.low[target] = minLow;
  into.close[target] = fine.close[to - 1]!;
  into.volume[target] = volumeSum;
}
