// Oscillators: RSI, MACD, stochastic oscillators, and the money flow index.

import type { TickColumn } from '../model/bars/bars.ts';
import { sma } from './averages.ts';
import { highest, lowest } from './channels.ts';
import type { FeedSeries, Series } from './graph/series.ts';
import {
  checkWhole,
  compose,
  groupSpec,
  operand,
  resolveOutput,
  seriesSpec,
  type IndicatorSpec,
  type Kernel,
  type ScaledColumn,
  type Source,
} from './graph/spec.ts';
import { CompensatedMean, CompensatedSum, onOneScale, type ScaledColumns } from './sums.ts';
import type { IndicatorColumn, NumberWindow } from './graph/window.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/**
 * Returns the relative strength index, 0 to 100: Wilder's average of gains as a share of his averages of gains and losses. Both averages
 * start with the mean of the first `bars` changes. A constant price gives 50. J. W. Wilder, New Concepts in Technical Trading Systems
 * (1978).
 */
export function rsi(source: Source, bars: number): IndicatorSpec<Series> {
  checkWhole('rsi', 'bars', bars, 1);
  return seriesSpec({
    name: 'rsi',
    sources: [operand(source)],
    parameters: [bars],
    needs: { '': bars + 1 },
    makeKernel: (wiring) => new RelativeStrength(wiring.scaled(0), wiring.out(0), bars),
  });
}

/** The outputs of the moving average convergence divergence. */
export interface Macd {
  /** The fast average minus the slow one. */
  readonly macd: Series;
  /** The exponential average of `macd`. */
  readonly signal: Series;
  /** `macd` minus `signal`. */
  readonly histogram: Series;
}

/** Returns the moving average convergence divergence. Each exponential average starts with a simple one. G. Appel (1979). */
export function macd(source: Source, fastBars = 12, slowBars = 26, signalBars = 9): IndicatorSpec<Macd> {
  checkWhole('macd', 'fastBars', fastBars, 1);
  checkWhole('macd', 'slowBars', slowBars, fastBars + 1);
  checkWhole('macd', 'signalBars', signalBars, 1);
  const ready = slowBars + signalBars - 1;
  return groupSpec(
    {
      name: 'macd',
      sources: [operand(source)],
      parameters: [fastBars, slowBars, signalBars],
      needs: { '': slowBars, '.signal': ready, '.histogram': ready },
      makeKernel: (wiring) =>
        new Convergence(wiring.scaled(0), [wiring.out(0), wiring.out(1), wiring.out(2)], fastBars, slowBars, signalBars),
    },
    (outputs) => ({ macd: outputs.series(0), signal: outputs.series(1), histogram: outputs.series(2) }),
  );
}

/** The outputs of a stochastic oscillator. */
export interface Stochastic {
  /** Position of the close in the range of the last bars, 0 to 100, averaged over `smoothK` bars. */
  readonly k: Series;
  /** The simple average of `k` over `smoothD` bars. */
  readonly d: Series;
}

/**
 * Returns the stochastic oscillator: 100 (close - lowest low) / (highest high - lowest low) over `bars` bars. An empty range gives 50.
 * `smoothK` is 1 for the fast form and 3 for the slow form. G. Lane (1950s).
 */
export function stochastic(feed: FeedSeries, bars = 14, smoothK = 1, smoothD = 3): IndicatorSpec<Stochastic> {
  checkWhole('stochastic', 'bars', bars, 1);
  const position = placeInRange(feed.close, highest(feed.high, bars), lowest(feed.low, bars));
  return smoothing('stochastic', [feed.high, feed.low, feed.close], [bars, smoothK, smoothD], position);
}

/**
 * Returns the stochastic oscillator of the relative strength index: its position in its own range of the last `bars` bars, smoothed twice.
 */
export function stochasticRsi(source: Source, rsiBars = 14, bars = 14, smoothK = 3, smoothD = 3): IndicatorSpec<Stochastic> {
  checkWhole('stochasticRsi', 'bars', bars, 1);
  const strength = rsi(source, rsiBars);
  const position = placeInRange(strength, highest(strength, bars), lowest(strength, bars));
  return smoothing('stochasticRsi', [source], [rsiBars, bars, smoothK, smoothD], position);
}

/**
 * Returns the money flow index over the last `bars` bars, 0 to 100. It is the turnover of rows with a rising typical price, as a share of
 * the turnover of rows with a changed one. Turnover is typical price x volume. Without such rows the index is 50. G. Quong and A.
 * Soudack (1989).
 */
