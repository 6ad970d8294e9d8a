// Volume indicators: volume by the position of the close in its bar, and by the direction of the price.

import type { FeedSeries, Series } from '../graph/series.ts';
import { checkWhole, operand, seriesSpec, type IndicatorSpec, type Kernel } from '../graph/spec.ts';
import { steppedGroup, steppedSeries, windowedSeries } from '../graph/stepped.ts';
import type { IndicatorColumn, NumberWindow } from '../graph/window.ts';
import { RecentValues, RunningMean } from '../smoothing/running.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;
const MAX_BARS = 100_000;
const DAY_MS = 86_400_000;

/** Returns the volume times the position of the close in the range of its bar (-1 to 1). 0 if high equals low. */
function flowOf(high: number, low: number, close: number, volume: number): number {
  return high > low ? ((close - low - (high - close)) / (high - low)) * volume : 0;
}

/** Returns the accumulation/distribution: the running sum of volume times the position of the close in its bar. M. Chaikin. */
export function adl(feed: FeedSeries): IndicatorSpec<Series> {
  return steppedSeries({
    name: 'adl',
    sources: [feed.high, feed.low, feed.close, feed.volume],
    bars: 1,
    start() {
      let sum = 0;
      return ([high, low, close, volume]) => (sum += flowOf(high!, low!, close!, volume!));
    },
  });
}

/**
 * Returns Chaikin's oscillator: a fast minus a slow exponential average of the accumulation/distribution. Both start with its first value.
 */
export function chaikinOscillator(feed: FeedSeries, fast = 3, slow = 10): IndicatorSpec<Series> {
  checkWhole('chaikinOscillator', 'fast', fast, 1);
  checkWhole('chaikinOscillator', 'slow', slow, fast + 1);
  return steppedSeries({
    name: 'chaikinOscillator',
    sources: [feed.high, feed.low, feed.close, feed.volume],
    parameters: [fast, slow],
    bars: slow,
    start() {
      const fastWeight = 2 / (fast + 1);
      const slowWeight = 2 / (slow + 1);
      let [sum, fastMean, slowMean, rowCount] = [0, 0, 0, 0];
      return ([high, low, close, volume]) => {
        sum += flowOf(high!, low!, close!, volume!);
        fastMean = rowCount === 0 ? sum : fastWeight * sum + (1 - fastWeight) * fastMean;
        slowMean = rowCount === 0 ? sum : slowWeight * sum + (1 - slowWeight) * slowMean;
        return ++rowCount < slow ? NAN : fastMean - slowMean;
      };
    },
  });
}

/** Returns Chaikin's money flow, -1 to 1: the flow of `bars` bars as a share of their volume. NaN without volume. */
export function cmf(feed: FeedSeries, bars = 20): IndicatorSpec<Series> {
  checkWhole('cmf', 'bars', bars, 1, MAX_BARS);
  return windowedSeries({
    name: 'cmf',
    sources: [feed.high, feed.low, feed.close, feed.volume],
    bars,
    compute(columns, row) {
      const value = (source: number, i: number) => columns[source]!.values[i - columns[source]!.base]!;
      let [flow, traded] = [0, 0];
      for (let i = row - bars + 1; i <= row; i++) {
        flow += flowOf(value(0, i), value(1, i), value(2, i), value(3, i));
        traded += value(3, i);
      }
      return flow / traded;
    },
  });
}

/** Returns the price volume trend: the running sum of volume times the relative change of the close. */
export function pvt(feed: FeedSeries): IndicatorSpec<Series> {
  return steppedSeries({
    name: 'pvt',
    sources: [feed.close, feed.volume],
    bars: 2,
    start() {
      let [sum, last] = [0, NAN];
      return ([close, volume]) => {
        const change = (close! - last) / last;
        last = close!;
        // The first bar has no change.
        return Number.isNaN(change) ? NAN : (sum += change * volume!);
      };
    },
  });
}

/**
 * Returns the negative volume index. It starts at 1000, and moves with the close on bars with less volume than the bar before. P. Dysart
 * (1936).
 */
export function nvi(feed: FeedSeries): IndicatorSpec<Series> {
  return volumeIndex('nvi', feed, (volume, lastVolume) => volume < lastVolume);
}

/**
 * Returns the positive volume index. It starts at 1000, and moves with the close on bars with more volume than the bar before. P. Dysart
 * (1936).
 */
export function pvi(feed: FeedSeries): IndicatorSpec<Series> {
  return volumeIndex('pvi', feed, (volume, lastVolume) => volume > lastVolume);
}

/** Returns the spec of an index that moves with the close on bars for which `moves` is true. */
function volumeIndex(name: string, feed: FeedSeries, moves: (volume: number, lastVolume: number) => boolean): IndicatorSpec<Series> {
  return steppedSeries({
    name,
    sources: [feed.close, feed.volume],
    bars: 1,
    start() {
      let [index, last, lastVolume] = [1000, NAN, NAN];
      return ([close, volume]) => {
        if (moves(volume!, lastVolume)) index += ((close! - last) / last) * index;
        [last, lastVolume] = [close!, volume!];
        return index;
      };
    },
  });
}

