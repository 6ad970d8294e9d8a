// Keeps open orders apart: the exchange's lists may show neither our ids nor anything else that tells two equal orders apart.

import type { Lots, Units } from '../base/brand.ts';
import { looksLike, type OrderRecord } from './record.ts';

/** Lots, or units of an amount, that an order may be made smaller by. */
const MOST_MARKED = 16;

/** Makes a draft smaller until no open order and none that may still land looks like it. False: nothing sound is left to send. */
export function makeUnique(order: OrderRecord, open: readonly OrderRecord[], tombstones: ReadonlyMap<number, OrderRecord>): boolean {
  if (!looksTaken(order, open, tombstones)) return true;
  // By amount there is no lot to take away; a smaller amount is as good a mark.
  const least = order.lots > 0 ? order.instrument.minLots : 1;
  for (order.marked = 1; order.marked <= MOST_MARKED; order.marked++) {
    if (order.lots > 0) order.lots = (order.lots - 1) as Lots;
    else order.quoteUnits = (order.quoteUnits - 1) as Units;
    if ((order.lots > 0 ? order.lots : order.quoteUnits) < least) return false;
    if (!looksTaken(order, open, tombstones)) return true;
  }
  return false;
}

function looksTaken(order: OrderRecord, open: readonly OrderRecord[], tombstones: ReadonlyMap<number, OrderRecord>): boolean {
  for (const other of open) if (looksLike(other, order)) return true;
  for (const tomb of tombstones.values()) if (looksLike(tomb, order)) return true;
  return false;
}
