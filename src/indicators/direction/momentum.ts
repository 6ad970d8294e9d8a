// Indicators of momentum: how far prices have moved, as differences, percentages, and shares of gains and losses.

import { rsi } from '../oscillators.ts';
import { add, div } from '../arithmetic/arithmetic.ts';
import type { FeedSeries, Series } from '../graph/series.ts';
import { checkWhole, type IndicatorSpec, type Source } from '../graph/spec.ts';
import { steppedGroup, steppedSeries, windowedSeries } from '../graph/stepped.ts';
import { wma } from '../averages.ts';
import { roc } from '../momentum.ts';
import { RecentValues, RunningMean } from '../smoothing/running.ts';
import { percentRank } from '../statistics/statistics.ts';
import { percentOscillator } from '../volume/volume.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;
const MAX_BARS = 100_000;

/** Returns the change of x over `bars` bars, in the unit of x. */
export function momentum(x: Source, bars = 10): IndicatorSpec<Series> {
  checkWhole('momentum', 'bars', bars, 1, MAX_BARS);
  return windowedSeries({
    name: 'momentum',
    sources: [x],
    parameters: [bars],
    bars: bars + 1,
    compute: ([column], row) => column!.values[row - column!.base]! - column!.values[row - bars - column!.base]!,
  });
}

/** Returns the absolute price oscillator: the fast exponential average minus the slow one. */
export function apo(x: Source, fast = 12, slow = 26): IndicatorSpec<Series> {
  checkWhole('apo', 'fast', fast, 1);
  checkWhole('apo', 'slow', slow, fast + 1);
  return steppedSeries({
    name: 'apo',
    sources: [x],
    parameters: [fast, slow],
    bars: slow,
    start() {
      const fastMean = new RunningMean(fast);
      const slowMean = new RunningMean(slow);
      return ([value]) => fastMean.next(value!) - slowMean.next(value!);
    },
  });
}

/** The percentage price oscillator, its exponential average (`signal`), and their difference (`histogram`). */
export interface PercentOscillator {
  readonly ppo: Series;
  readonly signal: Series;
  readonly histogram: Series;
}

/**
 * Returns the percentage price oscillator: the fast exponential average minus the slow one, in percent of the slow one. Its signal is its
 * exponential average over `signal` bars.
 */
export function ppo(x: Source, fast = 12, slow = 26, signal = 9): IndicatorSpec<PercentOscillator> {
  checkWhole('ppo', 'fast', fast, 1);
  checkWhole('ppo', 'slow', slow, fast + 1);
  checkWhole('ppo', 'signal', signal, 1);
  return steppedGroup({
    name: 'ppo',
    sources: [x],
    parameters: [fast, slow, signal],
    outputs: { ppo: slow, signal: slow + signal - 1, histogram: slow + signal - 1 },
    start: () => percentOscillator(fast, slow, signal),
  });
}

/**
 * Returns Chande's momentum oscillator, -100 to 100: gains minus losses of `bars` bars as a share of their sum. 0 if x did not change.
 * Source: T. Chande (1994).
 */
export function cmo(x: Source, bars = 14): IndicatorSpec<Series> {
  checkWhole('cmo', 'bars', bars, 1, MAX_BARS);
  return windowedSeries({
    name: 'cmo',
    sources: [x],
    parameters: [bars],
    bars: bars + 1,
    compute([column], row) {
      const { values, base } = column!;
      let [gains, losses] = [0, 0];
      for (let i = row - bars + 1 - base; i <= row - base; i++) {
        const change = values[i]! - values[i - 1]!;
        if (change > 0) gains += change;
        else losses -= change;
      }
      return gains + losses === 0 ? 0 : (100 * (gains - losses)) / (gains + losses);
    },
  });
}

/** Returns the detrended price: x of bars / 2 + 1 bars ago minus the simple average of the last `bars` values. It reads no later value. */
export function dpo(x: Source, bars = 20): IndicatorSpec<Series> {
  checkWhole('dpo', 'bars', bars, 2, MAX_BARS);
  const back = Math.floor(bars / 2) + 1;
  return windowedSeries({
    name: 'dpo',
    sources: [x],
    parameters: [bars],
    bars: Math.max(bars, back + 1),
    compute([column], row) {
      const { values, base } = column!;
      let sum = 0;
      for (let i = row - bars + 1 - base; i <= row - base; i++) sum += values[i]!;
      return values[row - back - base]! - sum / bars;
    },
  });
}

/** Returns Coppock's curve: the wma of the sum of two rates of change. Source: E. Coppock (1962). */
export function coppock(x: Source, bars = 10, longRoc = 14, shortRoc = 11): IndicatorSpec<Series> {
  return wma(add(roc(x, longRoc), roc(x, shortRoc)), bars);
}

/**
 * Returns the true strength index, -100 to 100: the average change as a share of the average absolute change. Both are smoothed twice.
 * Source: W. Blau (1991).
 */