/**
 * Returns the ease of movement: the move of the middle price times the range, divided by the volume, averaged over `bars` bars. Volume is
 * in units of `scale`. R. Arms.
 */
export function easeOfMovement(feed: FeedSeries, bars = 14, scale = 1): IndicatorSpec<Series> {
  checkWhole('easeOfMovement', 'bars', bars, 1, MAX_BARS);
  return steppedSeries({
    name: 'easeOfMovement',
    sources: [feed.high, feed.low, feed.volume],
    parameters: [bars, scale],
    bars: bars + 1,
    start() {
      const recent = new RecentValues(bars);
      let lastMiddle = NAN;
      return ([high, low, volume]) => {
        const middle = (high! + low!) / 2;
        const move = middle - lastMiddle;
        lastMiddle = middle;
        const ease = volume! > 0 ? (move * (high! - low!) * scale) / volume! : 0;
        // The first bar has no bar before it, so its move is NaN.
        if (Number.isNaN(move) || Number.isNaN(ease)) return NAN;
        recent.push(ease);
        return recent.isFull ? recent.sum() / bars : NAN;
      };
    },
  });
}

/** The percentage volume oscillator, its exponential average (`signal`), and their difference (`histogram`). */
export interface VolumeOscillator {
  readonly pvo: Series;
  readonly signal: Series;
  readonly histogram: Series;
}

/**
 * Returns the percentage volume oscillator: the fast ema of the volume minus the slow one, in percent of the slow one. Its signal is its
 * ema over `signal` bars.
 */
export function pvo(feed: FeedSeries, fast = 12, slow = 26, signal = 9): IndicatorSpec<VolumeOscillator> {
  checkWhole('pvo', 'fast', fast, 1);
  checkWhole('pvo', 'slow', slow, fast + 1);
  checkWhole('pvo', 'signal', signal, 1);
  return steppedGroup({
    name: 'pvo',
    sources: [feed.volume],
    parameters: [fast, slow, signal],
    outputs: { pvo: slow, signal: slow + signal - 1, histogram: slow + signal - 1 },
    start: () => percentOscillator(fast, slow, signal),
  });
}

/**
 * Returns a step that writes three numbers. The first is the fast average minus the slow one, in percent of the slow one. The second is the
 * average of this percentage, and the third the difference of both.
 */
export function percentOscillator(fast: number, slow: number, signal: number): (inputs: Float64Array, outputs: Float64Array) => void {
  const fastMean = new RunningMean(fast);
  const slowMean = new RunningMean(slow);
  const signalMean = new RunningMean(signal);
  return ([x], out) => {
    const fastValue = fastMean.next(x!);
    const slowValue = slowMean.next(x!);
    const distance = (100 * (fastValue - slowValue)) / slowValue;
    const average = signalMean.next(distance);
    out[0] = distance;
    out[1] = average;
    out[2] = distance - average;
  };
}

/** Returns the move of the price for each unit of volume: (high - low) / volume. NaN without volume. B. Williams. */
export function marketFacilitation(feed: FeedSeries): IndicatorSpec<Series> {
  return steppedSeries({
    name: 'marketFacilitation',
    sources: [feed.high, feed.low, feed.volume],
    bars: 1,
    start:
      () =>
      ([high, low, volume]) =>
        (high! - low!) / volume!,
  });
}

/**
 * Returns the average of the typical price (high + low + close) / 3, weighted by volume since the start of the UTC day. NaN until the day
 * has volume.
 */
export function dailyVwap(feed: FeedSeries): IndicatorSpec<Series> {
  return seriesSpec({
    name: 'dailyVwap',
    sources: [feed.high, feed.low, feed.close, feed.volume].map(operand),
    needs: { '': 1 },
    makeKernel: (wiring) => {
      const columns = [0, 1, 2, 3].map((source) => wiring.numbers(source));
      return new DailyVwap(columns, wiring.openMs, wiring.out(0));
    },
  });
}

/** Computes the average price of the day, weighted by volume. */
class DailyVwap implements Kernel {
  readonly #columns: readonly IndicatorColumn<Float64Array>[];
  readonly #openMs: Float64Array;
  readonly #out: NumberWindow;
  #day = NAN;
  #turnover = 0;
  #traded = 0;

  constructor(columns: readonly IndicatorColumn<Float64Array>[], openMs: Float64Array, out: NumberWindow) {
    this.#columns = columns;
    this.#openMs = openMs;
    this.#out = out;
  }

  fill(fromRow: number, toRow: number): void {
    for (let row = fromRow; row < toRow; row++) {
      const day = Math.floor(this.#openMs[row]! / DAY_MS);
      if (day !== this.#day) [this.#day, this.#turnover, this.#traded] = [day, 0, 0];
      const [high, low, close, volume] = this.#columns.map(({ values, base }) => values[row - base]!);
      this.#turnover += ((high! + low! + close!) / 3) * volume!;
      this.#traded += volume!;
      const { values, base } = this.#out;
      values[row - base] = this.#traded > 0 ? this.#turnover / this.#traded : NAN;
    }
  }
}
