// Computes the figures of a set of closed trades (docs/metrics.md), over columns of equal length in closing order.

import { MaxDrawdown } from '../../base/number/maxDrawdown.ts';
import { chain, type Figure } from './figure.ts';
import { columnMax, columnMin, mean, columnMedian, deviation, signedSums } from './sums.ts';

/** The closed trades of a set. All money columns have the same unit, whichever it is. */
export interface TradeSet {
  readonly pnl: Float64Array;
  /** Result as a fraction of the entry notional. */
  readonly fraction: Float64Array;
  readonly holdMs: Float64Array;
  /** Lowest and highest running profit of each trade. Null when no price path was recorded. */
  readonly mae: Float64Array | null;
  readonly mfe: Float64Array | null;
  readonly maeFraction: Float64Array | null;
  readonly mfeFraction: Float64Array | null;
}

/** Names of the single figures of trades. `docs/metrics.md` has their formulas. */
export type TradeFigure =
  | 'winRate'
  | 'profitFactor'
  | 'averageTrade'
  | 'averageTradeFraction'
  | 'medianTrade'
  | 'medianTradeFraction'
  | 'bestTrade'
  | 'bestTradeFraction'
  | 'worstTrade'
  | 'worstTradeFraction'
  | 'averageWin'
  | 'averageLoss'
  | 'payoff'
  | 'expectancy'
  | 'expectancyRatio'
  | 'sqn'
  | 'kelly'
  | 'endTradeDrawdown'
  | 'closedTradeDrawdown'
  | 'closedTradeDrawdownAbs';
/** Mean and median of the holding times, and the means over winning and losing trades. */
export type HoldFigure = 'mean' | 'median' | 'wins' | 'losses';
/** Mean and most extreme value of the excursions of trades. */
export type ExcursionFigure = 'mean' | 'extreme';

/** Figures of a set of trades. Hold times in ms, money in the unit of the set. */
export interface TradeFigures {
  readonly wins: number;
  readonly losses: number;
  readonly draws: number;
  readonly grossProfit: number;
  /** 0 or less. */
  readonly grossLoss: number;
  readonly maxConsecutiveWins: number;
  readonly maxConsecutiveLosses: number;
  readonly figures: Readonly<Record<TradeFigure, Figure>>;
  readonly holdTime: Readonly<Record<HoldFigure, Figure>>;
  readonly mae: Readonly<Record<ExcursionFigure, Figure>>;
  readonly mfe: Readonly<Record<ExcursionFigure, Figure>>;
  readonly maeFraction: Readonly<Record<ExcursionFigure, Figure>>;
  readonly mfeFraction: Readonly<Record<ExcursionFigure, Figure>>;
}

/** Figures that depend on trade results alone. */
export interface ResultFigures {
  readonly wins: number;
  readonly losses: number;
  readonly grossProfit: number;
  /** 0 or less. */
  readonly grossLoss: number;
  readonly winRate: Figure;
  readonly profitFactor: Figure;
}

/** Returns the figures that need nothing but the result of each trade. */
export function resultFigures(pnl: Float64Array): ResultFigures {
  const { above: grossProfit, below: grossLoss, countAbove: wins, countBelow: losses } = signedSums(pnl, pnl);
  const withTrades = (figure: Figure): Figure => (pnl.length === 0 ? 'no-trades' : figure);
  const winRate = withTrades(wins / pnl.length);
  return {
    wins,
    losses,
    grossProfit,
    grossLoss,
    winRate,
    profitFactor: withTrades(losses === 0 ? 'no-losses' : grossProfit / Math.abs(grossLoss)),
  };
}

/** Returns all trade figures. `startCapital`: the capital before the first trade, from which the closed-trade drawdown begins. */
export function tradeFigures(set: TradeSet, startCapital: number): TradeFigures {
  const { pnl } = set;
  const results = resultFigures(pnl);
  const { wins, losses, grossProfit, grossLoss } = results;
  return {
    wins,
    losses,
    draws: pnl.length - wins - losses,
    grossProfit,
    grossLoss,
    maxConsecutiveWins: maxRun(pnl, 1),
    maxConsecutiveLosses: maxRun(pnl, -1),
    figures: singleFigures(set, results, startCapital),
    holdTime: holdFigures(set, results),
    mae: excursionFigures(set, set.mae, columnMin),
    mfe: excursionFigures(set, set.mfe, columnMax),
    maeFraction: excursionFigures(set, set.maeFraction, columnMin),
    mfeFraction: excursionFigures(set, set.mfeFraction, columnMax),
  };
}

/** Returns a wrapper for figures that require a trade. */
function withTradesOf({ pnl }: TradeSet): (compute: () => Figure) => Figure {
  return (compute) => (pnl.length === 0 ? 'no-trades' : compute());
}

