// Which orders can only lower a position.

import type { Reservations } from '../../orders/reserve/reservation.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { ReservedOrder } from '../../orders/reserve/worstCase.ts';

/** Lowers the position under every history: no more than what is held when all orders that would take from it too have filled. */
export function isReduction(
  { sign, strategy, instrumentIndex, worstLots, reduceOnly }: ReservedOrder,
  { ledger, reservations }: { readonly ledger: Ledger; readonly reservations: Reservations },
): boolean {
  const isBuy = sign > 0;
  const held = ledger.closable(strategy, instrumentIndex, isBuy, reduceOnly);
  return held > 0 && takenLots(strategy, instrumentIndex, isBuy, ledger, reservations) + worstLots <= held;
}

/**
 * Lots that open orders of this side may take from what a strategy holds on the other one: all of them, but where long and short are kept
 * apart only those that close.
 */
export function takenLots(strategy: number, index: number, isBuy: boolean, ledger: Ledger, reservations: Reservations): number {
  if (reservations.open(index) === 0) return 0;
  if (ledger.closable(strategy, index, isBuy, false) === 0) return reservations.closingLots(strategy, index, isBuy);
  return isBuy ? reservations.buyLots(strategy, index) : reservations.sellLots(strategy, index);
}
