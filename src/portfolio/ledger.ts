// What every part of the bot asks of its books, whether the account holds coins or positions.

import type { TickColumn } from '../model/bars/bars.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument, Market } from '../model/instrument.ts';

/** One book a strategy, over one account. Money is in units of `cashAsset`; `index` is the instrument's. Kept from fills alone. */
export interface Ledger {
  readonly market: Market | 'both';
  readonly instruments: readonly Instrument[];
  readonly strategies: number;
  /** The asset in which money is counted: the quote asset on spot, the settlement asset of futures. */
  readonly cashAsset: string;
  readonly cashDigits: number;

  /**
   * Adds `units` (of that asset) to a strategy's book. On spot base holdings come in at `costUnits` of quote money, what they are worth at
   * the time: with 0 their whole proceeds would count as profit. Throws ConfigError for an asset that the account cannot hold.
   */
  deposit(strategy: number, asset: string, units: number, costUnits?: number): void;
  /**
   * Books an execution. `closes`: its order could only reduce a position; spot does not look at it. Throws InvariantError when more is
   * sold, or closed, than is held.
   */
  fill(strategy: number, index: number, isBuy: boolean, fill: Fill, closes: boolean): void;

  /** Cash of a strategy, of the account. Of futures: the wallet, margins of positions included, unrealised profit left out. */
  cash(strategy: number): number;
  readonly cashTotal: number;
  /** What a strategy holds in whole lots, below 0 short: what it can close when nothing else is being closed. */
  lots(strategy: number, index: number): number;
  /** Lots of the position that an order of this side would take from, as held: 0 where it would only add. `closes`: it may do nothing else. */
  closable(strategy: number, index: number, isBuy: boolean, closes: boolean): number;
  /** Lots of an instrument that `units` of money are worth at a price in ticks, rounded down; NaN where that is no sound number. */
  lotsFor(index: number, units: number, ticks: number): number;
  /** Less is held than the smallest order. */
  isFlat(strategy: number, index: number): boolean;
  /** What is held, whole in 10^-qtyDigits of the base asset, or of contracts; below 0 short. */
  qty(strategy: number, index: number): number;
  qtyDigits(index: number): number;
  /** Average price of what is held, fees not counted; NaN while nothing is. A reading. */
  entryPrice(strategy: number, index: number): number;

  /** The account holds something of the instrument. */
  holds(index: number): boolean;
  /** What the account's holding adds to its cash at a price in ticks: the worth of coins, the profit of a position. */
  holdingValue(index: number, ticks: number): number;
  /**
   * Cash and worth at `marks` (ticks by instrument) of a strategy, of the account. Each holding is rounded for itself. A mark is read only
   * where something is held; a missing one (NaN) makes the equity NaN: unknown. Above 2^53 a reading.
   */
  equityUnits(strategy: number, marks: ArrayLike<number>): number;
  equityTotalUnits(marks: ArrayLike<number>): number;
  /**
   * Writes the account's equity of rows [from, to) into `out`, its one holding marked at `ticks[row + offset]`. Up to seven rows behind
   * them may be written as well: they are to be marked again when they come.
   */
  markRows(index: number, out: Float64Array, from: number, to: number, ticks: TickColumn, offset: number): void;
  /** Adds `worth` to `out` in [from, to), at `ticks[row]` and for each further place `step` rows on; nothing where nothing is held. */
  addRows(index: number, out: Float64Array, from: number, to: number, ticks: TickColumn, row: number, step: 0 | 1): void;

  /** Throws InvariantError when a book does not add up, or the books do not add up to the account. Not for the hot path. */
  assertReconciled(): void;
}
