// Spread of one or two series over a sliding window: sums of squares and products of the distances from the means, updated row by row.

import type { Series } from '../graph/series.ts';
import { checkWhole, operand, seriesSpec, type IndicatorSpec, type Kernel, type Source } from '../graph/spec.ts';
import { finite, type IndicatorColumn, type NumberWindow } from '../graph/window.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Maximum length of a window, in bars. */
export const MAX_BARS = 100_000;
/**
 * Smallest share that the spread may have of the largest sum of squares since the last full sum, for each bar of the window. Below it, the
 * rounding errors of the updates could exceed 3e-10 of the spread: each of at most `bars` updates adds three roundings of 2^-53 of that sum.
 */
const MIN_SHARE_A_BAR = 1.1e-6;

// Elements of the state of the sums over one series.
const ANCHOR = 0;
const SUM = 1;
/** Sum of the squares of the distances from the anchor. */
const SQUARES = 2;
/** The largest sum of squares since the last full sum. */
const LARGEST = 3;
const SPREAD = 4;
const STATE_LENGTH = 5;

type Column = IndicatorColumn<Float64Array>;

/**
 * Sums over the last values of one series. The values are taken as distances from an anchor, a value of the window. A full sum is made every
 * `bars` rows, and where a much larger spread has left the window, so that errors of rounding do not accumulate.
 */
class RollingSquares {
  readonly #column: Column;
  readonly #bars: number;
  /** 1 / bars: a division at every row would cost more than the sums. */
  readonly #perBar: number;
  /** The state, in an array of numbers: a field that changes at every row would be a new object each time. */
  readonly #state = new Float64Array(STATE_LENGTH);

  constructor(column: Column, bars: number) {
    this.#column = column;
    this.#bars = bars;
    this.#perBar = 1 / bars;
  }

  /** The value from which distances are measured. */
  get anchor(): number {
    return this.#state[ANCHOR]!;
  }
  /** Sum of the distances from the anchor. */
  get sum(): number {
    return this.#state[SUM]!;
  }
  /** Sum of the squares of the distances from the mean. Exactly 0 if all values are equal. */
  get spread(): number {
    return this.#state[SPREAD]!;
  }

  /** Adds the value at `row` and removes the one that leaves. Returns false if a full sum is due, because the spread is not exact enough. */
  update(row: number): boolean {
    const { values, base } = this.#column;
    const state = this.#state;
    const bars = this.#bars;
    const entering = values[row - base]! - state[ANCHOR]!;
    const leaving = values[row - bars - base]! - state[ANCHOR]!;
    const sum = state[SUM]! + (entering - leaving);
    const squares = state[SQUARES]! + (entering - leaving) * (entering + leaving);
    const largest = Math.max(squares, state[LARGEST]!);
    const spread = squares - sum * sum * this.#perBar;
    state[SUM] = sum;
    state[SQUARES] = squares;
    state[LARGEST] = largest;
    state[SPREAD] = spread;
    return spread >= largest * bars * MIN_SHARE_A_BAR;
  }

  /** Sums over the whole window that ends with `row`. */
  sumAll(row: number): void {
    const { values, base } = this.#column;
    const state = this.#state;
    const first = row - this.#bars + 1 - base;
    const last = row - base;
    const anchor = values[last]!;
    let sum = 0;
    let squares = 0;
    for (let i = first; i <= last; i++) {
      const distance = values[i]! - anchor;
      sum += distance;
      squares += distance * distance;
    }
    const mean = sum / this.#bars;
    let spread = 0;
    for (let i = first; i <= last; i++) spread += (values[i]! - anchor - mean) * (values[i]! - anchor - mean);
    state[ANCHOR] = anchor;
    state[SUM] = sum;
    state[SPREAD] = spread;
    state[SQUARES] = squares;
    state[LARGEST] = squares;
  }
}

/** What a statistic makes of a window of one series. */
export type SpreadStatistic = 'variance' | 'stdDev' | 'zscore';

/** Returns the spec of a statistic of the last `bars` values of a series. Throws ConfigError if `bars` is below `min`. */
export function spreadStatistic(name: SpreadStatistic, x: Source, bars: number, min: number): IndicatorSpec<Series> {
  checkWhole(name, 'bars', bars, min, MAX_BARS);
  return seriesSpec({
    name,
    sources: [operand(x)],
    parameters: [bars],
    lookBack: bars,
    needs: { '': bars },
    make: (wiring) => new SpreadKernel(name, wiring.numbers(0), wiring.out(0), bars),
  });
}

/** Computes a statistic of one series. */
class SpreadKernel implements Kernel {
  readonly #name: SpreadStatistic;
  readonly #column: Column;
  readonly #out: NumberWindow;
  readonly #bars: number;
  readonly #squares: RollingSquares;
  /** Number of consecutive rows with a value. */
  #complete = 0;
  /** Rows since the last full sum. */
  #age = 0;

  constructor(name: SpreadStatistic, column: Column, out: NumberWindow, bars: number) {
    this.#name = name;
    this.#column = column;
    this.#out = out;
    this.#bars = bars;
    this.#squares = new RollingSquares(column, bars);
  }

