// Keeps the fingerprints of open orders unique: the exchange's lists may have no client order ids, which would distinguish equal orders.

import type { Lots, Ticks, Units } from '../base/brand.ts';
import { hasSameFingerprint, type BotOrder } from './botOrder.ts';

/** The largest change of an order: in lots, in units of an amount, or in ticks of a trigger price. */
const MAX_FINGERPRINT_OFFSET = 16;

/**
 * Changes a draft until its fingerprint differs from all open orders and from those that may still arrive. It is made smaller. A trigger
 * order that closes keeps its size, or it would leave a part of the position without a stop: its trigger price moves. False: no valid
 * change is left.
 */
export function makeUnique(
  order: BotOrder,
  open: readonly BotOrder[],
  provenAbsent: ReadonlyMap<number, BotOrder>,
  lastTicks: number,
): boolean {
  if (!isTaken(order, open, provenAbsent)) return true;
  if (order.triggerTicks > 0 && order.reduceOnly) return moveTrigger(order, open, provenAbsent, lastTicks);
  // An order by amount has no lots to reduce; a smaller amount is an equally good fingerprint.
  const minSize = order.lots > 0 ? order.instrument.minLots : 1;
  for (order.fingerprintOffset = 1; order.fingerprintOffset <= MAX_FINGERPRINT_OFFSET; order.fingerprintOffset++) {
    if (order.lots > 0) order.lots = (order.lots - 1) as Lots;
    else order.quoteUnits = (order.quoteUnits - 1) as Units;
    if ((order.lots > 0 ? order.lots : order.quoteUnits) < minSize) return false;
    if (!isTaken(order, open, provenAbsent)) return true;
  }
  return false;
}

/**
 * Moves a trigger price towards the market, so that it closes no later. It stops short of the newest price, at which it would close at once:
 * if no room is left, or the price has passed it already, it moves away from the market.
 */
function moveTrigger(order: BotOrder, open: readonly BotOrder[], provenAbsent: ReadonlyMap<number, BotOrder>, lastTicks: number): boolean {
  const triggerTicks = order.triggerTicks;
  const towardsMarket = order.triggersAbove ? -1 : 1;
  for (const direction of [towardsMarket, -towardsMarket]) {
    for (let offset = 1; offset <= MAX_FINGERPRINT_OFFSET; offset++) {
      const movedTicks = triggerTicks + direction * offset;
      const staysBehindPrice = order.triggersAbove ? movedTicks > lastTicks : movedTicks < lastTicks;
      if (movedTicks <= 0 || (direction === towardsMarket && !staysBehindPrice)) break;
      order.triggerTicks = movedTicks as Ticks;
      if (!isTaken(order, open, provenAbsent)) return true;
    }
  }
  order.triggerTicks = triggerTicks;
  return false;
}

/** True when another order that is open, or may still arrive, has the same fingerprint. */
function isTaken(order: BotOrder, open: readonly BotOrder[], provenAbsent: ReadonlyMap<number, BotOrder>): boolean {
  for (const openOrder of open) if (hasSameFingerprint(openOrder, order)) return true;
  for (const absent of provenAbsent.values()) if (hasSameFingerprint(absent, order)) return true;
  return false;
}
