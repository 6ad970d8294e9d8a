// Decides which orders can only reduce a position.

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
  return closableLots > 0 && takenLots(strategy, instrumentIndex, isBuy, ledger, reservations) + worstLots <= closableLots;
}

/**
 * True for a reduction that ends at once: at the market, or one that the exchange does not let rest. No limit on numbers of orders needs to hold
 * it back, and each one makes the position smaller.
 */
export function closesAtOnce(order: ReservedOrder, state: { readonly ledger: Ledger; readonly reservations: Reservations }): boolean {
  const { limit, timeInForce, triggerTicks = 0 } = order;
  return triggerTicks === 0 && (limit === 0 || timeInForce === 'IOC' || timeInForce === 'FOK') && isReduction(order, state);
}

/**
 * Returns the lots of a strategy's position that its open orders on this side may close. All orders of the side count; in two-way mode,
 * only those that close.
 */
export function takenLots(strategy: number, index: number, isBuy: boolean, ledger: Ledger, reservations: Reservations): number {
  if (reservations.open(index) === 0) return 0;
  if (ledger.closable(strategy, index, isBuy, false) === 0) return reservations.closingLots(strategy, index, isBuy);
  return isBuy ? reservations.buyLots(strategy, index) : reservations.sellLots(strategy, index);
}
