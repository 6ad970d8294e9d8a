// The figures of other tools against a benchmark: buy-and-hold of what the run traded, in equal parts, by day.
// In the formulas, r stands for the daily returns of the run and b for those of the benchmark.

import { ours, type FigureDefinition, type OwnFigure } from '../figures/figure.ts';
import type { ProfileReturns } from '../figures/profileInput.ts';
import { deviationBy, isOneValue, meanBy, pandasDeviation, pandasMean, type AddValues } from '../statistics/moments.ts';
import { productOfGrowth, pairwiseSum, sequentialSum } from '../statistics/orderedArithmetic.ts';
import { quantstatsMeasures } from './quantstatsMeasures.ts';

/** Days in a year by the definitions of quantstats, empyrical and nautilus, and of vectorbt. */
const TRADING_DAYS = 252;
const CALENDAR_DAYS = 365;
/** How a compounded alpha differs from that of isobar. */
const COMPOUNDED = 'compounded; isobar: 365 (mean(r) - beta mean(b))';
/** A variance below it counts as none in vectorbt and empyrical. */
const MIN_VARIANCE = 1e-30;

/** Returns the figures of quantstats, or none without a benchmark. */
export function quantstatsBenchmarkFigures({ values, benchmark }: ProfileReturns): FigureDefinition[] {
  if (benchmark === null) return [];
  const returns = quantstatsMeasures.prepared(values);
  const benchmarkReturns = quantstatsMeasures.prepared(benchmark);
  const count = returns.length;
  const variance = covariance(pairwiseSum, benchmarkReturns, benchmarkReturns, count - 1);
  const beta = variance === 0 ? NaN : covariance(pairwiseSum, returns, benchmarkReturns, count - 1) / variance;
  const alpha = (pandasMean(returns) - beta * pandasMean(benchmarkReturns)) * TRADING_DAYS;
  const excess = difference(returns, benchmarkReturns);
  const excessDeviation = pandasDeviation(excess);
  const betaOrZero = zeroForNaN(beta);
  const alphaOrZero = zeroForNaN(alpha);
  return [
    benchmarkFigure('beta', betaOrZero, ours('metrics.beta'), 'cov(r, b) / var(b); 0 where it is undefined', ''),
    benchmarkFigure(
      'alpha',
      alphaOrZero,
      ours('metrics.alpha'),
      '252 (mean(r) - beta mean(b)); 0 where it is undefined',
      'isobar: 365 days a year',
    ),
    benchmarkFigure(
      'r_squared',
      squaredCorrelation(returns, benchmarkReturns),
      ours('metrics.rSquared'),
      'squared correlation of r and b; an error for equal returns',
      '',
    ),
    benchmarkFigure(
      'information_ratio',
      excessDeviation === 0 ? 0 : pandasMean(excess) / excessDeviation,
      ours('metrics.informationRatio'),
      'mean(r - b) / std(r - b); 0 where both are equal',
      'not for a year; isobar: times sqrt(365)',
    ),
    benchmarkFigure(
      'treynor_ratio',
      betaOrZero === 0 ? 0 : (productOfGrowth(values) - 1) / betaOrZero,
      ours('metrics.treynor'),
      'comp / beta; 0 without a beta',
      'the return of the whole run; isobar: that of a year',
    ),
  ];
}

/** Returns the figures of empyrical, or none without a benchmark. */
export function empyricalBenchmarkFigures({ values, benchmark }: ProfileReturns): FigureDefinition[] {
  if (benchmark === null) return [];
  const count = values.length;
  const beta = populationBeta(values, benchmark);
  const excess = difference(values, benchmark);
  const excessDeviation = isOneValue(excess) && count > 1 ? 0 : deviationBy(sequentialSum, excess, 1);
  return [
    benchmarkFigure(
      'alpha',
      count < 2 ? NaN : compoundedAlpha(values, benchmark, beta, TRADING_DAYS),
      ours('metrics.alpha'),
      '(1 + mean(r - beta b))^252 - 1',
      COMPOUNDED,
    ),
    benchmarkFigure('beta', beta, ours('metrics.beta'), 'cov(r, b) / var(b)', ''),
    benchmarkFigure(
      'excess_sharpe',
      count < 2 ? NaN : meanBy(sequentialSum, excess) / excessDeviation,
      ours('metrics.informationRatio'),
      'mean(r - b) / std(r - b)',
      'not for a year; isobar: times sqrt(365)',
    ),
  ];
}

/** Returns the figures of vectorbt, or none without a benchmark. */
export function vectorbtBenchmarkFigures({ values, benchmark }: ProfileReturns): FigureDefinition[] {
  if (benchmark === null) return [];
  const count = values.length;
  const beta = count < 2 ? NaN : populationBeta(values, benchmark);
  const excess = difference(values, benchmark);
  const excessDeviation = Math.sqrt((deviationBy(sequentialSum, excess, 0) ** 2 * count) / (count - 1));
  const ratio = excessDeviation === 0 ? Infinity : meanBy(sequentialSum, excess) / excessDeviation;
  return [
    benchmarkFigure(
      'Alpha',
      count < 2 ? NaN : compoundedAlpha(values, benchmark, beta, CALENDAR_DAYS),
      ours('metrics.alpha'),
      '(1 + mean(r - beta b))^365 - 1',
      COMPOUNDED,
    ),
    benchmarkFigure('Beta', beta, ours('metrics.beta'), 'cov(r, b) / var(b)', ''),
    benchmarkFigure(
      'information_ratio',
      count < 2 ? NaN : ratio,
      ours('metrics.informationRatio'),
      'mean(r - b) / std(r - b); inf where both are equal',
      'not for a year; isobar: times sqrt(365)',
    ),
  ];
}

