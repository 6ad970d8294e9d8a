// The interface of the bot's ledger, its own books of a spot or a futures account, or of both together.

import type { TickColumn } from '../model/bars/bars.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument, Market } from '../model/instrument.ts';

/**
 * One book for each strategy, over one account. Money is in units of `cashAsset`. Every change comes from a deposit, a fill or a payment.
 */
export interface Ledger {
  /** The market of the account; `both` for two accounts together. */
  readonly market: Market | 'both';
  /** The instruments of the run. An instrument index is a position in this list. */
  readonly instruments: readonly Instrument[];
  /** Number of strategies. */
  readonly strategies: number;
  /** The asset in which money is counted: the quote asset on spot, the settlement asset of futures. */
  readonly cashAsset: string;
  /** Number of decimals of that asset: a unit is 10^-cashDigits of it. */
  readonly cashDigits: number;

  /**
   * Adds `units` of the asset to a strategy's book. `costUnits`: the cost of deposited coins in quote money. It should be their value at
   * the time; with 0, their whole proceeds count as profit. Throws ConfigError for an asset that the account cannot hold.
   */
  deposit(strategyIndex: number, asset: string, units: number, costUnits?: number): void;
  /**
   * Books a fill. `isReduceOnly`: its order could only reduce a position; spot ignores it. Throws InvariantError when more is sold, or closed,
   * than is held.
   */
  fill(strategyIndex: number, instrumentIndex: number, isBuy: boolean, fill: Fill, isReduceOnly: boolean): void;

  /** Returns the cash of a strategy. For futures: the wallet, including margins of positions, without unrealised profit. */
  cash(strategyIndex: number): number;
  /** The cash of the account: that of all strategies. */
  readonly cashTotal: number;
  /** Returns the whole lots that a strategy holds, negative for short. Without other closing orders, it can close all of them. */
  lots(strategyIndex: number, instrumentIndex: number): number;
  /** Returns the lots of the position that an order of this side would reduce; 0 if it would only add. `isReduceOnly`: the order can only reduce. */
  closable(strategyIndex: number, instrumentIndex: number, isBuy: boolean, isReduceOnly: boolean): number;
  /** Returns the lots of an instrument that `units` of money are worth at a price in ticks, rounded down; NaN if the result is invalid. */
  lotsFor(instrumentIndex: number, units: number, ticks: number): number;
  /** True when the strategy holds less than the smallest order. */
  isFlat(strategyIndex: number, instrumentIndex: number): boolean;
  /** Returns the quantity that is held, in units of 10^-qtyDigits of the base asset, or of contracts; negative for short. */
  qty(strategyIndex: number, instrumentIndex: number): number;
  /** Returns the number of decimals of `qty`. */
  qtyDigits(instrumentIndex: number): number;
  /** Returns the average entry price, without fees; NaN when flat. For display only. */
  entryPrice(strategyIndex: number, instrumentIndex: number): number;
  /**
   * Returns when the position was opened, ms UTC: its first fill since it was flat; NaN when flat. `isLong`: of this side of it, which must be
   * held.
   */
  openedMs(strategyIndex: number, instrumentIndex: number, isLong?: boolean): number;
  /** Returns the profit, in units of `cashAsset` and without fees, that closing at a price in ticks would make; 0 when flat. */
  profitUnits(strategyIndex: number, instrumentIndex: number, ticks: number): number;

  /** True when the account holds any of the instrument. */
  holds(instrumentIndex: number): boolean;
  /** True unless a long and a short position are both held. Then the value of the holding moves in one direction with the price. */
  isOneSided(instrumentIndex: number): boolean;
  /** Returns what the account's holding adds to the cash at a price in ticks: the value of coins, or the profit of a position. */
  holdingValue(instrumentIndex: number, ticks: number): number;
  /**
   * Returns the equity of a strategy: cash plus value at `marks` (ticks by instrument). Each holding is rounded separately. A mark is read
   * only for an instrument that is held; a missing one (NaN) makes the equity NaN: unknown. Above 2^53 for display only.
   */
  equityUnits(strategyIndex: number, marks: ArrayLike<number>): number;
  /** Returns the equity of the account, computed in the same way. */
  equityTotalUnits(marks: ArrayLike<number>): number;
  /**
   * Writes the account's equity of rows [from, to) into `out`, with its one holding marked at `ticks[row + offset]`. Up to seven rows after
   * `to` may be overwritten, so the caller must mark them later.
   */
  markRows(instrumentIndex: number, out: Float64Array, from: number, to: number, ticks: TickColumn, offset: number): void;
  /**
   * Adds the value of the holding to `out` in [from, to), at `ticks[row]` and for each further element `step` rows later. No effect when
   * nothing is held.
   */
  addRows(instrumentIndex: number, out: Float64Array, from: number, to: number, ticks: TickColumn, row: number, step: 0 | 1): void;

  /** Throws InvariantError when a book does not balance, or the books do not add up to the account. Not for the hot path. */
  assertReconciled(): void;
}
