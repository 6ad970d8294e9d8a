// Computes the figures of nautilus_trader 1.231.0: those that its portfolio registers, and growth and drawdown.

import { ours, sound, type FigureDefinition } from '../figures/figure.ts';
import type { ProfileInput } from '../figures/profileInput.ts';
import { deviationBy, meanBy, valuesWhere } from '../statistics/moments.ts';
import { productOfGrowth, cumulativeGrowth, rangeOf, runningMax, sequentialSum } from '../statistics/orderedArithmetic.ts';
import { nautilusBenchmarkFigures } from './benchmarks.ts';

const DAYS_PER_YEAR = 252;
const SQRT_DAYS_PER_YEAR = Math.sqrt(DAYS_PER_YEAR);
const YEAR_OF_365_DAYS = 'isobar: 365 days a year';
/** A smaller deviation counts as 0. */
const EPSILON = Number.EPSILON;

// In `formula`, r stands for the daily returns, n for their number, and E for the equity.

const isGain = (value: number) => value > 0;
const isLoss = (value: number) => value < 0;

/** Returns the figures of profit, of trades, and of returns. */
export function nautilusFigures(input: ProfileInput): FigureDefinition[] {
  const returns = input.returns.values;
  // The tool compounds the returns of a day, so that a single one is rounded as (1 + r) - 1.
  const roundedReturns = returns.map((value) => 1 + value - 1);
  return [
    ...profitFigures(input),
    ...tradeFigures(input),
    ...returnFigures(returns, roundedReturns),
    ...ratioFigures(returns, roundedReturns),
    ...growthFigures(returns, roundedReturns),
    ...nautilusBenchmarkFigures(input.returns),
  ];
}

/** Returns the figures of the profit. */
function profitFigures({ startEquity, endEquity }: ProfileInput): FigureDefinition[] {
  return [
    {
      name: 'PnL (total)',
      unit: 'money',
      original: endEquity - startEquity,
      own: ours('metrics.netProfit'),
      formula: 'balance at the end - balance at the start',
      differs: '',
    },
    {
      name: 'PnL% (total)',
      unit: '%',
      original: ((endEquity - startEquity) / startEquity) * 100,
      own: ours('metrics.totalReturn', 100),
      formula: 'PnL / balance at the start',
      differs: '',
    },
  ];
}

/** Returns the figures of closed trades. */
function tradeFigures({ trades: { pnl } }: ProfileInput): FigureDefinition[] {
  const tradeCount = pnl.length;
  const won = valuesWhere(pnl, isGain);
  const lost = valuesWhere(pnl, isLoss);
  const meanGain = meanBy(sequentialSum, won);
  const meanLoss = meanBy(sequentialSum, lost);
  const decidedCount = won.length + lost.length;
  const expectedGain = orZero(meanGain) * (won.length / decidedCount);
  const expectedLoss = orZero(meanLoss) * (lost.length / decidedCount);
  const expectancy = decidedCount === 0 ? 0 : expectedGain + expectedLoss;
  const maxOrNone = (values: Float64Array) => (values.length === 0 ? NaN : rangeOf(values).max);
  const minOrNone = (values: Float64Array) => (values.length === 0 ? NaN : rangeOf(values).min);
  const extremeTrade = (name: string, original: number, formula: string, missing: 'no-wins' | 'no-losses'): FigureDefinition => ({
    name,
    unit: 'money',
    original,
    own: sound(original, [tradeCount === 0, 'no-trades'], [Number.isNaN(original), missing]),
    formula,
    differs: 'isobar has no such figure; its trades.bestTrade and worstTrade are of all trades',
  });
  return [
    extremeTrade('Max Winner', maxOrNone(won), 'largest profit of a trade', 'no-wins'),
    {
      name: 'Avg Winner',
      unit: 'money',
      original: meanGain,
      own: ours('trades.averageWin'),
      formula: 'mean(pnl > 0)',
      differs: '',
    },
    extremeTrade('Min Winner', minOrNone(won), 'smallest profit of a trade', 'no-wins'),
    extremeTrade('Min Loser', maxOrNone(lost), 'smallest loss of a trade', 'no-losses'),
    {
      name: 'Avg Loser',
      unit: 'money',
      original: meanLoss,
      own: ours('trades.averageLoss'),
      formula: 'mean(pnl < 0)',
      differs: '',
    },
    extremeTrade('Max Loser', minOrNone(lost), 'largest loss of a trade', 'no-losses'),
    {
      name: 'Expectancy',
      unit: 'money',
      original: tradeCount === 0 ? NaN : expectancy,
      own: ours('trades.expectancy'),
      formula: 'mean(pnl > 0) win rate + mean(pnl < 0) loss rate, rates of trades with pnl != 0',
      differs: 'a result of exactly 0 is left out; isobar counts it in the number of trades',
    },
    {
      name: 'Win Rate',
      unit: '',
      original: tradeCount === 0 ? NaN : won.length / tradeCount,
      own: ours('trades.winRate'),
      formula: 'trades with pnl > 0 / all',
      differs: '',
    },
  ];
}

