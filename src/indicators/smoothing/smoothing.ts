// Moving averages with less lag, adaptive averages, and averages with other weights.

import { wma } from '../averages.ts';
import { mul, sub } from '../arithmetic/arithmetic.ts';
import type { FeedSeries, Series } from '../graph/series.ts';
import { checkPositive, checkWhole, type IndicatorSpec, type Source } from '../graph/spec.ts';
import { steppedSeries, windowedSeries } from '../graph/stepped.ts';
import { RecentValues, RunningMean } from './running.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;

/** Returns the double exponential average: 2 e - ema(e), where e is the ema of x. P. Mulloy (1994). */
export function dema(x: Source, bars: number): IndicatorSpec<Series> {
  checkWhole('dema', 'bars', bars, 1);
  return steppedSeries({
    name: 'dema',
    sources: [x],
    parameters: [bars],
    bars: 2 * bars - 1,
    start() {
      const first = new RunningMean(bars);
      const second = new RunningMean(bars);
      return ([value]) => {
        const firstMean = first.next(value!);
        return 2 * firstMean - second.next(firstMean);
      };
    },
  });
}

/**
 * Returns the triple exponential average: 3 e1 - 3 e2 + e3. Each of e1, e2, e3 is the ema of the one before, and e1 is the ema of x. P.
 * Mulloy (1994).
 */
export function tema(x: Source, bars: number): IndicatorSpec<Series> {
  checkWhole('tema', 'bars', bars, 1);
  return steppedSeries({
    name: 'tema',
    sources: [x],
    parameters: [bars],
    bars: 3 * bars - 2,
    start() {
      const means = [0, 1, 2].map(() => new RunningMean(bars));
      return ([value]) => {
        const e1 = means[0]!.next(value!);
        const e2 = means[1]!.next(e1);
        return 3 * e1 - 3 * e2 + means[2]!.next(e2);
      };
    },
  });
}

/** Returns Tillson's T3 over six exponential averages, with the volume factor `factor`. T. Tillson (1998). */
export function t3(x: Source, bars = 5, factor = 0.7): IndicatorSpec<Series> {
  checkWhole('t3', 'bars', bars, 1);
  checkPositive('t3', 'factor', factor);
  const squared = factor * factor;
  const cubed = factor * factor * factor;
  // The weights of the 6th, 5th, 4th and 3rd average, as Tillson derived them.
  const weight6 = -cubed;
  const weight5 = 3 * (squared + cubed);
  const weight4 = -6 * squared - 3 * (factor + cubed);
  const weight3 = 1 + 3 * factor + cubed + 3 * squared;
  return steppedSeries({
    name: 't3',
    sources: [x],
    parameters: [bars, factor],
    bars: 6 * bars - 5,
    start() {
      const means = Array.from({ length: 6 }, () => new RunningMean(bars));
      const smoothed = new Float64Array(6);
      return ([value]) => {
        let last = value!;
        for (let i = 0; i < 6; i++) smoothed[i] = last = means[i]!.next(last);
        return weight6 * smoothed[5]! + weight5 * smoothed[4]! + weight4 * smoothed[3]! + weight3 * smoothed[2]!;
      };
    },
  });
}

/** Returns the triangular average: the values in the middle of the window have the highest weights. */
export function trima(x: Source, bars: number): IndicatorSpec<Series> {
  checkWhole('trima', 'bars', bars, 1, 100_000);
  const middle = Math.ceil(bars / 2);
  const weights = Float64Array.from({ length: bars }, (_, i) => Math.min(i + 1, bars - i, middle));
  return weighted('trima', x, [bars], weights);
}

/**
 * Returns Arnaud Legoux's average, which has bell-shaped weights. The middle of the bell is at `offset` (0 to 1) of the window. The bell
 * is `bars / sigma` wide.
 * A. Legoux, D. Kouzis-Loukas (2009).
 */
export function alma(x: Source, bars = 9, offset = 0.85, sigma = 6): IndicatorSpec<Series> {
  checkWhole('alma', 'bars', bars, 1, 100_000);
  checkPositive('alma', 'offset', offset);
  checkPositive('alma', 'sigma', sigma);
  const middle = offset * (bars - 1);
  const width = bars / sigma;
  const weights = Float64Array.from({ length: bars }, (_, i) => Math.exp(-((i - middle) * (i - middle)) / (2 * width * width)));
  return weighted('alma', x, [bars, offset, sigma], weights);
}

/** Returns the spec of the average of each window with `weights`. The first weight is that of the oldest value. */
function weighted(name: string, x: Source, parameters: readonly number[], weights: Float64Array): IndicatorSpec<Series> {
  const bars = weights.length;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return windowedSeries({
    name,
    sources: [x],
    parameters,
    bars,
    compute([column], row) {
      const { values, base } = column!;
      const first = row - bars + 1 - base;
      let sum = 0;
      for (let i = 0; i < bars; i++) sum += weights[i]! * values[first + i]!;
      return sum / total;
    },
  });
}

