// Computes the figures of nautilus_trader 1.231.0: those that its portfolio registers, and growth and drawdown.

import { ours, sound, type FigureDefinition } from '../figures/figure.ts';
import type { ProfileInput } from '../figures/input.ts';
import { deviationBy, meanBy, valuesWhere } from '../statistics/moments.ts';
import { productOfGrowth, cumulativeGrowth, rangeOf, runningMax, sequentialSum } from '../statistics/orderedArithmetic.ts';
import { nautilusBenchmarkFigures } from './benchmarks.ts';

const YEAR = 252;
const ANNUAL = Math.sqrt(YEAR);
const A365 = 'isobar: 365 days a year';
/** A smaller deviation counts as 0. */
const EPSILON = Number.EPSILON;

const isGain = (value: number) => value > 0;
const isLoss = (value: number) => value < 0;

/** Returns the figures of profit, of trades, and of returns. */
export function nautilusFigures(input: ProfileInput): FigureDefinition[] {
  const returns = input.returns.values;
  // The tool compounds the returns of a day, so that a single one is rounded as (1 + r) - 1.
  const binned = returns.map((value) => 1 + value - 1);
  return [
    ...profitFigures(input),
    ...tradeFigures(input),
    ...returnFigures(returns, binned),
    ...ratioFigures(returns, binned),
    ...growthFigures(returns, binned),
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
  const gain = meanBy(sequentialSum, won);
  const loss = meanBy(sequentialSum, lost);
  const decided = won.length + lost.length;
  const expectancy = decided === 0 ? 0 : orZero(gain) * (won.length / decided) + orZero(loss) * (lost.length / decided);
  const maxOrNone = (values: Float64Array) => (values.length === 0 ? NaN : rangeOf(values).max);
  const minOrNone = (values: Float64Array) => (values.length === 0 ? NaN : rangeOf(values).min);
  const extreme = (name: string, original: number, formula: string, isWin: boolean): FigureDefinition => ({
    name,
    unit: 'money',
    original,
    own: sound(original, [tradeCount === 0, 'no-trades'], [Number.isNaN(original), isWin ? 'no-wins' : 'no-losses']),
    formula,
    differs: 'isobar has no such figure; its trades.bestTrade and worstTrade are of all trades',
  });
  return [
    extreme('Max Winner', maxOrNone(won), 'largest profit of a trade', true),
    {
      name: 'Avg Winner',
      unit: 'money',
      original: gain,
      own: ours('trades.averageWin'),
      formula: 'mean(pnl > 0)',
      differs: '',
    },
    extreme('Min Winner', minOrNone(won), 'smallest profit of a trade', true),
    extreme('Min Loser', maxOrNone(lost), 'smallest loss of a trade', false),
    {
      name: 'Avg Loser',
      unit: 'money',
      original: loss,
      own: ours('trades.averageLoss'),
      formula: 'mean(pnl < 0)',
      differs: '',
    },
    extreme('Max Loser', minOrNone(lost), 'largest loss of a trade', false),
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
function returnFigures(r: Float64Array, binned: Float64Array): FigureDefinition[] {
  const gain = meanBy(sequentialSum, valuesWhere(r, isGain));
  const loss = meanBy(sequentialSum, valuesWhere(r, isLoss));
  return [
    {
      name: 'Average (Return)',
      unit: '',
      original: meanBy(sequentialSum, r),
      own: ours('metrics.meanReturn'),
      formula: 'mean(r)',
      differs: '',
    },
    {
      name: 'Average Win (Return)',
      unit: '',
      original: gain,
      own: sound(gain, [Number.isNaN(gain), 'no-wins']),
      formula: 'mean(r > 0)',
      differs: 'isobar has no such figure of days',
    },
    {
      name: 'Average Loss (Return)',
      unit: '',
      original: loss,
      own: sound(loss, [Number.isNaN(loss), 'no-losses']),
      formula: 'mean(r < 0)',
      differs: 'isobar has no such figure of days',
    },
    {
      name: 'Returns Volatility (252 days)',
      unit: '',
      original: deviation(binned) * ANNUAL,
      own: ours('metrics.volatility'),
      formula: 'std(r) sqrt(252)',
      differs: A365,
    },
  ];
}

/** Returns the ratios of daily returns. */
function ratioFigures(r: Float64Array, binned: Float64Array): FigureDefinition[] {
  const spread = deviation(binned);
  const average = meanBy(sequentialSum, binned);
  const downside = Math.sqrt(sequentialSum(valuesWhere(binned, isLoss).map((value) => value * value)) / r.length);
  const won = sequentialSum(valuesWhere(r, isGain));
  const lost = sequentialSum(valuesWhere(r, isLoss));
  return [
    {
      name: 'Sharpe Ratio (252 days)',
      unit: '',
      original: spread < EPSILON ? NaN : (average / spread) * ANNUAL,
      own: ours('metrics.sharpe'),
      formula: 'mean(r) / std(r) sqrt(252)',
      differs: A365,
    },
    {
      name: 'Sortino Ratio (252 days)',
      unit: '',
      original: downside < EPSILON ? NaN : (average / downside) * ANNUAL,
      own: ours('metrics.sortino'),
      formula: 'mean(r) / sqrt(sum(min(r, 0)^2) / n) sqrt(252)',
      differs: A365,
    },
    {
      name: 'Profit Factor',
      unit: '',
      original: lost === 0 ? NaN : Math.abs(won / lost),
      own: ours('trades.profitFactor'),
      formula: 'abs(sum(r > 0) / sum(r < 0))',
      differs: 'of days of return; isobar: of closed trades',
    },
    {
      name: 'Risk Return Ratio',
      unit: '',
      original: spread < EPSILON ? NaN : average / spread,
      own: ours('metrics.sharpe', 1 / Math.sqrt(365)),
      formula: 'mean(r) / std(r)',
      differs: '',
    },
  ];
}

/** Returns the figures of growth and drawdown. */
function growthFigures(r: Float64Array, binned: Float64Array): FigureDefinition[] {
  const total = productOfGrowth(binned);
  const compounded = total < 0 ? NaN : total ** (YEAR / r.length) - 1;
  const growth = Number.isFinite(compounded) ? compounded : NaN;
  const deepest = maxDrawdown(r);
  return [
    {
      name: 'CAGR (252 days)',
      unit: '',
      original: growth,
      own: ours('metrics.cagr'),
      formula: 'prod(1 + r)^(252 / n) - 1',
      differs: 'n counts days of return and a year has 252 of them; isobar divides elapsed time by 365 days',
    },
    {
      name: 'Max Drawdown',
      unit: '',
      original: deepest,
      own: ours('metrics.maxDrawdown'),
      formula: 'min(E / running max(E)) - 1 of the daily equity, which starts at 1',
      differs: "isobar looks at every bar's close; its maxDrawdownDaily is this one",
    },
    {
      name: 'Calmar Ratio (252 days)',
      unit: '',
      original: Math.abs(deepest) < EPSILON ? NaN : growth / Math.abs(deepest),
      own: ours('metrics.calmar'),
      formula: 'CAGR / abs(max drawdown)',
      differs: 'the growth of 252 days a year, the drawdown of days; isobar: 365 days, every bar',
    },
  ];
}

function deviation(values: Float64Array): number {
  return deviationBy(sequentialSum, values, 1);
}

function maxDrawdown(r: Float64Array): number {
  const path = cumulativeGrowth(r);
  const top = runningMax(path, 1);
  return Math.min(0, rangeOf(path.map((value, row) => (value - top[row]!) / top[row]!)).min);
}

function orZero(value: number): number {
  return Number.isNaN(value) ? 0 : value;
}
