// Direction of the market (Aroon, vortex, Fisher's transform), and average prices of a bar.

import type { FeedSeries, Series } from '../graph/series.ts';
import { checkWhole, type IndicatorSpec } from '../graph/spec.ts';
import { steppedGroup, steppedSeries } from '../graph/stepped.ts';
import { RecentValues } from '../smoothing/running.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;
const MAX_BARS = 100_000;

/** The outputs of the Aroon indicator. */
export interface Aroon {
  /** 100 when the highest high of the last `bars` + 1 bars is the newest, 0 when it is the oldest. */
  readonly up: Series;
  /** 100 when the lowest low of the last `bars` + 1 bars is the newest, 0 when it is the oldest. */
  readonly down: Series;
  /** up - down. */
  readonly oscillator: Series;
}

/** Returns the Aroon indicator: the age of the highest high and of the lowest low. Of equal values, the newest counts. T. Chande (1995). */
export function aroon(feed: FeedSeries, bars = 25): IndicatorSpec<Aroon> {
  checkWhole('aroon', 'bars', bars, 1, MAX_BARS);
  return steppedGroup({
    name: 'aroon',
    sources: [feed.high, feed.low],
    parameters: [bars],
    outputs: { up: bars + 1, down: bars + 1, oscillator: bars + 1 },
    start() {
      const highs = new RecentValues(bars + 1);
      const lows = new RecentValues(bars + 1);
      return ([high, low], out) => {
        highs.push(high!);
        lows.push(low!);
        if (!highs.isFull) return;
        let [highAge, lowAge] = [0, 0];
        for (let i = 1; i <= bars; i++) {
          if (highs.ago(i) > highs.ago(highAge)) highAge = i;
          if (lows.ago(i) < lows.ago(lowAge)) lowAge = i;
        }
        out[0] = (100 * (bars - highAge)) / bars;
        out[1] = (100 * (bars - lowAge)) / bars;
        out[2] = (100 * (lowAge - highAge)) / bars;
      };
    },
  });
}

/**
 * Returns the vortex indicator: upward and downward movement of `bars` bars as a share of their true ranges. E. Botes, D. Siepman (2010).
 */
export function vortex(feed: FeedSeries, bars = 14): IndicatorSpec<{ readonly plus: Series; readonly minus: Series }> {
  checkWhole('vortex', 'bars', bars, 1, MAX_BARS);
  return steppedGroup({
    name: 'vortex',
    sources: [feed.high, feed.low, feed.close],
    parameters: [bars],
    outputs: { plus: bars + 1, minus: bars + 1 },
    start() {
      const ups = new RecentValues(bars);
      const downs = new RecentValues(bars);
      const ranges = new RecentValues(bars);
      let [lastHigh, lastLow, lastClose] = [NAN, NAN, NAN];
      return ([high, low, close], out) => {
        const range = Math.max(high!, lastClose) - Math.min(low!, lastClose);
        const [up, down] = [Math.abs(high! - lastLow), Math.abs(low! - lastHigh)];
        [lastHigh, lastLow, lastClose] = [high!, low!, close!];
        if (range !== range) return;
        ups.push(up);
        downs.push(down);
        ranges.push(range);
        if (!ranges.isFull) return;
        out[0] = ups.sum() / ranges.sum();
        out[1] = downs.sum() / ranges.sum();
      };
    },
  });
}

/**
 * Returns Fisher's transform of the position of the middle price in its range of `bars` bars, and its value one bar ago. J. Ehlers (2002).
 */
export function fisher(feed: FeedSeries, bars = 9): IndicatorSpec<{ readonly fisher: Series; readonly signal: Series }> {
  checkWhole('fisher', 'bars', bars, 1, MAX_BARS);
  return steppedGroup({
    name: 'fisher',
    sources: [feed.high, feed.low],
    parameters: [bars],
    outputs: { fisher: bars, signal: bars },
    start() {
      const middlePrices = new RecentValues(bars);
      let [position, value] = [0, 0];
      return ([high, low], out) => {
        const middle = 0.5 * (high! + low!);
        middlePrices.push(middle);
        if (!middlePrices.isFull) return;
        let [bottom, top] = [INFINITY, -INFINITY];
        for (let i = 0; i < bars; i++) [bottom, top] = [Math.min(bottom, middlePrices.ago(i)), Math.max(top, middlePrices.ago(i))];
        // A range of 0 counts as 0.001, to avoid a division by 0.
        const range = top - bottom === 0 ? 0.001 : top - bottom;
        // The constants are those of Ehlers.
        const raw = 0.33 * 2 * ((middle - bottom) / range - 0.5) + 0.67 * position;
        position = Math.abs(raw) > 0.99 ? Math.sign(raw) * 0.999 : raw;
        const lastValue = value;
        value = 0.5 * Math.log((1 + position) / (1 - position)) + 0.5 * lastValue;
        out[0] = value;
        out[1] = lastValue;
      };
    },
  });
}

/** Returns (high + low + close) / 3. */
export function typicalPrice(feed: FeedSeries): IndicatorSpec<Series> {
  return priceSpec('typicalPrice', feed, (_open, high, low, close) => (high + low + close) / 3);
}

/** Returns (high + low) / 2. */
export function medianPrice(feed: FeedSeries): IndicatorSpec<Series> {
  return priceSpec('medianPrice', feed, (_open, high, low) => (high + low) / 2);
}

/** Returns (high + low + 2 close) / 4. */
export function weightedClose(feed: FeedSeries): IndicatorSpec<Series> {
  return priceSpec('weightedClose', feed, (_open, high, low, close) => (high + low + 2 * close) / 4);
}

/** Returns (open + high + low + close) / 4. */
export function averagePrice(feed: FeedSeries): IndicatorSpec<Series> {
  return priceSpec('averagePrice', feed, (open, high, low, close) => (open + high + low + close) / 4);
}

/** Returns the spec of a price that `compute` computes from the four prices of a bar. */
function priceSpec(
  name: string,
  feed: FeedSeries,
  compute: (open: number, high: number, low: number, close: number) => number,
): IndicatorSpec<Series> {
  return steppedSeries({
    name,
    sources: [feed.open, feed.high, feed.low, feed.close],
    bars: 1,
    start:
      () =>
      ([open, high, low, close]) =>
        compute(open!, high!, low!, close!),
  });
}