/**
 * Returns Hull's average: wma(2 wma(x, bars / 2) - wma(x, bars), root of bars). `bars / 2` and the root are rounded down. A. Hull (2005).
 */
export function hma(x: Source, bars: number): IndicatorSpec<Series> {
  checkWhole('hma', 'bars', bars, 2, 1_000_000);
  return wma(sub(mul(2, wma(x, Math.floor(bars / 2))), wma(x, bars)), Math.floor(Math.sqrt(bars)));
}

/** Returns the exponential average without lag: the ema of 2 x minus the x of (bars - 1) / 2 bars ago. J. Ehlers, R. Way (2010). */
export function zlema(x: Source, bars: number): IndicatorSpec<Series> {
  checkWhole('zlema', 'bars', bars, 1);
  const back = Math.floor((bars - 1) / 2);
  return steppedSeries({
    name: 'zlema',
    sources: [x],
    parameters: [bars],
    bars: back + bars,
    start() {
      const recent = new RecentValues(back + 1);
      const mean = new RunningMean(bars);
      return ([value]) => {
        recent.push(value!);
        return mean.next(2 * value! - recent.ago(back));
      };
    },
  });
}

/**
 * Returns Kaufman's adaptive average. It is fast (2 bars) when the price moves in one direction, and slow (30 bars) when the price moves
 * back and forth.
 * P. Kaufman, Smarter Trading (1995).
 */
export function kama(x: Source, bars = 10): IndicatorSpec<Series> {
  checkWhole('kama', 'bars', bars, 2);
  // The weights of exponential averages over 2 and 30 bars: 2 / (bars + 1).
  const fast = 2 / 3;
  const slow = 2 / 31;
  return steppedSeries({
    name: 'kama',
    sources: [x],
    parameters: [bars],
    bars: bars + 1,
    start() {
      const recent = new RecentValues(bars + 1);
      let mean = NAN;
      return ([value]) => {
        const last = recent.ago(0);
        recent.push(value!);
        if (!recent.isFull) return NAN;
        let path = 0;
        for (let i = bars; i > 0; i--) path += Math.abs(recent.ago(i - 1) - recent.ago(i));
        const change = Math.abs(value! - recent.ago(bars));
        const efficiency = path === 0 ? 1 : Math.min(1, change / path);
        const weight = (efficiency * (fast - slow) + slow) ** 2;
        if (mean !== mean) mean = last;
        return (mean += weight * (value! - mean));
      };
    },
  });
}

/** Returns the average of x weighted by volume: the sum of x times volume, divided by the sum of volume. NaN without volume. */
export function vwma(feed: FeedSeries, bars: number, x: Source = feed.close): IndicatorSpec<Series> {
  checkWhole('vwma', 'bars', bars, 1);
  return windowedSeries({
    name: 'vwma',
    sources: [x, feed.volume],
    bars,
    compute([prices, volumes], row) {
      let [sum, traded] = [0, 0];
      for (let i = row - bars + 1; i <= row; i++) {
        const volume = volumes!.values[i - volumes!.base]!;
        sum += prices!.values[i - prices!.base]! * volume;
        traded += volume;
      }
      return sum / traded;
    },
  });
}

/** Returns the middle between the highest and the lowest value of the window. */
export function midpoint(x: Source, bars: number): IndicatorSpec<Series> {
  checkWhole('midpoint', 'bars', bars, 1);
  return windowedSeries({
    name: 'midpoint',
    sources: [x],
    bars,
    compute([column], row) {
      let [low, high] = [INFINITY, -INFINITY];
      for (let i = row - bars + 1 - column!.base; i <= row - column!.base; i++) {
        low = Math.min(low, column!.values[i]!);
        high = Math.max(high, column!.values[i]!);
      }
      return (low + high) / 2;
    },
  });
}

/** Returns the middle between the highest high and the lowest low of the window. */
export function midprice(feed: FeedSeries, bars: number): IndicatorSpec<Series> {
  checkWhole('midprice', 'bars', bars, 1);
  return windowedSeries({
    name: 'midprice',
    sources: [feed.high, feed.low],
    bars,
    compute([highs, lows], row) {
      let [low, high] = [INFINITY, -INFINITY];
      for (let i = row - bars + 1; i <= row; i++) {
        low = Math.min(low, lows!.values[i - lows!.base]!);
        high = Math.max(high, highs!.values[i - highs!.base]!);
      }
      return (low + high) / 2;
    },
  });
}
