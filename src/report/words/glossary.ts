// Explains each figure of the report: label, format, definition. docs/metrics.md has the formulas.

import type { MetricName } from '../metrics/metrics.ts';
import type { TradeFigure } from '../kernels/tradeFigures.ts';
import type { GlossaryEntry, FigureKind } from './figures.ts';

const entry = (label: string, kind: FigureKind, definition: string): GlossaryEntry => ({ label, kind, definition });

/** The figures of the account, by their names in summary.json. */
export const METRICS: Readonly<Record<MetricName, GlossaryEntry>> = {
  totalReturn: entry(
    'Net return',
    'change',
    'Equity at the end over equity at the start, less 1; after all fees, open positions at the last close.',
  ),
  netProfit: entry('Net profit', 'money', 'Equity at the end less equity at the start.'),
  cagr: entry('CAGR', 'change', '(1 + net return)^(1/years) − 1, a year being 365 days.'),
  meanReturn: entry('Mean day', 'change', 'Arithmetic mean of the daily returns.'),
  geometricMeanReturn: entry('Geometric mean day', 'change', 'The equal daily return that would give the same net return.'),
  volatility: entry('Volatility', 'percent', 'Standard deviation of the daily returns × √365.'),
  downsideDeviation: entry('Downside deviation', 'percent', 'Root mean square of the daily returns below zero, over all days, × √365.'),
  sharpe: entry('Sharpe', 'ratio', 'Mean over standard deviation of the daily returns × √365 (Sharpe 1994), risk-free rate 0.'),
  smartSharpe: entry('Smart Sharpe', 'ratio', 'Sharpe, divided by a penalty for daily returns that follow one another.'),
  sortino: entry('Sortino', 'ratio', 'Mean daily return over downside deviation × √365 (Sortino & Price 1994).'),
  maxDrawdown: entry(
    'Max drawdown',
    'change',
    'Deepest fall of the equity, bar by bar, below the peak before it; the peak starts at the starting capital.',
  ),
  maxDrawdownDaily: entry('Max drawdown, daily', 'change', 'The same at the ends of UTC days alone.'),
  maxDrawdownAbs: entry('Max drawdown, money', 'cost', 'Largest fall of the equity, bar by bar, below its peak, in money.'),
  longestDrawdown: entry('Longest drawdown', 'days', 'Longest time from a peak until it was regained, at the ends of days.'),
  averageDrawdown: entry('Average drawdown', 'change', 'Mean depth of all drawdowns, at the ends of days.'),
  averageDrawdownDays: entry('Average drawdown length', 'days', 'Mean length of all drawdowns, at the ends of days.'),
  ulcer: entry('Ulcer index', 'percent', 'Root mean square of the daily drawdowns (Martin & McCann 1989).'),
  calmar: entry('Calmar', 'ratio', 'CAGR over the depth of the deepest drawdown, bar by bar (Young 1991).'),
  calmarDaily: entry('Calmar, daily', 'ratio', 'CAGR over the depth of the deepest drawdown at the ends of days.'),
  omega: entry('Omega', 'ratio', 'Sum of the gains over the sum of the losses of the daily returns (Keating & Shadwick 2002).'),
  recoveryFactor: entry('Recovery factor', 'ratio', 'Net profit over the largest drawdown in money, bar by bar.'),
  var95: entry('VaR 95 %', 'change', 'The daily return that 5 % of the days fell below.'),
  var99: entry('VaR 99 %', 'change', 'The daily return that 1 % of the days fell below.'),
  cvar95: entry('CVaR 95 %', 'change', 'Mean of the daily returns at or below VaR 95 %.'),
  cvar99: entry('CVaR 99 %', 'change', 'Mean of the daily returns at or below VaR 99 %.'),
  tailRatio: entry('Tail ratio', 'ratio', 'The 95 % quantile of the daily returns over the 5 % quantile, without signs.'),
  skew: entry('Skew', 'ratio', 'Third moment of the daily returns, corrected for bias.'),
  excessKurtosis: entry(
    'Excess kurtosis',
    'ratio',
    'Fourth moment of the daily returns less that of a normal distribution, corrected for bias.',
  ),
  bestDay: entry('Best day', 'change', 'Highest daily return.'),
  worstDay: entry('Worst day', 'change', 'Lowest daily return.'),
  positiveDays: entry('Days that gained', 'percent', 'Share of the days with a return above zero.'),
  benchmarkReturn: entry(
    'Buy and hold',
    'change',
    'Net return of holding the traded instruments, equal weights at the start, without fees.',
  ),
  beta: entry('Beta', 'ratio', 'Covariance with the daily returns of buy-and-hold over their variance.'),
  alpha: entry('Alpha', 'change', '365 × (mean daily return − beta × mean of buy-and-hold).'),
  rSquared: entry('R²', 'ratio', 'Squared correlation with the daily returns of buy-and-hold.'),
  trackingError: entry('Tracking error', 'percent', 'Standard deviation of the daily difference from buy-and-hold × √365.'),
  informationRatio: entry('Information ratio', 'ratio', 'Mean over standard deviation of the daily difference from buy-and-hold × √365.'),
  treynor: entry('Treynor', 'ratio', 'CAGR over beta.'),
  exposureTime: entry('Exposure', 'percent', 'Share of the time with a position.'),
  grossExposure: entry('Gross exposure', 'percent', 'Mean over time of the positions’ value without sign, as a share of equity.'),
  grossExposureMax: entry('Gross exposure, most', 'percent', 'Highest value of the positions without sign, as a share of equity.'),
  netExposure: entry('Net exposure', 'percent', 'Mean over time of the positions’ value with its sign, as a share of equity.'),
  netExposureMax: entry('Net exposure, most', 'percent', 'Highest value of the positions with its sign, as a share of equity.'),
  leverage: entry('Leverage', 'ratio', 'Mean over time of the positions’ value over equity.'),
  leverageMax: entry('Leverage, most', 'ratio', 'Highest value of the positions over equity.'),
  turnover: entry('Turnover', 'ratio', 'Traded notional a year over mean equity.'),
  psr0: entry(
    'PSR(0)',
    'percent',
    'Probability that the true Sharpe ratio is above 0 (Bailey & López de Prado 2012), from this run alone.',
  ),
  psr1: entry('PSR(1)', 'percent', 'Probability that the true annual Sharpe ratio is above 1.'),
  dsr: entry('Deflated Sharpe', 'percent', 'PSR against the best Sharpe that as many trials would give by chance.'),
  pbo: entry('Probability of overfitting', 'percent', 'Share of splits in which the best trial falls below the median out of sample.'),
};

