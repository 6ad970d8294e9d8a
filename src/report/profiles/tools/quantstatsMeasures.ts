// The statistics functions of quantstats 0.0.81, each by its definition there.

import { normalCdf } from '../../kernels/sharpeConfidence.ts';
import { countWhere, pandasDeviation, pandasKurtosis, pandasMean, pandasSkew, valuesWhere } from '../statistics/moments.ts';
import { productOfGrowth, cumulativeGrowth, pairwiseSum, rangeOf, runningMax } from '../statistics/orderedArithmetic.ts';

const DAYS_PER_YEAR = 252;
const SQRT_DAYS_PER_YEAR = Math.sqrt(DAYS_PER_YEAR);
/** The 5 % quantile of the normal distribution. */
const NORMAL_QUANTILE_5 = -1.644_853_626_951_472_9;

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

/** Returns the value before the first day. quantstats guesses it from the size of the first price. */
function baseline(firstPrice: number): number {
  if (firstPrice > 1000) return 100_000;
  return firstPrice > 10 ? 100 : 1;
}

/** Returns the drawdown at each day. */
function depths(returns: Float64Array): Float64Array {
  const equity = prices(returns);
  const peaks = runningMax(equity, baseline(equity[0]!));
  return equity.map((value, row) => {
    const drawdown = value / peaks[row]! - 1;
    return Number.isFinite(drawdown) ? drawdown + 0 : 0;
  });
}

/** Returns the deepest drawdown, at most 0. */
function maxDrawdown(returns: Float64Array): number {
  const equity = prices(returns);
  const peaks = runningMax(equity, baseline(equity[0]!));
  return Math.min(1, rangeOf(equity.map((value, row) => value / peaks[row]!)).min) - 1;
}

/** Returns the growth per year of 252 days. The absolute value hides a loss of more than everything, as in quantstats. */
function cagr(values: Float64Array): number {
  return Math.abs(productOfGrowth(prepared(values)) - 1 + 1) ** (1 / (values.length / DAYS_PER_YEAR)) - 1;
}

/** Returns the share of days with a return other than 0, rounded up to a whole percent. */
function exposure(returns: Float64Array): number {
  return Math.ceil((countWhere(returns, (value) => value !== 0) / returns.length) * 100) / 100;
}

/** Returns the factor by which autocorrelated returns widen the deviation. */
function autocorrelationPenalty(returns: Float64Array): number {
  const dayCount = returns.length;
  const lagCorrelation = Math.abs(correlation(returns.subarray(0, dayCount - 1), returns.subarray(1)));
  const terms = Float64Array.from({ length: dayCount - 1 }, (_, index) => {
    const lag = index + 1;
    return ((dayCount - lag) / dayCount) * lagCorrelation ** lag;
  });
  return Math.sqrt(1 + 2 * pairwiseSum(terms));
}

/** Returns the correlation. NaN for fewer than two pairs and for constant values. */
function correlation(a: Float64Array, b: Float64Array): number {
  const count = a.length;
  if (count < 2) return NaN;
  const meanA = pandasMean(a);
  const meanB = pandasMean(b);
  const covariance = (x: Float64Array, meanX: number, y: Float64Array, meanY: number) =>
    pairwiseSum(x.map((value, row) => (value - meanX) * (y[row]! - meanY))) / (count - 1);
  const deviationA = Math.sqrt(covariance(a, meanA, a, meanA));
  const deviationB = Math.sqrt(covariance(b, meanB, b, meanB));
  const coefficient = covariance(a, meanA, b, meanB) / deviationA / deviationB;
  return Math.min(1, Math.max(-1, coefficient));
}

/** Returns the Sortino ratio per year. `penalty` multiplies the downside deviation. */
function sortino(returns: Float64Array, penalty: number): number {
  const downside = Math.sqrt(pairwiseSum(valuesWhere(returns, isLoss).map((value) => value * value)) / returns.length) * penalty;
  return downside === 0 ? NaN : (pandasMean(returns) / downside) * SQRT_DAYS_PER_YEAR;
}

/** Returns the sum of the gains divided by the sum of the losses. NaN without a loss. */
function omega(rawReturns: Float64Array, returns: Float64Array): number {
  if (rawReturns.length < 2) return NaN;
  return lossSum(returns) > 0 ? pairwiseSum(valuesWhere(returns, isGain)) / lossSum(returns) : NaN;
}

/** Returns the sum of the losses as a positive number. */
function lossSum(returns: Float64Array): number {
  return Math.abs(pairwiseSum(valuesWhere(returns, isLoss)));
}

/** Returns the probability that the true Sharpe ratio is above 0, from 0 to 1. */
function probabilisticSharpeRatio(rawReturns: Float64Array, returns: Float64Array): number {
  const sharpe = pandasMean(returns) / pandasDeviation(returns);
  const skew = pandasSkew(rawReturns);
  const kurtosis = pandasKurtosis(rawReturns);
  const sharpeDeviation = Math.sqrt((1 + 0.5 * sharpe ** 2 - skew * sharpe + ((kurtosis - 3) / 4) * sharpe ** 2) / (rawReturns.length - 1));
  const zScore = sharpe / sharpeDeviation;
  return Number.isNaN(zScore) ? NaN : normalCdf(zScore);
}

/** Returns the 5 % quantile of a normal distribution with the mean and the deviation of the returns. */
function valueAtRisk(returns: Float64Array): number {
  const spread = pandasDeviation(returns);
  return spread > 0 ? pandasMean(returns) + NORMAL_QUANTILE_5 * spread : NaN;
}

/** Returns the mean of the returns below the value at risk, or the value at risk if there are none. */
function conditionalValueAtRisk(rawReturns: Float64Array): number {
  const returns = prepared(rawReturns);
  const limit = valueAtRisk(returns);
  const tail = pandasMean(valuesWhere(returns, (value) => value < limit));
  return Number.isNaN(tail) ? limit : tail;
}

/** Returns the share of days with a gain among the days with a return other than 0. */
function winRate(returns: Float64Array): number {
  const tradedDays = countWhere(returns, (value) => value !== 0);
  return tradedDays === 0 ? 0 : countWhere(returns, isGain) / tradedDays;
}

/** Returns the sum of the gains divided by the sum of the losses. Infinity without a loss. */
function profitFactor(returns: Float64Array): number {
  const gainSum = pairwiseSum(valuesWhere(returns, isGainOrZero));
  if (lossSum(returns) === 0) return gainSum === 0 ? 0 : Infinity;
  return gainSum / lossSum(returns);
}

/** Returns the mean win by number of wins, divided by the same of losses. 0 without wins, NaN without losses. */
function profitRatio(returns: Float64Array): number {
  const won = valuesWhere(returns, isGainOrZero);
  const losses = valuesWhere(returns, isLoss);
  if (won.length === 0) return 0;
  if (losses.length === 0) return NaN;
  return Math.abs(pandasMean(won) / won.length) / Math.abs(pandasMean(losses) / losses.length);
}

/** Returns the quotient. NaN for a divisor of 0. */
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
