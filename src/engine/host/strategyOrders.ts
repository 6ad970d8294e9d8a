// What writes the orders of one strategy: sizes and prices as whole numbers, and what a change of its position takes.

import type { Instrument } from '../../model/instrument.ts';
import type { OrderId } from '../../model/order.ts';
import type { WaitingDraft } from '../../orders/drafts.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import type { OrderOptions, Size } from '../../strategy/types.ts';

/** Tag of the orders that `target` sends. */
export const TARGET = 'target';

export interface ClearedSide {
  /** Something guarded the old side, and does no more. */
  readonly isCleared: boolean;
  /** Orders that still have to end. */
  readonly ahead: OrderId[];
}

export interface StrategyOrders {
  /** Writes what is wanted. What is no sound number leaves the whole order unsound: risk denies it. */
  write(order: BotOrder, isBuy: boolean, size: Size | undefined, options: OrderOptions | undefined): void;
  /** What is to be held, in lots, below 0 short: on futures a size may be negative here. */
  targetLots(size: Size, instrument: Instrument, instrumentIndex: number): number;
  /** Gives an order its lots, and its collar where it leaves as a limit. */
  sizeTo(order: BotOrder, lots: number): void;
  /** The lots that the strategy comes to hold if all its orders fill, below 0 short. What waits for a price may never come, and does not count. */
  heldAndOrdered(instrumentIndex: number): number;
  /** The reversal of the strategy's position that waits for the orders of the old side. */
  reversal(instrumentIndex: number): WaitingDraft | undefined;
  /** Takes back what would close the old side of a position a second time, where `missing` lots take it to 0 or through it. */
  clearOldSide(order: BotOrder, missing: number): ClearedSide;
}
