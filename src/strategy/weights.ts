// Computes the weights of a portfolio for `rebalance`, from its symbols, their volatilities or their covariances.

import { ConfigError } from '../base/errors.ts';
import type { Series } from '../indicators/graph/series.ts';

/** Weights by symbol, all above 0. A symbol without a weight is absent. */
export type ComputedWeights = Readonly<Record<string, number>>;

/** Returns the same weight for each symbol. The weights sum to `total`. */
export function equalWeights(symbols: readonly string[], total = 1): ComputedWeights {
  checkSymbols('equalWeights', symbols);
  return scaleParts(
    symbols.map((symbol) => [symbol, 1]),
    total,
  );
}

/**
 * Returns weights in proportion to 1 / volatility, which sum to `total`. A symbol whose volatility is not above 0, such as one that is not
 * ready, gets no weight.
 */
export function inverseVolatility(volatilities: Readonly<Record<string, number>>, total = 1): ComputedWeights {
  const parts = Object.entries(volatilities).map(([symbol, volatility]) => [symbol, 1 / volatility] as const);
  return scaleParts(
    parts.filter(([, part]) => part > 0 && part < Infinity),
    total,
  );
}

/** Options of `riskParity`. */
export interface RiskParityOptions {
  /** Relative share of the risk for each symbol. Default: 1 for each. */
  readonly budgets?: Readonly<Record<string, number>>;
  /** Sum of the weights. Default: 1. */
  readonly total?: number;
}

/** Maximum number of iterations over all symbols. Matrices of real returns need about ten. */
const MAX_ITERATIONS = 10_000;
/** Largest difference between a risk contribution and its budget at which the search ends. */
const TOLERANCE = 1e-13;

/**
 * Returns the weights at which each symbol contributes the same share, or its budget, to the variance of the portfolio. `covariances[i][j]`
 * belongs to `symbols[i]` and `symbols[j]`. A symbol without a variance above 0 gets no weight. The method is cyclical coordinate descent
 * (Griveau-Billion, Richard and Roncalli, 2013). It minimizes the convex function of Spinu (2013), x'Sx / 2 - sum of b ln x, whose minimum is
 * unique. Throws ConfigError for a matrix that is not one of covariances.
 */
export function riskParity(
  symbols: readonly string[],
  covariances: readonly (readonly number[])[],
  { budgets = {}, total = 1 }: RiskParityOptions = {},
): ComputedWeights {
  checkSymbols('riskParity', symbols);
  checkMatrix(symbols, covariances);
  // The indexes in `symbols` of the symbols with a variance. Below, `i` and `j` are positions in this list.
  const includedIndexes = symbols.flatMap((_, index) => (covariances[index]![index]! > 0 ? [index] : []));
  if (includedIndexes.length === 0) return {};
  const relativeBudgets = includedIndexes.map((index) => budgetOf(symbols[index]!, budgets));
  const sum = relativeBudgets.reduce((a, b) => a + b, 0);
  const deviations = includedIndexes.map((index) => Math.sqrt(covariances[index]![index]!));
  // The descent works on correlations, because their size does not depend on the size of the returns.
  const matrix = includedIndexes.map((row, i) =>
    includedIndexes.map((column, j) => correlation(covariances[row]![column]!, deviations[i]! * deviations[j]!)),
  );
  const exposures = descend(
    matrix,
    relativeBudgets.map((budget) => budget / sum),
  );
  return scaleParts(
    includedIndexes.map((index, i) => [symbols[index]!, exposures[i]! / deviations[i]!]),
    total,
  );
}

/** Returns the correlation. Returns 0 when the covariance is NaN, because the two symbols have no values in common. */
function correlation(covariance: number, scale: number): number {
  return Number.isFinite(covariance) ? covariance / scale : 0;
}

/** Returns the budget of a symbol. Throws ConfigError for one that is not above 0. */
function budgetOf(symbol: string, budgets: Readonly<Record<string, number>>): number {
  const share = budgets[symbol] ?? 1;
  if (share > 0 && share < Infinity) return share;
  throw new ConfigError(`riskParity: the budget of ${symbol}: expected a number above 0, got ${share}`, 'leave the symbol out instead');
}

/**
 * Returns the exposures x that minimize x'Mx / 2 - sum of b ln x, for the matrix M and the budgets b. Each exposure in turn becomes the
 * positive root of a quadratic equation, until none of them changes.
 */
function descend(matrix: readonly (readonly number[])[], budgets: readonly number[]): readonly number[] {
  const exposures = budgets.map((budget) => Math.sqrt(budget));
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    for (let i = 0; i < exposures.length; i++) {
      const diagonal = matrix[i]![i]!;
      const others = dot(matrix[i]!, exposures) - diagonal * exposures[i]!;
      const discriminantRoot = Math.sqrt(others * others + 4 * diagonal * budgets[i]!);
      // The solution has two forms. Of both, choose the one that subtracts no similar numbers, because digits would cancel.
      exposures[i] = others > 0 ? (2 * budgets[i]!) / (others + discriminantRoot) : (discriminantRoot - others) / (2 * diagonal);
    }
    if (exposures.every((value, i) => Math.abs(value * dot(matrix[i]!, exposures) - budgets[i]!) < TOLERANCE)) return exposures;
  }
  throw new ConfigError(
    'riskParity: the matrix has no weights of equal risk',
    'its covariances must come from the same bars of all symbols',
  );
}

/** Returns the dot product of two vectors. */
function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/**
 * Returns the sample covariances of the last `bars` values of series, such as returns registered with `{ depth: bars - 1 }`. An element is NaN
 * if one of its two series lacks a value.
 */
export function covarianceMatrix(series: readonly Series[], bars: number): readonly (readonly number[])[] {
  if (!(Number.isInteger(bars) && bars >= 2)) {
    throw new ConfigError(`covarianceMatrix: bars: expected a whole number from 2, got ${bars}`, 'correct the bars');
  }
  const columns = series.map((oneSeries) => {
    const values = Array.from({ length: bars }, (_, age) => oneSeries.ago(age));
    const mean = values.reduce((a, b) => a + b, 0) / bars;
    return values.map((value) => value - mean);
  });
  return columns.map((a) => columns.map((b) => dot(a, b) / (bars - 1)));
}

/** Returns the parts in the same proportions, so that they sum to `total`. */
function scaleParts(parts: readonly (readonly [string, number])[], total: number): ComputedWeights {
  if (!Number.isFinite(total))
    throw new ConfigError(`weights: expected a finite total, got ${total}`, 'give the sum of the weights, such as 1');
  const sum = parts.reduce((partialSum, [, part]) => partialSum + part, 0);
  return Object.fromEntries(parts.map(([symbol, part]) => [symbol, (part / sum) * total]));
}

/** Throws ConfigError if a symbol occurs twice. `call` is the name of the helper. */
function checkSymbols(call: string, symbols: readonly string[]): void {
  if (new Set(symbols).size === symbols.length) return;
  const repeatedSymbol = symbols.find((symbol, index) => symbols.indexOf(symbol) !== index);
  throw new ConfigError(`${call}: ${repeatedSymbol} is named twice`, 'name each symbol once');
}

/** Throws ConfigError unless the matrix has a row and a column for each symbol. */
function checkMatrix(symbols: readonly string[], covariances: readonly (readonly number[])[]): void {
  const isSquare = covariances.length === symbols.length && covariances.every(({ length }) => length === symbols.length);
  if (isSquare) return;
  throw new ConfigError(
    `riskParity: expected a row and a column for each of the ${symbols.length} symbols, got ${covariances.length} rows`,
    'covarianceMatrix(series, bars) makes it',
  );
}
