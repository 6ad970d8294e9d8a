// The input of a profile: the daily returns, the bars and the closed trades of a run, in the form that other tools take.

import { firstAfter } from '../../../base/number/search.ts';

/** The daily returns of summary.json. They end on the day on which equity reaches 0. */
export interface ProfileReturns {
  /** 00:00 UTC of the day of each return (ms). */
  readonly dayMs: Float64Array;
  /** Daily returns, as fractions. */
  readonly values: Float64Array;
  /** Daily returns of holding the traded instruments in equal parts. Null when the bars of the run cannot be read. */
  readonly benchmark: Float64Array | null;
}

/** The rows of equity.arrow. */
export interface ProfileBars {
  readonly intervalMs: number;
  /** Opening time of the bar whose close has this equity (ms UTC). */
  readonly openMs: Float64Array;
  readonly equity: Float64Array;
  /**
   * Close of the instrument at each row. With several instruments: buy-and-hold in equal parts. Null when the bars of the run cannot be
   * read.
   */
  readonly close: Float64Array | null;
}

/** The rows of trades.csv, in closing order. Money in the reporting asset. */
export interface ProfileTrades {
  readonly length: number;
  /** 1 for a short trade. */
  readonly isShort: Uint8Array;
  readonly entryMs: Float64Array;
  readonly exitMs: Float64Array;
  readonly entryPrice: Float64Array;
  readonly exitPrice: Float64Array;
  readonly quantity: Float64Array;
  readonly entryNotional: Float64Array;
  readonly fees: Float64Array;
  /** Net result. */
  readonly pnl: Float64Array;
  /** Net result as a fraction of the entry notional. */
  readonly returnFraction: Float64Array;
}

/** Everything from which a profile is computed. */
export interface ProfileInput {
  readonly startEquity: number;
  readonly endEquity: number;
  readonly returns: ProfileReturns;
  readonly bars: ProfileBars;
  readonly trades: ProfileTrades;
}

/** Returns, for each time, the row of the last bar that opened at or before it. Returns 0 for a time before the first bar. */
export function rowsOpenAt({ openMs }: ProfileBars, timesMs: Float64Array): Int32Array {
  return Int32Array.from(timesMs, (ms) => Math.max(0, lastRowAtOrBefore(openMs, ms)));
}

/** Returns the last row of ascending times at or before `timeMs`. -1 when all are later. */
export function lastRowAtOrBefore(timesMs: Float64Array, timeMs: number): number {
  return firstAfter(timesMs, 0, timesMs.length, timeMs) - 1;
}
