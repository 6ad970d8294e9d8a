// Keeps open orders apart: the exchange's lists may show neither our ids nor anything else that tells two equal orders apart.

import type { Lots, Units } from '../base/brand.ts';
import { hasSameFingerprint, type BotOrder } from './botOrder.ts';

/** Lots, or units of an amount, that an order may be made smaller by. */
const MAX_FINGERPRINT_OFFSET = 16;

/** Makes a draft smaller until no open order and none that may still land looks like it. False: nothing sound is left to send. */
export function makeUnique(order: BotOrder, open: readonly BotOrder[], provenAbsent: ReadonlyMap<number, BotOrder>): boolean {
  if (!looksTaken(order, open, provenAbsent)) return true;
  // By amount there is no lot to take away; a smaller amount is as good a mark.
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
