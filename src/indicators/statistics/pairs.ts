// Statistics of two series (correlation, covariance, beta), and the regression of a series over time.

import type { Series } from '../graph/series.ts';
import { checkWhole, groupSpec, operand, type IndicatorSpec, type Kernel, type Source } from '../graph/spec.ts';
import type { IndicatorColumn, NumberWindow } from '../graph/window.ts';
import { MAX_BARS, pairStatistic } from './spread.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Returns Pearson's correlation of the last `bars` values, -1 to 1. NaN if all values of one series are equal. */
export function corr(a: Source, b: Source, bars: number): IndicatorSpec<Series> {
  return pairStatistic('corr', a, b, bars);
}

/** Returns the covariance of the last `bars` values (sample: divided by bars - 1). */
export function covariance(a: Source, b: Source, bars: number): IndicatorSpec<Series> {
  return pairStatistic('covariance', a, b, bars);
}

/**
 * Returns the slope of the line that fits `a` to `b` over the last `bars` values: the move of `a` when `b` moves by 1. NaN if all values
 * of `b` are equal.
 */
export function beta(a: Source, b: Source, bars: number): IndicatorSpec<Series> {
  return pairStatistic('beta', a, b, bars);
}

/** The outputs of a linear regression over time. */
export interface LinearRegression {
  /** The line at the newest bar. */
  readonly value: Series;
  /** The line one bar later. */
  readonly forecast: Series;
  /** Change of the line from bar to bar. */
  readonly slope: Series;
  /** The line at the oldest bar of the window. */
  readonly intercept: Series;
  /** Share of the variance that the line explains, 0 to 1. NaN if all values are equal. */
  readonly r2: Series;
}

/** Returns the line of least squares through the last `bars` values (from 2) against time. */
export function linearRegression(x: Source, bars: number): IndicatorSpec<LinearRegression> {
  checkWhole('linearRegression', 'bars', bars, 2, MAX_BARS);
  return groupSpec(
    {
      name: 'linearRegression',
      sources: [operand(x)],
      parameters: [bars],
      lookBack: bars - 1,
      needs: { '.value': bars, '.forecast': bars, '.slope': bars, '.intercept': bars, '.r2': bars },
      makeKernel: (wiring) =>
        new Regression(
          wiring.numbers(0),
          [0, 1, 2, 3, 4].map((output) => wiring.out(output)),
          bars,
        ),
    },
    (node) => ({
      value: node.series(0),
      forecast: node.series(1),
      slope: node.series(2),
      intercept: node.series(3),
      r2: node.series(4),
    }),
  );
}

/** Fits a line to the last `bars` values of each row. */
class Regression implements Kernel {
  readonly #source: IndicatorColumn<Float64Array>;
  readonly #outputs: readonly NumberWindow[];
  readonly #bars: number;
  #completeRows = 0;

  constructor(source: IndicatorColumn<Float64Array>, outputs: readonly NumberWindow[], bars: number) {
    this.#source = source;
    this.#outputs = outputs;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const { values, base } = this.#source;
    const bars = this.#bars;
    for (let row = fromRow; row < toRow; row++) {
      const value = values[row - base]!;
      this.#completeRows = value === value ? Math.min(bars, this.#completeRows + 1) : 0;
      if (this.#completeRows < bars) this.#write(row, NAN, NAN, NAN);
      else this.#fit(row);
    }
  }

  /** Writes slope, intercept and coefficient of determination of the line through the last `bars` values. */
  #fit(row: number): void {
    const { values, base } = this.#source;
    const bars = this.#bars;
    const first = row - bars + 1 - base;
    let sum = 0;
    for (let i = 0; i < bars; i++) sum += values[first + i]!;
    const [mean, middle] = [sum / bars, (bars - 1) / 2];
    let [timeSquares, products, valueSquares] = [0, 0, 0];
    for (let i = 0; i < bars; i++) {
      const distance = values[first + i]! - mean;
      timeSquares += (i - middle) * (i - middle);
      products += (i - middle) * distance;
      valueSquares += distance * distance;
    }
    const slope = products / timeSquares;
    this.#write(row, slope, mean - slope * middle, valueSquares === 0 ? NAN : (products * products) / (timeSquares * valueSquares));
  }

  #write(row: number, slope: number, intercept: number, r2: number): void {
    const bars = this.#bars;
    const line = [intercept + slope * (bars - 1), intercept + slope * bars, slope, intercept, r2];
    this.#outputs.forEach((window, output) => {
      window.values[row - window.base] = line[output]!;
    });
  }
}
