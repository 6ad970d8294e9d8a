// Channels and stops that follow the price: Donchian, the position in Bollinger's bands, Supertrend, and the squeeze.

import type { FeedSeries, Series } from '../graph/series.ts';
import { checkPositive, checkWhole, type IndicatorSpec, type Source } from '../graph/spec.ts';
import { steppedGroup, steppedSeries, windowedSeries } from '../graph/stepped.ts';
import { RecentValues, RunningMean } from '../smoothing/running.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;
const MAX_BARS = 100_000;

/** The outputs of the Donchian channel. */
export interface Donchian {
  /** Highest high, middle and lowest low. */
  readonly upper: Series;
  readonly middle: Series;
  readonly lower: Series;
}

/** Returns the Donchian channel: the highest high, the lowest low and their middle over `bars` bars, including the newest. R. Donchian. */
export function donchian(feed: FeedSeries, bars = 20): IndicatorSpec<Donchian> {
  checkWhole('donchian', 'bars', bars, 1, MAX_BARS);
  return steppedGroup({
    name: 'donchian',
    sources: [feed.high, feed.low],
    parameters: [bars],
    outputs: { upper: bars, middle: bars, lower: bars },
    start() {
      const highs = new RecentValues(bars);
      const lows = new RecentValues(bars);
      return ([high, low], out) => {
        highs.push(high!);
        lows.push(low!);
        if (!highs.isFull) return;
        let [top, bottom] = [-INFINITY, INFINITY];
        for (let i = 0; i < bars; i++) [top, bottom] = [Math.max(top, highs.ago(i)), Math.min(bottom, lows.ago(i))];
        out[0] = top;
        out[1] = (top + bottom) / 2;
        out[2] = bottom;
      };
    },
  });
}

/** Returns the position of x in Bollinger's bands: 0 at the lower band, 1 at the upper. NaN if the bands have no width. */
export function percentB(x: Source, bars = 20, widths = 2): IndicatorSpec<Series> {
  return deviations('percentB', x, { bars, widths }, (value, middle, width) => (value - (middle - width)) / (2 * width));
}

/** Returns the width of Bollinger's bands as a share of their middle. */
export function bandWidth(x: Source, bars = 20, widths = 2): IndicatorSpec<Series> {
  return deviations('bandWidth', x, { bars, widths }, (_value, middle, width) => (2 * width) / middle);
}

/**
 * Returns the spec of a figure of Bollinger's bands. `compute` computes it from the newest value, the mean of the window, and the distance of a
 * band from the mean: `widths` standard deviations (population).
 */
function deviations(
  name: 'percentB' | 'bandWidth',
  x: Source,
  { bars, widths }: { readonly bars: number; readonly widths: number },
  compute: (value: number, middle: number, width: number) => number,
): IndicatorSpec<Series> {
  checkWhole(name, 'bars', bars, 2, MAX_BARS);
  checkPositive(name, 'widths', widths);
  return windowedSeries({
    name,
    sources: [x],
    parameters: [bars, widths],
    bars,
    compute([column], row) {
      const { values, base } = column!;
      let [sum, squares] = [0, 0];
      for (let i = row - bars + 1 - base; i <= row - base; i++) sum += values[i]!;
      const middle = sum / bars;
      for (let i = row - bars + 1 - base; i <= row - base; i++) squares += (values[i]! - middle) ** 2;
      return compute(values[row - base]!, middle, widths * Math.sqrt(squares / bars));
    },
  });
}

/** The outputs of the Supertrend. */
export interface Supertrend {
  /** The stop: below the price while the trend is upward, above it while it is downward. */
  readonly value: Series;
  /** 1 upward, -1 downward. */
  readonly direction: Series;
}

/**
 * Returns the Supertrend: a stop `widths` average true ranges (Wilder) from the middle of the bar. The stop moves only with the trend. The
 * first trend is assumed to be upward. O. Seban.
 */
export function supertrend(feed: FeedSeries, bars = 10, widths = 3): IndicatorSpec<Supertrend> {
  checkWhole('supertrend', 'bars', bars, 1);
  checkPositive('supertrend', 'widths', widths);
  return steppedGroup({
    name: 'supertrend',
    sources: [feed.high, feed.low, feed.close],
    parameters: [bars, widths],
    outputs: { value: bars + 1, direction: bars + 1 },
    start() {
      const mean = new RunningMean(bars, 1 / bars);
      let [lastClose, upper, lower, direction] = [NAN, NAN, NAN, 1];
      return ([high, low, close], out) => {
        const range = mean.next(Math.max(high!, lastClose) - Math.min(low!, lastClose));
        if (range === range) {
          const middle = (high! + low!) / 2;
          const [above, below] = [middle + widths * range, middle - widths * range];
          // A band moves away from the price only after a close beyond the band.
          const isFirst = upper !== upper;
          const [oldUpper, oldLower] = [upper, lower];
          upper = isFirst || above < oldUpper || lastClose > oldUpper ? above : oldUpper;
          lower = isFirst || below > oldLower || lastClose < oldLower ? below : oldLower;
          if (!isFirst && close! > oldUpper) direction = 1;
          else if (!isFirst && close! < oldLower) direction = -1;
          out[0] = direction === 1 ? lower : upper;
          out[1] = direction;
        }
        lastClose = close!;
      };
    },
  });
}

/**
 * Returns 1 while Bollinger's bands are inside Keltner's channel around the same average, else 0. J. Carter, Mastering the Trade (2005).
 */
export function squeeze(feed: FeedSeries, bars = 20, widths = 2, channelWidths = 1.5): IndicatorSpec<Series> {
  checkWhole('squeeze', 'bars', bars, 2, MAX_BARS);
  checkPositive('squeeze', 'widths', widths);
  checkPositive('squeeze', 'channelWidths', channelWidths);
  return steppedSeries({
    name: 'squeeze',
    sources: [feed.close, feed.high, feed.low],
    parameters: [bars, widths, channelWidths],
    bars: bars + 1,
    start() {
      const closes = new RecentValues(bars);
      const mean = new RunningMean(bars, 1 / bars);
      let lastClose = NAN;
      return ([close, high, low]) => {
        const range = mean.next(Math.max(high!, lastClose) - Math.min(low!, lastClose));
        lastClose = close!;
        closes.push(close!);
        if (range !== range) return NAN;
        const middle = closes.sum() / bars;
        let squares = 0;
        for (let i = 0; i < bars; i++) squares += (closes.ago(i) - middle) ** 2;
        return widths * Math.sqrt(squares / bars) < channelWidths * range ? 1 : 0;
      };
    },
  });
}
