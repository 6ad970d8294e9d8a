// Computes the figures of empyrical-reloaded 0.7.1 from daily returns, at its default of 252 days a year.

import { ours, sound, type FigureDefinition } from '../figures/figure.ts';
import type { ProfileInput } from '../figures/input.ts';
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

const YEAR = 252;
const A365 = 'isobar: 365 days a year';
const START = 100;

/** Returns the figures in the order of empyrical's list of simple statistics. */
export function empyricalFigures({ returns }: ProfileInput): FigureDefinition[] {
  const { values } = returns;
  return [...growthFigures(values), ...riskFigures(values), ...shapeFigures(values), ...empyricalBenchmarkFigures(returns)];
}

/** Returns the figures of growth and drawdown. `r` are the daily returns. */
function growthFigures(r: Float64Array): FigureDefinition[] {
  const annual = productOfGrowth(r) ** (1 / (r.length / YEAR)) - 1;
  const deepest = maxDrawdown(r);
  const calmar = deepest < 0 ? annual / Math.abs(deepest) : NaN;
  const stability = stabilityOf(r);
  return [
    {
      name: 'cum_returns_final',
      unit: '',
      original: productOfGrowth(r) - 1,
      own: ours('metrics.totalReturn'),
      formula: 'prod(1 + r) - 1',
      differs: '',
    },
    {
      name: 'annual_return',
      unit: '',
      original: annual,
      own: ours('metrics.cagr'),
      formula: 'prod(1 + r)^(252 / n) - 1; cagr is the same',
      differs: 'n counts days of return and a year has 252 of them; isobar divides elapsed time by 365 days',
    },
    {
      name: 'max_drawdown',
      unit: '',
      original: deepest,
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
        [r.length < 3, 'too-few-returns'],
        [r.some((value) => value <= -1), 'ruined'],
        [isOneValue(r), 'zero-variance'],
      ),
      formula: 'R^2 of a line through the running sums of ln(1 + r)',
      differs: 'isobar has no such figure; two days always give 1',
    },
  ];
}

/** Returns the figures of risk. */
function riskFigures(r: Float64Array): FigureDefinition[] {
  const count = r.length;
  const spread = count < 2 ? NaN : deviationBy(sequentialSum, r, 1);
  const average = meanBy(sequentialSum, r);
  // For equal returns the tool has a deviation of exactly 0.
  const divisor = isOneValue(r) && Number.isFinite(spread) ? 0 : spread;
  const squaredLosses = r.map((value) => Math.min(value, 0) ** 2);
  const downside = Math.sqrt(meanBy(sequentialSum, squaredLosses)) * Math.sqrt(YEAR);
  const lost = sequentialSum(valuesWhere(r, (value) => value < 0).map((value) => -value));
  return [
    {
      name: 'annual_volatility',
      unit: '',
      original: spread * Math.sqrt(YEAR),
      own: ours('metrics.volatility'),
      formula: 'std(r) sqrt(252)',
      differs: A365,
    },
    {
      name: 'sharpe_ratio',
      unit: '',
      original: count < 2 ? NaN : (average / divisor) * Math.sqrt(YEAR),
      own: ours('metrics.sharpe'),
      formula: 'mean(r) / std(r) sqrt(252); inf for equal returns',
      differs: A365,
    },
    {
      name: 'sortino_ratio',
      unit: '',
      original: count < 2 ? NaN : (average * YEAR) / downside,
      own: ours('metrics.sortino'),
      formula: '252 mean(r) / downside_risk',
      differs: A365,
    },
    {
      name: 'downside_risk',
      unit: '',
      original: downside,
      own: ours('metrics.downsideDeviation'),
      formula: 'sqrt(mean(min(r, 0)^2)) sqrt(252)',
      differs: A365,
    },
    {
      name: 'omega_ratio',
      unit: '',
      original: count < 2 || !(lost > 0) ? NaN : sequentialSum(valuesWhere(r, (value) => value > 0)) / lost,
      own: ours('metrics.omega'),
      formula: 'sum(max(r, 0)) / sum(max(-r, 0))',
      differs: '',
    },
  ];
}

/** Returns the figures of the shape of the distribution. */
function shapeFigures(r: Float64Array): FigureDefinition[] {
  const OF_POPULATION = "the moments of a population; isobar's are corrected for bias";
  return [
    {
      name: 'skew',
      unit: '',
      original: scipySkew(r),
      own: ours('metrics.skew'),
      formula: 'mean((r - m)^3) / mean((r - m)^2)^1.5',
      differs: OF_POPULATION,
    },
    {
      name: 'kurtosis',
      unit: '',
      original: scipyKurtosis(r),
      own: ours('metrics.excessKurtosis'),
      formula: 'mean((r - m)^4) / mean((r - m)^2)^2 - 3',
      differs: OF_POPULATION,
    },
    {
      name: 'tail_ratio',
      unit: '',
      original: Math.abs(numpyQuantile(r, 0.95)) / Math.abs(numpyQuantile(r, 0.05)),
      own: ours('metrics.tailRatio'),
      formula: 'abs(q95) / abs(q5)',
      differs: '',
    },
    {
      name: 'value_at_risk',
      unit: '',
      original: numpyQuantile(r, 0.05),
      own: ours('metrics.var95'),
      formula: '5 % quantile of r',
      differs: '',
    },
    {
      name: 'conditional_value_at_risk',
      unit: '',
      original: meanOfLowest(pairwiseSum, r, 0.05),
      own: ours('metrics.cvar95'),
      formula: 'mean of the int(0.05 (n - 1)) + 1 lowest returns',
      differs: "isobar's is the mean of all r at or below the 5 % quantile",
    },
  ];
}

/** Returns the deepest drawdown of the daily equity, at most 0. */
function maxDrawdown(r: Float64Array): number {
  const path = cumulativeGrowth(r).map((growth) => growth * START);
  const top = runningMax(path, START);
  return rangeOf(path.map((value, row) => (value - top[row]!) / top[row]!)).min;
}

/** Returns the squared correlation of the running log return with the number of the day. */
function stabilityOf(r: Float64Array): number {
  const count = r.length;
  if (count < 2) return NaN;
  let total = 0;
  const path = r.map((value) => (total += Math.log1p(value)));
  const middle = (count - 1) / 2;
  const average = pairwiseSum(path) / count;
  const xx = pairwiseSum(path.map((_, row) => (row - middle) ** 2)) / count;
  const xy = pairwiseSum(path.map((value, row) => (row - middle) * (value - average))) / count;
  const yy = pairwiseSum(path.map((value) => (value - average) ** 2)) / count;
  const rho = yy === 0 ? NaN : xy / Math.sqrt(xx * yy);
  return Math.min(1, Math.max(-1, rho)) ** 2;
}
