// Volatility from whole bars: true ranges, and estimators that use open, high, low and close.

import type { FeedSeries, Series } from '../graph/series.ts';
import { checkPositive, checkWhole, type IndicatorSpec, type Source } from '../graph/spec.ts';
import { steppedGroup, steppedSeries, windowedSeries } from '../graph/stepped.ts';
import type { IndicatorColumn } from '../graph/window.ts';
import { RecentValues, RunningMean } from '../smoothing/running.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;
const MAX_BARS = 100_000;

type PriceColumns = readonly IndicatorColumn<Float64Array>[];

const valueAt = (columns: PriceColumns, source: number, row: number) => columns[source]!.values[row - columns[source]!.base]!;

/** Returns the true range: the range of the bar, extended to the previous close. */
export function trueRange(feed: FeedSeries): IndicatorSpec<Series> {
  return steppedSeries({
    name: 'trueRange',
    sources: [feed.high, feed.low, feed.close],
    bars: 2,
    start() {
      let lastClose = NAN;
      return ([high, low, close]) => {
        const range = Math.max(high!, lastClose) - Math.min(low!, lastClose);
        lastClose = close!;
        return range;
      };
    },
  });
}

/** Returns the average true range (Wilder) in percent of the close. */
export function natr(feed: FeedSeries, bars = 14): IndicatorSpec<Series> {
  checkWhole('natr', 'bars', bars, 1);
  return steppedSeries({
    name: 'natr',
    sources: [feed.high, feed.low, feed.close],
    parameters: [bars],
    bars: bars + 1,
    start() {
      const mean = new RunningMean(bars, 1 / bars);
      let lastClose = NAN;
      return ([high, low, close]) => {
        const range = Math.max(high!, lastClose) - Math.min(low!, lastClose);
        lastClose = close!;
        return (100 * mean.next(range)) / close!;
      };
    },
  });
}

/** Returns the spec of a volatility. `varianceOf` estimates the variance from one bar. The result is a standard deviation over `perYear` bars. */
function estimator(
  name: string,
  feed: FeedSeries,
  { bars, perYear }: { readonly bars: number; readonly perYear: number },
  varianceOf: (open: number, high: number, low: number, close: number) => number,
): IndicatorSpec<Series> {
  checkWhole(name, 'bars', bars, 1, MAX_BARS);
  checkPositive(name, 'perYear', perYear);
  return windowedSeries({
    name,
    sources: [feed.open, feed.high, feed.low, feed.close],
    parameters: [bars, perYear],
    bars,
    compute(columns, row) {
      let sum = 0;
      for (let i = row - bars + 1; i <= row; i++)
        sum += varianceOf(valueAt(columns, 0, i), valueAt(columns, 1, i), valueAt(columns, 2, i), valueAt(columns, 3, i));
      return Math.sqrt((sum / bars) * perYear);
    },
  });
}

/** Returns Parkinson's volatility, which uses high and low. M. Parkinson (1980). */
export function parkinson(feed: FeedSeries, bars = 20, perYear = 1): IndicatorSpec<Series> {
  return estimator('parkinson', feed, { bars, perYear }, (_open, high, low) => Math.log(high / low) ** 2 / (4 * Math.LN2));
}

/** Returns Garman's and Klass's volatility, which uses all four prices. M. Garman, M. Klass (1980). */
export function garmanKlass(feed: FeedSeries, bars = 20, perYear = 1): IndicatorSpec<Series> {
  return estimator(
    'garmanKlass',
    feed,
    { bars, perYear },
    (open, high, low, close) => 0.5 * Math.log(high / low) ** 2 - (2 * Math.LN2 - 1) * Math.log(close / open) ** 2,
  );
}

/** Returns Rogers' and Satchell's volatility, which is not biased by a drift of the price. L. Rogers, S. Satchell (1991). */
export function rogersSatchell(feed: FeedSeries, bars = 20, perYear = 1): IndicatorSpec<Series> {
  return estimator(
    'rogersSatchell',
    feed,
    { bars, perYear },
    (open, high, low, close) => Math.log(high / close) * Math.log(high / open) + Math.log(low / close) * Math.log(low / open),
  );
}

/** Returns the ulcer index: the root of the mean squared distance below the highest value of `bars` bars, in percent. P. Martin (1987). */
export function ulcerIndex(x: Source, bars = 14): IndicatorSpec<Series> {
  checkWhole('ulcerIndex', 'bars', bars, 1, MAX_BARS);
  return steppedSeries({
    name: 'ulcerIndex',
    sources: [x],
    parameters: [bars],
    bars: 2 * bars - 1,
    start() {
      const values = new RecentValues(bars);
      const squares = new RecentValues(bars);
      return ([value]) => {
        values.push(value!);
        if (!values.isFull) return NAN;
        let high = -INFINITY;
        for (let i = 0; i < bars; i++) high = Math.max(high, values.ago(i));
        squares.push(((100 * (value! - high)) / high) ** 2);
        return squares.isFull ? Math.sqrt(squares.sum() / bars) : NAN;
      };
    },
  });
}

/**
 * Returns the choppiness, 0 to 100: high when the price moves sideways. It compares the sum of true ranges with the range of the window.
 * E. Dreiss (1993).
 */
