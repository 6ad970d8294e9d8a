// Spread of one or two series over a sliding window: sums of squares and products of the distances from the means, updated row by row.

import type { Series } from '../graph/series.ts';
import { checkWhole, operand, seriesSpec, type IndicatorSpec, type Kernel, type Source } from '../graph/spec.ts';
import { finite, type IndicatorColumn, type NumberWindow } from '../graph/window.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Maximum length of a window, in bars. */
export const MAX_BARS = 100_000;
/** Number of rows from a full sum to the next, if the window is not longer. */
const PERIOD_ROWS = 1024;
/**
 * Smallest share that a spread may have of all sums of squares since the last full sum together. Each update of a sum adds at most three roundings
 * of 2^-53 of it, so that they stay below 3e-10 of the spread.
 */
const MIN_SHARE = 1.1e-6;

// Elements of the state of the sums over one series.
/** The value from which distances are measured. */
const ANCHOR = 0;
/** Sum of the distances from the anchor. */
const SUM = 1;
/** Sum of the squares of the distances from the anchor. */
const SQUARES = 2;
/** All sums of squares since the last full sum together. The full sum counts as many times as it has values. */
const TOTAL = 3;
/** Sum of the squares of the distances from the mean. Exactly 0 if all values are equal. */
const SPREAD = 4;
const STATE_LENGTH = 5;

type Column = IndicatorColumn<Float64Array>;

/** Writes the state of the sums over the whole window of `bars` rows that ends with `row`. The anchor is its newest value. */
function sumAll({ values, base }: Column, row: number, bars: number, state: Float64Array): void {
  const first = row - bars + 1 - base;
  const last = row - base;
  const anchor = values[last]!;
  let sum = 0;
  let squares = 0;
  for (let i = first; i <= last; i++) {
    const distance = values[i]! - anchor;
    sum += distance;
    squares += distance * distance;
  }
  const mean = sum / bars;
  let spread = 0;
  for (let i = first; i <= last; i++) spread += (values[i]! - anchor - mean) * (values[i]! - anchor - mean);
  state[ANCHOR] = anchor;
  state[SUM] = sum;
  state[SPREAD] = spread;
  state[SQUARES] = squares;
  state[TOTAL] = squares * bars;
}

/** The largest number of rows whose sums are made before their statistics. */
const TURN_ROWS = 256;
/**
 * Sums of the rows of a turn, by their place in it: `bars` times the distance of the newest value from the mean or `bars` times the sum of the
 * products, and the spreads. Sums first and then divisions and roots, because each loop is then short. Kernels take turns, so they share them.
 */
const NUMERATORS = new Float64Array(TURN_ROWS);
const SPREADS_A = new Float64Array(TURN_ROWS);
const SPREADS_B = new Float64Array(TURN_ROWS);

/**
 * A kernel whose sums follow a window. The values are taken as distances from an anchor, a value of the window. A full sum is made at times,
 * and where a much larger spread has left the window, so that errors of rounding do not accumulate.
 */
abstract class SlidingKernel implements Kernel {
  protected readonly bars: number;
  readonly #period: number;
  readonly #out: NumberWindow;
  /** Number of consecutive rows with all values, counted up to `bars`. */
  #complete = 0;
  /** The next row whose sums cannot be made from those of the row before it. */
  #nextFullRow = 0;

  constructor(out: NumberWindow, bars: number) {
    this.#out = out;
    this.bars = bars;
    this.#period = Math.max(bars, PERIOD_ROWS);
  }

  fill(fromRow: number, toRow: number): void {
    for (let row = fromRow; row < toRow;) {
      const endRow = Math.min(toRow, this.#nextFullRow, row + TURN_ROWS);
      const slid = row < endRow ? this.slide(row, endRow) : 0;
      if (slid > 0) this.#write(row, slid);
      row += slid;
      // A whole turn is followed by the next one.
      if (row < toRow && slid < TURN_ROWS) this.#start(row++);
    }
  }

  /** Writes a row from its whole window, or NaN if a value of it is missing. */
  #start(row: number): void {
    this.#complete = this.hasValues(row) ? Math.min(this.bars, this.#complete + 1) : 0;
    const isComplete = this.#complete === this.bars;
    this.#nextFullRow = row + (isComplete ? this.#period : 1);
    if (isComplete) {
      this.sumWindow(row);
      this.#write(row, 1);
    } else this.#out.values[row - this.#out.base] = NAN;
  }

