// Figures of a series of daily returns: growth, risk, and the ratios between them (docs/metrics.md).

import { DAY_MS } from '../../base/calendar.ts';
import type { MaxDrawdown } from '../../base/number/maxDrawdown.ts';
import { drawdownOf, type Drawdown } from './drawdown.ts';
import { chain, type Figure } from './figure.ts';
import type { ReturnSeries } from './returns.ts';
import { correlation, deviation, columnMax, isConstant, columnMin, mean, quantile, shape, sumOf, ZERO } from './sums.ts';

/** Trading days in a year. The markets that isobar supports never close. */
export const DAYS_PER_YEAR = 365;

/** Parameters of the figures. */
export interface PortfolioOptions {
  /** Annual risk-free return, a fraction. Default 0. */
  readonly riskFree?: number;
  /** Annual return that omega requires, a fraction. Default 0. */
  readonly required?: number;
}

/** Names of the figures of an equity curve. docs/metrics.md has their formulas. */
export type PortfolioFigure =
  | 'totalReturn'
  | 'netProfit'
  | 'cagr'
  | 'meanReturn'
  | 'geometricMeanReturn'
  | 'volatility'
  | 'downsideDeviation'
  | 'sharpe'
  | 'smartSharpe'
  | 'sortino'
  | 'maxDrawdown'
  | 'maxDrawdownDaily'
  | 'maxDrawdownAbs'
  | 'longestDrawdown'
  | 'averageDrawdown'
  | 'averageDrawdownDays'
  | 'ulcer'
  | 'calmar'
  | 'calmarDaily'
  | 'omega'
  | 'recoveryFactor'
  | 'var95'
  | 'var99'
  | 'cvar95'
  | 'cvar99'
  | 'tailRatio'
  | 'skew'
  | 'excessKurtosis'
  | 'bestDay'
  | 'worstDay'
  | 'positiveDays';

/** The figures of an equity curve, and what other figures need of it. */
export interface Portfolio {
  readonly figures: Readonly<Record<PortfolioFigure, Figure>>;
  readonly drawdown: Drawdown;
  /** True while the longest drawdown has not recovered. */
  readonly longestIsOpen: boolean;
  /** Length of the series in years of 365 days. */
  readonly years: number;
}

/** Converts an annual return to the return of one day: (1 + annual)^(1/365) - 1. */
export function perDay(annual: number): number {
  return annual === 0 ? 0 : Math.expm1(Math.log1p(annual) / DAYS_PER_YEAR);
}

/** The figures by which runs are compared first. */
export type MainFigure =
  | 'totalReturn'
  | 'cagr'
  | 'volatility'
  | 'sharpe'
  | 'sortino'
  | 'maxDrawdown'
  | 'maxDrawdownDaily'
  | 'calmar'
  | 'calmarDaily'
  | 'skew'
  | 'excessKurtosis';

/** The main figures, and the intermediate results from which other figures are computed. */
interface MainResults {
  readonly main: Readonly<Record<MainFigure, Figure>>;
  readonly drawdown: Drawdown;
  readonly years: number;
  readonly downside: Figure;
}

/** Deepest drawdowns of the equity over all bars: a fraction (at most 0) and an amount of money (at least 0). */
export type BarDrawdowns = Pick<MaxDrawdown, 'fraction' | 'units'>;

/** Returns the main figures alone, which is much cheaper than all figures. */
export function mainFigures(series: ReturnSeries, drawdowns: BarDrawdowns): Readonly<Record<MainFigure, Figure>> {
  return mainResultsOf(series, 0, drawdowns).main;
}

