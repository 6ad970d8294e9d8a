// Computes the metrics of a run for summary.json: flat names, nulls with reasons, tables and series as arrays.

import { civilMonth, DAY_MS } from '../../base/calendar.ts';
import type { RunRecord } from '../../model/run/run.ts';
import { barDrawdowns, dailyEquity, type DailyEquity } from '../series/daily.ts';
import { exposureFigures, type ExposureFigure, type HoldingPeriods } from './exposure.ts';
import { benchmarkFigures, type BenchmarkFigure } from '../kernels/benchmark.ts';
import { probabilisticSharpe } from '../kernels/sharpeConfidence.ts';
import type { Figures } from './figures.ts';
import type { Drawdown } from '../kernels/drawdown.ts';
import { settle, type Figure, type Flag, type Reason } from '../kernels/figure.ts';
import { chainByKey, rolling } from '../kernels/periods.ts';
import { DAYS_PER_YEAR, perDay, portfolioFigures, type PortfolioFigure, type PortfolioOptions } from '../kernels/portfolio.ts';
import { seriesOf } from '../kernels/returns.ts';
import { moneyText } from '../series/money.ts';

type SharpeConfidenceFigure = 'psr0' | 'psr1' | 'dsr' | 'pbo';
/** Names of the single figures of `metrics` in summary.json. */
export type MetricName = PortfolioFigure | BenchmarkFigure | ExposureFigure | SharpeConfidenceFigure;

/** One fall of the daily equity below its highest value. Times are the ends of days (ms UTC). */
export interface DrawdownRow {
  readonly peakMs: number;
  readonly troughMs: number;
  /** Null while the peak has not been reached again. */
  readonly recoveryMs: number | null;
  /** A fraction below 0. */
  readonly depth: number;
  readonly days: number;
}

/** The object `metrics` of summary.json. Its single figures are declared in figures.ts. */
export interface Metrics extends Figures {
  /** Every figure uses daily returns, except maxDrawdown, maxDrawdownAbs, calmar and recoveryFactor, which use every bar. */
  readonly basis: 'daily';
  /** The ten deepest drawdowns, deepest first. */
  readonly drawdownTable: readonly DrawdownRow[];
  readonly monthly: readonly { readonly year: number; readonly month: number; readonly return: number }[];
  readonly yearly: readonly { readonly year: number; readonly return: number }[];
  /** End of each sampled day (ms UTC). The daily and rolling series below are aligned with it. */
  readonly days: readonly number[];
  readonly dailyReturns: readonly number[];
  readonly rollingDays: number;
  readonly rollingSharpe: readonly (number | null)[];
  readonly rollingVolatility: readonly (number | null)[];
  readonly rollingBeta: readonly (number | null)[];
  readonly reasons: Readonly<Partial<Record<MetricName, Reason>>>;
  readonly flags: Readonly<Record<string, readonly Flag[]>>;
}

const ROLLING_DAYS = 90;
const MAX_DRAWDOWNS = 10;
/** Growth over fewer days is flagged `extrapolated`, because a year of it was not seen. */
const EXTRAPOLATED_BELOW_DAYS = 90;

/** Returns the metrics. `holding` are the times with a position. `options` are the parameters of the figures, 0 by default. */
export function metricsOf(
  record: RunRecord,
  holding: HoldingPeriods,
  daily: DailyEquity = dailyEquity(record),
  options: PortfolioOptions = {},
): Metrics {
  const series = seriesOf(daily.timeMs, daily.equity);
  const { returns, timeMs, isRuined } = series;
  const n = returns.length;
  const portfolio = portfolioFigures(series, options, record.streamed?.drawdown ?? barDrawdowns(record));
  const riskFree = options.riskFree ?? 0;
  // The series ends at ruin, so it can be shorter than its benchmark.
  const benchmark = daily.benchmark === null ? null : seriesOf(daily.timeMs, daily.benchmark).returns.subarray(0, n);
  const figures: Record<MetricName, Figure> = {
    ...portfolio.figures,
    ...benchmarkFigures({ returns, benchmark, cagr: portfolio.figures.cagr, isRuined, riskFree }),
    ...exposureFigures(record, holding, daily.equity),
    psr0: probabilisticSharpe(returns, 0, isRuined),
    psr1: probabilisticSharpe(returns, 1, isRuined),
    dsr: 'no-trials',
    pbo: 'no-trials',
  };
  const { values, reasons } = settle(figures);
  const money = (units: number | null) => (units === null ? null : moneyText(units, record.reportingDigits));
  const window = rolling(returns, benchmark, ROLLING_DAYS, perDay(riskFree));
  return {
    basis: 'daily',
    ...values,
    netProfit: money(values.netProfit),
    maxDrawdownAbs: money(values.maxDrawdownAbs),
    drawdownTable: drawdownTable(portfolio.drawdown, timeMs),
    ...calendarReturns(returns, timeMs),
    days: Array.from(timeMs.subarray(1)),
    dailyReturns: Array.from(returns),
    rollingDays: ROLLING_DAYS,
    rollingSharpe: window.sharpe,
    rollingVolatility: window.volatility,
    rollingBeta: window.beta,
    reasons,
    flags: flagsOf(record, portfolio.years, portfolio.longestIsOpen),
  };
}

/** Returns the returns of each calendar month and year (UTC). `timeMs` has the time before each return. */
function calendarReturns(returns: Float64Array, timeMs: Float64Array): Pick<Metrics, 'monthly' | 'yearly'> {
  const starts = Array.from(timeMs.subarray(0, returns.length), civilMonth);
  const months = chainByKey(
    returns,
    starts.map(({ year, month }) => year * 12 + month - 1),
  );
  const years = chainByKey(
    returns,
    starts.map(({ year }) => year),
  );
  return {
    monthly: months.map(({ key, return: value }) => ({ year: Math.floor(key / 12), month: (key % 12) + 1, return: value })),
    yearly: years.map(({ key, return: value }) => ({ year: key, return: value })),
  };
}

/** Returns the remarks beside figures, by the name of the figure. `years` is the length of the run. */
function flagsOf(record: RunRecord, years: number, isDrawdownOpen: boolean): Readonly<Record<string, readonly Flag[]>> {
  const flags: Record<string, readonly Flag[]> = {};
  if (years * DAYS_PER_YEAR < EXTRAPOLATED_BELOW_DAYS)
    for (const name of ['cagr', 'calmar', 'calmarDaily', 'treynor']) flags[name] = ['extrapolated'];
  if (isDrawdownOpen) flags['longestDrawdown'] = ['open'];
  const partial: Flag[] = [];
  if (record.fromMs % DAY_MS !== 0) partial.push('partialFirstDay');
  if (record.toMs % DAY_MS !== 0) partial.push('partialLastDay');
  if (partial.length > 0) flags['dailyReturns'] = partial;
  return flags;
}

/** Returns the deepest drawdowns, deepest first. */
function drawdownTable({ episodes }: Drawdown, timeMs: Float64Array): DrawdownRow[] {
  const last = timeMs[timeMs.length - 1]!;
  return episodes
    .toSorted((a, b) => a.depth - b.depth)
    .slice(0, MAX_DRAWDOWNS)
    .map(({ peak, trough, recovery, depth }) => {
      const recoveryMs = recovery === null ? null : timeMs[recovery]!;
      return { peakMs: timeMs[peak]!, troughMs: timeMs[trough]!, recoveryMs, depth, days: ((recoveryMs ?? last) - timeMs[peak]!) / DAY_MS };
    });
}
