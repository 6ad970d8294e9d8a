// Keeps the fingerprints of open orders unique: the exchange's lists may have no client order ids, which would distinguish equal orders.

import type { Lots, Units } from '../base/brand.ts';
import { hasSameFingerprint, type BotOrder } from './botOrder.ts';

/** The largest fingerprint offset, in lots or units of an amount. */
const MAX_FINGERPRINT_OFFSET = 16;

/**
 * Makes a draft smaller until its fingerprint differs from all open orders and from those that may still arrive. False: no valid size is
 * left.
 */
export function makeUnique(order: BotOrder, open: readonly BotOrder[], provenAbsent: ReadonlyMap<number, BotOrder>): boolean {
  if (!looksTaken(order, open, provenAbsent)) return true;
  // An order by amount has no lots to reduce; a smaller amount is an equally good fingerprint.
  const min = order.lots > 0 ? order.instrument.minLots : 1;
  for (order.fingerprintOffset = 1; order.fingerprintOffset <= MAX_FINGERPRINT_OFFSET; order.fingerprintOffset++) {
    if (order.lots > 0) order.lots = (order.lots - 1) as Lots;
    else order.quoteUnits = (order.quoteUnits - 1) as Units;
    if ((order.lots > 0 ? order.lots : order.quoteUnits) < min) return false;
    if (!looksTaken(order, open, provenAbsent)) return true;
  }
  return false;
}

function looksTaken(order: BotOrder, open: readonly BotOrder[], provenAbsent: ReadonlyMap<number, BotOrder>): boolean {
  for (const other of open) if (hasSameFingerprint(other, order)) return true;
  for (const absent of provenAbsent.values()) if (hasSameFingerprint(absent, order)) return true;
  return false;
}