  /** Writes the statistics of `count` rows from their sums. */
  #write(row: number, count: number): void {
    this.statistics(this.#out.values, row - this.#out.base, count);
  }

  /**
   * Makes the sums of the rows [row, endRow), each from those of the row before it. Stops where the spread is not exact enough or a value is
   * missing. Returns the number of rows.
   */
  protected abstract slide(row: number, endRow: number): number;
  /** Returns true if every source has a value. */
  protected abstract hasValues(row: number): boolean;
  /** Makes the sums of the whole window that ends with `row`. */
  protected abstract sumWindow(row: number): void;
  /** Writes the statistics of the first `count` sums to `out`, from the element `first` on. */
  protected abstract statistics(out: Float64Array, first: number, count: number): void;
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
class SpreadKernel extends SlidingKernel {
  readonly #name: SpreadStatistic;
  readonly #column: Column;
  readonly #state = new Float64Array(STATE_LENGTH);

  constructor(name: SpreadStatistic, column: Column, out: NumberWindow, bars: number) {
    super(out, bars);
    this.#name = name;
    this.#column = column;
  }

  protected slide(row: number, endRow: number): number {
    const { values, base } = this.#column;
    const { bars } = this;
    const perBar = 1 / bars;
    const numerators = NUMERATORS;
    const spreads = SPREADS_A;
    const state = this.#state;
    const anchor = state[ANCHOR]!;
    let sum = state[SUM]!;
    let squares = state[SQUARES]!;
    let total = state[TOTAL]!;
    const first = row - base;
    const count = endRow - row;
    let i = 0;
    for (; i < count; i++) {
      const entering = values[first + i]! - anchor;
      const leaving = values[first + i - bars]! - anchor;
      sum += entering - leaving;
      squares += (entering - leaving) * (entering + leaving);
      total += squares;
      const spread = squares - sum * sum * perBar;
      // False also for a missing value.
      if (!(spread >= total * MIN_SHARE)) break;
      numerators[i] = entering * bars - sum;
      spreads[i] = spread;
    }
    state[SUM] = sum;
    state[SQUARES] = squares;
    state[TOTAL] = total;
    return i;
  }

