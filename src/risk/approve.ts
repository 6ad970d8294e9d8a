// Makes an approved order. No other code does, and only the risk module may import this file.

import type { ApprovedOrder } from '../model/order.ts';
import type { Draft, RiskState } from './rules/rule.ts';

/** Reserves the order's worst case, records that it is sent, and returns the same record as an approved order. */
export function approve<O extends Draft>(order: O, state: RiskState): O & ApprovedOrder {
  state.reservations.add(order);
  if (state.keepsSent) state.sent.record(order, state.nowMs);
  return order as O & ApprovedOrder;
}