/** Returns the figures of nautilus, or none without a benchmark. */
export function nautilusBenchmarkFigures({ values, benchmark }: ProfileReturns): FigureDefinition[] {
  if (benchmark === null) return [];
  // nautilus compounds the returns of a day, so that a single one is rounded as (1 + r) - 1.
  const returns = values.map((value) => 1 + value - 1);
  const benchmarkReturns = benchmark.map((value) => 1 + value - 1);
  const count = returns.length;
  const variance = covariance(sequentialSum, benchmarkReturns, benchmarkReturns, count - 1);
  const beta = count < 2 || variance < Number.EPSILON ? NaN : covariance(sequentialSum, returns, benchmarkReturns, count - 1) / variance;
  const excess = difference(returns, benchmarkReturns);
  const excessDeviation = deviationBy(sequentialSum, excess, 1);
  const sqrtDaysPerYear = Math.sqrt(TRADING_DAYS);
  const dailyAlpha = meanBy(sequentialSum, returns) - beta * meanBy(sequentialSum, benchmarkReturns);
  const treynor = Math.abs(beta) < Number.EPSILON ? NaN : (productOfGrowth(returns) ** (TRADING_DAYS / count) - 1) / beta;
  return [
    benchmarkFigure('Beta', beta, ours('metrics.beta'), 'cov(r, b) / var(b)', ''),
    benchmarkFigure(
      'Alpha (252 days)',
      (1 + dailyAlpha) ** TRADING_DAYS - 1,
      ours('metrics.alpha'),
      '(1 + mean(r) - beta mean(b))^252 - 1',
      COMPOUNDED,
    ),
    benchmarkFigure(
      'Tracking Error (252 days)',
      excessDeviation * sqrtDaysPerYear,
      ours('metrics.trackingError'),
      'std(r - b) sqrt(252)',
      'isobar: 365 days a year',
    ),
    benchmarkFigure(
      'Information Ratio (252 days)',
      excessDeviation < Number.EPSILON ? NaN : (meanBy(sequentialSum, excess) / excessDeviation) * sqrtDaysPerYear,
      ours('metrics.informationRatio'),
      'mean(r - b) / std(r - b) sqrt(252)',
      'isobar: 365 days a year',
    ),
    benchmarkFigure(
      'Treynor Ratio (252 days)',
      treynor,
      ours('metrics.treynor'),
      'CAGR / beta',
      'the growth of 252 days a year; isobar: of 365',
    ),
  ];
}

/** Returns a definition without a unit. `original`: the value of the tool. `differs`: as in `FigureDefinition`. */
function benchmarkFigure(name: string, original: number | null, own: OwnFigure, formula: string, differs: string): FigureDefinition {
  return { name, unit: '', original, own, formula, differs };
}

/** Returns the differences of two columns of returns. */
function difference(returns: Float64Array, benchmark: Float64Array): Float64Array {
  return returns.map((value, day) => value - benchmark[day]!);
}

/** Returns the sum of the products of deviations, divided by `divisor`. */
function covariance(add: AddValues, a: Float64Array, b: Float64Array, divisor: number): number {
  const meanA = meanBy(add, a);
  const meanB = meanBy(add, b);
  return add(a.map((value, day) => (value - meanA) * (b[day]! - meanB))) / divisor;
}

/** Returns the beta from means, as empyrical and vectorbt compute it. */
function populationBeta(returns: Float64Array, benchmark: Float64Array): number {
  if (benchmark.length < 2) return NaN;
  const meanBenchmark = meanBy(sequentialSum, benchmark);
  const deviations = benchmark.map((value) => value - meanBenchmark);
  const squares = deviations.map((value) => value * value);
  const products = deviations.map((value, day) => value * returns[day]!);
  const variance = meanBy(sequentialSum, squares);
  return variance < MIN_VARIANCE ? NaN : meanBy(sequentialSum, products) / variance;
}

/** Returns the alpha of a day, compounded over `daysPerYear` days. */
function compoundedAlpha(returns: Float64Array, benchmark: Float64Array, beta: number, daysPerYear: number): number {
  const residuals = returns.map((value, day) => value - beta * benchmark[day]!);
  return (meanBy(sequentialSum, residuals) + 1) ** daysPerYear - 1;
}

/** Returns the squared correlation, as scipy's linear regression gives it. Null for equal returns, because scipy then raises an error. */
function squaredCorrelation(returns: Float64Array, benchmark: Float64Array): number | null {
  const count = returns.length;
  if (isOneValue(returns) && count > 1) return null;
  const variance = covariance(pairwiseSum, returns, returns, count);
  const jointVariance = covariance(pairwiseSum, returns, benchmark, count);
  const benchmarkVariance = covariance(pairwiseSum, benchmark, benchmark, count);
  if (variance === 0 || benchmarkVariance === 0) return NaN;
  const correlation = jointVariance / Math.sqrt(variance * benchmarkVariance);
  return Math.min(1, Math.max(-1, correlation)) ** 2;
}

/** Returns 0 in place of NaN. */
function zeroForNaN(value: number): number {
  return Number.isNaN(value) ? 0 : value;
}