  fill(fromRow: number, toRow: number): void {
    const { values, base } = this.#column;
    const { values: out, base: outBase } = this.#out;
    for (let row = fromRow; row < toRow; row++) {
      const x = values[row - base]!;
      this.#complete = x === x ? this.#complete + 1 : 0;
      out[row - outBase] = this.#complete < this.#bars ? NAN : this.#valueAt(row, x);
    }
  }

  #valueAt(row: number, x: number): number {
    const squares = this.#squares;
    const bars = this.#bars;
    // The window of the first complete row has no row before it.
    if (this.#complete === bars || ++this.#age >= bars || !squares.update(row)) {
      squares.sumAll(row);
      this.#age = 0;
    }
    const variance = squares.spread / bars;
    if (this.#name === 'variance') return finite(variance);
    if (this.#name === 'stdDev') return finite(Math.sqrt(variance));
    return finite((x - squares.anchor - squares.sum / bars) / Math.sqrt(variance));
  }
}

/** What a statistic makes of a window of two series. */
export type PairStatistic = 'corr' | 'covariance' | 'beta';

/** Returns the spec of a statistic of the last `bars` values (from 2) of two series. */
export function pairStatistic(name: PairStatistic, a: Source, b: Source, bars: number): IndicatorSpec<Series> {
  checkWhole(name, 'bars', bars, 2, MAX_BARS);
  return seriesSpec({
    name,
    sources: [operand(a), operand(b)],
    parameters: [bars],
    lookBack: bars,
    needs: { '': bars },
    make: (wiring) => new PairKernel(name, [wiring.numbers(0), wiring.numbers(1)], wiring.out(0), bars),
  });
}

/** Computes a statistic of two series. */
class PairKernel implements Kernel {
  readonly #name: PairStatistic;
  readonly #columnA: Column;
  readonly #columnB: Column;
  readonly #out: NumberWindow;
  readonly #bars: number;
  readonly #squaresA: RollingSquares;
  readonly #squaresB: RollingSquares;
  /** Sum of the products of the distances of both series from their anchors. */
  readonly #products = new Float64Array(1);
  /** Number of consecutive rows at which both series have a value. */
  #complete = 0;
  /** Rows since the last full sum. */
  #age = 0;

  constructor(name: PairStatistic, [a, b]: readonly [Column, Column], out: NumberWindow, bars: number) {
    this.#name = name;
    this.#columnA = a;
    this.#columnB = b;
    this.#out = out;
    this.#bars = bars;
    this.#squaresA = new RollingSquares(a, bars);
    this.#squaresB = new RollingSquares(b, bars);
  }

  fill(fromRow: number, toRow: number): void {
    const { values: a, base: baseA } = this.#columnA;
    const { values: b, base: baseB } = this.#columnB;
    const { values: out, base: outBase } = this.#out;
    for (let row = fromRow; row < toRow; row++) {
      const x = a[row - baseA]!;
      const y = b[row - baseB]!;
      this.#complete = x === x && y === y ? this.#complete + 1 : 0;
      out[row - outBase] = this.#complete < this.#bars ? NAN : finite(this.#valueAt(row));
    }
  }

  #valueAt(row: number): number {
    const bars = this.#bars;
    const a = this.#squaresA;
    const b = this.#squaresB;
    if (this.#complete === bars || ++this.#age >= bars || !this.#update(row)) this.#sumAll(row);
    const products = this.#products[0]! - (a.sum * b.sum) / bars;
    if (this.#name === 'covariance') return products / (bars - 1);
    if (this.#name === 'beta') return b.spread === 0 ? NAN : products / b.spread;
    if (a.spread === 0 || b.spread === 0) return NAN;
    // Rounding could take the correlation of two proportional series beyond 1.
    return Math.max(-1, Math.min(1, products / Math.sqrt(a.spread * b.spread)));
  }

  /** Adds the values at `row` and removes those that leave. Returns false if a full sum is due. */
  #update(row: number): boolean {
    const { values: a, base: baseA } = this.#columnA;
    const { values: b, base: baseB } = this.#columnB;
    const bars = this.#bars;
    const anchorA = this.#squaresA.anchor;
    const anchorB = this.#squaresB.anchor;
    const entering = (a[row - baseA]! - anchorA) * (b[row - baseB]! - anchorB);
    const leaving = (a[row - bars - baseA]! - anchorA) * (b[row - bars - baseB]! - anchorB);
    this.#products[0]! += entering - leaving;
    const isExactA = this.#squaresA.update(row);
    return this.#squaresB.update(row) && isExactA;
  }

  /** Sums over the whole window that ends with `row`. */
  #sumAll(row: number): void {
    this.#age = 0;
    this.#squaresA.sumAll(row);
    this.#squaresB.sumAll(row);
    const { values: a, base: baseA } = this.#columnA;
    const { values: b, base: baseB } = this.#columnB;
    const anchorA = this.#squaresA.anchor;
    const anchorB = this.#squaresB.anchor;
    let products = 0;
    for (let i = row - this.#bars + 1; i <= row; i++) products += (a[i - baseA]! - anchorA) * (b[i - baseB]! - anchorB);
    this.#products[0] = products;
  }
}
