// Entry point `isobar/run`: backtests from code.

export {
  backtest,
  type BacktestResult,
  type Equity,
  type Fills,
  type Metrics,
  type Orders,
  type Summary,
  type Trades,
} from './tasks/backtest/fromCode/backtest.ts';
export type { BacktestOptions, CodeOptions, FileOptions } from './tasks/backtest/fromCode/backtestRequest.ts';
export {
  generateBars,
  readBars,
  type Bars,
  type GenerateOptions,
  type ReadOptions,
  type TypedBars,
} from './tasks/backtest/fromCode/bars.ts';