export function mfi(feed: FeedSeries, bars: number): IndicatorSpec<Series> {
  checkWhole('mfi', 'bars', bars, 1);
  return seriesSpec({
    name: 'mfi',
    sources: [feed.high, feed.low, feed.close, feed.volume].map(operand),
    parameters: [bars],
    lookBack: bars + 1,
    needs: { '': bars + 1 },
    makeKernel: (wiring) => new MoneyFlow(onOneScale(wiring, 3), wiring.numbers(3), wiring.out(0), bars),
  });
}

/** Returns the position of a value in its range, 0 to 100. */
function placeInRange(value: Source, high: IndicatorSpec<Series>, low: IndicatorSpec<Series>): IndicatorSpec<Series> {
  return seriesSpec({
    name: 'placeInRange',
    sources: [value, high, low].map(operand),
    needs: { '': 1 },
    makeKernel: (wiring) =>
      new PlaceInRange(wiring.numbers(0), wiring.numbers(1), wiring.numbers(2), wiring.scaled(0).scale, wiring.out(0)),
  });
}

/** Returns the outputs of a stochastic oscillator from the position in the range. The last two parameters are `smoothK` and `smoothD`. */
function smoothing(
  name: string,
  sources: readonly Source[],
  parameters: readonly number[],
  position: IndicatorSpec<Series>,
): IndicatorSpec<Stochastic> {
  const smoothK = parameters.at(-2)!;
  const smoothD = parameters.at(-1)!;
  checkWhole(name, 'smoothK', smoothK, 1);
  checkWhole(name, 'smoothD', smoothD, 1);
  const k = smoothK === 1 ? position : sma(position, smoothK);
  const d = sma(k, smoothD);
  return compose(name, sources.map(operand), parameters, [k, d], (registry) => ({
    k: resolveOutput(k, registry),
    d: resolveOutput(d, registry),
  }));
}

/** Computes the relative strength index. */
class RelativeStrength implements Kernel {
  readonly #source: IndicatorColumn<TickColumn>;
  readonly #out: NumberWindow;
  readonly #bars: number;
  #last = NAN;
  /** Sums of gains and losses while `changes` < bars, then Wilder's averages. In ticks for a price, so that changes are exact. */
  #gain = 0;
  #loss = 0;
  #changes = 0;

  constructor({ column }: ScaledColumn, out: NumberWindow, bars: number) {
    this.#source = column;
    this.#out = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: sourceValues, base: sourceBase } = this.#source;
    const { values, base } = this.#out;
    const bars = this.#bars;
    let last = this.#last;
    let gain = this.#gain;
    let loss = this.#loss;
    let changes = this.#changes;
    for (let row = fromRow; row < toRow; row++) {
      const value = sourceValues[row - sourceBase]!;
      const change = value - last;
      last = value;
      if (change !== change) {
        gain = loss = changes = 0;
      } else {
        const increase = change > 0 ? change : 0;
        const decrease = change < 0 ? -change : 0;
        if (changes === bars) {
          gain += (increase - gain) / bars;
          loss += (decrease - loss) / bars;
        } else {
          gain += increase;
          loss += decrease;
          if (++changes === bars) {
            gain /= bars;
            loss /= bars;
          }
        }
      }
      const totalMove = gain + loss;
      const index = totalMove === 0 ? 50 : (100 * gain) / totalMove;
      values[row - base] = changes < bars ? NAN : index;
    }
    this.#last = last;
    this.#gain = gain;
    this.#loss = loss;
    this.#changes = changes;
  }
}

/** Computes the moving average convergence divergence and its signal. */
class Convergence implements Kernel {
  readonly #source: IndicatorColumn<TickColumn>;
  readonly #scale: number;
  readonly #macd: NumberWindow;
  readonly #signal: NumberWindow;
  readonly #histogram: NumberWindow;
  readonly #fast: CompensatedMean;
  readonly #slow: CompensatedMean;
  readonly #smooth: CompensatedMean;
  /** The first value. Both averages use differences from it, so high prices cause no rounding errors. The difference of the averages is the same. */
  #origin = NAN;

