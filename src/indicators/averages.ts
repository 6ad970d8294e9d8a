// Averages: simple, exponential, linearly weighted, and by volume.

import { ROW_MASK as MASK } from '../base/number/exact.ts';
import type { TickColumn } from '../model/bars/bars.ts';
import type { FeedSeries, Series } from './graph/series.ts';
import { checkWhole, operand, seriesSpec, type IndicatorSpec, type Kernel, type ScaledColumn, type Source } from './graph/spec.ts';
import { checkExactSum, CompensatedSum, onOneScale, type ScaledColumns } from './sums.ts';
import type { IndicatorColumn, NumberWindow } from './graph/window.ts';

// V8 folds a constant of this file, and reads an imported one from its cell at each use.
const ROW_MASK = MASK;

/**
 * Simple moving average over `bars` bars (from 1). Over a price it is the exact sum of whole ticks, divided once: equal averages are
 * equal numbers, so that a tie of two averages is a tie. Over any other source the sum is compensated; a NaN restarts the warm-up.
 */
export function sma(source: Source, bars: number): IndicatorSpec<Series> {
  checkWhole('sma', 'bars', bars, 1);
  return seriesSpec({
    name: 'sma',
    sources: [operand(source)],
    parameters: [bars],
    lookBack: bars,
    needs: { '': bars },
    make(wiring) {
      const scaled = wiring.scaled(0);
      return scaled.whole ? new TickMean(scaled, wiring.out(0), bars) : new FloatMean(wiring.numbers(0), wiring.out(0), bars);
    },
  });
}

/** Exponential moving average, weight 2 / (bars + 1), seeded by the simple average of the first `bars` values. */
export function ema(source: Source, bars: number): IndicatorSpec<Series> {
  checkWhole('ema', 'bars', bars, 1);
  return seriesSpec({
    name: 'ema',
    sources: [operand(source)],
    parameters: [bars],
    needs: { '': bars },
    make: (wiring) => new ExponentialMean(wiring.numbers(0), wiring.out(0), bars),
  });
}

/** Linearly weighted moving average: the newest value weighs `bars`, the oldest 1. Exact over prices, as `sma` is. */
export function wma(source: Source, bars: number): IndicatorSpec<Series> {
  checkWhole('wma', 'bars', bars, 1, 1_000_000);
  return seriesSpec({
    name: 'wma',
    sources: [operand(source)],
    parameters: [bars],
    lookBack: bars,
    needs: { '': bars },
    make(wiring) {
      const scaled = wiring.scaled(0);
      return scaled.whole
        ? new TickWeightedMean(scaled, wiring.out(0), bars)
        : new FloatWeightedMean(wiring.numbers(0), wiring.out(0), bars);
    },
  });
}

/**
 * Average of the typical price (high + low + close) / 3 over the last `bars` bars, weighted by volume. NaN where the window has no
 * volume: nothing was traded, so there is no such price.
 */
export function vwap(feed: FeedSeries, bars: number): IndicatorSpec<Series> {
  checkWhole('vwap', 'bars', bars, 1);
  return seriesSpec({
    name: 'vwap',
    sources: [feed.high, feed.low, feed.close, feed.volume].map(operand),
    parameters: [bars],
    lookBack: bars,
    needs: { '': bars },
    make: (wiring) => new VolumeMean(onOneScale(wiring, 3), wiring.numbers(3), wiring.out(0), bars),
  });
}

class TickMean implements Kernel {
  readonly #ticks: TickColumn;
  readonly #out: NumberWindow;
  readonly #bars: number;
  #sum = 0;

