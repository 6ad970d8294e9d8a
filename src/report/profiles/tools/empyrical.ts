// Computes the figures of empyrical-reloaded 0.7.1 from daily returns, at its default of 252 days a year.

import { ours, sound, type FigureDefinition } from '../figures/figure.ts';
import type { ProfileInput } from '../figures/profileInput.ts';
import {
  isOneValue,
  meanOfLowest,
  numpyQuantile,
  deviationBy,
  meanBy,
  scipyKurtosis,
  scipySkew,
  valuesWhere,
} from '../statistics/moments.ts';
import { productOfGrowth, cumulativeGrowth, pairwiseSum, rangeOf, runningMax, sequentialSum } from '../statistics/orderedArithmetic.ts';
import { empyricalBenchmarkFigures } from './benchmarks.ts';

/** Days in a year by the default of the tool. */
const DAYS_PER_YEAR = 252;
const YEAR_OF_365_DAYS = 'isobar: 365 days a year';
/** The equity at the start from which the tool computes drawdowns. */
const START_EQUITY = 100;

/** Returns the figures in the order of empyrical's list of simple statistics. */
export function empyricalFigures({ returns: daily }: ProfileInput): FigureDefinition[] {
  const returns = daily.values;
  return [...growthFigures(returns), ...riskFigures(returns), ...shapeFigures(returns), ...empyricalBenchmarkFigures(daily)];
}

/** Returns the figures of growth and drawdown. In `formula`, r stands for the daily returns, n for their number, and E for the equity. */
function growthFigures(returns: Float64Array): FigureDefinition[] {
  const annualGrowth = productOfGrowth(returns) ** (1 / (returns.length / DAYS_PER_YEAR)) - 1;
  const deepestDrawdown = maxDrawdown(returns);
  const calmar = deepestDrawdown < 0 ? annualGrowth / Math.abs(deepestDrawdown) : NaN;
  const stability = stabilityOf(returns);
  return [
    {
      name: 'cum_returns_final',
      unit: '',
      original: productOfGrowth(returns) - 1,
      own: ours('metrics.totalReturn'),
      formula: 'prod(1 + r) - 1',
      differs: '',
    },
    {
      name: 'annual_return',
      unit: '',
      original: annualGrowth,
      own: ours('metrics.cagr'),
      formula: 'prod(1 + r)^(252 / n) - 1; cagr is the same',
      differs: 'n counts days of return and a year has 252 of them; isobar divides elapsed time by 365 days',
    },
    {
      name: 'max_drawdown',
      unit: '',
      original: deepestDrawdown,
      own: ours('metrics.maxDrawdown'),
      formula: 'min(E / running max(E)) - 1 of the daily equity, the start included',
      differs: "isobar looks at every bar's close; its maxDrawdownDaily is this one",
    },
    {
      name: 'calmar_ratio',
      unit: '',
      original: Number.isFinite(calmar) ? calmar : NaN,
      own: ours('metrics.calmar'),
      formula: 'annual_return / abs(max_drawdown)',
      differs: 'the growth of 252 days a year, the drawdown of days; isobar: 365 days, every bar',
    },
    {
      name: 'stability_of_timeseries',
      unit: '',
      original: stability,
      own: sound(
        stability,
        [returns.length < 3, 'too-few-returns'],
        [returns.some((value) => value <= -1), 'ruined'],
        [isOneValue(returns), 'zero-variance'],
      ),
      formula: 'R^2 of a line through the running sums of ln(1 + r)',
      differs: 'isobar has no such figure; two days always give 1',
    },
  ];
}

