// Computes the figures of backtesting.py 0.6.6 from the equity and closes of each bar and the closed trades.

import { ours, sound, type FigureDefinition, type OwnFigure } from '../figures/figure.ts';
import { rowsOpenAt, type ProfileInput } from '../figures/profileInput.ts';
import { toolDrawdowns, dayReturns, medianStep, roundedUp, yearDays, type ToolDrawdowns } from './backtestingBars.ts';
import { countWhere, pandasDeviation, pandasMean, valuesWhere } from '../statistics/moments.ts';
import { pairwiseSum, rangeOf } from '../statistics/orderedArithmetic.ts';

const PERCENT = 100;
const DAY_SECONDS = 86_400;
/** Length of a year of elapsed time, for CAGR. */
const DAYS_PER_ELAPSED_YEAR = 365.25;

/** Returns the figures in the order of the tool. Figures of prices are absent when the bars of the run cannot be read. */
export function backtestingFigures(input: ProfileInput): FigureDefinition[] {
  const drawdowns = toolDrawdowns(input.bars);
  return [
    ...equityFigures(input),
    ...annualFigures(input, drawdowns),
    ...marketFigures(input),
    ...drawdownFigures(drawdowns),
    ...tradeFigures(input),
    ...tradeRatioFigures(input),
  ];
}

/** Returns (last equity - first equity) / first equity. */
function totalReturn({ bars: { equity } }: ProfileInput): number {
  return (equity.at(-1)! - equity[0]!) / equity[0]!;
}

/** Returns the figures of the equity itself. */
function equityFigures(input: ProfileInput): FigureDefinition[] {
  const { bars, trades } = input;
  // 1 for each bar with a position.
  const isHeld = new Float64Array(bars.equity.length);
  const entryRows = rowsOpenAt(bars, trades.entryMs);
  const exitRows = rowsOpenAt(bars, trades.exitMs);
  entryRows.forEach((row, trade) => isHeld.fill(1, row, exitRows[trade]! + 1));
  const { max: peakEquity } = rangeOf(bars.equity);
  return [
    {
      name: 'Exposure Time [%]',
      unit: '%',
      original: (pairwiseSum(isHeld) / isHeld.length) * PERCENT,
      own: ours('metrics.exposureTime', PERCENT),
      formula: 'share of bars between entry and exit of a closed trade, both included',
      differs: 'isobar measures the time with a position, to the millisecond, open trades included',
    },
    {
      name: 'Equity Final [$]',
      unit: 'money',
      original: bars.equity.at(-1)!,
      own: ours('run.endEquity'),
      formula: 'equity at the last bar',
      differs: '',
    },
    {
      name: 'Equity Peak [$]',
      unit: 'money',
      original: peakEquity,
      own: sound(peakEquity),
      formula: 'highest equity of a bar',
      differs: 'isobar has no such figure',
    },
    {
      name: 'Return [%]',
      unit: '%',
      original: totalReturn(input) * PERCENT,
      own: ours('metrics.totalReturn', PERCENT),
      formula: '(last equity - first) / first, of bars',
      differs: 'begins at the close of the first bar; isobar at the starting capital',
    },
  ];
}

