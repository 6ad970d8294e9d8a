// Variance, correlation and the like of one or two series over a sliding window. Sums of squared deviations and of products are updated row by row.

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
 * A full sum is made when the squared deviations fall below this share of the accumulated squares. Each update of a sum adds at most three
 * roundings of 2^-53 of it. So the error of rounding stays below 3e-10 of the squared deviations.
 */
const MIN_SHARE = 1.1e-6;

// Elements of the state of the sums over one series.
/** The value from which distances are measured. */
const ANCHOR = 0;
/** Sum of the distances from the anchor. */
const SUM = 1;
/** Sum of the squares of the distances from the anchor. */
const SQUARES = 2;
/** The sums of squares of all rows since the last full sum, added up. The full sum counts as many times as it has values. */
const ACCUMULATED_SQUARES = 3;
/** Sum of the squared deviations from the mean. Exactly 0 if all values are equal. */
const SQUARED_DEVIATIONS = 4;
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
  let deviation = 0;
  for (let i = first; i <= last; i++) deviation += (values[i]! - anchor - mean) * (values[i]! - anchor - mean);
  state[ANCHOR] = anchor;
  state[SUM] = sum;
  state[SQUARED_DEVIATIONS] = deviation;
  state[SQUARES] = squares;
  state[ACCUMULATED_SQUARES] = squares * bars;
}

/** Largest number of rows whose sums are computed before their statistics. */
const BATCH_ROWS = 256;
/**
 * Sums of the rows of a batch, by their place in it. `slide` and `sumWindow` write them, and `statistics` reads them. `NUMERATORS`: `bars` times
 * the deviation of the newest value, or `bars` times the sum of the products. The others: the squared deviations. Sums first and then divisions
 * and roots, because each loop is then short. Kernels compute one after the other, so they share these arrays.
 */
const NUMERATORS = new Float64Array(BATCH_ROWS);
const DEVIATIONS_A = new Float64Array(BATCH_ROWS);
const DEVIATIONS_B = new Float64Array(BATCH_ROWS);

/**
 * A kernel whose sums follow a window. The values are taken as distances from an anchor, a value of the window. A full sum is made at times,
 * and where much larger deviations have left the window, so that errors of rounding do not accumulate.
 */
abstract class SlidingKernel implements Kernel {
  protected readonly bars: number;
  readonly #period: number;
  readonly #out: NumberWindow;
  /** Number of consecutive rows with all values, counted up to `bars`. */
  #complete = 0;
  /** The next row whose sums cannot be computed from those of the row before it. */
  #nextFullRow = 0;

  constructor(out: NumberWindow, bars: number) {
    this.#out = out;
    this.bars = bars;
    this.#period = Math.max(bars, PERIOD_ROWS);
  }

  fill(fromRow: number, toRow: number): void {
    for (let row = fromRow; row < toRow;) {
      const endRow = Math.min(toRow, this.#nextFullRow, row + BATCH_ROWS);
      const slid = row < endRow ? this.slide(row, endRow) : 0;
      if (slid > 0) this.#write(row, slid);
      row += slid;
      // A full batch ended at its size limit, so sliding continues. A short one needs a full sum.
      if (row < toRow && slid < BATCH_ROWS) this.#writeFullRow(row++);
    }
  }

  /** Writes a row from its whole window, or NaN if a value of it is missing. */
  #writeFullRow(row: number): void {
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
   * Computes the sums of the rows [row, endRow), each from those of the row before it, into the shared arrays. Stops where the squared deviations
   * are not exact enough or a value is missing. Returns the number of rows.
   */
  protected abstract slide(row: number, endRow: number): number;
  /** Returns true if every source has a value. */
  protected abstract hasValues(row: number): boolean;
  /** Computes the sums of the whole window that ends with `row`, into the first elements of the shared arrays. */
  protected abstract sumWindow(row: number): void;
  /** Writes the statistics of the first `count` sums of the shared arrays to `out`, from the element `first` on. */
  protected abstract statistics(out: Float64Array, first: number, count: number): void;
}

/** What a statistic makes of a window of one series. */
export type DeviationStatistic = 'variance' | 'stdDev' | 'zscore';

/** Returns the spec of a statistic of the last `bars` values of a series. Throws ConfigError if `bars` is below `minBars`. */
export function deviationStatistic(
  name: DeviationStatistic,
  x: Source,
  { bars, minBars }: { readonly bars: number; readonly minBars: number },
): IndicatorSpec<Series> {
  checkWhole(name, 'bars', bars, minBars, MAX_BARS);
  return seriesSpec({
    name,
    sources: [operand(x)],
    parameters: [bars],
    lookBack: bars,
    needs: { '': bars },
    makeKernel: (wiring) => new DeviationKernel(name, wiring.numbers(0), wiring.out(0), bars),
  });
}

/** Computes a statistic of one series. */
class DeviationKernel extends SlidingKernel {
  readonly #name: DeviationStatistic;
  readonly #column: Column;
  readonly #state = new Float64Array(STATE_LENGTH);

  constructor(name: DeviationStatistic, column: Column, out: NumberWindow, bars: number) {
    super(out, bars);
    this.#name = name;
    this.#column = column;
  }

