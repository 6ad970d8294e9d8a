// The only code that makes an ApprovedOrder. Only the risk module may import it.

import type { ApprovedOrder } from '../model/order.ts';
import type { Draft, RiskState } from './rules/rule.ts';

/** Reserves the order's worst case and returns the same record as an approved order. Both happen in one call, or neither. */
export function approve<O extends Draft>(order: O, state: RiskState): O & ApprovedOrder {
  state.reservations.add(order);
  if (state.keepsSent) state.sent.record(order, state.nowMs);
  return order as O & ApprovedOrder;
}