/** Returns the annual figures and the ratios of them. */
function annualFigures({ bars }: ProfileInput, drawdowns: ToolDrawdowns): FigureDefinition[] {
  const dailyReturns = dayReturns(bars);
  const meanGrowth = geometricMean(dailyReturns);
  const daysPerYear = yearDays(bars);
  const annualReturn = (1 + meanGrowth) ** daysPerYear - 1;
  const variance = pandasDeviation(dailyReturns) ** 2;
  const squaredGrowth = (1 + meanGrowth) ** 2;
  const volatility = Math.sqrt((variance + squaredGrowth) ** daysPerYear - (1 + meanGrowth) ** (2 * daysPerYear));
  const elapsedSeconds = wholeSeconds(bars.openMs.at(-1)! - bars.openMs[0]!);
  const elapsedYears = elapsedSeconds / DAY_SECONDS / DAYS_PER_ELAPSED_YEAR;
  const annualGrowth = elapsedYears === 0 ? NaN : (bars.equity.at(-1)! / bars.equity[0]!) ** (1 / elapsedYears) - 1;
  const squaredLosses = dailyReturns.map((value) => Math.min(value, 0) ** 2);
  const downsideDeviation = Math.sqrt(pandasMean(squaredLosses)) * Math.sqrt(daysPerYear);
  const deepestDrawdown = Number.isNaN(drawdowns.deepest) ? 0 : drawdowns.deepest;
  const GEOMETRIC = 'a geometric mean over a deviation of compounded returns; isobar: arithmetic mean over the deviation of returns';
  return [
    {
      name: 'Return (Ann.) [%]',
      unit: '%',
      original: annualReturn * PERCENT,
      own: ours('metrics.cagr', PERCENT),
      formula: '(1 + g)^A - 1, g the geometric mean of daily returns; A 365, or 252 where few bars are of a weekend',
      differs: 'the first day gives no return; isobar counts from the starting capital',
    },
    {
      name: 'Volatility (Ann.) [%]',
      unit: '%',
      original: volatility * PERCENT,
      own: ours('metrics.volatility', PERCENT),
      formula: 'sqrt((var(r) + (1 + g)^2)^A - (1 + g)^(2 A))',
      differs: 'of the compounded return of a year; isobar: std(r) sqrt(365)',
    },
    {
      name: 'CAGR [%]',
      unit: '%',
      original: annualGrowth * PERCENT,
      own: ours('metrics.cagr', PERCENT),
      formula: '(last equity / first)^(1 / years) - 1, years of 365.25 days from the first to the last open',
      differs: 'isobar: 365 days, from the starting capital to the last close, null under a day',
    },
    {
      name: 'Sharpe Ratio',
      unit: '',
      original: (annualReturn * PERCENT) / (volatility * PERCENT || NaN),
      own: ours('metrics.sharpe'),
      formula: 'Return (Ann.) / Volatility (Ann.)',
      differs: GEOMETRIC,
    },
    {
      name: 'Sortino Ratio',
      unit: '',
      original: annualReturn / downsideDeviation,
      own: ours('metrics.sortino'),
      formula: 'Return (Ann.) / (sqrt(mean(min(r, 0)^2)) sqrt(A))',
      differs: 'a geometric mean; isobar: the arithmetic one',
    },
    {
      name: 'Calmar Ratio',
      unit: '',
      original: annualReturn / (deepestDrawdown || NaN),
      own: ours('metrics.calmar'),
      formula: 'Return (Ann.) / max drawdown of bars',
      differs: 'the drawdown begins at the close of the first bar; isobar: growth of elapsed time, from the starting capital',
    },
  ];
}

/** Returns the figures against the price of the instrument. Empty without prices. */
function marketFigures(input: ProfileInput): FigureDefinition[] {
  const { equity, close } = input.bars;
  if (close === null) return [];
  const priceReturn = (close.at(-1)! - close[0]!) / close[0]!;
  const { beta, isSound } = betaOf(equity, close);
  const alpha = totalReturn(input) * PERCENT - beta * (priceReturn * PERCENT);
  return [
    {
      name: 'Buy & Hold Return [%]',
      unit: '%',
      original: priceReturn * PERCENT,
      own: ours('metrics.benchmarkReturn', PERCENT),
      formula: '(last close - first close) / first close',
      differs: 'isobar buys at the first open, all instruments in equal parts',
    },
    {
      name: 'Beta',
      unit: '',
      original: beta,
      own: ours('metrics.beta'),
      formula: 'cov(x, m) / var(m) of the log returns of bars',
      differs: 'isobar: of daily returns',
    },
    {
      name: 'Alpha [%]',
      unit: '%',
      original: alpha,
      own: isSound ? ours('metrics.alpha', PERCENT) : { value: 'zero-benchmark-variance' },
      formula: 'Return - Beta (Buy & Hold Return), of the whole run',
      differs: 'not a year, and of the whole run; isobar: 365 (mean(r) - beta mean(b)) of daily returns',
    },
  ];
}

