// The only hand that makes an ApprovedOrder. The risk module calls it, and nothing else may import it.

import type { ApprovedOrder } from '../model/order.ts';
import type { Draft, RiskState } from './rules/rule.ts';

/** Reserves the order's worst case and returns the same record as an approved one: both or neither, in one call. */
export function approve<O extends Draft>(order: O, state: RiskState): O & ApprovedOrder {
  state.reservations.add(order);
  if (state.keepsSent) state.sent.record(order, state.nowMs);
  return order as O & ApprovedOrder;
}