/** Returns the main figures with their intermediate results. `riskFreePerDay` is a fraction. */
function mainResultsOf(series: ReturnSeries, riskFreePerDay: number, drawdowns: BarDrawdowns): MainResults {
  const { timeMs, returns, index } = series;
  const returnCount = returns.length;
  // A figure that cannot be computed is a word for the reason. `chain` passes such a word on instead of computing with it.
  const { withReturns, withTwoReturns, unlessRuined } = guards(series);
  const drawdown = drawdownOf(index);
  const hasFallen = drawdown.episodes.length > 0;
  const elapsedMs = returnCount === 0 ? 0 : timeMs[returnCount]! - timeMs[0]!;
  const years = elapsedMs / (DAYS_PER_YEAR * DAY_MS);
  const isFlat = isConstant(returns);
  const totalReturn = withReturns(() => (index[returnCount]! - index[0]!) / index[0]!);
  const cagr = unlessRuined(() =>
    chain(totalReturn, (total) => (elapsedMs < DAY_MS ? 'too-short' : Math.expm1(Math.log1p(total) / years))),
  );
  const meanExcess = withReturns(() => mean(returns) - riskFreePerDay);
  const dailyDeviation = withTwoReturns(() => deviation(returns));
  const downside = withTwoReturns(() => downsideOf(returns, riskFreePerDay));
  const annualSharpe = (): Figure =>
    chain(meanExcess, (excess) => chain(dailyDeviation, (deviationOfDay) => (excess / deviationOfDay) * SQRT_DAYS_PER_YEAR));
  const sharpe = unlessRuined(() => withTwoReturns(() => (isFlat ? 'zero-variance' : annualSharpe())));
  const annualSortino = (downsideOfDay: number): Figure =>
    downsideOfDay <= ZERO ? 'no-downside' : chain(meanExcess, (excess) => (excess / downsideOfDay) * SQRT_DAYS_PER_YEAR);
  const moments = returnCount < 3 || isFlat ? null : shape(returns);
  const main = {
    totalReturn,
    cagr,
    volatility: chain(dailyDeviation, (deviationOfDay) => deviationOfDay * SQRT_DAYS_PER_YEAR),
    sharpe,
    sortino: unlessRuined(() => chain(downside, annualSortino)),
    maxDrawdown: withReturns(() => drawdowns.fraction),
    maxDrawdownDaily: withReturns(() => drawdown.deepest),
    calmar: chain(cagr, (growth) => (drawdowns.fraction < 0 ? growth / -drawdowns.fraction : 'no-drawdown')),
    calmarDaily: chain(cagr, (growth) => (hasFallen ? growth / -drawdown.deepest : 'no-drawdown')),
    skew: returnCount < 3 ? 'too-few-returns' : (moments?.skew ?? 'zero-variance'),
    excessKurtosis: returnCount < 4 ? 'too-few-returns' : (moments?.excessKurtosis ?? 'zero-variance'),
  } satisfies Record<MainFigure, Figure>;
  return { main, drawdown, years, downside };
}

/** Returns wrappers for figures that require a return, two returns, or an equity that did not end at 0. */
function guards({ returns, isRuined }: ReturnSeries) {
  const count = returns.length;
  const withReturns = (compute: () => Figure): Figure => (count === 0 ? 'too-few-returns' : compute());
  const withTwoReturns = (compute: () => Figure): Figure => (count < 2 ? 'too-few-returns' : compute());
  const unlessRuined = (compute: () => Figure): Figure => (isRuined ? 'ruined' : withReturns(compute));
  return { withReturns, withTwoReturns, unlessRuined };
}

/** Returns all figures. `drawdowns` are the drawdowns of the equity over all bars. By default they come from the points of the series. */
export function portfolioFigures(series: ReturnSeries, options: PortfolioOptions = {}, drawdowns = ownDrawdowns(series)): Portfolio {
  const { timeMs, equity, returns } = series;
  const count = returns.length;
  const { withReturns, withTwoReturns, unlessRuined } = guards(series);
  const { main, drawdown, years, downside } = mainResultsOf(series, perDay(options.riskFree ?? 0), drawdowns);
  const netProfit = withReturns(() => equity[count]! - equity[0]!);
  const ascending = returns.toSorted();
  const lengths = drawdownLengths(drawdown, timeMs);
  const hasFallen = drawdown.episodes.length > 0;
  const figures = {
    totalReturn: main.totalReturn,
    netProfit,
    cagr: main.cagr,
    meanReturn: withReturns(() => mean(returns)),
    geometricMeanReturn: unlessRuined(() => geometricMeanOf(returns)),
    volatility: main.volatility,
    downsideDeviation: chain(downside, (downsideOfDay) => downsideOfDay * SQRT_DAYS_PER_YEAR),
    sharpe: main.sharpe,
    smartSharpe: chain(main.sharpe, (sharpe) => smartSharpeOf(sharpe, returns)),
    sortino: main.sortino,
    maxDrawdown: main.maxDrawdown,
    maxDrawdownDaily: main.maxDrawdownDaily,
    maxDrawdownAbs: withReturns(() => drawdowns.units),
    longestDrawdown: withReturns(() => (hasFallen ? lengths.days : 'no-drawdown')),
    averageDrawdown: withReturns(() => (hasFallen ? meanDepthOf(drawdown) : 'no-drawdown')),
    averageDrawdownDays: withReturns(() => (hasFallen ? lengths.meanDays : 'no-drawdown')),
    ulcer: withTwoReturns(() => ulcerOf(drawdown, count)),
    calmar: main.calmar,
    calmarDaily: main.calmarDaily,
    omega: unlessRuined(() => omegaOf(returns, perDay(options.required ?? 0))),
    recoveryFactor: unlessRuined(() => chain(netProfit, (profit) => (drawdowns.units > 0 ? profit / drawdowns.units : 'no-drawdown'))),
    var95: withTwoReturns(() => quantile(ascending, 0.05)),
    var99: withTwoReturns(() => quantile(ascending, 0.01)),
    cvar95: withTwoReturns(() => meanUpTo(ascending, quantile(ascending, 0.05))),
    cvar99: withTwoReturns(() => meanUpTo(ascending, quantile(ascending, 0.01))),
    tailRatio: unlessRuined(() => withTwoReturns(() => tailRatioOf(ascending))),
    skew: main.skew,
    excessKurtosis: main.excessKurtosis,
    bestDay: withReturns(() => columnMax(returns)),
    worstDay: withReturns(() => columnMin(returns)),
    positiveDays: withReturns(() => sumOf(count, (day) => (returns[day]! > 0 ? 1 : 0)) / count),
  } satisfies Record<PortfolioFigure, Figure>;
  return { figures, drawdown, longestIsOpen: lengths.isOpen, years };
}

