// Computes the figures of quantstats 0.0.81 from daily returns, at its default of 252 days a year.

import { ours, sound, type FigureDefinition, type Guard } from '../figures/figure.ts';
import type { ProfileInput } from '../figures/profileInput.ts';
import { isOneValue, numpyQuantile, pandasDeviation, pandasKurtosis, pandasMean, pandasSkew, valuesWhere } from '../statistics/moments.ts';
import { productOfGrowth, pairwiseSum } from '../statistics/orderedArithmetic.ts';
import { quantstatsBenchmarkFigures } from './benchmarks.ts';
import { quantstatsDayFigures } from './quantstatsDays.ts';
import { quantstatsMeasures } from './quantstatsMeasures.ts';

// quantstats computes some figures from the returns as given (`rawReturns`), and others from the prepared ones (`returns`).
// In `formula`, r stands for the daily returns, n for their number, and E for the equity.

const SQRT_DAYS_PER_YEAR = Math.sqrt(252);
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
const YEAR_OF_365_DAYS = 'isobar: 365 days a year';

/** Returns the figures in the order of quantstats' own table. */
export function quantstatsFigures({ returns }: ProfileInput): FigureDefinition[] {
  const rawReturns = returns.values;
  const preparedReturns = prepared(rawReturns);
  return [
    ...growthFigures(rawReturns, preparedReturns),
    ...ratioFigures(rawReturns, preparedReturns),
    ...drawdownFigures(rawReturns, preparedReturns),
    ...tailFigures(preparedReturns),
    ...quantstatsDayFigures(preparedReturns),
    ...quantstatsBenchmarkFigures(returns),
  ];
}

const isGain = (value: number) => value > 0;
const isLoss = (value: number) => value < 0;
const isGainOrZero = (value: number) => value >= 0;
// Conditions under which a figure has no sound value, each with its reason.
const tooFewReturns = (values: Float64Array, min = 2): Guard => [values.length < min, 'too-few-returns'];
const withoutLosses = (values: Float64Array): Guard => [!values.some(isLoss), 'no-losses'];
const withoutGains = (values: Float64Array): Guard => [!values.some(isGain), 'no-wins'];
const afterRuin = (values: Float64Array): Guard => [values.some((value) => value <= -1), 'ruined'];

/** Returns the figures of growth. */
function growthFigures(rawReturns: Float64Array, returns: Float64Array): FigureDefinition[] {
  return [
    {
      name: 'comp',
      unit: '',
      original: productOfGrowth(rawReturns) - 1,
      own: ours('metrics.totalReturn'),
      formula: 'prod(1 + r) - 1',
      differs: '',
    },
    {
      name: 'cagr',
      unit: '',
      original: cagr(rawReturns),
      own: ours('metrics.cagr'),
      formula: 'abs(prod(1 + r))^(252 / n) - 1',
      differs: 'n counts days of return and a year has 252 of them; isobar divides elapsed time by 365 days and gives null after ruin',
    },
    {
      name: 'expected_return',
      unit: '',
      original: productOfGrowth(returns) ** (1 / returns.length) - 1,
      own: ours('metrics.geometricMeanReturn'),
      formula: 'prod(1 + r)^(1 / n) - 1',
      differs: '',
    },
    {
      name: 'volatility',
      unit: '',
      original: pandasDeviation(returns) * SQRT_DAYS_PER_YEAR,
      own: ours('metrics.volatility'),
      formula: 'std(r) sqrt(252)',
      differs: YEAR_OF_365_DAYS,
    },
    {
      name: 'exposure',
      unit: '',
      original: exposure(returns),
      own: ours('metrics.exposureTime'),
      formula: 'share of days with r != 0, rounded up to a whole percent',
      differs: 'isobar measures the time with a position, to the millisecond',
    },
    {
      name: 'rar',
      unit: '',
      original: cagr(returns) / exposure(returns),
      own: sound(cagr(returns) / exposure(returns), afterRuin(returns), [exposure(returns) === 0, 'no-trades']),
      formula: 'cagr / exposure',
      differs: 'isobar has no such figure; undefined without a day of trading',
    },
  ];
}

