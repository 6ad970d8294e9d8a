// Computes the figures of vectorbt 1.1.0 from daily returns, at a year of 365 days, and from closed trades.

import { ours, sound, type FigureDefinition } from '../figures/figure.ts';
import { rowsOpenAt, type ProfileInput } from '../figures/profileInput.ts';
import {
  countWhere,
  deviationBy,
  longestRun,
  meanBy,
  meanOfLowest,
  numpyQuantile,
  pandasKurtosis,
  pandasSkew,
  valuesWhere,
} from '../statistics/moments.ts';
import { productOfGrowth, cumulativeGrowth, rangeOf, runningMax, sequentialSum } from '../statistics/orderedArithmetic.ts';
import { vectorbtBenchmarkFigures } from './benchmarks.ts';

const DAYS_PER_YEAR = 365;
/** The equity at the start from which the tool computes drawdowns. */
const START_EQUITY = 100;
const PERCENT = 100;

// In `formula`, r stands for the daily returns, n for their number, E for the equity, and qX for the X % quantile of r.

/** Returns the figures of the returns accessor, then those of the trades. */
export function vectorbtFigures(input: ProfileInput): FigureDefinition[] {
  const returns = input.returns.values;
  return [
    ...growthFigures(returns),
    ...ratioFigures(returns),
    ...shapeFigures(returns),
    ...vectorbtBenchmarkFigures(input.returns),
    ...tradeFigures(input),
    ...tradeRatios(input),
  ];
}

/** Returns the figures of growth. */
function growthFigures(returns: Float64Array): FigureDefinition[] {
  return [
    {
      name: 'Total Return [%]',
      unit: '%',
      original: (productOfGrowth(returns) - 1) * PERCENT,
      own: ours('metrics.totalReturn', PERCENT),
      formula: 'prod(1 + r) - 1',
      differs: '',
    },
    {
      name: 'Annualized Return [%]',
      unit: '%',
      original: annualReturn(returns) * PERCENT,
      own: ours('metrics.cagr', PERCENT),
      formula: 'prod(1 + r)^(365 / n) - 1',
      differs: 'n counts days of return, a part of a day too; isobar divides elapsed time by 365 days',
    },
    {
      name: 'Annualized Volatility [%]',
      unit: '%',
      original: deviation(returns) * Math.sqrt(DAYS_PER_YEAR) * PERCENT,
      own: ours('metrics.volatility', PERCENT),
      formula: 'std(r) sqrt(365)',
      differs: '',
    },
    {
      name: 'Max Drawdown [%]',
      unit: '%',
      original: maxDrawdown(returns) === 0 ? NaN : maxDrawdown(returns) * -PERCENT,
      own: ours('metrics.maxDrawdown', -PERCENT),
      formula: '1 - min(E / running max(E)) of the daily equity, from the end of the first day on',
      differs: "a fall on the first day does not count; isobar starts at the starting capital and looks at every bar's close",
    },
  ];
}

/** Returns the ratios of daily returns. */
function ratioFigures(returns: Float64Array): FigureDefinition[] {
  const hasFewReturns = returns.length < 2;
  const dailyDeviation = deviation(returns);
  const meanReturn = meanBy(sequentialSum, returns);
  const squaredLosses = returns.map((value) => (value > 0 ? 0 : value) ** 2);
  const downsideDeviation = Math.sqrt(meanBy(sequentialSum, squaredLosses)) * Math.sqrt(DAYS_PER_YEAR);
  const lossSum = sequentialSum(valuesWhere(returns, (value) => value < 0)) * -1;
  const deepestDrawdown = maxDrawdown(returns);
  const sharpe = dailyDeviation === 0 ? Infinity : (meanReturn / dailyDeviation) * Math.sqrt(DAYS_PER_YEAR);
  const sortino = downsideDeviation === 0 ? Infinity : (meanReturn * DAYS_PER_YEAR) / downsideDeviation;
  return [
    {
      name: 'Sharpe Ratio',
      unit: '',
      original: hasFewReturns ? NaN : sharpe,
      own: ours('metrics.sharpe'),
      formula: 'mean(r) / std(r) sqrt(365); inf for equal returns',
      differs: '',
    },
    {
      name: 'Calmar Ratio',
      unit: '',
      original: deepestDrawdown === 0 ? NaN : annualReturn(returns) / Math.abs(deepestDrawdown),
      own: ours('metrics.calmar'),
      formula: 'annualized return / max drawdown',
      differs: "the drawdown of days from the end of the first one on; isobar: every bar's close, from the starting capital on",
    },
    {
      name: 'Omega Ratio',
      unit: '',
      original: lossSum === 0 ? Infinity : sequentialSum(valuesWhere(returns, (value) => value > 0)) / lossSum,
      own: ours('metrics.omega'),
      formula: 'sum(max(r, 0)) / sum(max(-r, 0)); inf without a loss',
      differs: '',
    },
    {
      name: 'Sortino Ratio',
      unit: '',
      original: hasFewReturns ? NaN : sortino,
      own: ours('metrics.sortino'),
      formula: '365 mean(r) / (sqrt(mean(min(r, 0)^2)) sqrt(365)); inf without a loss',
      differs: '',
    },
  ];
}

