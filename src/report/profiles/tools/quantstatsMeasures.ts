// The statistics functions of quantstats 0.0.81, each by its definition there.

import { normalCdf } from '../../kernels/sharpeConfidence.ts';
import { countWhere, pandasDeviation, pandasKurtosis, pandasMean, pandasSkew, valuesWhere } from '../statistics/moments.ts';
import { productOfGrowth, cumulativeGrowth, pairwiseSum, rangeOf, runningMax } from '../statistics/orderedArithmetic.ts';

const YEAR = 252;
const ANNUAL = Math.sqrt(YEAR);
/** The 5 % quantile of the normal distribution. */
const NORMAL_5 = -1.644_853_626_951_472_9;

const isGain = (value: number) => value > 0;
const isLoss = (value: number) => value < 0;
const isGainOrZero = (value: number) => value >= 0;

/** Returns the values as returns. quantstats regards a series without a loss and with a value above 1 as prices. */
function prepared(values: Float64Array): Float64Array {
  const { min, max } = rangeOf(values);
  if (!(min >= 0 && max > 1)) return values;
  return values.map((value, row) => {
    const change = row === 0 ? NaN : value / values[row - 1]! - 1;
    return Number.isFinite(change) ? change : 0;
  });
}

/** Returns the values as prices. quantstats regards a series without a loss and with a value of at least 1 as prices already. */
function prices(values: Float64Array): Float64Array {
  const { min, max } = rangeOf(values);
  return min < 0 || max < 1 ? cumulativeGrowth(values).map((growth) => 1 + (growth - 1)) : values;
}

/** Returns the value before the first day. It depends on the size of the first price. */
function baseline(first: number): number {
  if (first > 1000) return 100_000;
  return first > 10 ? 100 : 1;
}

/** Returns the drawdown at each day. */
function depths(values: Float64Array): Float64Array {
  const path = prices(values);
  const top = runningMax(path, baseline(path[0]!));
  return path.map((value, row) => {
    const down = value / top[row]! - 1;
    return Number.isFinite(down) ? down + 0 : 0;
  });
}

function maxDrawdown(values: Float64Array): number {
  const path = prices(values);
  const top = runningMax(path, baseline(path[0]!));
  return Math.min(1, rangeOf(path.map((value, row) => value / top[row]!)).min) - 1;
}

function cagr(values: Float64Array): number {
  return Math.abs(productOfGrowth(prepared(values)) - 1 + 1) ** (1 / (values.length / YEAR)) - 1;
}

function exposure(r: Float64Array): number {
  return Math.ceil((countWhere(r, (value) => value !== 0) / r.length) * 100) / 100;
}

function autocorrelationPenalty(r: Float64Array): number {
  const count = r.length;
  const rho = Math.abs(correlation(r.subarray(0, count - 1), r.subarray(1)));
  return Math.sqrt(
    1 + 2 * pairwiseSum(Float64Array.from({ length: count - 1 }, (_, index) => ((count - 1 - index) / count) * rho ** (index + 1))),
  );
}

/** Returns the correlation. NaN for fewer than two pairs and for constant values. */
function correlation(a: Float64Array, b: Float64Array): number {
  const count = a.length;
  if (count < 2) return NaN;
  const meanA = pandasMean(a);
  const meanB = pandasMean(b);
  const products = (x: Float64Array, meanX: number, y: Float64Array, meanY: number) =>
    pairwiseSum(x.map((value, row) => (value - meanX) * (y[row]! - meanY))) / (count - 1);
  const found = products(a, meanA, b, meanB) / Math.sqrt(products(a, meanA, a, meanA)) / Math.sqrt(products(b, meanB, b, meanB));
  return Math.min(1, Math.max(-1, found));
}

function sortino(r: Float64Array, penalty: number): number {
  const downside = Math.sqrt(pairwiseSum(valuesWhere(r, isLoss).map((value) => value * value)) / r.length) * penalty;
  return downside === 0 ? NaN : (pandasMean(r) / downside) * ANNUAL;
}

function omega(values: Float64Array, r: Float64Array): number {
  if (values.length < 2) return NaN;
  return lossSum(r) > 0 ? pairwiseSum(valuesWhere(r, isGain)) / lossSum(r) : NaN;
}

/** Returns the sum of the losses as a positive number. */
function lossSum(r: Float64Array): number {
  return Math.abs(pairwiseSum(valuesWhere(r, isLoss)));
}

/** Returns the probability that the true Sharpe ratio is above 0, from 0 to 1. */
function probabilisticSharpeRatio(values: Float64Array, r: Float64Array): number {
  const ratio = pandasMean(r) / pandasDeviation(r);
  const skew = pandasSkew(values);
  const kurtosis = pandasKurtosis(values);
  const spread = Math.sqrt((1 + 0.5 * ratio ** 2 - skew * ratio + ((kurtosis - 3) / 4) * ratio ** 2) / (values.length - 1));
  const score = ratio / spread;
  return Number.isNaN(score) ? NaN : normalCdf(score);
}

function valueAtRisk(r: Float64Array): number {
  const spread = pandasDeviation(r);
  return spread > 0 ? pandasMean(r) + NORMAL_5 * spread : NaN;
}

/** Returns the mean of the returns below the value at risk, or the value at risk if there are none. */
function conditionalValueAtRisk(values: Float64Array): number {
  const returns = prepared(values);
  const limit = valueAtRisk(returns);
  const tail = pandasMean(valuesWhere(returns, (value) => value < limit));
  return Number.isNaN(tail) ? limit : tail;
}

function winRate(r: Float64Array): number {
  const traded = countWhere(r, (value) => value !== 0);
  return traded === 0 ? 0 : countWhere(r, isGain) / traded;
}

function profitFactor(r: Float64Array): number {
  const won = pairwiseSum(valuesWhere(r, isGainOrZero));
  if (lossSum(r) === 0) return won === 0 ? 0 : Infinity;
  return won / lossSum(r);
}

/** Returns the mean win by number of wins, divided by the same of losses. 0 without wins, NaN without losses. */
function profitRatio(r: Float64Array): number {
  const won = valuesWhere(r, isGainOrZero);
  const lost = valuesWhere(r, isLoss);
  if (won.length === 0) return 0;
  if (lost.length === 0) return NaN;
  return Math.abs(pandasMean(won) / won.length) / Math.abs(pandasMean(lost) / lost.length);
}

function unlessZero(value: number, divisor: number): number {
  return divisor === 0 ? NaN : value / divisor;
}

/** The functions by their name in this project. */
export const quantstatsMeasures = {
  prepared,
  depths,
  maxDrawdown,
  cagr,
  exposure,
  autocorrelationPenalty,
  sortino,
  omega,
  lossSum,
  probabilisticSharpeRatio,
  valueAtRisk,
  conditionalValueAtRisk,
  winRate,
  profitFactor,
  profitRatio,
  unlessZero,
};
