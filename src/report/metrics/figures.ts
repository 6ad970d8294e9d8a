// The equity figures by name, each with its formula and unit from docs/metrics.md. Editors show these comments for `metrics.`.

import type { Money } from '../series/money.ts';

/**
 * `E` is equity at the starts and ends of UTC days, `r` the n daily returns, A = 365 days a year, `y` the years elapsed. Fractions are
 * fractions (0.12 is 12 %). An undefined figure is null, and `reasons` says why.
 */
export interface Figures {
  /** E_n / E_0 - 1, a fraction. */
  readonly totalReturn: number | null;
  /** E_n - E_0, in the reporting asset. */
  readonly netProfit: Money | null;
  /** (1 + totalReturn)^(1/y) - 1, a year. Null under one day, flagged `extrapolated` under 90 days. */
  readonly cagr: number | null;
  /** mean(r), a day. */
  readonly meanReturn: number | null;
  /** exp(mean(ln(1 + r))) - 1, a day. */
  readonly geometricMeanReturn: number | null;
  /** std(r) sqrt(A), a year. */
  readonly volatility: number | null;
  /** sqrt(sum(min(r - rf, 0)^2) / n) sqrt(A), a year. */
  readonly downsideDeviation: number | null;
  /** mean(r - rf) / std(r) sqrt(A). */
  readonly sharpe: number | null;
  /** Sharpe, reduced for the lag-1 correlation of r. */
  readonly smartSharpe: number | null;
  /** mean(r - rf) divided by the downside deviation of a day, times sqrt(A). */
  readonly sortino: number | null;
  /** Deepest fall of the equity at any bar, as a fraction of the highest equity before it. Below 0. */
  readonly maxDrawdown: number | null;
  /** Deepest fall between ends of days only. */
  readonly maxDrawdownDaily: number | null;
  /** Largest fall of the equity at any bar in money (above 0). It can be at another bar than `maxDrawdown`. */
  readonly maxDrawdownAbs: Money | null;
  /** At the ends of days: days from a peak to the first value at or above it. Flag `open` when it has not recovered. */
  readonly longestDrawdown: number | null;
  /** Mean depth (a fraction below 0) and mean length (days) of all drawdowns at the ends of days. */
  readonly averageDrawdown: number | null;
  readonly averageDrawdownDays: number | null;
  /** sqrt(sum(dd^2) / (n - 1)) over the ends of days, a fraction. */
  readonly ulcer: number | null;
  /** cagr / abs(maxDrawdown). */
  readonly calmar: number | null;
  /** cagr / abs(maxDrawdownDaily). */
  readonly calmarDaily: number | null;
  /** sum(max(r, 0)) / sum(max(-r, 0)). */
  readonly omega: number | null;
  /** netProfit / maxDrawdownAbs. */
  readonly recoveryFactor: number | null;
  /** 5 % and 1 % quantile of r, a day. */
  readonly var95: number | null;
  readonly var99: number | null;
  /** Mean of all r at or below that quantile, a day. */
  readonly cvar95: number | null;
  readonly cvar99: number | null;
  /** abs(95 % quantile / 5 % quantile) of r. */
  readonly tailRatio: number | null;
  /** Skew of the daily returns, bias-corrected. A normal distribution has 0, and an excess kurtosis of 0. */
  readonly skew: number | null;
  readonly excessKurtosis: number | null;
  /** Highest and lowest r, a fraction. */
  readonly bestDay: number | null;
  readonly worstDay: number | null;
  /** Share of days with r above 0. */
  readonly positiveDays: number | null;
  /** Total return of buy-and-hold of the instruments, bought in equal parts at their first open. */
  readonly benchmarkReturn: number | null;
  /** cov(r, b) / var(b), b being buy-and-hold's daily returns. */
  readonly beta: number | null;
  /** A (mean(r) - rf - beta (mean(b) - rf)), a year. */
  readonly alpha: number | null;
  /** Squared correlation of r and b. */
  readonly rSquared: number | null;
  /** std(r - b) sqrt(A), a year. */
  readonly trackingError: number | null;
  /** mean(r - b) / std(r - b) sqrt(A). */
  readonly informationRatio: number | null;
  /** (cagr - annual risk-free) / beta. */
  readonly treynor: number | null;
  /** Share of the run's time with a position. */
  readonly exposureTime: number | null;
  /** Mean over time, and extreme, of absolute notional / equity. */
  readonly grossExposure: number | null;
  readonly grossExposureMax: number | null;
  /** Mean over time, and extreme, of signed notional / equity. */
  readonly netExposure: number | null;
  readonly netExposureMax: number | null;
  /** On spot it equals the gross exposure. */
  readonly leverage: number | null;
  readonly leverageMax: number | null;
  /** Notional of all fills / mean daily equity, a year. */
  readonly turnover: number | null;
  /** Probability that the true Sharpe ratio exceeds 0 (`psr0`) and 1 (`psr1`), given length, skew and kurtosis of r. */
  readonly psr0: number | null;
  readonly psr1: number | null;
  /**
   * Deflated Sharpe ratio and probability of backtest overfitting. Both need the trials of a sweep: null with `no-trials` in a single run.
   */
  readonly dsr: number | null;
  readonly pbo: number | null;
}
