// Volume indicators: volume by the position of the close in its bar, and by the direction of the price.

import type { FeedSeries, Series } from '../graph/series.ts';
import { checkWhole, operand, seriesSpec, type IndicatorSpec, type Kernel } from '../graph/spec.ts';
import { steppedGroup, steppedSeries, windowedSeries } from '../graph/stepped.ts';
import type { IndicatorColumn, NumberWindow } from '../graph/window.ts';
import { Recent, RunningMean } from '../smoothing/running.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;
const MAX_BARS = 100_000;
const DAY_MS = 86_400_000;

/** Returns the volume times the position of the close in the range of its bar, -1 to 1. 0 where high equals low. */
function flowOf(high: number, low: number, close: number, volume: number): number {
  return high > low ? ((close - low - (high - close)) / (high - low)) * volume : 0;
}

/** Accumulation/distribution: the running sum of volume times the position of the close in its bar. M. Chaikin. */
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

/** Chaikin's oscillator: a fast minus a slow exponential average of the accumulation/distribution, both from its first value on. */
export function chaikinOscillator(feed: FeedSeries, fast = 3, slow = 10): IndicatorSpec<Series> {
  checkWhole('chaikinOscillator', 'fast', fast, 1);
  checkWhole('chaikinOscillator', 'slow', slow, fast + 1);
  return steppedSeries({
    name: 'chaikinOscillator',
    sources: [feed.high, feed.low, feed.close, feed.volume],
    parameters: [fast, slow],
    bars: slow,
    start() {
      const [fastWeight, slowWeight] = [2 / (fast + 1), 2 / (slow + 1)];
      let [sum, quick, calm, rows] = [0, 0, 0, 0];
      return ([high, low, close, volume]) => {
        sum += flowOf(high!, low!, close!, volume!);
        quick = rows === 0 ? sum : fastWeight * sum + (1 - fastWeight) * quick;
        calm = rows === 0 ? sum : slowWeight * sum + (1 - slowWeight) * calm;
        return ++rows < slow ? NAN : quick - calm;
      };
    },
  });
}

/** Chaikin's money flow, -1 to 1: the flow of `bars` bars as a share of their volume. NaN without volume. */
export function cmf(feed: FeedSeries, bars = 20): IndicatorSpec<Series> {
  checkWhole('cmf', 'bars', bars, 1, MAX_BARS);
  return windowedSeries({
    name: 'cmf',
    sources: [feed.high, feed.low, feed.close, feed.volume],
    bars,
    of(columns, row) {
      const value = (source: number, at: number) => columns[source]!.values[at - columns[source]!.base]!;
      let [flow, traded] = [0, 0];
      for (let at = row - bars + 1; at <= row; at++) {
        flow += flowOf(value(0, at), value(1, at), value(2, at), value(3, at));
        traded += value(3, at);
      }
      return flow / traded;
    },
  });
}

/** Price volume trend: the running sum of volume times the relative change of the close. */
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
        return change === change ? (sum += change * volume!) : NAN;
      };
    },
  });
}

/** Negative volume index: starts at 1000, and moves with the close on bars with less volume than the bar before. P. Dysart (1936). */
export function nvi(feed: FeedSeries): IndicatorSpec<Series> {
  return volumeIndex('nvi', feed, (volume, before) => volume < before);
}

/** Positive volume index: starts at 1000, and moves with the close on bars with more volume than the bar before. P. Dysart (1936). */
export function pvi(feed: FeedSeries): IndicatorSpec<Series> {
  return volumeIndex('pvi', feed, (volume, before) => volume > before);
}

function volumeIndex(name: string, feed: FeedSeries, moves: (volume: number, before: number) => boolean): IndicatorSpec<Series> {
  return steppedSeries({
    name,
    sources: [feed.close, feed.volume],
    bars: 1,
    start() {
      let [index, last, before] = [1000, NAN, NAN];
      return ([close, volume]) => {
        if (moves(volume!, before)) index += ((close! - last) / last) * index;
        [last, before] = [close!, volume!];
        return index;
      };
    },
  });
}

/** Ease of movement: the move of the middle price times the range, divided by the volume, averaged over `bars` bars. R. Arms. Volume in units of `scale`. */
export function easeOfMovement(feed: FeedSeries, bars = 14, scale = 1): IndicatorSpec<Series> {
  checkWhole('easeOfMovement', 'bars', bars, 1, MAX_BARS);
  return steppedSeries({
    name: 'easeOfMovement',
    sources: [feed.high, feed.low, feed.volume],
    parameters: [bars, scale],
    bars: bars + 1,
    start() {
      const recent = new Recent(bars);
      let last = NAN;
      return ([high, low, volume]) => {
        const middle = (high! + low!) / 2;
        const ease = volume! > 0 ? ((middle - last) * (high! - low!) * scale) / volume! : middle - last === middle - last ? 0 : NAN;
        last = middle;
        if (ease !== ease) return NAN;
        recent.push(ease);
        return recent.isFull ? recent.sum() / bars : NAN;
      };
    },
  });
}

export interface VolumeOscillator {
  readonly pvo: Series;
  readonly signal: Series;
  readonly histogram: Series;
}

/** Percentage volume oscillator: the fast ema of the volume minus the slow one in percent of the slow one, the ema of this, and the difference of both. */
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

/** Returns a step that writes the fast average minus the slow one in percent of the slow one, the average of this, and the difference of both. */
export function percentOscillator(fast: number, slow: number, signal: number): (inputs: Float64Array, outputs: Float64Array) => void {
  const [quick, calm, mean] = [new RunningMean(fast), new RunningMean(slow), new RunningMean(signal)];
  return ([x], out) => {
    const q = quick.next(x!);
    const c = calm.next(x!);
    const distance = (100 * (q - c)) / c;
    const smooth = mean.next(distance);
    out[0] = distance;
    out[1] = smooth;
    out[2] = distance - smooth;
  };
}

/** The move of the price for each unit of volume: (high - low) / volume. NaN without volume. B. Williams. */
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

/** Average price weighted by volume since the start of the UTC day, of the typical price (high + low + close) / 3. NaN until the day has volume. */
export function dailyVwap(feed: FeedSeries): IndicatorSpec<Series> {
  return seriesSpec({
    name: 'dailyVwap',
    sources: [feed.high, feed.low, feed.close, feed.volume].map(operand),
    needs: { '': 1 },
    make: (wiring) => {
      const columns = [0, 1, 2, 3].map((source) => wiring.numbers(source));
      return new DailyVwap(columns, wiring.openMs, wiring.out(0));
    },
  });
}

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
