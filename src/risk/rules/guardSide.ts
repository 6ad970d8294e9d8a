// Checks that an entry's stop-loss and take-profit lie on the right side of the entry price. Otherwise they would close the position at
// once.

import { fromScaled } from '../../base/number/decimal.ts';
import type { Ladder, Rung } from '../../model/order.ts';
import type { Draft, OrderRule } from './rule.ts';

/** The deny codes of this check. */
export const GUARD_CODES = ['STOP_SIDE', 'TARGET_SIDE', 'TARGETS_EQUAL'] as const;

/**
 * Returns the price in ticks at which an entry is expected to fill. For a trigger order or a stop entry it is the better of trigger and limit.
 * For any other order it is the better of limit and last price.
 */
function entryTicks(order: Draft, mark: number): number {
  const { role, limit, sign } = order;
  const trigger = triggerOf(order);
  const hasNoLimit = role !== 'limit' && (trigger === 0 || limit === 0);
  if (hasNoLimit) return trigger === 0 ? mark : trigger;
  const triggerOrMark = trigger === 0 ? mark : trigger;
  return sign > 0 ? Math.min(limit, triggerOrMark) : Math.max(limit, triggerOrMark);
}
/** Returns the trigger of an order, also of a stop entry that the price has reached; 0 for an order without one. */
function triggerOf({ triggerTicks, firedAtTicks }: Draft): number {
  return triggerTicks !== undefined && triggerTicks > 0 ? triggerTicks : (firedAtTicks ?? 0);
}

/** True when the stop-loss is not on the losing side of the entry price. */
function isStopOnWrongSide(order: Draft, mark: number): boolean {
  const { stopLoss, sign } = order;
  return stopLoss !== undefined && stopLoss > 0 && (entryTicks(order, mark) - stopLoss) * sign <= 0;
}
/** True when the take-profit is on the losing side of the entry price. */
function isTargetOnWrongSide(order: Draft, mark: number): boolean {
  const { takeProfit, sign } = order;
  return takeProfit !== undefined && takeProfit > 0 && (takeProfit - entryTicks(order, mark)) * sign < 0;
}

/** Returns the text of a denial: on which side of the entry price a stop or a target must be. */
function sideText(name: 'stopLoss' | 'takeProfit', ticks: number, order: Draft, mark: number): string {
  const { side, instrument, role, limit } = order;
  const entry = entryTicks(order, mark);
  const priceText = (priceTicks: number) => fromScaled(priceTicks, instrument.priceDigits);
  const isLimit = (role === 'limit' || triggerOf(order) > 0) && entry === limit;
  const limitOrLastPrice = isLimit ? 'its limit' : 'the last price';
  const source = triggerOf(order) === entry ? 'its trigger' : limitOrLastPrice;
  const sideWord = (name === 'stopLoss') === (side === 'buy') ? 'below' : 'above';
  return `${name} of a ${side}: expected a price ${sideWord} its entry at ${priceText(entry)} (${source}), got ${priceText(ticks)}`;
}

const stopSide: OrderRule = {
  kind: 'order',
  code: 'STOP_SIDE',
  keys: [],
  needs: [],
  check: (order, { mark }) => !isStopOnWrongSide(order, mark),
  detail: (order, { mark }) => sideText('stopLoss', order.stopLoss ?? 0, order, mark),
};
const targetSide: OrderRule = {
  kind: 'order',
  code: 'TARGET_SIDE',
  keys: [],
  needs: [],
  check: (order, { mark }) => !isTargetOnWrongSide(order, mark),
  detail: (order, { mark }) => sideText('takeProfit', order.takeProfit ?? 0, order, mark),
};
const targetsEqual: OrderRule = {
  kind: 'order',
  code: 'TARGETS_EQUAL',
  keys: [],
  needs: [],
  check: ({ ladder }) => ladder === undefined || ladder === null || duplicateOf(ladder) === undefined,
  detail: ({ ladder, instrument }) =>
    `targets: expected another price for each, got ${fromScaled(duplicateOf(ladder ?? [])?.at ?? 0, instrument.priceDigits)} twice`,
};

/** Returns the first target that has the price of an earlier one. */
const duplicateOf = (ladder: Ladder): Rung | undefined =>
  ladder.find(({ at }, rung) => ladder.findIndex((other) => other.at === at) < rung);

/** Returns the rule that the stop-loss or take-profit of an entry breaks, or null. Called only for orders with a bracket. */
export function guardFlaw(order: Draft, mark: number): OrderRule | null {
  if (order.reduceOnly) return null;
  if (isStopOnWrongSide(order, mark)) return stopSide;
  if (order.ladder !== undefined && order.ladder !== null && duplicateOf(order.ladder) !== undefined) return targetsEqual;
  return isTargetOnWrongSide(order, mark) ? targetSide : null;
}
