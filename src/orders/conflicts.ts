// Finds the conflict of a draft with the orders that are open or may still arrive.

import type { BotOrder } from './botOrder.ts';
import * as lifecycle from './lifecycle.ts';
import { makeUnique } from './makeUnique.ts';

// hot: docs/performance.md#imported-constants
const { STATE } = lifecycle;

/** The conflict of a replacement with the order that it replaces. The draft is not denied: it waits until that order has ended. */
export const REPLACES = 'REPLACES';

/**
 * Returns the code of the conflict of a draft with another order, or null. Also makes its fingerprint unique (order-safety, section 6): if
 * another order of the symbol has the same one, the draft is changed a little, so that a lost reply can be attributed. `lastTicks`: the newest
 * price; only a trigger order needs it.
 */
export function conflictOf(
  order: BotOrder,
  open: readonly BotOrder[],
  provenAbsent: ReadonlyMap<number, BotOrder>,
  lastTicks: number,
): string | null {
  for (const other of open) {
    if (other.instrumentIndex !== order.instrumentIndex || (order.amends > 0 && other.id === order.amends)) continue;
    const isSameSlot = order.parent === 0 && other.parent === 0 && other.strategy === order.strategy && other.slot === order.slot;
    if (isSameSlot && (other.state === STATE.cancelSent || other.wantsCancel)) return REPLACES;
    if (other.side === order.side && other.state === STATE.unknown) return 'SIDE_UNKNOWN';
    if (isSameSlot) return 'SLOT_BUSY';
  }
  return makeUnique(order, open, provenAbsent, lastTicks) ? null : 'FP_NOT_UNIQUE';
}