/** Returns the figures of risk. */
function riskFigures(returns: Float64Array): FigureDefinition[] {
  const count = returns.length;
  const deviation = count < 2 ? NaN : deviationBy(sequentialSum, returns, 1);
  const meanReturn = meanBy(sequentialSum, returns);
  // For equal returns the tool has a deviation of exactly 0.
  const divisor = isOneValue(returns) && Number.isFinite(deviation) ? 0 : deviation;
  const squaredLosses = returns.map((value) => Math.min(value, 0) ** 2);
  const downsideRisk = Math.sqrt(meanBy(sequentialSum, squaredLosses)) * Math.sqrt(DAYS_PER_YEAR);
  const lossSum = sequentialSum(valuesWhere(returns, (value) => value < 0).map((value) => -value));
  return [
    {
      name: 'annual_volatility',
      unit: '',
      original: deviation * Math.sqrt(DAYS_PER_YEAR),
      own: ours('metrics.volatility'),
      formula: 'std(r) sqrt(252)',
      differs: YEAR_OF_365_DAYS,
    },
    {
      name: 'sharpe_ratio',
      unit: '',
      original: count < 2 ? NaN : (meanReturn / divisor) * Math.sqrt(DAYS_PER_YEAR),
      own: ours('metrics.sharpe'),
      formula: 'mean(r) / std(r) sqrt(252); inf for equal returns',
      differs: YEAR_OF_365_DAYS,
    },
    {
      name: 'sortino_ratio',
      unit: '',
      original: count < 2 ? NaN : (meanReturn * DAYS_PER_YEAR) / downsideRisk,
      own: ours('metrics.sortino'),
      formula: '252 mean(r) / downside_risk',
      differs: YEAR_OF_365_DAYS,
    },
    {
      name: 'downside_risk',
      unit: '',
      original: downsideRisk,
      own: ours('metrics.downsideDeviation'),
      formula: 'sqrt(mean(min(r, 0)^2)) sqrt(252)',
      differs: YEAR_OF_365_DAYS,
    },
    {
      name: 'omega_ratio',
      unit: '',
      original: count < 2 || !(lossSum > 0) ? NaN : sequentialSum(valuesWhere(returns, (value) => value > 0)) / lossSum,
      own: ours('metrics.omega'),
      formula: 'sum(max(r, 0)) / sum(max(-r, 0))',
      differs: '',
    },
  ];
}

const OF_POPULATION = "the moments of a population; isobar's are corrected for bias";

/** Returns the figures of the shape of the distribution. */
function shapeFigures(returns: Float64Array): FigureDefinition[] {
  return [
    {
      name: 'skew',
      unit: '',
      original: scipySkew(returns),
      own: ours('metrics.skew'),
      formula: 'mean((r - m)^3) / mean((r - m)^2)^1.5',
      differs: OF_POPULATION,
    },
    {
      name: 'kurtosis',
      unit: '',
      original: scipyKurtosis(returns),
      own: ours('metrics.excessKurtosis'),
      formula: 'mean((r - m)^4) / mean((r - m)^2)^2 - 3',
      differs: OF_POPULATION,
    },
    {
      name: 'tail_ratio',
      unit: '',
      original: Math.abs(numpyQuantile(returns, 0.95)) / Math.abs(numpyQuantile(returns, 0.05)),
      own: ours('metrics.tailRatio'),
      formula: 'abs(q95) / abs(q5)',
      differs: '',
    },
    {
      name: 'value_at_risk',
      unit: '',
      original: numpyQuantile(returns, 0.05),
      own: ours('metrics.var95'),
      formula: '5 % quantile of r',
      differs: '',
    },
    {
      name: 'conditional_value_at_risk',
      unit: '',
      original: meanOfLowest(pairwiseSum, returns, 0.05),
      own: ours('metrics.cvar95'),
      formula: 'mean of the int(0.05 (n - 1)) + 1 lowest returns',
      differs: "isobar's is the mean of all r at or below the 5 % quantile",
    },
  ];
}

/** Returns the deepest drawdown of the daily equity, at most 0. */
function maxDrawdown(returns: Float64Array): number {
  const equity = cumulativeGrowth(returns).map((growth) => growth * START_EQUITY);
  const peaks = runningMax(equity, START_EQUITY);
  return rangeOf(equity.map((value, row) => (value - peaks[row]!) / peaks[row]!)).min;
}

/** Returns the squared correlation of the running log return with the number of the day. */
function stabilityOf(returns: Float64Array): number {
  const count = returns.length;
  if (count < 2) return NaN;
  let totalLogReturn = 0;
  const logGrowth = returns.map((value) => (totalLogReturn += Math.log1p(value)));
  const meanDay = (count - 1) / 2;
  const meanLogGrowth = pairwiseSum(logGrowth) / count;
  const dayVariance = pairwiseSum(logGrowth.map((_, row) => (row - meanDay) ** 2)) / count;
  const covariance = pairwiseSum(logGrowth.map((value, row) => (row - meanDay) * (value - meanLogGrowth))) / count;
  const logGrowthVariance = pairwiseSum(logGrowth.map((value) => (value - meanLogGrowth) ** 2)) / count;
  const coefficient = logGrowthVariance === 0 ? NaN : covariance / Math.sqrt(dayVariance * logGrowthVariance);
  return Math.min(1, Math.max(-1, coefficient)) ** 2;
}