  constructor(source: ScaledColumn, out: NumberWindow, bars: number) {
    out.holdSums(bars * source.scale, checkExactSum(`sma over ${bars} bars`, source, bars));
    this.#ticks = source.column.values;
    this.#out = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const ticks = this.#ticks;
    const { values, base } = this.#out;
    const bars = this.#bars;
    let sum = this.#sum;
    let row = fromRow;
    for (; row < toRow && row < bars; row++) {
      sum += ticks[row]!;
      values[row - base] = row === bars - 1 ? sum : NaN;
    }
    // Whole numbers are added in any order: eight rows a turn wait for three additions where there were eight, and share the tests of a
    // turn.
    const lastTurn = Math.min(toRow, ROW_MASK) - 7;
    for (; row < lastTurn; row += 8) {
      const now = row & ROW_MASK;
      const old = (row - bars) & ROW_MASK;
      const to = (row - base) & ROW_MASK;
      const a = ticks[now]! - ticks[old]!;
      const b = a + (ticks[now + 1]! - ticks[old + 1]!);
      const c = ticks[now + 2]! - ticks[old + 2]!;
      const d = c + (ticks[now + 3]! - ticks[old + 3]!);
      const e = ticks[now + 4]! - ticks[old + 4]!;
      const f = e + (ticks[now + 5]! - ticks[old + 5]!);
      const g = ticks[now + 6]! - ticks[old + 6]!;
      const h = g + (ticks[now + 7]! - ticks[old + 7]!);
      values[to] = sum + a;
      sum += b;
      values[to + 1] = sum;
      values[to + 2] = sum + c;
      sum += d;
      values[to + 3] = sum;
      values[to + 4] = sum + e;
      sum += f;
      values[to + 5] = sum;
      values[to + 6] = sum + g;
      sum += h;
      values[to + 7] = sum;
    }
    for (; row < toRow; row++) {
      sum += ticks[row]! - ticks[row - bars]!;
      values[row - base] = sum;
    }
    this.#sum = sum;
  }
}

class FloatMean implements Kernel {
  readonly #source: IndicatorColumn<Float64Array>;
  readonly #out: NumberWindow;
  readonly #bars: number;
  readonly #sum = new CompensatedSum();
  #count = 0;

  constructor(source: IndicatorColumn<Float64Array>, out: NumberWindow, bars: number) {
    this.#source = source;
    this.#out = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: from, base: fromBase } = this.#source;
    const { values, base } = this.#out;
    const bars = this.#bars;
    const sum = this.#sum;
    let count = this.#count;
    for (let row = fromRow; row < toRow; row++) {
      const x = from[row - fromBase]!;
      if (x !== x) {
        count = 0;
        sum.reset();
      } else {
        sum.add(x);
        if (count < bars) count++;
        else sum.add(-from[row - bars - fromBase]!);
      }
      values[row - base] = count < bars ? NaN : sum.value / bars;
    }
    this.#count = count;
  }
}

class ExponentialMean implements Kernel {
  readonly #source: IndicatorColumn<Float64Array>;
  readonly #out: NumberWindow;
  readonly #bars: number;
  /** The sum of the values so far while `count` < bars, then the mean. */
  #mean = 0;
  #count = 0;

  constructor(source: IndicatorColumn<Float64Array>, out: NumberWindow, bars: number) {
    this.#source = source;
    this.#out = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: from, base: fromBase } = this.#source;
    const { values, base } = this.#out;
    const bars = this.#bars;
    const weight = 2 / (bars + 1);
    let mean = this.#mean;
    let count = this.#count;
    for (let row = fromRow; row < toRow; row++) {
      const x = from[row - fromBase]!;
      if (x !== x) {
        count = 0;
        mean = 0;
      } else if (count === bars) {
        mean += weight * (x - mean);
      } else {
        mean += x;
        if (++count === bars) mean /= bars;
      }
      values[row - base] = count < bars ? NaN : mean;
    }
    this.#mean = mean;
    this.#count = count;
  }
}

class TickWeightedMean implements Kernel {
  readonly #ticks: TickColumn;
  readonly #out: NumberWindow;
  readonly #bars: number;
  /** The plain sum and the weighted one, both whole numbers. */
  #sum = 0;
  #weighted = 0;

