// Computes the figures of quantstats 0.0.81 from daily returns, at its default of 252 days a year.

import { ours, sound, type FigureDefinition, type Guard } from '../figures/figure.ts';
import type { ProfileInput } from '../figures/input.ts';
import { isOneValue, numpyQuantile, pandasDeviation, pandasKurtosis, pandasMean, pandasSkew, valuesWhere } from '../statistics/moments.ts';
import { productOfGrowth, pairwiseSum } from '../statistics/orderedArithmetic.ts';
import { quantstatsBenchmarkFigures } from './benchmarks.ts';
import { quantstatsDayFigures } from './quantstatsDays.ts';
import { quantstatsMeasures } from './quantstatsMeasures.ts';

const ANNUAL = Math.sqrt(252);
const {
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
  unlessZero,
} = quantstatsMeasures;
const A365 = 'isobar: 365 days a year';

/** Returns the figures in the order of quantstats' own table. */
export function quantstatsFigures({ returns }: ProfileInput): FigureDefinition[] {
  const { values } = returns;
  const r = prepared(values);
  return [
    ...growthFigures(values, r),
    ...ratioFigures(values, r),
    ...drawdownFigures(values, r),
    ...tailFigures(r),
    ...quantstatsDayFigures(r),
    ...quantstatsBenchmarkFigures(returns),
  ];
}

const isGain = (value: number) => value > 0;
const isLoss = (value: number) => value < 0;
const isGainOrZero = (value: number) => value >= 0;
const few = (values: Float64Array, min = 2): Guard => [values.length < min, 'too-few-returns'];
const noLoss = (values: Float64Array): Guard => [!values.some(isLoss), 'no-losses'];
const noGain = (values: Float64Array): Guard => [!values.some(isGain), 'no-wins'];
const ruined = (values: Float64Array): Guard => [values.some((value) => value <= -1), 'ruined'];

/** Returns the figures of growth. */
function growthFigures(values: Float64Array, r: Float64Array): FigureDefinition[] {
  return [
    {
      name: 'comp',
      unit: '',
      original: productOfGrowth(values) - 1,
      own: ours('metrics.totalReturn'),
      formula: 'prod(1 + r) - 1',
      differs: '',
    },
    {
      name: 'cagr',
      unit: '',
      original: cagr(values),
      own: ours('metrics.cagr'),
      formula: 'abs(prod(1 + r))^(252 / n) - 1',
      differs: 'n counts days of return and a year has 252 of them; isobar divides elapsed time by 365 days and gives null after ruin',
    },
    {
      name: 'expected_return',
      unit: '',
      original: productOfGrowth(r) ** (1 / r.length) - 1,
      own: ours('metrics.geometricMeanReturn'),
      formula: 'prod(1 + r)^(1 / n) - 1',
      differs: '',
    },
    {
      name: 'volatility',
      unit: '',
      original: pandasDeviation(r) * ANNUAL,
      own: ours('metrics.volatility'),
      formula: 'std(r) sqrt(252)',
      differs: A365,
    },
    {
      name: 'exposure',
      unit: '',
      original: exposure(r),
      own: ours('metrics.exposureTime'),
      formula: 'share of days with r != 0, rounded up to a whole percent',
      differs: 'isobar measures the time with a position, to the millisecond',
    },
    {
      name: 'rar',
      unit: '',
      original: cagr(r) / exposure(r),
      own: sound(cagr(r) / exposure(r), ruined(r), [exposure(r) === 0, 'no-trades']),
      formula: 'cagr / exposure',
      differs: 'isobar has no such figure; undefined without a day of trading',
    },
  ];
}

/** Returns the ratios of daily returns. */
function ratioFigures(values: Float64Array, r: Float64Array): FigureDefinition[] {
  const penalty = autocorrelationPenalty(r);
  const smart = sortino(r, penalty);
  return [
    {
      name: 'sharpe',
      unit: '',
      original: (pandasMean(r) / pandasDeviation(r)) * ANNUAL,
      own: ours('metrics.sharpe'),
      formula: 'mean(r) / std(r) sqrt(252)',
      differs: A365,
    },
    {
      name: 'smart_sharpe',
      unit: '',
      original: (pandasMean(r) / (pandasDeviation(r) * penalty)) * ANNUAL,
      own: ours('metrics.smartSharpe'),
      formula: 'sharpe / sqrt(1 + 2 sum_(j=1..n-1) ((n - j) / n) abs(rho)^j), rho the lag-1 correlation',
      differs: A365,
    },
    {
      name: 'probabilistic_sharpe_ratio',
      unit: '',
      original: probabilisticSharpeRatio(values, r),
      own: ours('metrics.psr0'),
      formula: 'Phi(SR sqrt(n - 1) / sqrt(1 + SR^2/2 - skew SR + (k - 3)/4 SR^2)), k the excess kurtosis',
      differs: 'the formula needs the raw kurtosis k + 3, so the figure is too sure; isobar uses it',
    },
    {
      name: 'sortino',
      unit: '',
      original: sortino(r, 1),
      own: ours('metrics.sortino'),
      formula: 'mean(r) / sqrt(sum(min(r, 0)^2) / n) sqrt(252)',
      differs: A365,
    },
    {
      name: 'smart_sortino',
      unit: '',
      original: smart,
      own: sound(smart, ruined(r), few(r, 3), noLoss(r)),
      formula: 'sortino / the same root as smart_sharpe',
      differs: 'isobar has no such figure',
    },
    {
      name: 'adjusted_sortino',
      unit: '',
      original: sortino(r, 1) / Math.sqrt(2),
      own: ours('metrics.sortino', Math.SQRT1_2),
      formula: 'sortino / sqrt(2)',
      differs: A365,
    },
    {
      name: 'omega',
      unit: '',
      original: omega(values, r),
      own: ours('metrics.omega'),
      formula: 'sum(max(r, 0)) / sum(max(-r, 0))',
      differs: '',
    },
    {
      name: 'gain_to_pain_ratio',
      unit: '',
      original: lossSum(r) === 0 ? NaN : pairwiseSum(r) / lossSum(r),
      own: sound(pairwiseSum(r) / lossSum(r), noLoss(r)),
      formula: 'sum(r) / abs(sum(r < 0))',
      differs: 'isobar has no such figure',
    },
    {
      name: 'risk_return_ratio',
      unit: '',
      original: pandasDeviation(r) === 0 ? NaN : pandasMean(r) / pandasDeviation(r),
      own: ours('metrics.sharpe', 1 / Math.sqrt(365)),
      formula: 'mean(r) / std(r)',
      differs: '',
    },
  ];
}