/** Returns the drawdowns at the points of the series: the fraction from the index, the money from the equity less external flows. */
function ownDrawdowns({ index, equity }: ReturnSeries): BarDrawdowns {
  const fraction = drawdownOf(index).deepest;
  return { fraction, units: drawdownOf(equity).deepestMoney };
}

const SQRT_DAYS_PER_YEAR = Math.sqrt(DAYS_PER_YEAR);

const square = (value: number) => value * value;

/** Returns the equal daily return that gives the same growth. There must be a return. */
function geometricMeanOf(returns: Float64Array): number {
  const logGrowth = sumOf(returns.length, (day) => Math.log1p(returns[day]!));
  return Math.expm1(logGrowth / returns.length);
}

/** Returns the ulcer index: the root mean square of the daily depths, without the first point, which has no return. */
function ulcerOf({ depth }: Drawdown, returnCount: number): number {
  const squares = sumOf(returnCount, (day) => square(depth[day + 1]!));
  return Math.sqrt(squares / (returnCount - 1));
}

/** Returns the 95 % quantile divided by the 5 % quantile, without signs. */
function tailRatioOf(ascending: Float64Array): Figure {
  const lowTail = quantile(ascending, 0.05);
  return lowTail === 0 ? 'no-downside' : Math.abs(quantile(ascending, 0.95) / lowTail);
}

/** Returns the root mean square of the shortfalls of returns below `riskFreePerDay`, over all returns, for one period. */
function downsideOf(returns: Float64Array, riskFreePerDay: number): number {
  const squares = sumOf(returns.length, (day) => square(Math.min(returns[day]! - riskFreePerDay, 0)));
  return Math.sqrt(squares / returns.length);
}

/** Returns the Sharpe ratio reduced for autocorrelation: / sqrt(1 + 2 sum over j of ((n - j) / n) |rho1|^j). */
function smartSharpeOf(sharpe: number, returns: Float64Array): Figure {
  const count = returns.length;
  if (count < 3) return 'too-few-returns';
  const lagCorrelation = correlation(returns.subarray(0, count - 1), returns.subarray(1));
  if (lagCorrelation === null) return 'zero-variance';
  let power = 1;
  const weightedSum = sumOf(count - 1, (index) => {
    power *= Math.abs(lagCorrelation);
    return ((count - 1 - index) / count) * power;
  });
  return sharpe / Math.sqrt(1 + 2 * weightedSum);
}

/** Returns the sum of gains above the threshold, divided by the sum of shortfalls below it. `threshold` is a daily return. */
function omegaOf(returns: Float64Array, threshold: number): Figure {
  const count = returns.length;
  const shortfall = sumOf(count, (day) => Math.max(threshold - returns[day]!, 0));
  if (shortfall <= ZERO) return 'no-losses';
  return sumOf(count, (day) => Math.max(returns[day]! - threshold, 0)) / shortfall;
}

/** Returns the mean of the values that are at most `limit`. */
function meanUpTo(ascending: Float64Array, limit: number): number {
  let count = 0;
  while (count < ascending.length && ascending[count]! <= limit) count++;
  return mean(ascending.subarray(0, count));
}

/** Returns the mean depth of all drawdowns. There must be one. */
function meanDepthOf({ episodes }: Drawdown): number {
  return sumOf(episodes.length, (index) => episodes[index]!.depth) / episodes.length;
}

/** Returns the length of the longest drawdown in days, the mean length, and whether the longest one has not recovered. */
function drawdownLengths(
  { episodes }: Drawdown,
  timeMs: Float64Array,
): { readonly days: number; readonly meanDays: number; readonly isOpen: boolean } {
  const lastMs = timeMs[timeMs.length - 1]!;
  const days = episodes.map(({ peak, recovery }) => {
    const endMs = recovery === null ? lastMs : timeMs[recovery]!;
    return (endMs - timeMs[peak]!) / DAY_MS;
  });
  let maxIndex = 0;
  for (let index = 1; index < days.length; index++) if (days[index]! > days[maxIndex]!) maxIndex = index;
  return {
    days: days[maxIndex] ?? 0,
    meanDays: sumOf(days.length, (index) => days[index]!) / days.length,
    isOpen: episodes[maxIndex]?.recovery === null,
  };
}