/** Returns the ratios of daily returns. */
function ratioFigures(rawReturns: Float64Array, returns: Float64Array): FigureDefinition[] {
  const penalty = autocorrelationPenalty(returns);
  const smartSortino = sortino(returns, penalty);
  return [
    {
      name: 'sharpe',
      unit: '',
      original: (pandasMean(returns) / pandasDeviation(returns)) * SQRT_DAYS_PER_YEAR,
      own: ours('metrics.sharpe'),
      formula: 'mean(r) / std(r) sqrt(252)',
      differs: YEAR_OF_365_DAYS,
    },
    {
      name: 'smart_sharpe',
      unit: '',
      original: (pandasMean(returns) / (pandasDeviation(returns) * penalty)) * SQRT_DAYS_PER_YEAR,
      own: ours('metrics.smartSharpe'),
      formula: 'sharpe / sqrt(1 + 2 sum_(j=1..n-1) ((n - j) / n) abs(rho)^j), rho the lag-1 correlation',
      differs: YEAR_OF_365_DAYS,
    },
    {
      name: 'probabilistic_sharpe_ratio',
      unit: '',
      original: probabilisticSharpeRatio(rawReturns, returns),
      own: ours('metrics.psr0'),
      formula: 'Phi(SR sqrt(n - 1) / sqrt(1 + SR^2/2 - skew SR + (k - 3)/4 SR^2)), k the excess kurtosis',
      differs: 'the formula needs the raw kurtosis k + 3, so the figure is too sure; isobar uses it',
    },
    {
      name: 'sortino',
      unit: '',
      original: sortino(returns, 1),
      own: ours('metrics.sortino'),
      formula: 'mean(r) / sqrt(sum(min(r, 0)^2) / n) sqrt(252)',
      differs: YEAR_OF_365_DAYS,
    },
    {
      name: 'smart_sortino',
      unit: '',
      original: smartSortino,
      own: sound(smartSortino, afterRuin(returns), tooFewReturns(returns, 3), withoutLosses(returns)),
      formula: 'sortino / the same root as smart_sharpe',
      differs: 'isobar has no such figure',
    },
    {
      name: 'adjusted_sortino',
      unit: '',
      original: sortino(returns, 1) / Math.sqrt(2),
      own: ours('metrics.sortino', Math.SQRT1_2),
      formula: 'sortino / sqrt(2)',
      differs: YEAR_OF_365_DAYS,
    },
    {
      name: 'omega',
      unit: '',
      original: omega(rawReturns, returns),
      own: ours('metrics.omega'),
      formula: 'sum(max(r, 0)) / sum(max(-r, 0))',
      differs: '',
    },
    {
      name: 'gain_to_pain_ratio',
      unit: '',
      original: lossSum(returns) === 0 ? NaN : pairwiseSum(returns) / lossSum(returns),
      own: sound(pairwiseSum(returns) / lossSum(returns), withoutLosses(returns)),
      formula: 'sum(r) / abs(sum(r < 0))',
      differs: 'isobar has no such figure',
    },
    {
      name: 'risk_return_ratio',
      unit: '',
      original: pandasDeviation(returns) === 0 ? NaN : pandasMean(returns) / pandasDeviation(returns),
      own: ours('metrics.sharpe', 1 / Math.sqrt(365)),
      formula: 'mean(r) / std(r)',
      differs: '',
    },
  ];
}

