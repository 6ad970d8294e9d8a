// Limits the number of open orders.

import type { Draft, OrderRule, RiskState } from './rule.ts';

/** True when `count` more orders may be open in the order's instrument and in the account. */
export const mayOpen = ({ instrumentIndex }: Draft, { limits, reservations }: RiskState, count: number): boolean =>
  reservations.open(instrumentIndex) + count <= limits.openOrders && reservations.openTotal + count <= limits.openOrdersTotal;

/** Denies an order if its symbol, or the account, would have too many open orders. */
export const openOrders: OrderRule = {
  kind: 'order',
  code: 'OPEN_ORDERS',
  keys: ['maxOpenOrders', 'maxOpenOrdersTotal'],
  needs: ['orders'],
  check: ({ instrumentIndex }, { limits, reservations }) =>
    reservations.open(instrumentIndex) < limits.openOrders && reservations.openTotal < limits.openOrdersTotal,
  detail: ({ instrumentIndex }, { limits, reservations }) =>
    `${reservations.open(instrumentIndex)} orders of the symbol are open (at most ${limits.openOrders}), ` +
    `${reservations.openTotal} of the account (at most ${limits.openOrdersTotal})`,
};
