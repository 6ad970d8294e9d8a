// Market orders that are sent as limits at the collar. An exchange whose market buys are by amount only needs this for a buy by quantity.

import { CAPPED } from '../model/order.ts';
import type { BotOrder } from './botOrder.ts';
import type { OrderManager } from './orderManager.ts';

/**
 * Cancels the unfilled rest of collar orders once the row that opened at `openMs` has ended (house, 12). Returns how many still wait for a
 * row.
 */
export function cancelCollarRemainders(
  { orders, nowMs }: { readonly orders: OrderManager; readonly nowMs: number },
  instrumentIndex: number,
  openMs: number,
): number {
  const active = orders.active();
  let waiting = 0;
  for (let at = active.length - 1; at >= 0; at--) {
    const order = active[at]!;
    if (order.instrumentIndex !== instrumentIndex || !isAtCollar(order)) continue;
    // The row that has sent a stop entry is its row too.
    const hadRow = order.arrivedMs <= openMs || (order.firedAtTicks > 0 && order.arrivedMs <= nowMs);
    if (hadRow) orders.cancel(order, nowMs);
    else waiting++;
  }
  return waiting;
}

/**
 * Marks the buys whose collar lies below the open of their row. From now on they are limit orders that rest until the row ends, and they
 * are recorded as such.
 */
export function markCapped(orders: OrderManager, instrumentIndex: number, openMs: number, open: number): void {
  for (const order of orders.active()) {
    const isOwn = order.instrumentIndex === instrumentIndex && isAtCollar(order) && order.arrivedMs <= openMs;
    if (isOwn && order.side === 'buy' && order.limit < open) order.code = CAPPED;
  }
}

const isAtCollar = ({ role, lots, limit, timeInForce }: BotOrder): boolean =>
  role === 'market' && lots > 0 && limit > 0 && timeInForce === null;

/**
 * For fills against trades: cancels collar orders that have come to rest, because a trade beyond the collar came first. Until the cancel
 * arrives they are limit orders, and are recorded as such. Returns how many still take.
 */
export function cancelRestingCollars(
  { orders, nowMs }: { readonly orders: OrderManager; readonly nowMs: number },
  instrumentIndex: number,
  isResting: (order: BotOrder) => boolean,
): number {
  const active = orders.active();
  let taking = 0;
  for (let at = active.length - 1; at >= 0; at--) {
    const order = active[at]!;
    if (order.instrumentIndex !== instrumentIndex || !isAtCollar(order)) continue;
    if (isResting(order)) {
      if (order.side === 'buy') order.code = CAPPED;
      orders.cancel(order, nowMs);
    } else taking++;
  }
  return taking;
}