  protected slide(row: number, endRow: number): number {
    const { values, base } = this.#column;
    const { bars } = this;
    const perBar = 1 / bars;
    const numerators = NUMERATORS;
    const deviations = DEVIATIONS_A;
    const state = this.#state;
    const anchor = state[ANCHOR]!;
    let sum = state[SUM]!;
    let squares = state[SQUARES]!;
    let accumulated = state[ACCUMULATED_SQUARES]!;
    const first = row - base;
    const count = endRow - row;
    let i = 0;
    for (; i < count; i++) {
      const entering = values[first + i]! - anchor;
      const leaving = values[first + i - bars]! - anchor;
      sum += entering - leaving;
      squares += (entering - leaving) * (entering + leaving);
      accumulated += squares;
      const deviation = squares - sum * sum * perBar;
      // False also for a missing value.
      if (!(deviation >= accumulated * MIN_SHARE)) break;
      numerators[i] = entering * bars - sum;
      deviations[i] = deviation;
    }
    state[SUM] = sum;
    state[SQUARES] = squares;
    state[ACCUMULATED_SQUARES] = accumulated;
    return i;
  }

  protected hasValues(row: number): boolean {
    return !Number.isNaN(this.#column.values[row - this.#column.base]);
  }

  protected sumWindow(row: number): void {
    const state = this.#state;
    sumAll(this.#column, row, this.bars, state);
    NUMERATORS[0] = -state[SUM]!;
    DEVIATIONS_A[0] = state[SQUARED_DEVIATIONS]!;
  }

  protected statistics(out: Float64Array, first: number, count: number): void {
    const { bars } = this;
    const numerators = NUMERATORS;
    const deviations = DEVIATIONS_A;
    switch (this.#name) {
      case 'variance':
        for (let i = 0; i < count; i++) out[first + i] = finite(deviations[i]! / bars);
        break;
      case 'stdDev':
        for (let i = 0; i < count; i++) out[first + i] = finite(Math.sqrt(deviations[i]! / bars));
        break;
      case 'zscore':
        for (let i = 0; i < count; i++) out[first + i] = finite(numerators[i]! / Math.sqrt(deviations[i]! * bars));
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
    makeKernel: (wiring) => new PairKernel(name, [wiring.numbers(0), wiring.numbers(1)], wiring.out(0), bars),
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
    const deviationsA = DEVIATIONS_A;
    const deviationsB = DEVIATIONS_B;
    const stateA = this.#stateA;
    const stateB = this.#stateB;
    const anchorA = stateA[ANCHOR]!;
    const anchorB = stateB[ANCHOR]!;
    let sumA = stateA[SUM]!;
    let squaresA = stateA[SQUARES]!;
    let accumulatedA = stateA[ACCUMULATED_SQUARES]!;
    let sumB = stateB[SUM]!;
    let squaresB = stateB[SQUARES]!;
    let accumulatedB = stateB[ACCUMULATED_SQUARES]!;
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
      accumulatedA += squaresA;
      sumB += enteringB - leavingB;
      squaresB += (enteringB - leavingB) * (enteringB + leavingB);
      accumulatedB += squaresB;
      const deviationA = squaresA - sumA * sumA * perBar;
      const deviationB = squaresB - sumB * sumB * perBar;
      // False also for a missing value.
      if (!(deviationA >= accumulatedA * MIN_SHARE && deviationB >= accumulatedB * MIN_SHARE)) break;
      numerators[i] = products * bars - sumA * sumB;
      deviationsA[i] = deviationA;
      deviationsB[i] = deviationB;
    }
    stateA[SUM] = sumA;
    stateA[SQUARES] = squaresA;
    stateA[ACCUMULATED_SQUARES] = accumulatedA;
    stateB[SUM] = sumB;
    stateB[SQUARES] = squaresB;
    stateB[ACCUMULATED_SQUARES] = accumulatedB;
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
    DEVIATIONS_A[0] = stateA[SQUARED_DEVIATIONS]!;
    DEVIATIONS_B[0] = stateB[SQUARED_DEVIATIONS]!;
  }

  protected statistics(out: Float64Array, first: number, count: number): void {
    const { bars } = this;
    const numerators = NUMERATORS;
    const deviationsA = DEVIATIONS_A;
    const deviationsB = DEVIATIONS_B;
    switch (this.#name) {
      case 'covariance':
        for (let i = 0; i < count; i++) out[first + i] = finite(numerators[i]! / (bars * (bars - 1)));
        break;
      case 'beta':
        for (let i = 0; i < count; i++) out[first + i] = finite(numerators[i]! / (deviationsB[i]! * bars));
        break;
      case 'corr':
        for (let i = 0; i < count; i++) out[first + i] = correlation(numerators[i]!, deviationsA[i]! * deviationsB[i]!, bars);
        break;
    }
  }
}

/** Returns the correlation of a window, NaN if all values of a series are equal. `numerator`: `bars` times the sum of the products. */
function correlation(numerator: number, deviations: number, bars: number): number {
  const share = numerator / (Math.sqrt(deviations) * bars);
  // Rounding could take the correlation of two proportional series beyond 1.
  if (share > 1) return deviations > 0 ? 1 : NAN;
  if (share < -1) return deviations > 0 ? -1 : NAN;
  return share;
}
