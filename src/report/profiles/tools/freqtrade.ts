// Computes the figures of freqtrade 2024.10 from closed trades, as in its backtest report.

import { ours, sound, type FigureDefinition } from '../figures/figure.ts';
import type { ProfileInput, ProfileTrades } from '../figures/profileInput.ts';
import { countWhere, longestRun, numpyQuantile, pandasDeviation, pandasMean, roundHalfEven, valuesWhere } from '../statistics/moments.ts';
import { numpyOrder } from '../statistics/numpyOrder.ts';
import { pairwiseSum, rangeOf, runningMax, sequentialSum } from '../statistics/orderedArithmetic.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const SQRT_DAYS_PER_YEAR = Math.sqrt(365);
/** The value that freqtrade writes when a deviation or a drawdown is 0. */
const UNDEFINED_RATIO = -100;
/** freqtrade rounds the profit of a day to ten decimals. */
const PROFIT_SCALE = 1e10;

const isGain = (value: number) => value > 0;
const isLoss = (value: number) => value < 0;

/** Returns the figures in groups: profit, ratios, drawdown, trades, days. */
export function freqtradeFigures(input: ProfileInput): FigureDefinition[] {
  return [...profitFigures(input), ...ratioFigures(input), ...drawdownFigures(input), ...tradeFigures(input), ...dayFigures(input)];
}

/** Returns the whole days between the first and the last bar, at least 1. */
function elapsedDays({ bars: { openMs } }: ProfileInput): number {
  return openMs.length === 0 ? 1 : Math.max(1, Math.floor((openMs.at(-1)! - openMs[0]!) / DAY_MS));
}

/** Returns the figures of the profit. */
function profitFigures(input: ProfileInput): FigureDefinition[] {
  const { startEquity, endEquity, trades } = input;
  const hasTrades = trades.length > 0;
  const profitSum = pairwiseSum(trades.pnl);
  const returnOfSide = (isShort: number) => pairwiseSum(trades.pnl.filter((_, row) => trades.isShort[row] === isShort)) / startEquity;
  const annualGrowth = endEquity < 0 ? 0 : (endEquity / startEquity) ** (1 / (elapsedDays(input) / 365)) - 1;
  const CLOSED_TRADES_ONLY = 'of closed trades; isobar counts open ones at their last mark';
  return [
    {
      name: 'profit_total_abs',
      unit: 'money',
      original: profitSum,
      own: ours('metrics.netProfit'),
      formula: 'sum(p), p the net profit of a closed trade',
      differs: CLOSED_TRADES_ONLY,
    },
    {
      name: 'profit_total',
      unit: '',
      original: profitSum / startEquity,
      own: ours('metrics.totalReturn'),
      formula: 'sum(p) / starting balance',
      differs: CLOSED_TRADES_ONLY,
    },
    {
      name: 'profit_total_long',
      unit: '',
      original: returnOfSide(0),
      own: sound(returnOfSide(0), [!hasTrades, 'no-trades']),
      formula: 'sum(p of long trades) / starting balance',
      differs: 'isobar has it in money: trades.breakdowns.side',
    },
    {
      name: 'profit_total_short',
      unit: '',
      original: returnOfSide(1),
      own: sound(returnOfSide(1), [!hasTrades, 'no-trades']),
      formula: 'sum(p of short trades) / starting balance',
      differs: 'isobar has it in money: trades.breakdowns.side',
    },
    {
      name: 'profit_mean',
      unit: '',
      original: hasTrades ? pandasMean(trades.returnFraction) : 0,
      own: ours('trades.averageTradeFraction'),
      formula: 'mean(profit ratio); 0 without trades',
      differs: '',
    },
    {
      name: 'profit_median',
      unit: '',
      original: hasTrades ? numpyQuantile(trades.returnFraction, 0.5) : 0,
      own: ours('trades.medianTradeFraction'),
      formula: 'median(profit ratio); 0 without trades',
      differs: '',
    },
    {
      name: 'cagr',
      unit: '',
      // A power beyond the range of a double raises an error in Python, and ends freqtrade's report.
      original: annualGrowth === Infinity ? null : annualGrowth,
      own: ours('metrics.cagr'),
      formula: '(final balance / starting balance)^(365 / D) - 1, D the whole days from the first to the last candle, at least 1',
      differs: 'counts whole days and reports a run of less than a day; isobar: elapsed time, null under a day',
    },
    {
      name: 'final_balance',
      unit: 'money',
      original: endEquity,
      own: ours('run.endEquity'),
      formula: 'balance at the end',
      differs: '',
    },
  ];
}