/** Returns the figures of drawdowns. */
function drawdownFigures(rawReturns: Float64Array, returns: Float64Array): FigureDefinition[] {
  const deepestDrawdown = maxDrawdown(returns);
  const drawdowns = depths(rawReturns);
  const ulcer = Math.sqrt(pairwiseSum(drawdowns.map((drawdown) => drawdown * drawdown)) / (rawReturns.length - 1));
  const returnSum = pairwiseSum(rawReturns);
  const deviation = pandasDeviation(rawReturns);
  const serenity = deviation === 0 ? NaN : unlessZero(returnSum, ulcer * (-conditionalValueAtRisk(drawdowns) / deviation));
  return [
    {
      name: 'max_drawdown',
      unit: '',
      original: maxDrawdown(rawReturns),
      own: ours('metrics.maxDrawdown'),
      formula: 'min(E / running max(E)) - 1 of the daily equity, which starts at 1',
      differs: "isobar looks at every bar's close; its maxDrawdownDaily is this one",
    },
    {
      name: 'calmar',
      unit: '',
      original: cagr(returns) / Math.abs(deepestDrawdown),
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
      original: ulcer === 0 ? NaN : (productOfGrowth(rawReturns) - 1) / ulcer,
      own: sound((productOfGrowth(rawReturns) - 1) / ulcer, tooFewReturns(rawReturns), [ulcer === 0, 'no-drawdown']),
      formula: 'comp / ulcer_index',
      differs: 'isobar has no such figure; a return of the whole run over a mean depth depends on the length of the run',
    },
    {
      name: 'serenity_index',
      unit: '',
      original: serenity,
      own: sound(serenity, tooFewReturns(rawReturns), [isOneValue(rawReturns), 'zero-variance'], [ulcer === 0, 'no-drawdown']),
      formula: 'sum(r) / (ulcer_index (-cvar(dd) / std(r)))',
      differs: 'isobar has no such figure',
    },
    {
      name: 'recovery_factor',
      unit: '',
      original: unlessZero(Math.abs(pairwiseSum(returns)), Math.abs(deepestDrawdown)),
      own: ours('metrics.recoveryFactor'),
      formula: 'abs(sum(r)) / abs(max_drawdown)',
      differs: 'a loss counts as a recovery, and returns are added; isobar: net profit / deepest fall in money, with its sign',
    },
  ];
}

/** Returns the figures of the tails of the distribution. */
function tailFigures(returns: Float64Array): FigureDefinition[] {
  const quantile95 = numpyQuantile(returns, 0.95);
  const quantile5 = numpyQuantile(returns, 1 - 0.95);
  const meanGain = pandasMean(valuesWhere(returns, isGainOrZero));
  const meanLoss = pandasMean(valuesWhere(returns, isLoss));
  const outlierWinRatio = meanGain === 0 || Number.isNaN(meanGain) ? NaN : numpyQuantile(returns, 0.99) / meanGain;
  const outlierLossRatio = Number.isNaN(meanLoss) ? NaN : numpyQuantile(returns, 0.01) / meanLoss;
  return [
    {
      name: 'var',
      unit: '',
      original: valueAtRisk(returns),
      own: ours('metrics.var95'),
      formula: 'mean(r) + Phi^-1(0.05) std(r)',
      differs: 'of a normal distribution; isobar takes the 5 % quantile of the returns themselves',
    },
    {
      name: 'cvar',
      unit: '',
      original: conditionalValueAtRisk(returns),
      own: ours('metrics.cvar95'),
      formula: 'mean of all r below var, or var without one',
      differs: "isobar's is the mean of all r at or below the 5 % quantile",
    },
    {
      name: 'tail_ratio',
      unit: '',
      original: quantile5 === 0 ? NaN : Math.abs(quantile95 / quantile5),
      own: ours('metrics.tailRatio'),
      formula: 'abs(q95 / q5)',
      differs: '',
    },
    {
      name: 'outlier_win_ratio',
      unit: '',
      original: outlierWinRatio,
      own: sound(outlierWinRatio, tooFewReturns(returns), withoutGains(returns)),
      formula: 'q99 / mean(r >= 0)',
      differs: 'isobar has no such figure; days without trades lower the mean',
    },
    {
      name: 'outlier_loss_ratio',
      unit: '',
      original: outlierLossRatio,
      own: sound(outlierLossRatio, tooFewReturns(returns), withoutLosses(returns)),
      formula: 'q1 / mean(r < 0)',
      differs: 'isobar has no such figure',
    },
    { name: 'skew', unit: '', original: pandasSkew(returns), own: ours('metrics.skew'), formula: 'bias-corrected skew of r', differs: '' },
    {
      name: 'kurtosis',
      unit: '',
      original: pandasKurtosis(returns),
      own: ours('metrics.excessKurtosis'),
      formula: 'bias-corrected excess kurtosis of r',
      differs: '',
    },
  ];
}
