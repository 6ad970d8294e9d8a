// Weights of a portfolio from its symbols, their volatilities or their covariances, for `rebalance`.

import { ConfigError } from '../base/errors.ts';
import type { Series } from '../indicators/graph/series.ts';

/** Weights as helpers give them: plain numbers by symbol, above 0. Symbols without one are left out. */
export type ComputedWeights = Readonly<Record<string, number>>;

/** The same weight for each symbol; the weights sum to `total`. */
export function equalWeights(symbols: readonly string[], total = 1): ComputedWeights {
  checkSymbols('equalWeights', symbols);
  return scaled(symbols.map((symbol) => [symbol, 1]), total); // prettier-ignore
}

/**
 * Weights in proportion to 1 / volatility, which sum to `total`. A symbol whose volatility is not above 0, such as one that is not ready,
 * gets none.
 */
export function inverseVolatility(volatilities: Readonly<Record<string, number>>, total = 1): ComputedWeights {
  const parts = Object.entries(volatilities).map(([symbol, volatility]) => [symbol, 1 / volatility] as const);
  return scaled(parts.filter(([, part]) => part > 0 && part < Infinity), total); // prettier-ignore
}

export interface RiskParityOptions {
  /** Share of the risk that each symbol is to carry, in any unit; alike by default. */
  readonly budgets?: Readonly<Record<string, number>>;
  /** Sum of the weights; 1 by default. */
  readonly total?: number;
}

/** Sweeps over all symbols. Matrices of real returns need some ten. */
const MAX_SWEEPS = 10_000;
/** Largest difference of a risk contribution from its budget at which the weights are done. */
const TOLERANCE = 1e-13;

/**
 * Weights at which each symbol contributes the same share (or its budget) to the variance of the portfolio. `covariances[i][j]` belongs to
 * `symbols[i]` and `symbols[j]`. A symbol without a variance above 0 gets no weight. The method is cyclical coordinate descent
 * (Griveau-Billion, Richard and Roncalli, 2013) on the convex function of Spinu (2013), x'Sx / 2 - sum of b ln x, whose minimum is unique.
 * Throws ConfigError for a matrix that is not one of covariances.
 */
export function riskParity(
  symbols: readonly string[],
  covariances: readonly (readonly number[])[],
  { budgets = {}, total = 1 }: RiskParityOptions = {},
): ComputedWeights {
  checkSymbols('riskParity', symbols);
  checkMatrix(symbols, covariances);
  const kept = symbols.flatMap((_, at) => (covariances[at]![at]! > 0 ? [at] : []));
  if (kept.length === 0) return {};
  const shares = kept.map((at) => budgetOf(symbols[at]!, budgets));
  const sum = shares.reduce((a, b) => a + b, 0);
  const deviations = kept.map((at) => Math.sqrt(covariances[at]![at]!));
  // In correlations all numbers are of one size, however small the returns are.
  const matrix = kept.map((at, i) => kept.map((other, j) => correlation(covariances[at]![other]!, deviations[i]! * deviations[j]!)));
  const exposures = descend(matrix, shares.map((share) => share / sum)); // prettier-ignore
  return scaled(kept.map((at, i) => [symbols[at]!, exposures[i]! / deviations[i]!]), total); // prettier-ignore
}

/** A symbol that is not ready with another is taken as unrelated to it. */
function correlation(covariance: number, scale: number): number {
  return Number.isFinite(covariance) ? covariance / scale : 0;
}

function budgetOf(symbol: string, budgets: Readonly<Record<string, number>>): number {
  const share = budgets[symbol] ?? 1;
  if (share > 0 && share < Infinity) return share;
  throw new ConfigError(`riskParity: the budget of ${symbol}: expected a number above 0, got ${share}`, 'leave the symbol out instead');
}

/** Minimises x'Mx / 2 - sum of b ln x, one coordinate after the other: each has the positive root of a quadratic equation. */
function descend(matrix: readonly (readonly number[])[], budgets: readonly number[]): readonly number[] {
  const x = budgets.map((budget) => Math.sqrt(budget));
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    for (let i = 0; i < x.length; i++) {
      const own = matrix[i]![i]!;
      const others = dot(matrix[i]!, x) - own * x[i]!;
      const root = Math.sqrt(others * others + 4 * own * budgets[i]!);
      // The root has two forms. This one subtracts nothing, so no digits cancel.
      x[i] = others > 0 ? (2 * budgets[i]!) / (others + root) : (root - others) / (2 * own);
    }
    if (x.every((value, i) => Math.abs(value * dot(matrix[i]!, x) - budgets[i]!) < TOLERANCE)) return x;
  }
  throw new ConfigError(
    'riskParity: the matrix has no weights of equal risk',
    'its covariances must come from the same bars of all symbols',
  );
}

function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/**
 * Returns the sample covariances of the last `bars` values of series, such as returns registered with `{ depth: bars - 1 }`. NaN where one
 * of the two has no value.
 */
export function covarianceMatrix(series: readonly Series[], bars: number): readonly (readonly number[])[] {
  if (!(Number.isInteger(bars) && bars >= 2)) {
    throw new ConfigError(`covarianceMatrix: bars: expected a whole number from 2, got ${bars}`, 'correct the bars');
  }
  const columns = series.map((each) => {
    const values = Array.from({ length: bars }, (_, at) => each.ago(at));
    const mean = values.reduce((a, b) => a + b, 0) / bars;
    return values.map((value) => value - mean);
  });
  return columns.map((a) => columns.map((b) => dot(a, b) / (bars - 1)));
}

function scaled(parts: readonly (readonly [string, number])[], total: number): ComputedWeights {
  if (!Number.isFinite(total))
    throw new ConfigError(`weights: expected a finite total, got ${total}`, 'give the sum of the weights, such as 1');
  const sum = parts.reduce((all, [, part]) => all + part, 0);
  return Object.fromEntries(parts.map(([symbol, part]) => [symbol, (part / sum) * total]));
}

function checkSymbols(name: string, symbols: readonly string[]): void {
  if (new Set(symbols).size === symbols.length) return;
  const twice = symbols.find((symbol, at) => symbols.indexOf(symbol) !== at);
  throw new ConfigError(`${name}: ${twice} is named twice`, 'name each symbol once');
}

function checkMatrix(symbols: readonly string[], covariances: readonly (readonly number[])[]): void {
  const isSquare = covariances.length === symbols.length && covariances.every(({ length }) => length === symbols.length);
  if (isSquare) return;
  throw new ConfigError(
    `riskParity: expected a row and a column for each of the ${symbols.length} symbols, got ${covariances.length} rows`,
    'covarianceMatrix(series, bars) makes it',
  );
}
