// Momentum indicators: rate of change, TRIX, know sure thing, and the commodity channel index.

import { listOf } from '../base/memory/listOf.ts';
import type { TickColumn } from '../model/bars/bars.ts';
import { ema, sma } from './averages.ts';
import type { FeedSeries, Series } from './graph/series.ts';
import { checkWhole, compose, operand, resolveOutput, seriesSpec, type IndicatorSpec, type Kernel, type Source } from './graph/spec.ts';
import { onOneScale, type ScaledColumns } from './sums.ts';
import type { IndicatorColumn, NumberWindow } from './graph/window.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Returns the rate of change over `bars` bars, in percent. NaN when the value `bars` bars ago was 0. */
export function roc(source: Source, bars = 12): IndicatorSpec<Series> {
  checkWhole('roc', 'bars', bars, 1);
  return seriesSpec({
    name: 'roc',
    sources: [operand(source)],
    parameters: [bars],
    lookBack: bars,
    needs: { '': bars + 1 },
    makeKernel: (wiring) => new RateOfChange(wiring.numbers(0), wiring.out(0), bars),
  });
}

/** Returns the rate of change over one bar, in percent, of an exponential average smoothed three times. J. Hutson (1983). */
export function trix(source: Source, bars = 18): IndicatorSpec<Series> {
  checkWhole('trix', 'bars', bars, 1);
  return roc(ema(ema(ema(source, bars), bars), bars), 1);
}

/** The outputs of the know sure thing indicator. */
export interface KnowSureThing {
  readonly kst: Series;
  /** The simple average of `kst` over 9 bars. */
  readonly signal: Series;
}

/**
 * Returns the know sure thing with its usual lengths: averages of 10, 10, 10, 15 bars over rates of change of 10, 15, 20, 30 bars,
 * weighted 1 to 4.
 * M. Pring (1992).
 */
export function kst(source: Source): IndicatorSpec<KnowSureThing> {
  const legs = [sma(roc(source, 10), 10), sma(roc(source, 15), 10), sma(roc(source, 20), 10), sma(roc(source, 30), 15)];
  const sum = seriesSpec({
    name: 'kstSum',
    sources: legs.map(operand),
    needs: { '': 1 },
    makeKernel: (wiring) =>
      new WeightedSum(
        listOf(legs, (_, leg) => wiring.numbers(leg)),
        wiring.out(0),
      ),
  });
  const signal = sma(sum, 9);
  const parts = [sum, signal];
  return compose('kst', [operand(source)], [], parts, (registry) => ({
    kst: resolveOutput(sum, registry),
    signal: resolveOutput(signal, registry),
  }));
}

/**
 * Returns the commodity channel index: the distance of the typical price (high + low + close) / 3 from its average over `bars` bars, in
 * units of 0.015 mean absolute deviations. NaN when the typical price is constant in the window.
 * D. Lambert (1980).
 */
export function cci(feed: FeedSeries, bars = 20): IndicatorSpec<Series> {
  checkWhole('cci', 'bars', bars, 2, 1_000_000);
  return seriesSpec({
    name: 'cci',
    sources: [feed.high, feed.low, feed.close].map(operand),
    parameters: [bars],
    needs: { '': bars },
    makeKernel: (wiring) => new ChannelIndex(onOneScale(wiring, 3), wiring.out(0), bars),
  });
}

/** Computes the rate of change. */
class RateOfChange implements Kernel {
  readonly #source: IndicatorColumn<Float64Array>;
  readonly #out: NumberWindow;
  readonly #bars: number;

  constructor(source: IndicatorColumn<Float64Array>, out: NumberWindow, bars: number) {
    this.#source = source;
    this.#out = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: sourceValues, base: sourceBase } = this.#source;
    const { values, base } = this.#out;
    const bars = this.#bars;
    for (let row = fromRow; row < toRow; row++) {
      const oldValue = row < bars ? NAN : sourceValues[row - bars - sourceBase]!;
      values[row - base] = oldValue === 0 ? NAN : (100 * (sourceValues[row - sourceBase]! - oldValue)) / oldValue;
    }
  }
}

/** Computes the sum of its sources with weights 1, 2, 3 and so on. */
class WeightedSum implements Kernel {
  readonly #sources: readonly IndicatorColumn<Float64Array>[];
  readonly #out: NumberWindow;

  constructor(sources: readonly IndicatorColumn<Float64Array>[], out: NumberWindow) {
    this.#sources = sources;
    this.#out = out;
  }

  fill(fromRow: number, toRow: number): void {
    const { values, base } = this.#out;
    values.fill(0, fromRow - base, toRow - base);
    for (const [index, { values: sourceValues, base: sourceBase }] of this.#sources.entries()) {
      for (let row = fromRow; row < toRow; row++) values[row - base]! += (index + 1) * sourceValues[row - sourceBase]!;
    }
  }
}

/**
 * Computes the commodity channel index from three times the typical price in ticks. This is a whole number, so a constant price has a
 * deviation of exactly 0.
 */
class ChannelIndex implements Kernel {
  readonly #high: IndicatorColumn<TickColumn>;
  readonly #low: IndicatorColumn<TickColumn>;
  readonly #close: IndicatorColumn<TickColumn>;
  readonly #out: NumberWindow;
  /** The typical prices of the last `bars` rows in a ring: row r is at index r modulo `bars`. */
  readonly #typical: Float64Array;

  constructor({ columns }: ScaledColumns, out: NumberWindow, bars: number) {
    this.#high = columns[0]!;
    this.#low = columns[1]!;
    this.#close = columns[2]!;
    this.#out = out;
    this.#typical = new Float64Array(bars).fill(NAN);
  }

  fill(fromRow: number, toRow: number): void {
    const { values, base } = this.#out;
    const typical = this.#typical;
    const bars = typical.length;
    for (let row = fromRow; row < toRow; row++) {
      const newest =
        this.#high.values[row - this.#high.base]! + this.#low.values[row - this.#low.base]! + this.#close.values[row - this.#close.base]!;
      typical[row % bars] = newest;
      // Differences from the newest value are small and whole, so their sum is exact.
      let sum = 0;
      for (let i = 0; i < bars; i++) sum += typical[i]! - newest;
      const shift = sum / bars;
      let deviation = 0;
      for (let i = 0; i < bars; i++) deviation += Math.abs(typical[i]! - newest - shift);
      values[row - base] = -shift / (0.015 * (deviation / bars));
    }
  }
}