/** The figures of the trades, by their names in summary.json. */
export const TRADES: Readonly<Record<TradeFigure, GlossaryEntry>> = {
  winRate: entry('Win rate', 'percent', 'Trades that gained, net of fees, over all closed trades.'),
  profitFactor: entry('Profit factor', 'ratio', 'Sum of the winning trades over the sum of the losing ones, net of fees.'),
  averageTrade: entry('Average trade', 'money', 'Mean net result of the closed trades.'),
  averageTradeFraction: entry('Average trade, %', 'change', 'Mean net result as a share of the entry notional.'),
  medianTrade: entry('Median trade', 'money', 'Middle net result of the closed trades.'),
  medianTradeFraction: entry('Median trade, %', 'change', 'Middle net result as a share of the entry notional.'),
  bestTrade: entry('Best trade', 'money', 'Highest net result.'),
  bestTradeFraction: entry('Best trade, %', 'change', 'Highest net result as a share of the entry notional.'),
  worstTrade: entry('Worst trade', 'money', 'Lowest net result.'),
  worstTradeFraction: entry('Worst trade, %', 'change', 'Lowest net result as a share of the entry notional.'),
  averageWin: entry('Average win', 'money', 'Mean of the winning trades.'),
  averageLoss: entry('Average loss', 'money', 'Mean of the losing trades.'),
  payoff: entry('Payoff', 'ratio', 'Average win over average loss.'),
  expectancy: entry('Expectancy', 'money', 'Win rate × average win − loss rate × average loss: what a trade brings on average.'),
  expectancyRatio: entry('Expectancy ratio', 'ratio', '(1 + payoff) × win rate − 1: expectancy in units of the average loss.'),
  sqn: entry('SQN', 'ratio', '√trades × mean over standard deviation of the net results (Tharp).'),
  kelly: entry('Kelly', 'change', 'Win rate − (1 − win rate) / payoff (Kelly 1956): the share of capital that would have grown fastest.'),
  endTradeDrawdown: entry('Given back', 'cost', 'Mean of what a trade had gained at its best and gave back by its end.'),
  closedTradeDrawdown: entry('Closed-trade drawdown', 'change', 'Deepest fall of the starting capital plus closed results below its peak.'),
  closedTradeDrawdownAbs: entry('Closed-trade drawdown, money', 'cost', 'The same in money.'),
};

// The types of the keys are lost in Object.keys, so they are asserted.
/** The names of the metrics, in the order of the report. */
export const METRIC_NAMES = Object.keys(METRICS) as readonly MetricName[];
/** The names of the trade figures, in the order of the report. */
export const TRADE_NAMES = Object.keys(TRADES) as readonly TradeFigure[];