/** Returns the figures of drawdowns. */
function drawdownFigures(values: Float64Array, r: Float64Array): FigureDefinition[] {
  const deepest = maxDrawdown(r);
  const depth = depths(values);
  const ulcer = Math.sqrt(pairwiseSum(depth.map((down) => down * down)) / (values.length - 1));
  const total = pairwiseSum(values);
  const spread = pandasDeviation(values);
  const serenity = spread === 0 ? NaN : unlessZero(total, ulcer * (-conditionalValueAtRisk(depth) / spread));
  return [
    {
      name: 'max_drawdown',
      unit: '',
      original: maxDrawdown(values),
      own: ours('metrics.maxDrawdown'),
      formula: 'min(E / running max(E)) - 1 of the daily equity, which starts at 1',
      differs: "isobar looks at every bar's close; its maxDrawdownDaily is this one",
    },
    {
      name: 'calmar',
      unit: '',
      original: cagr(r) / Math.abs(deepest),
      own: ours('metrics.calmar'),
      formula: 'cagr / abs(max_drawdown)',
      differs: 'the growth of 252 days a year, the drawdown of days; isobar: 365 days, every bar',
    },
    {
      name: 'ulcer_index',
      unit: '',
      original: ulcer,
      own: ours('metrics.ulcer'),
      formula: 'sqrt(sum(dd^2) / (n - 1))',
      differs: '',
    },
    {
      name: 'ulcer_performance_index',
      unit: '',
      original: ulcer === 0 ? NaN : (productOfGrowth(values) - 1) / ulcer,
      own: sound((productOfGrowth(values) - 1) / ulcer, few(values), [ulcer === 0, 'no-drawdown']),
      formula: 'comp / ulcer_index',
      differs: 'isobar has no such figure; a return of the whole run over a mean depth depends on the length of the run',
    },
    {
      name: 'serenity_index',
      unit: '',
      original: serenity,
      own: sound(serenity, few(values), [isOneValue(values), 'zero-variance'], [ulcer === 0, 'no-drawdown']),
      formula: 'sum(r) / (ulcer_index (-cvar(dd) / std(r)))',
      differs: 'isobar has no such figure',
    },
    {
      name: 'recovery_factor',
      unit: '',
      original: unlessZero(Math.abs(pairwiseSum(r)), Math.abs(deepest)),
      own: ours('metrics.recoveryFactor'),
      formula: 'abs(sum(r)) / abs(max_drawdown)',
      differs: 'a loss counts as a recovery, and returns are added; isobar: net profit / deepest fall in money, with its sign',
    },
  ];
}

/** Returns the figures of the tails of the distribution. */
function tailFigures(r: Float64Array): FigureDefinition[] {
  const high = numpyQuantile(r, 0.95);
  const low = numpyQuantile(r, 1 - 0.95);
  const gains = pandasMean(valuesWhere(r, isGainOrZero));
  const losses = pandasMean(valuesWhere(r, isLoss));
  const bigGain = gains === 0 || Number.isNaN(gains) ? NaN : numpyQuantile(r, 0.99) / gains;
  const bigLoss = Number.isNaN(losses) ? NaN : numpyQuantile(r, 0.01) / losses;
  return [
    {
      name: 'var',
      unit: '',
      original: valueAtRisk(r),
      own: ours('metrics.var95'),
      formula: 'mean(r) + Phi^-1(0.05) std(r)',
      differs: 'of a normal distribution; isobar takes the 5 % quantile of the returns themselves',
    },
    {
      name: 'cvar',
      unit: '',
      original: conditionalValueAtRisk(r),
      own: ours('metrics.cvar95'),
      formula: 'mean of all r below var, or var without one',
      differs: "isobar's is the mean of all r at or below the 5 % quantile",
    },
    {
      name: 'tail_ratio',
      unit: '',
      original: low === 0 ? NaN : Math.abs(high / low),
      own: ours('metrics.tailRatio'),
      formula: 'abs(q95 / q5)',
      differs: '',
    },
    {
      name: 'outlier_win_ratio',
      unit: '',
      original: bigGain,
      own: sound(bigGain, few(r), noGain(r)),
      formula: 'q99 / mean(r >= 0)',
      differs: 'isobar has no such figure; days without trades lower the mean',
    },
    {
      name: 'outlier_loss_ratio',
      unit: '',
      original: bigLoss,
      own: sound(bigLoss, few(r), noLoss(r)),
      formula: 'q1 / mean(r < 0)',
      differs: 'isobar has no such figure',
    },
    { name: 'skew', unit: '', original: pandasSkew(r), own: ours('metrics.skew'), formula: 'bias-corrected skew of r', differs: '' },
    {
      name: 'kurtosis',
      unit: '',
      original: pandasKurtosis(r),
      own: ours('metrics.excessKurtosis'),
      formula: 'bias-corrected excess kurtosis of r',
      differs: '',
    },
  ];
}
