// Drawdowns of an equity series: the depth at each point, and the episodes from a peak to its recovery.

import { ZERO } from './sums.ts';

/** One fall below a peak. Indexes point into the equity series. */
export interface DrawdownEpisode {
  /** Index of the last point at the peak. */
  readonly peak: number;
  readonly trough: number;
  /** Index of the first point at or above the peak again. Null while the series has not recovered. */
  readonly recovery: number | null;
  /** Fraction of the peak, below 0. */
  readonly depth: number;
}

/** The drawdown of a series: its depth at each point, and its episodes. */
export interface Drawdown {
  /** E_t / max(E_0..E_t) - 1 at each point: 0 or less. */
  readonly depth: Float64Array;
  readonly deepest: number;
  /** Largest peak minus equity, in money. Its point can differ from that of `deepest`. */
  readonly deepestMoney: number;
  readonly episodes: readonly DrawdownEpisode[];
}

/**
 * Returns the drawdowns. The first value is the first peak (the starting capital) and must be above 0. Depths of at most 1e-12 count as
 * zero.
 */
export function drawdownOf(equity: Float64Array): Drawdown {
  const depth = new Float64Array(equity.length);
  const episodes: DrawdownEpisode[] = [];
  // Points of the current episode. A trough of -1 means that the series is at a peak.
  let peak = 0;
  let trough = -1;
  let deepest = 0;
  let deepestMoney = 0;
  for (let point = 0; point < equity.length; point++) {
    const peakEquity = equity[peak]!;
    const value = equity[point]!;
    if (value >= peakEquity) {
      if (trough >= 0) episodes.push({ peak, trough, recovery: point, depth: depth[trough]! });
      trough = -1;
      peak = point;
      continue;
    }
    const drop = value / peakEquity - 1;
    if (drop >= -ZERO) continue;
    depth[point] = drop;
    if (trough < 0 || drop < depth[trough]!) trough = point;
    if (drop < deepest) deepest = drop;
    if (peakEquity - value > deepestMoney) deepestMoney = peakEquity - value;
  }
  if (trough >= 0) episodes.push({ peak, trough, recovery: null, depth: depth[trough]! });
  return { depth, deepest, deepestMoney, episodes };
}