  protected hasValues(row: number): boolean {
    return !Number.isNaN(this.#column.values[row - this.#column.base]);
  }

  protected sumWindow(row: number): void {
    const state = this.#state;
    sumAll(this.#column, row, this.bars, state);
    NUMERATORS[0] = -state[SUM]!;
    SPREADS_A[0] = state[SPREAD]!;
  }

  protected statistics(out: Float64Array, first: number, count: number): void {
    const { bars } = this;
    const numerators = NUMERATORS;
    const spreads = SPREADS_A;
    switch (this.#name) {
      case 'variance':
        for (let i = 0; i < count; i++) out[first + i] = finite(spreads[i]! / bars);
        break;
      case 'stdDev':
        for (let i = 0; i < count; i++) out[first + i] = finite(Math.sqrt(spreads[i]! / bars));
        break;
      case 'zscore':
        for (let i = 0; i < count; i++) out[first + i] = finite(numerators[i]! / Math.sqrt(spreads[i]! * bars));
        break;
    }
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
class PairKernel extends SlidingKernel {
  readonly #name: PairStatistic;
  readonly #a: Column;
  readonly #b: Column;
  readonly #stateA = new Float64Array(STATE_LENGTH);
  readonly #stateB = new Float64Array(STATE_LENGTH);
  /** Sum of the products of the distances of both series from their anchors. */
  readonly #products = new Float64Array(1);

  constructor(name: PairStatistic, [a, b]: readonly [Column, Column], out: NumberWindow, bars: number) {
    super(out, bars);
    this.#name = name;
    this.#a = a;
    this.#b = b;
  }

  protected slide(row: number, endRow: number): number {
    const { values: a, base: baseA } = this.#a;
    const { values: b, base: baseB } = this.#b;
    const { bars } = this;
    const perBar = 1 / bars;
    const numerators = NUMERATORS;
    const spreadsA = SPREADS_A;
    const spreadsB = SPREADS_B;
    const stateA = this.#stateA;
    const stateB = this.#stateB;
    const anchorA = stateA[ANCHOR]!;
    const anchorB = stateB[ANCHOR]!;
    let sumA = stateA[SUM]!;
    let squaresA = stateA[SQUARES]!;
    let totalA = stateA[TOTAL]!;
    let sumB = stateB[SUM]!;
    let squaresB = stateB[SQUARES]!;
    let totalB = stateB[TOTAL]!;
    let products = this.#products[0]!;
    const firstA = row - baseA;
    const firstB = row - baseB;
    const count = endRow - row;
    let i = 0;
    for (; i < count; i++) {
      const enteringA = a[firstA + i]! - anchorA;
      const leavingA = a[firstA + i - bars]! - anchorA;
      const enteringB = b[firstB + i]! - anchorB;
      const leavingB = b[firstB + i - bars]! - anchorB;
      products += enteringA * enteringB - leavingA * leavingB;
      sumA += enteringA - leavingA;
      squaresA += (enteringA - leavingA) * (enteringA + leavingA);
      totalA += squaresA;
      sumB += enteringB - leavingB;
      squaresB += (enteringB - leavingB) * (enteringB + leavingB);
      totalB += squaresB;
      const spreadA = squaresA - sumA * sumA * perBar;
      const spreadB = squaresB - sumB * sumB * perBar;
      // False also for a missing value.
      if (!(spreadA >= totalA * MIN_SHARE && spreadB >= totalB * MIN_SHARE)) break;
      numerators[i] = products * bars - sumA * sumB;
      spreadsA[i] = spreadA;
      spreadsB[i] = spreadB;
    }
    stateA[SUM] = sumA;
    stateA[SQUARES] = squaresA;
    stateA[TOTAL] = totalA;
    stateB[SUM] = sumB;
    stateB[SQUARES] = squaresB;
    stateB[TOTAL] = totalB;
    this.#products[0] = products;
    return i;
  }

  protected hasValues(row: number): boolean {
    return !Number.isNaN(this.#a.values[row - this.#a.base]) && !Number.isNaN(this.#b.values[row - this.#b.base]);
  }

  protected sumWindow(row: number): void {
    const { bars } = this;
    const stateA = this.#stateA;
    const stateB = this.#stateB;
    sumAll(this.#a, row, bars, stateA);
    sumAll(this.#b, row, bars, stateB);
    const { values: a, base: baseA } = this.#a;
    const { values: b, base: baseB } = this.#b;
    const anchorA = stateA[ANCHOR]!;
    const anchorB = stateB[ANCHOR]!;
    let products = 0;
    for (let i = row - bars + 1; i <= row; i++) products += (a[i - baseA]! - anchorA) * (b[i - baseB]! - anchorB);
    this.#products[0] = products;
    NUMERATORS[0] = products * bars - stateA[SUM]! * stateB[SUM]!;
    SPREADS_A[0] = stateA[SPREAD]!;
    SPREADS_B[0] = stateB[SPREAD]!;
  }

  protected statistics(out: Float64Array, first: number, count: number): void {
    const { bars } = this;
    const numerators = NUMERATORS;
    const spreadsA = SPREADS_A;
    const spreadsB = SPREADS_B;
    switch (this.#name) {
      case 'covariance':
        for (let i = 0; i < count; i++) out[first + i] = finite(numerators[i]! / (bars * (bars - 1)));
        break;
      case 'beta':
        for (let i = 0; i < count; i++) out[first + i] = finite(numerators[i]! / (spreadsB[i]! * bars));
        break;
      case 'corr':
        for (let i = 0; i < count; i++) out[first + i] = correlation(numerators[i]!, spreadsA[i]! * spreadsB[i]!, bars);
        break;
    }
  }
}

/** Returns the correlation of a window, NaN if all values of a series are equal. `numerator`: `bars` times the sum of the products. */
function correlation(numerator: number, spreads: number, bars: number): number {
  const share = numerator / (Math.sqrt(spreads) * bars);
  // Rounding could take the correlation of two proportional series beyond 1.
  if (share > 1) return spreads > 0 ? 1 : NAN;
  if (share < -1) return spreads > 0 ? -1 : NAN;
  return share;
}
