// The interface through which one strategy's orders are written, in whole numbers, and its positions changed.

import type { Instrument } from '../../model/instrument.ts';
import type { OrderId } from '../../model/order.ts';
import type { WaitingDraft } from '../../orders/drafts.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import type { Amendment, OrderOptions, Size } from '../../strategy/types.ts';
import type { DecisionLog } from '../book/decisionLog.ts';

/** Decision slot of the orders that `target` sends. */
export const TARGET = 'target';

/** The result of removing the orders that would close the old side of a position a second time. */
export interface ClearedSide {
  /** True when brackets or orders protected the old side and were removed. */
  readonly isCleared: boolean;
  /** Orders that must end first. */
  readonly ahead: OrderId[];
}

/** Writes and sends the orders of one strategy. */
export interface StrategyOrders {
  /** Writes the order intent. An invalid number makes the whole order invalid, and risk denies it. */
  write(order: BotOrder, isBuy: boolean, size: Size | undefined, options: OrderOptions | undefined): void;
  /** Returns the lots to hold, negative for short. On futures the size may be negative here. */
  targetLots(size: Size, instrument: Instrument, instrumentIndex: number): number;
  /** Sets the lots of an order, and its collar if it is sent as a limit. */
  setSize(order: BotOrder, lots: number): void;
  /**
   * Returns the lots that the strategy would hold if all its orders filled, negative for short. Trigger orders and bracket legs may never
   * fill and do not count.
   */
  heldAndOrdered(instrumentIndex: number): number;
  /** Returns the reversal of the strategy's position that waits for the orders of the old side. */
  reversal(instrumentIndex: number): WaitingDraft | undefined;
  /**
   * Changes an order. Returns the id of the order or of its replacement, or null if nothing was changed. `decisions`: the log of the
   * strategy's decisions, if the run keeps one.
   */
  amend(id: OrderId, change: Amendment, decisions: DecisionLog | null): OrderId | null;
  /** Cancels orders that would close the old side of a position a second time, if trading `missingLots` takes it to zero or beyond. */
  clearOldSide(order: BotOrder, missingLots: number): ClearedSide;
}
