// Keeps the fingerprints of open orders unique: the exchange's lists may have no ids and nothing else that distinguishes two equal orders.

import type { Lots, Ticks, Units } from '../base/brand.ts';
import { hasSameFingerprint, type BotOrder } from './botOrder.ts';

/** The largest fingerprint offset, in lots or units of an amount. */
const MAX_FINGERPRINT_OFFSET = 16;

/**
 * Makes a draft smaller until its fingerprint differs from all open orders and from those that may still arrive. False: no valid size is
 * left.
 */
export function makeUnique(order: BotOrder, open: readonly BotOrder[], provenAbsent: ReadonlyMap<number, BotOrder>): boolean {
  if (!looksTaken(order, open, provenAbsent)) return true;
  if (order.amends > 0) return giveWay(order, open, provenAbsent);
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

/** A trigger order that was moved keeps its size, which is to cover the position: its price gives way, away from the market. */
function giveWay(order: BotOrder, open: readonly BotOrder[], provenAbsent: ReadonlyMap<number, BotOrder>): boolean {
  const step = order.triggersAbove ? 1 : -1;
  for (let tries = 0; tries < MAX_FINGERPRINT_OFFSET && order.triggerTicks + step > 0; tries++) {
    order.triggerTicks = (order.triggerTicks + step) as Ticks;
    if (!looksTaken(order, open, provenAbsent)) return true;
  }
  return false;
}

function looksTaken(order: BotOrder, open: readonly BotOrder[], provenAbsent: ReadonlyMap<number, BotOrder>): boolean {
  for (const other of open) if (hasSameFingerprint(other, order)) return true;
  for (const absent of provenAbsent.values()) if (hasSameFingerprint(absent, order)) return true;
  return false;
}