/** Returns the slope of the log returns of the equity on those of the price. It is not sound when the price is constant. */
function betaOf(equity: Float64Array, close: Float64Array): { readonly beta: number; readonly isSound: boolean } {
  const equityReturns = logReturns(equity);
  const priceReturns = logReturns(close);
  const count = equityReturns.length;
  if (count < 2) return { beta: NaN, isSound: false };
  const meanEquityReturn = pairwiseSum(equityReturns) / count;
  const meanPriceReturn = pairwiseSum(priceReturns) / count;
  const priceDeviations = priceReturns.map((value) => value - meanPriceReturn);
  const covariance = pairwiseSum(equityReturns.map((value, row) => (value - meanEquityReturn) * priceDeviations[row]!)) / (count - 1);
  const variance = pairwiseSum(priceDeviations.map((value) => value * value)) / (count - 1);
  return { beta: covariance / variance, isSound: variance > 0 };
}

/** Returns the logarithm of each value divided by the previous one. */
function logReturns(values: Float64Array): Float64Array {
  return values.subarray(1).map((value, row) => Math.log(value / values[row]!));
}

/** Returns the figures of drawdowns. */
function drawdownFigures({ deepest, meanDepth, maxSeconds, meanSeconds }: ToolDrawdowns): FigureDefinition[] {
  const duration = (name: string, original: number, place: string, statistic: string): FigureDefinition => ({
    name,
    unit: 's',
    original,
    own: ours(place, DAY_SECONDS),
    formula: `${statistic} time from a peak to its recovery, of bars, rounded up to whole units of the interval`,
    differs: 'isobar: of days, and an open drawdown counts to the end',
  });
  return [
    {
      name: 'Max. Drawdown [%]',
      unit: '%',
      original: (Number.isNaN(deepest) ? 0 : -deepest) * PERCENT + 0,
      own: ours('metrics.maxDrawdown', PERCENT),
      formula: 'max(1 - E / running max(E)) of bars, as a loss',
      differs: 'begins at the close of the first bar; isobar at the starting capital',
    },
    {
      name: 'Avg. Drawdown [%]',
      unit: '%',
      original: -meanDepth * PERCENT,
      own: ours('metrics.averageDrawdown', PERCENT),
      formula: 'mean depth of all drawdowns of bars',
      differs: 'isobar: of days',
    },
    duration('Max. Drawdown Duration', maxSeconds, 'metrics.longestDrawdown', 'longest'),
    duration('Avg. Drawdown Duration', meanSeconds, 'metrics.averageDrawdownDays', 'mean'),
  ];
}

