// The door `isobar/run`: backtests from code.

export { backtest, type BacktestOptions, type BacktestResult, type CodeOptions, type FileOptions } from './app/backtest.ts';