/** Returns the Sharpe, Sortino and Calmar ratios and the like. */
function ratioFigures(input: ProfileInput): FigureDefinition[] {
  const { startEquity, trades } = input;
  const { pnl } = trades;
  const tradeReturns = pnl.map((profit) => profit / startEquity);
  const meanDailyReturn = pairwiseSum(tradeReturns) / elapsedDays(input);
  const deviation = pandasDeviation(tradeReturns, 0);
  const downsideDeviation = pandasDeviation(valuesWhere(tradeReturns, isLoss), 0);
  const isEmpty = pnl.length === 0 || input.bars.openMs.at(-1) === input.bars.openMs[0];
  const drawdown = largestDrawdowns(inClosingOrder(trades), startEquity).account;
  const annualRatio = (divisor: number) =>
    divisor !== 0 && !Number.isNaN(divisor) ? (meanDailyReturn / divisor) * SQRT_DAYS_PER_YEAR : UNDEFINED_RATIO;
  const dailyPercent = (pairwiseSum(pnl) / startEquity / elapsedDays(input)) * 100;
  const calmar = drawdown === 0 ? UNDEFINED_RATIO : (dailyPercent / drawdown) * SQRT_DAYS_PER_YEAR;
  const OF_TRADES = 'a mean of a day over a deviation of a trade; isobar takes both of daily returns';
  return [
    {
      name: 'sharpe',
      unit: '',
      original: isEmpty ? 0 : annualRatio(deviation),
      own: ours('metrics.sharpe'),
      formula: 'sum(p / S) / D / population std(p / S) sqrt(365), S the starting balance; -100 where it is undefined',
      differs: OF_TRADES,
    },
    {
      name: 'sortino',
      unit: '',
      original: isEmpty ? 0 : annualRatio(downsideDeviation),
      own: ours('metrics.sortino'),
      formula: 'sum(p / S) / D / population std(p / S of losing trades) sqrt(365); -100 where it is undefined',
      differs: `${OF_TRADES}, and the deviation of losses is that from 0`,
    },
    {
      name: 'calmar',
      unit: '',
      original: isEmpty ? 0 : calmar,
      own: ours('metrics.calmar'),
      formula: 'sum(p) / S / D 100 / max_drawdown_account sqrt(365); -100 where it is undefined',
      differs: 'no annual growth, a factor of 100, and the root of time; isobar: annual growth over the deepest drawdown',
    },
    ...expectancies(pnl),
  ];
}

/** Returns expectancy and expectancy ratio, as freqtrade computes them from the profit of each trade. */
function expectancies(pnl: Float64Array): FigureDefinition[] {
  const tradeCount = pnl.length;
  const won = valuesWhere(pnl, isGain);
  const losses = valuesWhere(pnl, isLoss);
  const wonSum = pairwiseSum(won);
  const lostSum = Math.abs(pairwiseSum(losses));
  const averageWin = won.length > 0 ? wonSum / won.length : 0;
  const averageLoss = losses.length > 0 ? lostSum / losses.length : 0;
  const winRate = won.length / tradeCount;
  const expectancy = winRate * averageWin - (losses.length / tradeCount) * averageLoss;
  return [
    {
      name: 'expectancy',
      unit: 'money',
      original: tradeCount === 0 ? 0 : expectancy,
      own: ours('trades.expectancy'),
      formula: 'win rate average win - loss rate average loss; 0 without trades',
      differs: '',
    },
    {
      name: 'expectancy_ratio',
      unit: '',
      original: averageLoss > 0 ? (1 + averageWin / averageLoss) * winRate - 1 : 100,
      own: ours('trades.expectancyRatio'),
      formula: '(1 + average win / average loss) win rate - 1; 100 without a loss',
      differs: 'isobar: null without a loss',
    },
    {
      name: 'profit_factor',
      unit: '',
      original: lostSum === 0 ? 0 : wonSum / lostSum,
      own: ours('trades.profitFactor'),
      formula: 'sum(p > 0) / abs(sum(p < 0)); 0 without a loss',
      differs: 'isobar: null without a loss',
    },
  ];
}