export function tsi(x: Source, slow = 25, fast = 13): IndicatorSpec<Series> {
  checkWhole('tsi', 'slow', slow, 1);
  checkWhole('tsi', 'fast', fast, 1);
  return steppedSeries({
    name: 'tsi',
    sources: [x],
    parameters: [slow, fast],
    bars: slow + fast,
    start() {
      const slowChangeMean = new RunningMean(slow);
      const fastChangeMean = new RunningMean(fast);
      const slowAbsChangeMean = new RunningMean(slow);
      const fastAbsChangeMean = new RunningMean(fast);
      let lastValue = NAN;
      return ([value]) => {
        const change = value! - lastValue;
        lastValue = value!;
        const smoothChange = fastChangeMean.next(slowChangeMean.next(change));
        const smoothAbsChange = fastAbsChangeMean.next(slowAbsChangeMean.next(Math.abs(change)));
        return smoothAbsChange === 0 ? 0 : (100 * smoothChange) / smoothAbsChange;
      };
    },
  });
}

/** Returns the number of consecutive rises of x, negative for falls: 3 after three rises in a row, 0 if x did not change. */
export function streak(x: Source): IndicatorSpec<Series> {
  return steppedSeries({
    name: 'streak',
    sources: [x],
    bars: 2,
    start() {
      let [lastValue, length] = [NAN, 0];
      return ([value]) => {
        const direction = Math.sign(value! - lastValue);
        lastValue = value!;
        if (Number.isNaN(direction)) return NAN;
        // A change against the streak, or after an unchanged value, begins a new streak. An unchanged value ends it: its direction is 0.
        length = Math.sign(length) === direction ? length + direction : direction;
        return length;
      };
    },
  });
}

/**
 * Returns Connors' RSI, 0 to 100: the mean of the RSI, the RSI of the streak, and the percent rank of the change of one bar.
 * Source: L. Connors (2012).
 */
export function connorsRsi(x: Source, bars = 3, streakBars = 2, rankBars = 100): IndicatorSpec<Series> {
  return div(add(add(rsi(x, bars), rsi(streak(x), streakBars)), percentRank(roc(x, 1), rankBars)), 3);
}

/** Returns the intraday momentum: the average of close minus open over `bars` bars. Source: T. Chande. */
export function qstick(feed: FeedSeries, bars = 8): IndicatorSpec<Series> {
  checkWhole('qstick', 'bars', bars, 1, MAX_BARS);
  return windowedSeries({
    name: 'qstick',
    sources: [feed.open, feed.close],
    bars,
    compute([opens, closes], row) {
      let sum = 0;
      for (let i = row - bars + 1; i <= row; i++) sum += closes!.values[i - closes!.base]! - opens!.values[i - opens!.base]!;
      return sum / bars;
    },
  });
}

/** Returns the balance of power, -1 to 1: (close - open) / (high - low). 0 if high equals low. */
export function balanceOfPower(feed: FeedSeries): IndicatorSpec<Series> {
  return steppedSeries({
    name: 'balanceOfPower',
    sources: [feed.open, feed.high, feed.low, feed.close],
    bars: 1,
    start:
      () =>
      ([open, high, low, close]) =>
        high! > low! ? (close! - open!) / (high! - low!) : 0,
  });
}

/** Returns the ultimate oscillator, 0 to 100: buying pressure over three spans, weighted 4, 2 and 1. Source: L. Williams (1985). */
export function ultimate(feed: FeedSeries, first = 7, second = 14, third = 28): IndicatorSpec<Series> {
  for (const [name, bars] of Object.entries({ first, second, third })) checkWhole('ultimate', name, bars, 1, MAX_BARS);
  const maxBars = Math.max(first, second, third);
  return steppedSeries({
    name: 'ultimate',
    sources: [feed.high, feed.low, feed.close],
    parameters: [first, second, third],
    bars: maxBars + 1,
    start() {
      const pressures = new RecentValues(maxBars);
      const ranges = new RecentValues(maxBars);
      let lastClose = NAN;
      const pressureRatio = (bars: number) => {
        let [pressureSum, rangeSum] = [0, 0];
        for (let i = bars - 1; i >= 0; i--) {
          pressureSum += pressures.ago(i);
          rangeSum += ranges.ago(i);
        }
        return rangeSum === 0 ? 0 : pressureSum / rangeSum;
      };
      return ([high, low, close]) => {
        const bottom = Math.min(low!, lastClose);
        const range = Math.max(high!, lastClose) - bottom;
        lastClose = close!;
        if (Number.isNaN(range)) return NAN;
        pressures.push(close! - bottom);
        ranges.push(range);
        if (!ranges.isFull) return NAN;
        return (100 * (4 * pressureRatio(first) + 2 * pressureRatio(second) + pressureRatio(third))) / 7;
      };
    },
  });
}

/** Returns Elder's power of bulls and bears: high and low, each minus the ema of the close. Source: A. Elder (1993). */
export function elderRay(feed: FeedSeries, bars = 13): IndicatorSpec<{ readonly bull: Series; readonly bear: Series }> {
  checkWhole('elderRay', 'bars', bars, 1);
  return steppedGroup({
    name: 'elderRay',
    sources: [feed.high, feed.low, feed.close],
    parameters: [bars],
    outputs: { bull: bars, bear: bars },
    start() {
      const mean = new RunningMean(bars);
      return ([high, low, close], out) => {
        const middle = mean.next(close!);
        out[0] = high! - middle;
        out[1] = low! - middle;
      };
    },
  });
}
