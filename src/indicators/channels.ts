// Price channels: rolling highest and lowest values, and bands of standard deviations.

import type { TickColumn } from '../model/bars/bars.ts';
import type { Series } from './graph/series.ts';
import {
  checkPositive,
  checkWhole,
  groupSpec,
  operand,
  seriesSpec,
  type IndicatorSpec,
  type Kernel,
  type ScaledColumn,
  type Source,
} from './graph/spec.ts';
import type { IndicatorColumn, NumberWindow } from './graph/window.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/**
 * Returns the highest value of the last `bars` bars, including the newest. For a breakout, compare the close with `prev`, which excludes
 * the current bar.
 */
export function highest(source: Source, bars: number): IndicatorSpec<Series> {
  return extreme('highest', source, bars, 1);
}

/** Returns the lowest value of the last `bars` bars, including the newest. */
export function lowest(source: Source, bars: number): IndicatorSpec<Series> {
  return extreme('lowest', source, bars, -1);
}

/** A moving average and a band above and below it. */
export interface Bands {
  readonly upper: Series;
  readonly middle: Series;
  readonly lower: Series;
}

/**
 * Returns Bollinger bands: the simple average of `bars` bars, and `widths` population standard deviations above and below it.
 * The deviation takes two passes over each window. Over a price it uses whole ticks relative to the newest value.
 * J. Bollinger, Bollinger on Bollinger Bands (2001).
 */
export function bollinger(source: Source, bars: number, widths: number): IndicatorSpec<Bands> {
  checkWhole('bollinger', 'bars', bars, 2, 1_000_000);
  checkPositive('bollinger', 'widths', widths);
  return groupSpec(
    {
      name: 'bollinger',
      sources: [operand(source)],
      parameters: [bars, widths],
      lookBack: bars - 1,
      needs: { '.upper': bars, '.middle': bars, '.lower': bars },
      makeKernel: (wiring) => new Deviations(wiring.scaled(0), [wiring.out(0), wiring.out(1), wiring.out(2)], bars, widths),
    },
    (outputs) => ({ upper: outputs.series(0), middle: outputs.series(1), lower: outputs.series(2) }),
  );
}

/** Returns the spec of the highest value (`sign` 1) or the lowest value (`sign` -1) of a window. */
function extreme(name: string, source: Source, bars: number, sign: 1 | -1): IndicatorSpec<Series> {
  checkWhole(name, 'bars', bars, 1);
  return seriesSpec({
    name,
    sources: [operand(source)],
    parameters: [bars],
    needs: { '': bars },
    makeKernel: (wiring) => new Extreme(wiring.numbers(0), wiring.out(0), bars, sign),
  });
}

/**
 * Finds the extreme of a window with a deque in a ring buffer. The deque has the values that can still become the extreme, from the best to the
 * newest. It takes constant time per row on average. Values are multiplied by `sign`, so that the lowest value becomes the highest.
 */
class Extreme implements Kernel {
  readonly #source: IndicatorColumn<Float64Array>;
  readonly #out: NumberWindow;
  readonly #bars: number;
  readonly #sign: 1 | -1;
  readonly #values: Float64Array;
  readonly #rows: Int32Array;
  /** Positions of the ends of the deque. They only increase. The index in the ring is the position modulo the size of the ring, a power of two. */
  #head = 0;
  #tail = 0;
  #count = 0;

  constructor(source: IndicatorColumn<Float64Array>, out: NumberWindow, bars: number, sign: 1 | -1) {
    const size = 2 ** (32 - Math.clz32(bars)); // the smallest power of two above `bars`
    this.#source = source;
    this.#out = out;
    this.#bars = bars;
    this.#sign = sign;
    this.#values = new Float64Array(size);
    this.#rows = new Int32Array(size);
  }

  fill(fromRow: number, toRow: number): void {
    const { values: sourceValues, base: sourceBase } = this.#source;
    const { values, base } = this.#out;
    const candidates = this.#values;
    const rows = this.#rows;
    const mask = candidates.length - 1;
    const bars = this.#bars;
    const sign = this.#sign;
    let head = this.#head;
    let tail = this.#tail;
    let count = this.#count;
    for (let row = fromRow; row < toRow; row++) {
      const value = sourceValues[row - sourceBase]!;
      if (value !== value) {
        head = tail;
        count = 0;
        values[row - base] = NAN;
        continue;
      }
      const signed = value * sign;
      while (tail !== head && candidates[(tail - 1) & mask]! <= signed) tail--;
      candidates[tail & mask] = signed;
      rows[tail & mask] = row;
      tail++;
      if (rows[head & mask]! <= row - bars) head++;
      if (count < bars) count++;
      values[row - base] = count < bars ? NAN : candidates[head & mask]! * sign;
    }
    this.#head = head;
    this.#tail = tail;
    this.#count = count;
  }
}

/** Computes Bollinger bands. */
class Deviations implements Kernel {
  readonly #source: IndicatorColumn<TickColumn>;
  readonly #scale: number;
  readonly #upper: NumberWindow;
  readonly #middle: NumberWindow;
  readonly #lower: NumberWindow;
  readonly #bars: number;
  readonly #widths: number;

  constructor(source: ScaledColumn, out: readonly [NumberWindow, NumberWindow, NumberWindow], bars: number, widths: number) {
    this.#source = source.column;
    this.#scale = source.scale;
    [this.#upper, this.#middle, this.#lower] = out;
    this.#bars = bars;
    this.#widths = widths;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: sourceValues, base: sourceBase } = this.#source;
    const upper = this.#upper.values;
    const middle = this.#middle.values;
    const lower = this.#lower.values;
    const { base } = this.#upper;
    const middleBase = this.#middle.base;
    const lowerBase = this.#lower.base;
    const bars = this.#bars;
    for (let row = fromRow; row < toRow; row++) {
      let mean = NAN;
      let distance = NAN;
      if (row >= bars - 1) {
        const last = row - sourceBase;
        const first = last - bars + 1;
        // Differences from the newest value are small, and whole for a source in ticks, so their sum is exact.
        const newest = sourceValues[last]!;
        let sum = 0;
        for (let i = first; i < last; i++) sum += sourceValues[i]! - newest;
        const shift = sum / bars;
        let squares = 0;
        for (let i = first; i <= last; i++) {
          const deviation = sourceValues[i]! - newest - shift;
          squares += deviation * deviation;
        }
        // The sum of the window is divided once, like in sma, so that the middle band equals that average exactly.
        mean = (sum + bars * newest) / (bars * this.#scale);
        distance = (this.#widths * Math.sqrt(squares / bars)) / this.#scale;
      }
      upper[row - base] = mean + distance;
      middle[row - middleBase] = mean;
      lower[row - lowerBase] = mean - distance;
    }
  }
}