/** The largest drawdown in money, and the largest one relative to its peak. */
interface LargestDrawdowns {
  /** Depth (a fraction) at the largest drawdown in money. */
  readonly account: number;
  /** Largest depth, a fraction. */
  readonly relative: number;
  /** The largest drawdown in money. */
  readonly money: number;
}

/** Returns the results as freqtrade sorts them by their close. */
function inClosingOrder({ exitMs, pnl }: ProfileTrades): Float64Array {
  return Float64Array.from(numpyOrder(exitMs), (row) => pnl[row]!);
}

/**
 * Returns the largest drawdowns of the balance after each trade. As in freqtrade, the starting balance is not a peak, and a lowest point at
 * the first trade counts as no drawdown.
 */
function largestDrawdowns(pnl: Float64Array, startEquity: number): LargestDrawdowns {
  let total = 0;
  const profits = pnl.map((profit) => (total += profit));
  const peaks = runningMax(profits);
  const losses = profits.map((value, row) => value - peaks[row]!);
  const depths = profits.map((value, row) => (startEquity + peaks[row]! - (startEquity + value)) / (startEquity + peaks[row]!));
  const lossRow = losses.indexOf(rangeOf(losses).min);
  const depthRow = depths.indexOf(rangeOf(depths).max);
  if (lossRow <= 0) return { account: 0, relative: 0, money: 0 };
  return { account: depths[lossRow]!, relative: depthRow <= 0 ? NaN : depths[depthRow]!, money: Math.abs(losses[lossRow]!) };
}

/** Returns the figures of drawdowns. */
function drawdownFigures({ startEquity, trades }: ProfileInput): FigureDefinition[] {
  const { pnl } = trades;
  const drawdowns = largestDrawdowns(inClosingOrder(trades), startEquity);
  // If one of both is missing, freqtrade's error leaves all of them at 0.
  const isMissing = drawdowns.money === 0 || Number.isNaN(drawdowns.relative);
  let total = 0;
  const path = pnl.map((profit) => (total += profit));
  const { min, max } = rangeOf(path);
  const FROM_FIRST = "the peak starts at the first closed trade; isobar's at the starting capital, bar by bar, open positions included";
  return [
    {
      name: 'max_drawdown_account',
      unit: '',
      original: isMissing ? 0 : drawdowns.account,
      own: ours('metrics.maxDrawdown', -1),
      formula: 'depth at the largest fall in money of S + the running sum of p; 0 where the first trade is the lowest point',
      differs: FROM_FIRST,
    },
    {
      name: 'max_relative_drawdown',
      unit: '',
      original: isMissing ? 0 : drawdowns.relative,
      own: ours('metrics.maxDrawdown', -1),
      formula: 'largest depth of S + the running sum of p',
      differs: FROM_FIRST,
    },
    {
      name: 'max_drawdown_abs',
      unit: 'money',
      original: isMissing ? 0 : drawdowns.money,
      own: ours('metrics.maxDrawdownAbs'),
      formula: 'largest fall in money of the running sum of p',
      differs: FROM_FIRST,
    },
    {
      name: 'csum_min',
      unit: 'money',
      original: isMissing ? 0 : min + startEquity,
      own: sound(min + startEquity, [pnl.length === 0, 'no-trades']),
      formula: 'S + lowest running sum of p; 0 without a drawdown',
      differs: 'isobar has no such figure',
    },
    {
      name: 'csum_max',
      unit: 'money',
      original: isMissing ? 0 : max + startEquity,
      own: sound(max + startEquity, [pnl.length === 0, 'no-trades']),
      formula: 'S + highest running sum of p; 0 without a drawdown',
      differs: 'isobar has no such figure',
    },
  ];
}

