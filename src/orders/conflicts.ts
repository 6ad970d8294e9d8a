// Finds the conflict of a draft with the orders that are open or may still arrive.

import type { BotOrder } from './botOrder.ts';
import * as lifecycle from './lifecycle.ts';
import { makeUnique } from './makeUnique.ts';

// hot: docs/performance.md#imported-constants
const { STATE } = lifecycle;

/** The conflict of a replacement with the order that it replaces. The draft is not denied: it waits until that order has ended. */
export const REPLACES = 'REPLACES';

/**
 * Returns the code of the conflict of a draft with another order, or null. Side effect: if another order of the symbol has the same
 * fingerprint, changes the draft a little, so that a lost reply can be attributed (order-safety, section 6). `lastTicks`: the newest price;
 * only a trigger order needs it.
 */
export function conflictOf(
  order: BotOrder,
  openOrders: readonly BotOrder[],
  provenAbsent: ReadonlyMap<number, BotOrder>,
  lastTicks: number,
): string | null {
  for (const openOrder of openOrders) {
    if (openOrder.instrumentIndex !== order.instrumentIndex || (order.amends > 0 && openOrder.id === order.amends)) continue;
    const isSameSlot =
      order.parent === 0 && openOrder.parent === 0 && openOrder.strategy === order.strategy && openOrder.slot === order.slot;
    if (isSameSlot && (openOrder.state === STATE.cancelSent || openOrder.wantsCancel)) return REPLACES;
    if (openOrder.side === order.side && openOrder.state === STATE.unknown) return 'SIDE_UNKNOWN';
    if (isSameSlot) return 'SLOT_BUSY';
  }
  return makeUnique(order, openOrders, provenAbsent, lastTicks) ? null : 'FP_NOT_UNIQUE';
}