/** Returns the figures of single trades. */
function tradeFigures({ bars, trades }: ProfileInput): FigureDefinition[] {
  const { length: tradeCount, pnl, returnFraction, entryMs, exitMs } = trades;
  const holdMs = exitMs.map((ms, row) => ms - entryMs[row]!);
  const { min: worstReturn, max: bestReturn } = rangeOf(returnFraction);
  const barLengthMs = medianStep(bars.openMs);
  const meanReturn = geometricMean(returnFraction);
  const ownPercent = (place: string): OwnFigure => ours(place, PERCENT);
  return [
    { name: '# Trades', unit: '', original: tradeCount, own: ours('trades.trades'), formula: 'number of closed trades', differs: '' },
    {
      name: 'Win Rate [%]',
      unit: '%',
      original: (countWhere(pnl, (value) => value > 0) / tradeCount) * PERCENT,
      own: ownPercent('trades.winRate'),
      formula: 'trades with pnl > 0 / all',
      differs: '',
    },
    {
      name: 'Best Trade [%]',
      unit: '%',
      original: tradeCount === 0 ? NaN : bestReturn * PERCENT,
      own: ownPercent('trades.bestTradeFraction'),
      formula: 'max(return of a trade)',
      differs: '',
    },
    {
      name: 'Worst Trade [%]',
      unit: '%',
      original: tradeCount === 0 ? NaN : worstReturn * PERCENT,
      own: ownPercent('trades.worstTradeFraction'),
      formula: 'min(return of a trade)',
      differs: '',
    },
    {
      name: 'Avg. Trade [%]',
      unit: '%',
      original: meanReturn * PERCENT,
      own: ownPercent('trades.averageTradeFraction'),
      formula: 'geometric mean of the returns of trades; 0 where one loses all',
      differs: 'isobar: the arithmetic mean',
    },
    {
      name: 'Max. Trade Duration',
      unit: 's',
      original: tradeCount === 0 ? NaN : roundedUp(rangeOf(holdMs).max, 1, barLengthMs),
      own: sound(rangeOf(holdMs).max / 1000, [tradeCount === 0, 'no-trades']),
      formula: 'longest time from entry to exit, rounded up to whole units of the interval',
      differs: 'isobar: not rounded',
    },
    {
      name: 'Avg. Trade Duration',
      unit: 's',
      original: tradeCount === 0 ? NaN : roundedUp(pairwiseSum(holdMs), tradeCount, barLengthMs),
      own: ours('trades.holdTime.mean', 0.001),
      formula: 'mean time from entry to exit, rounded up to whole units of the interval',
      differs: 'isobar: not rounded',
    },
  ];
}

/** Returns the ratios of wins and losses. */
function tradeRatioFigures({ trades: { length: tradeCount, pnl, returnFraction } }: ProfileInput): FigureDefinition[] {
  const lossSum = Math.abs(pairwiseSum(valuesWhere(returnFraction, (value) => value < 0)));
  const winRate = countWhere(pnl, (value) => value > 0) / tradeCount;
  const meanGain = pandasMean(valuesWhere(pnl, (value) => value > 0));
  const meanLoss = pandasMean(valuesWhere(pnl, (value) => value < 0));
  const OF_RETURNS = 'of returns of trades; isobar: of money';
  return [
    {
      name: 'Profit Factor',
      unit: '',
      original: pairwiseSum(valuesWhere(returnFraction, (value) => value > 0)) / (lossSum || NaN),
      own: ours('trades.profitFactor'),
      formula: 'sum(returns > 0) / abs(sum(returns < 0))',
      differs: OF_RETURNS,
    },
    {
      name: 'Expectancy [%]',
      unit: '%',
      original: pandasMean(returnFraction) * PERCENT,
      own: ours('trades.averageTradeFraction', PERCENT),
      formula: 'mean return of a trade',
      differs: '',
    },
    {
      name: 'SQN',
      unit: '',
      original: (Math.sqrt(tradeCount) * pandasMean(pnl)) / (pandasDeviation(pnl) || NaN),
      own: ours('trades.sqn'),
      formula: 'sqrt(N) mean(pnl) / std(pnl)',
      differs: '',
    },
    {
      name: 'Kelly Criterion',
      unit: '',
      original: winRate - (1 - winRate) / (meanGain / -meanLoss),
      own: ours('trades.kelly'),
      formula: 'win rate - (1 - win rate) / (mean(pnl > 0) / -mean(pnl < 0))',
      differs: '',
    },
  ];
}

/** Returns the geometric mean of returns. 0 when one of them is -1 or less. NaN for an empty column. */
function geometricMean(returns: Float64Array): number {
  if (returns.some((value) => value + 1 <= 0)) return 0;
  return Math.exp(pairwiseSum(returns.map((value) => Math.log(value + 1))) / (returns.length || NaN)) - 1;
}

/** Returns a time span in whole seconds, rounded down. */
function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
