// Decides which orders can only reduce a position. Rules that limit new risk pass them.

import type { Reservations } from '../../orders/reserve/reservation.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { ReservedOrder } from '../../orders/reserve/worstCase.ts';

/** True when the order can only reduce the position: after all other reducing orders have filled, at least its lots are still held. */
export function isReduction(
  { sign, strategy, instrumentIndex, worstLots, reduceOnly }: ReservedOrder,
  { ledger, reservations }: { readonly ledger: Ledger; readonly reservations: Reservations },
): boolean {
  const isBuy = sign > 0;
  const closableLots = ledger.closable(strategy, instrumentIndex, isBuy, reduceOnly);
  if (closableLots <= 0) return false;
  return takenLots(strategy, instrumentIndex, isBuy, ledger, reservations) + worstLots <= closableLots;
}

/**
 * True for a reduction that ends at once: at the market, or one that the exchange does not let rest. Rules on numbers of
 * orders pass it, because each one makes the position smaller.
 */
export function closesAtOnce(order: ReservedOrder, state: { readonly ledger: Ledger; readonly reservations: Reservations }): boolean {
  const { limit, timeInForce, triggerTicks = 0 } = order;
  const neverRests = limit === 0 || timeInForce === 'IOC' || timeInForce === 'FOK';
  return triggerTicks === 0 && neverRests && isReduction(order, state);
}

/**
 * Returns the lots of a strategy's position that its open orders on this side may close. All orders of the side count; in two-way mode,
 * only those that close.
 */
export function takenLots(
  strategyIndex: number,
  instrumentIndex: number,
  isBuy: boolean,
  ledger: Ledger,
  reservations: Reservations,
): number {
  if (reservations.openOrders(instrumentIndex) === 0) return 0;
  if (ledger.closable(strategyIndex, instrumentIndex, isBuy, false) === 0)
    return reservations.closingLots(strategyIndex, instrumentIndex, isBuy);
  return isBuy ? reservations.buyLots(strategyIndex, instrumentIndex) : reservations.sellLots(strategyIndex, instrumentIndex);
}