/** Returns the figures of the shape of the distribution. */
function shapeFigures(returns: Float64Array): FigureDefinition[] {
  const tail = tailRatio(returns);
  const commonSense = tail * (1 + annualReturn(returns));
  return [
    { name: 'Skew', unit: '', original: pandasSkew(returns), own: ours('metrics.skew'), formula: 'bias-corrected skew of r', differs: '' },
    {
      name: 'Kurtosis',
      unit: '',
      original: pandasKurtosis(returns),
      own: ours('metrics.excessKurtosis'),
      formula: 'bias-corrected excess kurtosis of r',
      differs: '',
    },
    {
      name: 'Tail Ratio',
      unit: '',
      original: tail,
      own: ours('metrics.tailRatio'),
      formula: 'abs(q95) / abs(q5); inf where q5 is 0',
      differs: '',
    },
    {
      name: 'Common Sense Ratio',
      unit: '',
      original: commonSense,
      own: sound(
        commonSense,
        [returns.length < 2, 'too-few-returns'],
        [returns.some((value) => value <= -1), 'ruined'],
        [!Number.isFinite(tail), 'no-downside'],
      ),
      formula: 'tail ratio (1 + annualized return)',
      differs: "isobar has no such figure; quantstats' figure of this name is another one",
    },
    {
      name: 'Value at Risk',
      unit: '',
      original: numpyQuantile(returns, 0.05),
      own: ours('metrics.var95'),
      formula: '5 % quantile of r',
      differs: '',
    },
    {
      name: 'cond_value_at_risk',
      unit: '',
      original: meanOfLowest(sequentialSum, returns, 0.05),
      own: ours('metrics.cvar95'),
      formula: 'mean of the int(0.05 (n - 1)) + 1 lowest returns',
      differs: "isobar's is the mean of all r at or below the 5 % quantile",
    },
  ];
}

/** Returns the figures of single trades. */
function tradeFigures({ trades: { pnl, returnFraction } }: ProfileInput): FigureDefinition[] {
  const { min: worstFraction, max: bestFraction } = rangeOf(returnFraction);
  const hasTrades = pnl.length > 0;
  const gains = returnFraction.filter((_, row) => pnl[row]! > 0);
  const losses = returnFraction.filter((_, row) => pnl[row]! < 0);
  const meanGainPercent = meanBy(sequentialSum, gains) * PERCENT;
  const meanLossPercent = meanBy(sequentialSum, losses) * PERCENT;
  return [
    {
      name: 'Total Closed Trades',
      unit: '',
      original: pnl.length,
      own: ours('trades.trades'),
      formula: 'number of closed trades',
      differs: '',
    },
    {
      name: 'Win Rate [%]',
      unit: '%',
      original: (countWhere(pnl, (value) => value > 0) / pnl.length) * PERCENT,
      own: ours('trades.winRate', PERCENT),
      formula: 'trades with pnl > 0 / all',
      differs: '',
    },
    {
      name: 'Max Win Streak',
      unit: '',
      original: hasTrades ? longestRun(pnl, (value) => value > 0) : NaN,
      own: ours('trades.maxConsecutiveWins'),
      formula: 'longest run of trades with pnl > 0',
      differs: '',
    },
    {
      name: 'Max Loss Streak',
      unit: '',
      original: hasTrades ? longestRun(pnl, (value) => value < 0) : NaN,
      own: ours('trades.maxConsecutiveLosses'),
      formula: 'longest run of trades with pnl < 0',
      differs: '',
    },
    {
      name: 'Best Trade [%]',
      unit: '%',
      original: hasTrades ? bestFraction * PERCENT : NaN,
      own: ours('trades.bestTradeFraction', PERCENT),
      formula: 'max(pnl / entry notional)',
      differs: '',
    },
    {
      name: 'Worst Trade [%]',
      unit: '%',
      original: hasTrades ? worstFraction * PERCENT : NaN,
      own: ours('trades.worstTradeFraction', PERCENT),
      formula: 'min(pnl / entry notional)',
      differs: '',
    },
    {
      name: 'Avg Winning Trade [%]',
      unit: '%',
      original: meanGainPercent,
      own: sound(meanGainPercent, [!hasTrades, 'no-trades'], [gains.length === 0, 'no-wins']),
      formula: 'mean(pnl / entry notional) of trades with pnl > 0',
      differs: 'isobar has it in money: trades.averageWin',
    },
    {
      name: 'Avg Losing Trade [%]',
      unit: '%',
      original: meanLossPercent,
      own: sound(meanLossPercent, [!hasTrades, 'no-trades'], [losses.length === 0, 'no-losses']),
      formula: 'mean(pnl / entry notional) of trades with pnl < 0',
      differs: 'isobar has it in money: trades.averageLoss',
    },
  ];
}

