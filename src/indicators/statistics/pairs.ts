// Statistics of two series (correlation, covariance, beta), and the regression of a series over time.

import type { Series } from '../graph/series.ts';
import { checkWhole, groupSpec, operand, type IndicatorSpec, type Kernel, type Source } from '../graph/spec.ts';
import { windowedSeries } from '../graph/stepped.ts';
import type { IndicatorColumn, NumberWindow } from '../graph/window.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

const MAX_BARS = 100_000;

/** Sums of the squares (`aa`, `bb`) and of the products (`ab`) of distances from the means. */
interface Spread {
  readonly aa: number;
  readonly bb: number;
  readonly ab: number;
}

function spreadOf(a: IndicatorColumn<Float64Array>, b: IndicatorColumn<Float64Array>, row: number, bars: number): Spread {
  const first = row - bars + 1;
  // Values are taken relative to the first one, so that a window of equal values has distances of exactly 0.
  const [firstA, firstB] = [a.values[first - a.base]!, b.values[first - b.base]!];
  let [sumA, sumB] = [0, 0];
  for (let at = first; at <= row; at++) {
    sumA += a.values[at - a.base]! - firstA;
    sumB += b.values[at - b.base]! - firstB;
  }
  const [meanA, meanB] = [sumA / bars, sumB / bars];
  let [aa, bb, ab] = [0, 0, 0];
  for (let at = row - bars + 1; at <= row; at++) {
    const [offA, offB] = [a.values[at - a.base]! - firstA - meanA, b.values[at - b.base]! - firstB - meanB];
    aa += offA * offA;
    bb += offB * offB;
    ab += offA * offB;
  }
  return { aa, bb, ab };
}

function pair(name: string, sources: readonly [Source, Source], bars: number, of: (spread: Spread) => number): IndicatorSpec<Series> {
  checkWhole(name, 'bars', bars, 2, MAX_BARS);
  return windowedSeries({ name, sources, bars, of: ([a, b], row) => of(spreadOf(a!, b!, row, bars)) });
}

/** Pearson's correlation of the last `bars` values, -1 to 1. NaN where all values of one series are equal. */
export function corr(a: Source, b: Source, bars: number): IndicatorSpec<Series> {
  return pair('corr', [a, b], bars, ({ aa, bb, ab }) => (aa === 0 || bb === 0 ? NAN : ab / Math.sqrt(aa * bb)));
}

/** Covariance of the last `bars` values (sample: divided by bars - 1). */
export function covariance(a: Source, b: Source, bars: number): IndicatorSpec<Series> {
  return pair('covariance', [a, b], bars, ({ ab }) => ab / (bars - 1));
}

/** Slope of the line that fits `a` to `b` over the last `bars` values: how much `a` moves when `b` moves by 1. NaN where all values of `b` are equal. */
export function beta(a: Source, b: Source, bars: number): IndicatorSpec<Series> {
  return pair('beta', [a, b], bars, ({ bb, ab }) => (bb === 0 ? NAN : ab / bb));
}

export interface LinearRegression {
  /** The line at the newest bar, and one bar ahead. */
  readonly value: Series;
  readonly forecast: Series;
  /** Change of the line from bar to bar. */
  readonly slope: Series;
  /** The line at the oldest bar of the window. */
  readonly intercept: Series;
  /** Share of the variance that the line explains, 0 to 1. NaN where all values are equal. */
  readonly r2: Series;
}

/** The line of least squares through the last `bars` values (from 2) against time. */
export function linearRegression(x: Source, bars: number): IndicatorSpec<LinearRegression> {
  checkWhole('linearRegression', 'bars', bars, 2, MAX_BARS);
  return groupSpec(
    {
      name: 'linearRegression',
      sources: [operand(x)],
      parameters: [bars],
      lookBack: bars - 1,
      needs: { '.value': bars, '.forecast': bars, '.slope': bars, '.intercept': bars, '.r2': bars },
      make: (wiring) =>
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

class Regression implements Kernel {
  readonly #source: IndicatorColumn<Float64Array>;
  readonly #outputs: readonly NumberWindow[];
  readonly #bars: number;
  #whole = 0;

  constructor(source: IndicatorColumn<Float64Array>, outputs: readonly NumberWindow[], bars: number) {
    this.#source = source;
    this.#outputs = outputs;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const { values, base } = this.#source;
    const bars = this.#bars;
    for (let row = fromRow; row < toRow; row++) {
      const x = values[row - base]!;
      this.#whole = x === x ? Math.min(bars, this.#whole + 1) : 0;
      if (this.#whole < bars) this.#write(row, NAN, NAN, NAN);
      else this.#fit(row);
    }
  }

  #fit(row: number): void {
    const { values, base } = this.#source;
    const bars = this.#bars;
    const first = row - bars + 1 - base;
    let sum = 0;
    for (let i = 0; i < bars; i++) sum += values[first + i]!;
    const [mean, middle] = [sum / bars, (bars - 1) / 2];
    let [across, along, spread] = [0, 0, 0];
    for (let i = 0; i < bars; i++) {
      const off = values[first + i]! - mean;
      across += (i - middle) * (i - middle);
      along += (i - middle) * off;
      spread += off * off;
    }
    const slope = along / across;
    this.#write(row, slope, mean - slope * middle, spread === 0 ? NAN : (along * along) / (across * spread));
  }

  #write(row: number, slope: number, intercept: number, r2: number): void {
    const bars = this.#bars;
    const line = [intercept + slope * (bars - 1), intercept + slope * bars, slope, intercept, r2];
    this.#outputs.forEach((window, output) => {
      window.values[row - window.base] = line[output]!;
    });
  }
}