/** Returns the figures that are one number each. */
function singleFigures(set: TradeSet, results: ResultFigures, startCapital: number): Readonly<Record<TradeFigure, Figure>> {
  const { pnl, fraction, mfe } = set;
  const { wins, losses, grossProfit, grossLoss, winRate, profitFactor } = results;
  const count = pnl.length;
  const withTrades = withTradesOf(set);
  const averageWin = withTrades(() => (wins === 0 ? 'no-wins' : grossProfit / wins));
  const averageLoss = withTrades(() => (losses === 0 ? 'no-losses' : grossLoss / losses));
  const payoff = chain(averageLoss, (loss) => chain(averageWin, (win) => win / Math.abs(loss)));
  const wonShare = wins / count;
  const lostShare = losses / count;
  const meanResult = mean(pnl);
  const best = columnMax(pnl);
  const worst = columnMin(pnl);
  const closedDrawdown = count === 0 ? null : closedTradeDrawdown(startCapital, pnl);
  return {
    winRate,
    profitFactor,
    averageTrade: withTrades(() => meanResult),
    averageTradeFraction: withTrades(() => mean(fraction)),
    medianTrade: withTrades(() => columnMedian(pnl)),
    medianTradeFraction: withTrades(() => columnMedian(fraction)),
    bestTrade: withTrades(() => best),
    bestTradeFraction: withTrades(() => columnMax(fraction)),
    worstTrade: withTrades(() => worst),
    worstTradeFraction: withTrades(() => columnMin(fraction)),
    averageWin,
    averageLoss,
    payoff,
    expectancy: withTrades(() => wonShare * numberOr0(averageWin) - lostShare * Math.abs(numberOr0(averageLoss))),
    expectancyRatio: chain(payoff, (ratio) => (1 + ratio) * wonShare - 1),
    sqn: withTrades(() => systemQuality(pnl, meanResult, best === worst)),
    kelly: chain(payoff, (ratio) => wonShare - (1 - wonShare) / ratio),
    endTradeDrawdown: withTrades(() => (mfe === null ? 'not-recorded' : mean(differences(mfe, pnl)))),
    closedTradeDrawdown: withTrades(() => closedDrawdown!.fraction),
    closedTradeDrawdownAbs: withTrades(() => closedDrawdown!.units),
  };
}

/** Returns the means and the median of the holding times, in ms. */
function holdFigures(set: TradeSet, { wins, losses }: ResultFigures): Readonly<Record<HoldFigure, Figure>> {
  const { pnl, holdMs } = set;
  const withTrades = withTradesOf(set);
  const holdSums = signedSums(holdMs, pnl);
  return {
    mean: withTrades(() => mean(holdMs)),
    median: withTrades(() => columnMedian(holdMs)),
    wins: withTrades(() => (wins === 0 ? 'no-wins' : holdSums.above / wins)),
    losses: withTrades(() => (losses === 0 ? 'no-losses' : holdSums.below / losses)),
  };
}

/** Returns the mean and the most extreme of `values`, one value for each trade; null: no price path was recorded. */
function excursionFigures(
  set: TradeSet,
  values: Float64Array | null,
  extremeOf: (column: Float64Array) => number,
): Readonly<Record<ExcursionFigure, Figure>> {
  const withTrades = withTradesOf(set);
  return {
    mean: withTrades(() => (values === null ? 'not-recorded' : mean(values))),
    extreme: withTrades(() => (values === null ? 'not-recorded' : extremeOf(values))),
  };
}

/** Returns the system quality number (docs/metrics.md): the mean result in units of its standard error. */
function systemQuality(pnl: Float64Array, meanResult: number, isConstant: boolean): Figure {
  if (pnl.length < 2) return 'too-few-trades';
  return isConstant ? 'zero-variance' : (Math.sqrt(pnl.length) * meanResult) / deviation(pnl, meanResult);
}

/** Returns 0 for a figure that has no number. */
function numberOr0(figure: Figure): number {
  return typeof figure === 'number' ? figure : 0;
}

/** Returns the length of the longest run of results above 0 (`sign` 1) or below 0 (`sign` -1). */
function maxRun(pnl: Float64Array, sign: 1 | -1): number {
  let maxLength = 0;
  let currentLength = 0;
  for (let row = 0; row < pnl.length; row++) {
    currentLength = pnl[row]! * sign > 0 ? currentLength + 1 : 0;
    if (currentLength > maxLength) maxLength = currentLength;
  }
  return maxLength;
}

/** Returns `a` minus `b`, row by row. */
export function differences(a: Float64Array, b: Float64Array): Float64Array {
  const target = new Float64Array(a.length);
  subtract(a, b, target);
  return target;
}

/** Writes `a` minus `b` to `target`. */
function subtract(a: Float64Array, b: Float64Array, target: Float64Array): void {
  for (let row = 0; row < target.length; row++) target[row] = a[row]! - b[row]!;
}

/** Rows of the capital that are computed at a time. */
const CAPITAL_ROWS = 1024;
/** The capital after each trade of the current part. */
const capital = new Float64Array(CAPITAL_ROWS);

/** Returns the deepest drawdowns of the capital after each trade. */
function closedTradeDrawdown(startCapital: number, pnl: Float64Array): MaxDrawdown {
  const drawdowns = new MaxDrawdown(startCapital);
  let lastCapital = startCapital;
  for (let from = 0; from < pnl.length; from += CAPITAL_ROWS) {
    const rows = Math.min(CAPITAL_ROWS, pnl.length - from);
    lastCapital = writeCapital(lastCapital, pnl, from, rows);
    drawdowns.take(capital, rows);
  }
  return drawdowns;
}

/** Writes the capital after each of `rows` trades, and returns the last. `capitalBefore`: the capital before the first of them. */
function writeCapital(capitalBefore: number, pnl: Float64Array, from: number, rows: number): number {
  let lastCapital = capitalBefore;
  for (let row = 0; row < rows; row++) capital[row] = lastCapital += pnl[from + row]!;
  return lastCapital;
}