export function choppiness(feed: FeedSeries, bars = 14): IndicatorSpec<Series> {
  checkWhole('choppiness', 'bars', bars, 2, MAX_BARS);
  return steppedSeries({
    name: 'choppiness',
    sources: [feed.high, feed.low, feed.close],
    parameters: [bars],
    bars: bars + 1,
    start() {
      const ranges = new RecentValues(bars);
      const highs = new RecentValues(bars);
      const lows = new RecentValues(bars);
      let lastClose = NAN;
      return ([high, low, close]) => {
        const range = Math.max(high!, lastClose) - Math.min(low!, lastClose);
        lastClose = close!;
        if (range !== range) return NAN;
        ranges.push(range);
        highs.push(high!);
        lows.push(low!);
        if (!ranges.isFull) return NAN;
        let [top, bottom] = [-INFINITY, INFINITY];
        for (let i = 0; i < bars; i++) [top, bottom] = [Math.max(top, highs.ago(i)), Math.min(bottom, lows.ago(i))];
        return (100 * Math.log10(ranges.sum() / (top - bottom))) / Math.log10(bars);
      };
    },
  });
}

/** Returns the mass index: the sum over `sumBars` bars of ema(range) / ema(ema(range)), both over `bars` bars. D. Dorsey (1992). */
export function massIndex(feed: FeedSeries, bars = 9, sumBars = 25): IndicatorSpec<Series> {
  checkWhole('massIndex', 'bars', bars, 1);
  checkWhole('massIndex', 'sumBars', sumBars, 1, MAX_BARS);
  return steppedSeries({
    name: 'massIndex',
    sources: [feed.high, feed.low],
    parameters: [bars, sumBars],
    bars: 2 * bars + sumBars - 2,
    start() {
      const first = new RunningMean(bars);
      const second = new RunningMean(bars);
      const ratios = new RecentValues(sumBars);
      return ([high, low]) => {
        const mean = first.next(high! - low!);
        const smoothed = second.next(mean);
        if (smoothed !== smoothed) return NAN;
        ratios.push(mean / smoothed);
        return ratios.isFull ? ratios.sum() : NAN;
      };
    },
  });
}

/** Returns Chaikin's volatility: the change of the ema of the range over `changeBars` bars, in percent. M. Chaikin. */
export function chaikinVolatility(feed: FeedSeries, bars = 10, changeBars = 10): IndicatorSpec<Series> {
  checkWhole('chaikinVolatility', 'bars', bars, 1);
  checkWhole('chaikinVolatility', 'changeBars', changeBars, 1, MAX_BARS);
  return steppedSeries({
    name: 'chaikinVolatility',
    sources: [feed.high, feed.low],
    parameters: [bars, changeBars],
    bars: bars + changeBars,
    start() {
      const mean = new RunningMean(bars);
      const recent = new RecentValues(changeBars + 1);
      return ([high, low]) => {
        const range = mean.next(high! - low!);
        if (range !== range) return NAN;
        recent.push(range);
        return (100 * (range - recent.ago(changeBars))) / recent.ago(changeBars);
      };
    },
  });
}

/** Returns Yang's and Zhang's volatility, which also uses the gaps between bars. D. Yang, Q. Zhang (2000). */
export function yangZhang(feed: FeedSeries, bars = 20, perYear = 1): IndicatorSpec<Series> {
  checkWhole('yangZhang', 'bars', bars, 2, MAX_BARS);
  checkPositive('yangZhang', 'perYear', perYear);
  return windowedSeries({
    name: 'yangZhang',
    sources: [feed.open, feed.high, feed.low, feed.close],
    parameters: [bars, perYear],
    bars: bars + 1,
    compute(columns, row) {
      const first = row - bars + 1;
      let [gapSum, moveSum, rogersSum] = [0, 0, 0];
      for (let i = first; i <= row; i++) {
        const [open, high, low, close] = [valueAt(columns, 0, i), valueAt(columns, 1, i), valueAt(columns, 2, i), valueAt(columns, 3, i)];
        gapSum += Math.log(open / valueAt(columns, 3, i - 1));
        moveSum += Math.log(close / open);
        rogersSum += Math.log(high / close) * Math.log(high / open) + Math.log(low / close) * Math.log(low / open);
      }
      const [meanGap, meanMove] = [gapSum / bars, moveSum / bars];
      let [gapSquares, moveSquares] = [0, 0];
      for (let i = first; i <= row; i++) {
        gapSquares += (Math.log(valueAt(columns, 0, i) / valueAt(columns, 3, i - 1)) - meanGap) ** 2;
        moveSquares += (Math.log(valueAt(columns, 3, i) / valueAt(columns, 0, i)) - meanMove) ** 2;
      }
      // The weight by which the estimate has the smallest variance, as Yang and Zhang derived it.
      const weight = 0.34 / (1.34 + (bars + 1) / (bars - 1));
      return Math.sqrt((gapSquares / (bars - 1) + (weight * moveSquares) / (bars - 1) + ((1 - weight) * rogersSum) / bars) * perYear);
    },
  });
}

/** The outputs of bands of average true ranges. */
export interface AtrBands {
  readonly upper: Series;
  readonly middle: Series;
  readonly lower: Series;
}

/** Returns the close, and `widths` average true ranges (Wilder) above and below it. */
export function atrBands(feed: FeedSeries, bars = 14, widths = 2): IndicatorSpec<AtrBands> {
  checkWhole('atrBands', 'bars', bars, 1);
  checkPositive('atrBands', 'widths', widths);
  return steppedGroup({
    name: 'atrBands',
    sources: [feed.high, feed.low, feed.close],
    parameters: [bars, widths],
    outputs: { upper: bars + 1, middle: bars + 1, lower: bars + 1 },
    start() {
      const mean = new RunningMean(bars, 1 / bars);
      let lastClose = NAN;
      return ([high, low, close], out) => {
        const range = mean.next(Math.max(high!, lastClose) - Math.min(low!, lastClose));
        lastClose = close!;
        if (range !== range) return;
        out[0] = close! + widths * range;
        out[1] = close!;
        out[2] = close! - widths * range;
      };
    },
  });
}