/** Returns the figures of daily returns. */
function returnFigures(returns: Float64Array, roundedReturns: Float64Array): FigureDefinition[] {
  const meanGain = meanBy(sequentialSum, valuesWhere(returns, isGain));
  const meanLoss = meanBy(sequentialSum, valuesWhere(returns, isLoss));
  return [
    {
      name: 'Average (Return)',
      unit: '',
      original: meanBy(sequentialSum, returns),
      own: ours('metrics.meanReturn'),
      formula: 'mean(r)',
      differs: '',
    },
    {
      name: 'Average Win (Return)',
      unit: '',
      original: meanGain,
      own: sound(meanGain, [Number.isNaN(meanGain), 'no-wins']),
      formula: 'mean(r > 0)',
      differs: 'isobar has no such figure of days',
    },
    {
      name: 'Average Loss (Return)',
      unit: '',
      original: meanLoss,
      own: sound(meanLoss, [Number.isNaN(meanLoss), 'no-losses']),
      formula: 'mean(r < 0)',
      differs: 'isobar has no such figure of days',
    },
    {
      name: 'Returns Volatility (252 days)',
      unit: '',
      original: deviation(roundedReturns) * SQRT_DAYS_PER_YEAR,
      own: ours('metrics.volatility'),
      formula: 'std(r) sqrt(252)',
      differs: YEAR_OF_365_DAYS,
    },
  ];
}

/** Returns the ratios of daily returns. */
function ratioFigures(returns: Float64Array, roundedReturns: Float64Array): FigureDefinition[] {
  const dailyDeviation = deviation(roundedReturns);
  const meanReturn = meanBy(sequentialSum, roundedReturns);
  const downsideDeviation = Math.sqrt(sequentialSum(valuesWhere(roundedReturns, isLoss).map((value) => value * value)) / returns.length);
  const gainSum = sequentialSum(valuesWhere(returns, isGain));
  const lossSum = sequentialSum(valuesWhere(returns, isLoss));
  return [
    {
      name: 'Sharpe Ratio (252 days)',
      unit: '',
      original: dailyDeviation < EPSILON ? NaN : (meanReturn / dailyDeviation) * SQRT_DAYS_PER_YEAR,
      own: ours('metrics.sharpe'),
      formula: 'mean(r) / std(r) sqrt(252)',
      differs: YEAR_OF_365_DAYS,
    },
    {
      name: 'Sortino Ratio (252 days)',
      unit: '',
      original: downsideDeviation < EPSILON ? NaN : (meanReturn / downsideDeviation) * SQRT_DAYS_PER_YEAR,
      own: ours('metrics.sortino'),
      formula: 'mean(r) / sqrt(sum(min(r, 0)^2) / n) sqrt(252)',
      differs: YEAR_OF_365_DAYS,
    },
    {
      name: 'Profit Factor',
      unit: '',
      original: lossSum === 0 ? NaN : Math.abs(gainSum / lossSum),
      own: ours('trades.profitFactor'),
      formula: 'abs(sum(r > 0) / sum(r < 0))',
      differs: 'of days of return; isobar: of closed trades',
    },
    {
      name: 'Risk Return Ratio',
      unit: '',
      original: dailyDeviation < EPSILON ? NaN : meanReturn / dailyDeviation,
      own: ours('metrics.sharpe', 1 / Math.sqrt(365)),
      formula: 'mean(r) / std(r)',
      differs: '',
    },
  ];
}

/** Returns the figures of growth and drawdown. */
function growthFigures(returns: Float64Array, roundedReturns: Float64Array): FigureDefinition[] {
  const growthFactor = productOfGrowth(roundedReturns);
  const compounded = growthFactor < 0 ? NaN : growthFactor ** (DAYS_PER_YEAR / returns.length) - 1;
  const annualGrowth = Number.isFinite(compounded) ? compounded : NaN;
  const deepestDrawdown = maxDrawdown(returns);
  return [
    {
      name: 'CAGR (252 days)',
      unit: '',
      original: annualGrowth,
      own: ours('metrics.cagr'),
      formula: 'prod(1 + r)^(252 / n) - 1',
      differs: 'n counts days of return and a year has 252 of them; isobar divides elapsed time by 365 days',
    },
    {
      name: 'Max Drawdown',
      unit: '',
      original: deepestDrawdown,
      own: ours('metrics.maxDrawdown'),
      formula: 'min(E / running max(E)) - 1 of the daily equity, which starts at 1',
      differs: "isobar looks at every bar's close; its maxDrawdownDaily is this one",
    },
    {
      name: 'Calmar Ratio (252 days)',
      unit: '',
      original: Math.abs(deepestDrawdown) < EPSILON ? NaN : annualGrowth / Math.abs(deepestDrawdown),
      own: ours('metrics.calmar'),
      formula: 'CAGR / abs(max drawdown)',
      differs: 'the growth of 252 days a year, the drawdown of days; isobar: 365 days, every bar',
    },
  ];
}

/** Returns the sample standard deviation. */
function deviation(values: Float64Array): number {
  return deviationBy(sequentialSum, values, 1);
}

/** Returns the deepest drawdown of the daily equity, at most 0. */
function maxDrawdown(returns: Float64Array): number {
  const equity = cumulativeGrowth(returns);
  const peaks = runningMax(equity, 1);
  return Math.min(0, rangeOf(equity.map((value, row) => (value - peaks[row]!) / peaks[row]!)).min);
}

/** Returns 0 in place of NaN. */
function orZero(value: number): number {
  return Number.isNaN(value) ? 0 : value;
}
