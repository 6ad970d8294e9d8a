// Prepares the reversal of a position: counts the lots held and ordered, and cancels the orders that close the old side.

import type { OrderId } from '../../model/order.ts';
import type { WaitingDraft } from '../../orders/drafts.ts';
import { STATE } from '../../orders/lifecycle.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import { isUnderCancel, type BotOrder } from '../../orders/botOrder.ts';
import type { Brackets } from '../../orders/stops/brackets.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import { isExchangeStop } from '../exits/exits.ts';
import { TARGET, type ClearedSide } from '../host/strategyOrders.ts';

/** What a reversal needs of the engine. */
export interface ReversalHost {
  readonly orders: OrderManager;
  readonly ledger: Ledger;
  readonly brackets: Brackets;
  readonly drafts: { withdrawAll(isWithdrawn: (draft: WaitingDraft) => boolean): void };
  readonly nowMs: number;
}

/** Returns the draft that will reverse the strategy's position once the orders of the old side have ended; undefined without one. */
export function reversalOf(
  { orders }: Pick<ReversalHost, 'orders'>,
  strategyIndex: number,
  instrumentIndex: number,
): WaitingDraft | undefined {
  return orders.drafts.waiting.find(
    ({ order, replaced }) => replaced === null && order.strategy === strategyIndex && order.instrumentIndex === instrumentIndex,
  );
}

/**
 * Returns the lots that a strategy would hold if all its orders filled, negative for short. Trigger orders and bracket legs may never fill
 * and do not count.
 */
export function heldAndOrdered(
  { orders, ledger }: Pick<ReversalHost, 'orders' | 'ledger'>,
  strategyIndex: number,
  instrumentIndex: number,
): number {
  const { waiting } = orders.drafts;
  let lots = ledger.lots(strategyIndex, instrumentIndex);
  const addOrder = (order: BotOrder): void => {
    const isOwn = order.strategy === strategyIndex && order.instrumentIndex === instrumentIndex;
    if (!isOwn || order.parent !== 0 || order.triggerTicks > 0) return;
    // An order by amount has no lots: count the most that it can buy.
    const openLots = order.lots > 0 ? order.lots - order.filledLots : order.worstLots;
    lots += order.side === 'buy' ? openLots : -openLots;
  };
  for (const order of orders.active()) {
    // Lots that a replaced order still fills are deducted from the draft or the target that replaces it.
    const isReplaced = isUnderCancel(order) && (order.slot === TARGET || waiting.some(({ replaced }) => replaced?.id === order.id));
    if (!isReplaced) addOrder(order);
  }
  for (const { order, replaced } of waiting) if (replaced !== null) addOrder(order);
  return lots;
}

const NOTHING_CLEARED: ClearedSide = { isCleared: false, ahead: [] };

/**
 * Sets the stops of the old side aside and cancels its take-profits, before an order that takes a position to zero or beyond. They would close
 * the old side a second time. `missingLots`: what the order trades, negative for a sell. `ahead` of the result: the orders that must end first.
 */
export function clearOldSide(engine: ReversalHost, order: BotOrder, missingLots: number): ClearedSide {
  const { strategy, instrumentIndex, side, sign } = order;
  const { orders, ledger, brackets, nowMs } = engine;
  const closableLots = ledger.closable(strategy, instrumentIndex, side === 'buy', true);
  if (closableLots === 0 || Math.abs(missingLots) < closableLots) return NOTHING_CLEARED;
  const isLong = sign < 0;
  let removedBrackets = brackets.setAside(strategy, instrumentIndex, isLong);
  engine.drafts.withdrawAll((draft) => closesOldSide(draft.order, order));
  const idsAhead: OrderId[] = [];
  const closingOrders = orders.active().filter((other) => closesOldSide(other, order));
  for (const closingOrder of closingOrders.toReversed()) {
    const { id } = closingOrder;
    if (isExchangeStop(closingOrder)) brackets.aside.noteTrigger(closingOrder);
    orders.cancel(closingOrder, nowMs);
    if (closingOrder.id === id && closingOrder.state !== STATE.done) idsAhead.push(id);
  }
  // Again: the cancel of a stop order may have returned its unsold lots to its bracket.
  removedBrackets += brackets.setAside(strategy, instrumentIndex, isLong);
  brackets.aside.setProtectedLots(strategy, instrumentIndex, isLong, closableLots);
  return { isCleared: removedBrackets + closingOrders.length > 0, ahead: idsAhead };
}

/** True for a bracket leg, or a reduce-only trigger order, on the same side as the order. */
function closesOldSide(other: BotOrder, { strategy, instrumentIndex, side }: BotOrder): boolean {
  const isOfSide = other.strategy === strategy && other.instrumentIndex === instrumentIndex && other.side === side;
  return isOfSide && (other.parent > 0 || (other.triggerTicks > 0 && other.reduceOnly));
}
