// Collar orders: market orders by quantity that the bot sends as limit orders at the collar, because the exchange accepts market buys by
// amount only. What a collar order leaves unfilled is cancelled at the end of its row.

import { CAPPED } from '../model/order.ts';
import type { BotOrder } from './botOrder.ts';
import type { OrderManager } from './orderManager.ts';

/** True for a market order that was sent as a limit order at the collar. */
const isAtCollar = ({ role, lots, limit, timeInForce }: BotOrder): boolean =>
  role === 'market' && lots > 0 && limit > 0 && timeInForce === null;

/** Cancels the unfilled remainder of collar orders whose row has ended. Returns the number of collar orders that still wait for their row. */
export function cancelCollarRemainders(
  { orders, nowMs }: { readonly orders: OrderManager; readonly nowMs: number },
  instrumentIndex: number,
  { openMs, closeMs }: { readonly openMs: number; readonly closeMs: number },
): number {
  const active = orders.active();
  let waitingCount = 0;
  // Backwards, because a cancel can remove the order from the list.
  for (let index = active.length - 1; index >= 0; index--) {
    const order = active[index]!;
    if (order.instrumentIndex !== instrumentIndex || !isAtCollar(order)) continue;
    // The row of the order has ended in one of three cases. A backtest's order arrives by the open of its row. A stop entry is sent within a
    // row, and that row is its row too. A live order arrives after the open of its row, so only its first fill shows that this row is its own.
    const wasSentMidBar = order.firedAtTicks > 0 && order.arrivedMs <= nowMs;
    const hasFilled = order.filledLots > 0 && order.createdMs < closeMs;
    if (order.arrivedMs <= openMs || wasSentMidBar || hasFilled) orders.cancel(order, nowMs);
    else waitingCount++;
  }
  return waitingCount;
}

/**
 * Marks the buys whose collar lies below the open of their row. They rest as limit orders until the row ends, and are recorded as limit
 * orders.
 */
export function markCapped(orders: OrderManager, instrumentIndex: number, openMs: number, openTicks: number): void {
  for (const order of orders.active()) {
    const isInRow = order.instrumentIndex === instrumentIndex && isAtCollar(order) && order.arrivedMs <= openMs;
    if (isInRow && order.side === 'buy' && order.limit < openTicks) order.code = CAPPED;
  }
}

/**
 * For fills against trades: cancels collar orders that have come to rest, because a trade beyond the collar came first. Until the cancel
 * arrives they are limit orders, and are recorded as such. Returns the number of collar orders that still take liquidity.
 */
export function cancelRestingCollars(
  { orders, nowMs }: { readonly orders: OrderManager; readonly nowMs: number },
  instrumentIndex: number,
  isResting: (order: BotOrder) => boolean,
): number {
  const active = orders.active();
  let takingCount = 0;
  for (let index = active.length - 1; index >= 0; index--) {
    const order = active[index]!;
    if (order.instrumentIndex !== instrumentIndex || !isAtCollar(order)) continue;
    if (isResting(order)) {
      if (order.side === 'buy') order.code = CAPPED;
      orders.cancel(order, nowMs);
    } else takingCount++;
  }
  return takingCount;
}