/** Returns the figures of single trades. */
function tradeFigures({ trades }: ProfileInput): FigureDefinition[] {
  const { length: tradeCount, isShort, returnFraction, entryNotional, entryMs, exitMs } = trades;
  const shorts = countWhere(Float64Array.from(isShort), (value) => value === 1);
  const minutes = entryMs.map((ms, row) => Math.floor((exitMs[row]! - ms) / MINUTE_MS));
  const count = (name: string, original: number, place: string, formula: string): FigureDefinition => ({
    name,
    unit: '',
    original,
    own: ours(place),
    formula,
    differs: '',
  });
  return [
    count('total_trades', tradeCount, 'trades.trades', 'number of closed trades'),
    count('trade_count_long', tradeCount - shorts, 'trades.longs', 'number of long trades'),
    count('trade_count_short', shorts, 'trades.shorts', 'number of short trades'),
    count('wins', countWhere(returnFraction, isGain), 'trades.wins', 'trades with profit ratio > 0'),
    count(
      'draws',
      countWhere(returnFraction, (value) => value === 0),
      'trades.draws',
      'trades with profit ratio 0',
    ),
    count('losses', countWhere(returnFraction, isLoss), 'trades.losses', 'trades with profit ratio < 0'),
    {
      name: 'winrate',
      unit: '',
      original: tradeCount === 0 ? 0 : countWhere(returnFraction, isGain) / tradeCount,
      own: ours('trades.winRate'),
      formula: 'wins / all; 0 without trades',
      differs: '',
    },
    count(
      'max_consecutive_wins',
      longestRun(returnFraction, isGain),
      'trades.maxConsecutiveWins',
      'longest run of trades with profit ratio > 0',
    ),
    {
      ...count(
        'max_consecutive_losses',
        longestRun(returnFraction, (value) => !isGain(value)),
        'trades.maxConsecutiveLosses',
        'longest run of trades with profit ratio <= 0',
      ),
      differs: 'a result of 0 counts as a loss; in isobar it ends a run',
    },
    {
      name: 'avg_stake_amount',
      unit: 'money',
      original: tradeCount === 0 ? 0 : pandasMean(entryNotional),
      own: sound(pandasMean(entryNotional), [tradeCount === 0, 'no-trades']),
      formula: 'mean(entry notional); 0 without trades',
      differs: 'isobar has no such figure',
    },
    {
      name: 'holding_avg',
      unit: 's',
      original: tradeCount === 0 ? 0 : roundHalfEven(pandasMean(minutes)) * 60,
      own: ours('trades.holdTime.mean', 0.001),
      formula: 'mean(whole minutes from entry to exit), rounded to a minute',
      differs: 'isobar: from first to last fill, not rounded',
    },
  ];
}

/** Returns the figures of days. */
function dayFigures({ trades }: ProfileInput): FigureDefinition[] {
  const { length: tradeCount, pnl, returnFraction, exitMs } = trades;
  const profitByDay = sumsByDay(exitMs, pnl).map((profit) => roundHalfEven(profit * PROFIT_SCALE) / PROFIT_SCALE);
  const returnByDay = sumsByDay(exitMs, returnFraction);
  const figure = (name: string, unit: FigureDefinition['unit'], original: number, formula: string): FigureDefinition => ({
    name,
    unit,
    original: tradeCount === 0 ? 0 : original,
    own: sound(original, [tradeCount === 0, 'no-trades']),
    formula,
    differs: "of profits booked on the day of closing; isobar's best, worst and positive days are of daily equity",
  });
  const DAYS_FROM_FIRST = 'days from the first to the last close';
  return [
    figure('backtest_best_day', '', rangeOf(returnByDay).max, 'highest sum of profit ratios of a day'),
    figure('backtest_worst_day', '', rangeOf(returnByDay).min, 'lowest sum of profit ratios of a day'),
    figure('backtest_best_day_abs', 'money', rangeOf(profitByDay).max, 'highest profit of a day'),
    figure('backtest_worst_day_abs', 'money', rangeOf(profitByDay).min, 'lowest profit of a day'),
    figure('winning_days', '', countWhere(profitByDay, isGain), `${DAYS_FROM_FIRST} with a profit`),
    figure(
      'draw_days',
      '',
      countWhere(profitByDay, (value) => value === 0),
      `${DAYS_FROM_FIRST} without one`,
    ),
    figure('losing_days', '', countWhere(profitByDay, isLoss), `${DAYS_FROM_FIRST} with a loss`),
  ];
}

/** Returns the sum of each UTC day from the first to the last, including days without a value. */
function sumsByDay(timeMs: Float64Array, values: Float64Array): Float64Array {
  if (values.length === 0) return new Float64Array(0);
  const { min, max } = rangeOf(timeMs);
  const firstDay = Math.floor(min / DAY_MS);
  const valuesByDay = Array.from({ length: Math.floor(max / DAY_MS) - firstDay + 1 }, (): number[] => []);
  values.forEach((value, row) => valuesByDay[Math.floor(timeMs[row]! / DAY_MS) - firstDay]!.push(value));
  return Float64Array.from(valuesByDay, (group) => sequentialSum(Float64Array.from(group)));
}