  constructor(source: ScaledColumn, out: NumberWindow, bars: number) {
    const weights = (bars * (bars + 1)) / 2;
    out.holdSums(weights * source.scale, checkExactSum(`wma over ${bars} bars`, source, weights));
    this.#ticks = source.column.values;
    this.#out = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const ticks = this.#ticks;
    const { values, base } = this.#out;
    const bars = this.#bars;
    let sum = this.#sum;
    let weighted = this.#weighted;
    let row = fromRow;
    for (; row < toRow && row < bars; row++) {
      sum += ticks[row]!;
      weighted += (row + 1) * ticks[row]!;
      values[row - base] = row === bars - 1 ? weighted : NaN;
    }
    for (; row < toRow; row++) {
      // Each old value loses one weight, which takes their plain sum away; the oldest thereby leaves.
      weighted += bars * ticks[row]! - sum;
      sum += ticks[row]! - ticks[row - bars]!;
      values[row - base] = weighted;
    }
    this.#sum = sum;
    this.#weighted = weighted;
  }
}

/** Summed afresh for each row: a running weighted sum of floats drifts, and takes every NaN along. */
class FloatWeightedMean implements Kernel {
  readonly #source: IndicatorColumn<Float64Array>;
  readonly #out: NumberWindow;
  readonly #bars: number;

  constructor(source: IndicatorColumn<Float64Array>, out: NumberWindow, bars: number) {
    this.#source = source;
    this.#out = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: from, base: fromBase } = this.#source;
    const { values, base } = this.#out;
    const bars = this.#bars;
    const weights = (bars * (bars + 1)) / 2;
    for (let row = fromRow; row < toRow; row++) {
      if (row < bars - 1) {
        values[row - base] = NaN;
        continue;
      }
      const first = row - bars + 1 - fromBase;
      let sum = 0;
      for (let i = 0; i < bars; i++) sum += (i + 1) * from[first + i]!;
      values[row - base] = sum / weights;
    }
  }
}

class VolumeMean implements Kernel {
  readonly #high: IndicatorColumn<TickColumn>;
  readonly #low: IndicatorColumn<TickColumn>;
  readonly #close: IndicatorColumn<TickColumn>;
  readonly #volume: IndicatorColumn<Float64Array>;
  readonly #out: NumberWindow;
  readonly #bars: number;
  readonly #divisor: number;
  readonly #turnover = new CompensatedSum();
  readonly #traded = new CompensatedSum();
  /** Rows of the window with volume: when none is left the sums are nothing, whatever rounding left in them. */
  #busy = 0;

  constructor({ columns, scale }: ScaledColumns, volume: IndicatorColumn<Float64Array>, out: NumberWindow, bars: number) {
    this.#high = columns[0]!;
    this.#low = columns[1]!;
    this.#close = columns[2]!;
    this.#volume = volume;
    this.#out = out;
    this.#bars = bars;
    this.#divisor = 3 * scale;
  }

  fill(fromRow: number, toRow: number): void {
    const { values, base } = this.#out;
    const bars = this.#bars;
    for (let row = fromRow; row < toRow; row++) {
      this.#book(row, 1);
      if (row >= bars) this.#book(row - bars, -1);
      if (this.#busy === 0) {
        this.#turnover.reset();
        this.#traded.reset();
      }
      values[row - base] = row < bars - 1 || this.#busy === 0 ? NaN : this.#turnover.value / this.#traded.value / this.#divisor;
    }
  }

  #book(row: number, sign: 1 | -1): void {
    const volume = at(this.#volume, row);
    if (volume === 0) return;
    const typical = at(this.#high, row) + at(this.#low, row) + at(this.#close, row);
    this.#turnover.add(sign * typical * volume);
    this.#traded.add(sign * volume);
    this.#busy += sign;
  }
}

function at(column: IndicatorColumn<TickColumn>, row: number): number {
  return column.values[row - column.base]!;
}