/** Returns the ratios of wins and losses. */
function tradeRatios({ bars, trades: { pnl, entryMs, exitMs } }: ProfileInput): FigureDefinition[] {
  const tradeCount = pnl.length;
  const won = valuesWhere(pnl, (value) => value > 0);
  const lost = valuesWhere(pnl, (value) => value < 0);
  const entryRow = rowsOpenAt(bars, entryMs);
  const exitRow = rowsOpenAt(bars, exitMs);
  const heldBars = Float64Array.from(pnl, (_, row) => exitRow[row]! - entryRow[row]!);
  const meanSeconds = (barCounts: Float64Array) => (meanBy(sequentialSum, barCounts) * bars.intervalMs) / 1000;
  const winShare = won.length / tradeCount;
  const meanOrZero = (values: Float64Array) => (values.length === 0 && tradeCount > 0 ? 0 : meanBy(sequentialSum, values));
  return [
    {
      name: 'Avg Winning Trade Duration',
      unit: 's',
      original: meanSeconds(heldBars.filter((_, row) => pnl[row]! > 0)),
      own: ours('trades.holdTime.wins', 0.001),
      formula: 'mean bars between the bars of entry and exit, times the interval, of trades with pnl > 0',
      differs: 'in whole bars; isobar: from first to last fill',
    },
    {
      name: 'Avg Losing Trade Duration',
      unit: 's',
      original: meanSeconds(heldBars.filter((_, row) => pnl[row]! < 0)),
      own: ours('trades.holdTime.losses', 0.001),
      formula: 'mean bars between the bars of entry and exit, times the interval, of trades with pnl < 0',
      differs: 'in whole bars; isobar: from first to last fill',
    },
    {
      name: 'Profit Factor',
      unit: '',
      original: tradeCount === 0 ? NaN : sequentialSum(won) / Math.abs(sequentialSum(lost)),
      own: ours('trades.profitFactor'),
      formula: 'sum(pnl > 0) / abs(sum(pnl < 0)); inf without a loss',
      differs: '',
    },
    {
      name: 'Expectancy',
      unit: 'money',
      original: winShare * meanOrZero(won) - (1 - winShare) * Math.abs(meanOrZero(lost)),
      own: ours('trades.expectancy'),
      formula: 'win rate mean(pnl > 0) - (1 - win rate) abs(mean(pnl < 0))',
      differs: 'a result of exactly 0 counts as an average loss here, in isobar as 0',
    },
    {
      name: 'SQN',
      unit: '',
      original: (Math.sqrt(tradeCount) * meanBy(sequentialSum, pnl)) / deviation(pnl),
      own: ours('trades.sqn'),
      formula: 'sqrt(N) mean(pnl) / std(pnl)',
      differs: '',
    },
  ];
}

/** Returns the sample deviation like numba, which computes it from the deviation of the population. */
function deviation(values: Float64Array): number {
  const count = values.length;
  if (count < 2) return NaN;
  return Math.sqrt((deviationBy(sequentialSum, values, 0) ** 2 * count) / (count - 1));
}

/** Returns the growth per year of 365 days. NaN without a return. */
function annualReturn(returns: Float64Array): number {
  return returns.length === 0 ? NaN : productOfGrowth(returns) ** (DAYS_PER_YEAR / returns.length) - 1;
}

/** Returns the deepest drawdown, at most 0. NaN without a peak. */
function maxDrawdown(returns: Float64Array): number {
  const equity = cumulativeGrowth(returns).map((growth) => growth * START_EQUITY);
  const peaks = runningMax(equity);
  const drawdowns = equity.map((value, row) => value / peaks[row]! - 1);
  // After a total loss on the first day the peak is 0, and each drawdown is NaN.
  return drawdowns.some(Number.isNaN) ? NaN : rangeOf(drawdowns).min;
}

/** Returns the 95 % quantile divided by the 5 % quantile, both without sign. */
function tailRatio(returns: Float64Array): number {
  const low = Math.abs(numpyQuantile(returns, 0.05));
  return low === 0 ? Infinity : Math.abs(numpyQuantile(returns, 0.95)) / low;
}