  constructor(
    source: ScaledColumn,
    out: readonly [NumberWindow, NumberWindow, NumberWindow],
    fastBars: number,
    slowBars: number,
    signalBars: number,
  ) {
    this.#source = source.column;
    this.#scale = source.scale;
    [this.#macd, this.#signal, this.#histogram] = out;
    this.#fast = new CompensatedMean(fastBars);
    this.#slow = new CompensatedMean(slowBars);
    this.#smooth = new CompensatedMean(signalBars);
  }

  fill(fromRow: number, toRow: number): void {
    const { values: sourceValues, base: sourceBase } = this.#source;
    const fast = this.#fast;
    const slow = this.#slow;
    const smooth = this.#smooth;
    for (let row = fromRow; row < toRow; row++) {
      this.#addValue(sourceValues[row - sourceBase]!);
      let value = NAN;
      let signal = NAN;
      if (slow.isReady) {
        value = (fast.mean - slow.mean + (fast.roundingError - slow.roundingError)) / this.#scale;
        smooth.add(value);
        if (smooth.isReady) signal = smooth.mean + smooth.roundingError;
      }
      this.#macd.values[row - this.#macd.base] = value;
      this.#signal.values[row - this.#signal.base] = signal;
      this.#histogram.values[row - this.#histogram.base] = value - signal;
    }
  }

  /** Adds a value to the three averages, counted from the first value of the window. NaN starts them again. */
  #addValue(x: number): void {
    if (x === x) {
      if (this.#origin !== this.#origin) this.#origin = x;
      this.#fast.add(x - this.#origin);
      this.#slow.add(x - this.#origin);
    } else {
      this.#origin = NAN;
      this.#fast.reset();
      this.#slow.reset();
      this.#smooth.reset();
    }
  }
}

/** Computes the position of a value in a range. Price times scale is rounded to whole ticks, so that differences are exact. */
class PlaceInRange implements Kernel {
  readonly #value: IndicatorColumn<Float64Array>;
  readonly #high: IndicatorColumn<Float64Array>;
  readonly #low: IndicatorColumn<Float64Array>;
  readonly #scale: number;
  readonly #out: NumberWindow;

  constructor(
    value: IndicatorColumn<Float64Array>,
    high: IndicatorColumn<Float64Array>,
    low: IndicatorColumn<Float64Array>,
    scale: number,
    out: NumberWindow,
  ) {
    this.#value = value;
    this.#high = high;
    this.#low = low;
    this.#scale = scale;
    this.#out = out;
  }

  fill(fromRow: number, toRow: number): void {
    const scale = this.#scale;
    const isScaled = scale !== 1;
    const { values, base } = this.#out;
    for (let row = fromRow; row < toRow; row++) {
      let value = this.#value.values[row - this.#value.base]!;
      let high = this.#high.values[row - this.#high.base]!;
      let low = this.#low.values[row - this.#low.base]!;
      if (isScaled) {
        value = Math.round(value * scale);
        high = Math.round(high * scale);
        low = Math.round(low * scale);
      }
      values[row - base] = high === low ? 50 : (100 * (value - low)) / (high - low);
    }
  }
}

/** Computes the money flow index. */
class MoneyFlow implements Kernel {
  readonly #high: IndicatorColumn<TickColumn>;
  readonly #low: IndicatorColumn<TickColumn>;
  readonly #close: IndicatorColumn<TickColumn>;
  readonly #volume: IndicatorColumn<Float64Array>;
  readonly #out: NumberWindow;
  readonly #bars: number;
  readonly #inflow = new CompensatedSum();
  readonly #outflow = new CompensatedSum();
  /** Numbers of rows in the window with inflow and with outflow. When a number is 0, its sum is reset to remove rounding errors. */
  #inflowRows = 0;
  #outflowRows = 0;

  constructor({ columns }: ScaledColumns, volume: IndicatorColumn<Float64Array>, out: NumberWindow, bars: number) {
    this.#high = columns[0]!;
    this.#low = columns[1]!;
    this.#close = columns[2]!;
    this.#volume = volume;
    this.#out = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const { values, base } = this.#out;
    const bars = this.#bars;
    for (let row = fromRow; row < toRow; row++) {
      if (row >= 1) this.#addRow(row, 1);
      if (row >= bars + 1) this.#addRow(row - bars, -1);
      const inflow = this.#inflow.value;
      const flow = inflow + this.#outflow.value;
      const index = flow === 0 ? 50 : (100 * inflow) / flow;
      values[row - base] = row < bars ? NAN : index;
    }
  }

  /** Adds the money flow of a row (1), or removes it again (-1). A row without a price change or volume has none. */
  #addRow(row: number, sign: 1 | -1): void {
    const volume = this.#volume.values[row - this.#volume.base]!;
    const price = this.#typical(row);
    const change = price - this.#typical(row - 1);
    if (volume === 0 || change === 0) return;
    const flow = sign * price * volume;
    if (change > 0) {
      this.#inflow.add(flow);
      if ((this.#inflowRows += sign) === 0) this.#inflow.reset();
    } else {
      this.#outflow.add(flow);
      if ((this.#outflowRows += sign) === 0) this.#outflow.reset();
    }
  }

  /** Returns three times the typical price in ticks, a whole number, so that its changes are exact. */
  #typical(row: number): number {
    return (
      this.#high.values[row - this.#high.base]! + this.#low.values[row - this.#low.base]! + this.#close.values[row - this.#close.base]!
    );
  }
}
