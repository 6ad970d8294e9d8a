// Limits the number of orders in a minute, and for each fill.

import { closesAtOnce, isReduction } from './openOrderRules.ts';
import type { OrderRule } from './rule.ts';

/**
 * Denies an order if too many orders were sent in the last minute. Also denies it if the strategy sent too many for each fill in the last
 * hour. A reduction at the market passes both, any reduction the second.
 */
export const messageRateRule: OrderRule = {
  kind: 'order',
  code: 'MESSAGE_RATE',
  keys: ['maxOrdersPerMinute', 'maxOrdersPerFill'],
  needs: [],
  check(order, state) {
    const { sent, nowMs } = state;
    const passesMinute = sent.mayPass(nowMs) || closesAtOnce(order, state);
    return passesMinute && (sent.isWithinFillRate(order.strategy, nowMs) || isReduction(order, state));
  },
  detail({ strategy }, { limits, sent, nowMs }) {
    if (!sent.mayPass(nowMs)) return `${limits.ordersPerMinute} orders were sent in the last 60 s`;
    const hour = sent.lastHour(strategy, nowMs);
    return `${hour.sent} orders and ${hour.fills} fills of the strategy in the last hour, at most ${limits.ordersPerFill} orders a fill`;
  },
};
