// Rules on an order in its context: self-trades, the size of a bracket's legs, duplicates, restricted windows, new deployments.

import { formatMinute } from '../../model/time.ts';
import type { Order } from '../../model/order.ts';
import { closesAtOnce, isReduction } from './openOrderRules.ts';
import type { Draft, OrderRule, RiskState } from './rule.ts';
import { lotsText, limitPriceText, quoteText } from '../limits/limitTexts.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Denies an order that could trade with an order of the same account, of any strategy. A limit order may trade up to its limit, a market
 * order up to its collar.
 */
export const selfTradeRule: OrderRule = {
  kind: 'order',
  code: 'SELF_TRADE',
  keys: ['selfTrade'],
  needs: ['orders', 'marks'],
  check: (order, state) => crossedOrder(order, state) === null,
  detail(order, state) {
    const ownOrder = crossedOrder(order, state);
    if (ownOrder === null) return 'it would trade with an own order';
    const { id, side, limit, instrument } = ownOrder;
    const priceWords = limit > 0 ? `at ${limitPriceText(limit, instrument)}` : 'at the market';
    return `it would trade with the own order ${id}, a ${side} ${priceWords}`;
  },
};

/** Returns an open order of the account that the order could trade with; null without one. */
function crossedOrder(order: Draft, state: RiskState): Order | null {
  const priceTicks = worstPriceOf(order, state);
  for (const openOrder of state.marks.openOrders?.() ?? []) {
    if (openOrder.instrumentIndex !== order.instrumentIndex || openOrder.side === order.side) continue;
    const otherTicks = worstPriceOf(openOrder, state);
    const crosses = order.side === 'buy' ? priceTicks >= otherTicks : priceTicks <= otherTicks;
    if (crosses) return openOrder;
  }
  return null;
}
/** Returns the worst price at which an order may fill, in ticks. */
function worstPriceOf({ limit, side }: Pick<Draft, 'limit' | 'side'>, { mark, reservations }: RiskState): number {
  return limit > 0 ? limit : reservations.collarTicks(mark, side === 'buy');
}

/**
 * Denies a leg of a bracket if all legs together could close more than the entry has opened. An entry of an earlier process sets no limit.
 */
export const parentRule: OrderRule = {
  kind: 'order',
  code: 'PARENT',
  keys: ['parent'],
  needs: ['orders'],
  check: (order, state) => order.parent === 0 || siblingLots(order, state) + order.worstLots <= state.sent.lotsOf(order.parent),
  detail(order, state) {
    const siblingText = lotsText(siblingLots(order, state), order.instrument);
    const entryText = lotsText(state.sent.lotsOf(order.parent), order.instrument);
    return `${lotsText(order.worstLots, order.instrument)} beside ${siblingText} of its siblings, of ${entryText} of its entry`;
  },
};

/** Returns the lots that the other legs of the bracket have closed or may still close. */
function siblingLots({ parent: entry }: Draft, { marks, sent }: RiskState): number {
  let lots = sent.filledLegs(entry);
  for (const openOrder of marks.openOrders?.() ?? []) if (openOrder.parent === entry) lots += openOrder.lots - openOrder.filledLots;
  return lots;
}

/**
 * Denies an order that equals one which the strategy sent within `duplicateMs`. Legs of a bracket pass, because the bot sends them itself, and
 * so does a reduction at the market: it closes no more than is left.
 */
export const duplicateRule: OrderRule = {
  kind: 'order',
  code: 'DUPLICATE',
  keys: ['duplicateMs'],
  needs: ['orders'],
  check: (order, state) => order.parent > 0 || !state.sent.hasRecentDuplicate(order, state.nowMs) || closesAtOnce(order, state),
  detail: ({ side, lots, quoteUnits, limit, instrument }, { limits }) => {
    const size = quoteUnits > 0 ? `for ${quoteText(quoteUnits, instrument)}` : `of ${lotsText(lots, instrument)}`;
    const priceWords = limit > 0 ? `at ${limitPriceText(limit, instrument)}` : 'at the market';
    return `a ${side} ${size} ${priceWords} was sent within the last ${limits.duplicateMs} ms`;
  },
};

/** Denies all orders except reductions in the configured windows of the day, UTC. */
export const restrictedRule: OrderRule = {
  kind: 'order',
  code: 'RESTRICTED',
  keys: ['restricted'],
  needs: [],
  check: (order, state) => !isRestricted(state) || isReduction(order, state),
  detail: (_, { limits, nowMs }) => `${limits.windows.map(({ text }) => text).join(', ')} UTC is closed, and it is ${formatMinute(nowMs)}`,
};

/** True when the current minute (UTC) is in a window that is closed to new risk. */
function isRestricted({ limits: { windows }, nowMs }: RiskState): boolean {
  const minute = Math.floor((nowMs % DAY_MS) / MINUTE_MS);
  return windows.some(({ fromMinute, toMinute }) => {
    const isAfterStart = minute >= fromMinute;
    const isBeforeEnd = minute < toMinute;
    // A window whose end lies before its start contains midnight.
    return fromMinute <= toMinute ? isAfterStart && isBeforeEnd : isAfterStart || isBeforeEnd;
  });
}

/** Denies a second symbol while a deployment is new. `resolve.ts` lowers its size limits. */
export const deployCapRule: OrderRule = {
  kind: 'order',
  code: 'DEPLOY_CAP',
  keys: ['deployShare'],
  needs: ['ledger', 'orders'],
  check: (order, state) => otherSymbolIndex(order, state) < 0 || isReduction(order, state),
  detail: (order, state) =>
    `a new deployment trades one symbol, and ${state.instruments[otherSymbolIndex(order, state)]?.id} is held or being ordered`,
};

/** Returns the index of another instrument that is held or being ordered; -1 without one. */
function otherSymbolIndex({ instrumentIndex }: Draft, { instruments, ledger, reservations }: RiskState): number {
  const isUsed = (index: number): boolean => ledger.holds(index) || reservations.openOrders(index) > 0;
  return instruments.findIndex((_, index) => index !== instrumentIndex && isUsed(index));
}
