// Limits the number of open orders.

import { closesAtOnce } from './openOrderRules.ts';
import type { Draft, OrderRule, RiskState } from './rule.ts';

/** True when `count` more orders may be open in the order's instrument and in the account. */
export const mayOpen = ({ instrumentIndex }: Draft, { limits, reservations }: RiskState, count: number): boolean =>
  reservations.openOrders(instrumentIndex) + count <= limits.openOrders && reservations.openOrdersTotal + count <= limits.openOrdersTotal;

/** Denies an order if its symbol, or the account, would have too many open orders. A reduction at the market passes. */
export const openOrdersRule: OrderRule = {
  kind: 'order',
  code: 'OPEN_ORDERS',
  keys: ['maxOpenOrders', 'maxOpenOrdersTotal'],
  needs: ['orders'],
  check: (order, state) => {
    const { limits, reservations } = state;
    const isWithin =
      reservations.openOrders(order.instrumentIndex) < limits.openOrders && reservations.openOrdersTotal < limits.openOrdersTotal;
    return isWithin || closesAtOnce(order, state);
  },
  detail: ({ instrumentIndex }, { limits, reservations }) =>
    `${reservations.openOrders(instrumentIndex)} orders of the symbol are open (at most ${limits.openOrders}), ` +
    `${reservations.openOrdersTotal} of the account (at most ${limits.openOrdersTotal})`,
};
