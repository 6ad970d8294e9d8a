// Changes an order of a strategy (`this.amend`). A stop moves at once. A new limit, size or target replaces the order. A closing trigger
// order is replaced too. The old one is cancelled only once the exchange holds the new one, so that the position is never without a stop.

import type { Lots, Ticks } from '../../base/brand.ts';
import { StrategyError } from '../../base/errors.ts';
import { Decimal } from '../../base/number/decimal.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Ladder, OrderId, Side } from '../../model/order.ts';
import { isUnderCancel, type BotOrder } from '../../orders/botOrder.ts';
import { STATE } from '../../orders/lifecycle.ts';
import { isBeingAmended } from '../../orders/stops/amendedTriggers.ts';
import { nearestOf } from '../../orders/stops/ladder.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { Bracket, Brackets } from '../../orders/stops/brackets.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { Amendment, Amount } from '../../strategy/types.ts';
import type { DecisionLog } from '../book/decisionLog.ts';
import type { FeedRun } from '../feeds/feed.ts';
import { isNegative } from '../../strategy/amounts.ts';
import { bothTargetsError, readTargets } from '../trailing/targetsOption.ts';
import type { Sizing } from './sizing.ts';

/** What an amendment needs of the engine. */
export interface AmendHost {
  readonly instruments: readonly Instrument[];
  readonly execution: readonly FeedRun[];
  readonly orders: OrderManager;
  readonly brackets: Brackets;
  readonly ledger: Ledger;
  readonly sizing: Sizing;
  readonly nowMs: number;
  newOrder(strategyIndex: number, feed: FeedRun, side: Side): BotOrder;
  submit(order: BotOrder): OrderId;
}

/** The strategy that changes its order, and the log of its decisions if the run keeps one. */
export interface Amender {
  readonly strategy: number;
  readonly name: string;
  readonly decisions: DecisionLog | null;
  /** Writes the size of an order that only closes: the size that is asked for, else `lots`. */
  writeClosing(order: BotOrder, size: Amount | undefined, lots: number): void;
}

const AMENDMENT_HELP = 'give one or more of limit, size, stop, target and targets';
const AMENDMENT_KEYS: Readonly<Record<string, true>> = {
  limit: true,
  size: true,
  stop: true,
  target: true,
  targets: true,
} satisfies Record<keyof Amendment, true>;

/**
 * Changes an order. Returns its id, or the id of its replacement. Null if nothing was changed. The order then has ended and has no bracket,
 * is under cancel, or waits as a draft; or a given number is NaN.
 */
export function amendOrder(engine: AmendHost, amender: Amender, id: OrderId, change: Amendment): OrderId | null {
  checkChange(amender.name, change);
  const order = unfinishedOrderOf(engine, amender.strategy, id);
  const bracket = bracketWithStopOf(engine, amender.strategy, id);
  if (change.target !== undefined && change.targets !== undefined) {
    if (order === undefined && bracket === undefined) return null;
    throw bothTargetsError(amender.name, 'this.amend', 'target');
  }
  if (order !== undefined) return amendUnfinished(engine, amender, order, bracket, change);
  return bracket === undefined ? null : amendFilledEntry(engine, amender, id, bracket, change);
}

/** Changes an order that has not ended. `bracket`: what protects the lots that it has filled. */
function amendUnfinished(
  engine: AmendHost,
  amender: Amender,
  order: BotOrder,
  bracket: Bracket | undefined,
  change: Amendment,
): OrderId | null {
  const { limit, size, stop, targets } = change;
  const replacesOrder = limit !== undefined || size !== undefined || changesTarget(change);
  if (order.parent > 0) throw bracketLegError(amender.name, order);
  if (order.triggerTicks > 0) return amendTrigger(engine, amender, order, change);
  if (replacesOrder && order.role !== 'limit') throw withoutLimitError(amender.name, order.id);
  if (order.state === STATE.draft || isUnderCancel(order)) return null;

  const stopTicks = stop === undefined ? 0 : engine.sizing.ticks(order.instrument, stop, order.sign < 0);
  if (stop !== undefined && !(stopTicks > 0)) return null;
  if (!replacesOrder) return moveStop(engine, order.id, order, bracket, stopTicks as Ticks);

  const ladder = targets === undefined ? undefined : readTargets(order, targets, amender.name);
  const terms = replacementTermsOf(engine, order, change, ladder);
  if (terms === null) return null;
  if (stop !== undefined && bracket !== undefined) moveStop(engine, order.id, order, bracket, stopTicks as Ticks);
  return replace(engine, amender, order, { ...terms, stopLoss: stop === undefined ? order.stopLoss : (stopTicks as Ticks) });
}

/** Moves the stop of an entry that has filled. Nothing else of it can change, so a change of its limit or size has no effect. */
function amendFilledEntry(engine: AmendHost, amender: Amender, id: OrderId, bracket: Bracket, change: Amendment): OrderId | null {
  const { limit, size, stop, target } = change;
  if (changesTarget(change)) throw targetOfFilledError(amender.name, id, target === undefined ? 'targets' : 'target');
  if (limit !== undefined || size !== undefined) return null;
  const instrument = engine.instruments[bracket.instrument]!;
  const stopTicks = stop === undefined ? 0 : engine.sizing.ticks(instrument, stop, !bracket.isLong);
  if (stop !== undefined && !(stopTicks > 0)) return null;
  return moveStop(engine, id, undefined, bracket, stopTicks as Ticks);
}

const changesTarget = ({ target, targets }: Amendment): boolean => target !== undefined || targets !== undefined;

/** Returns the order of the strategy with this id, unless it has ended. */
function unfinishedOrderOf({ orders }: AmendHost, strategyIndex: number, id: OrderId): BotOrder | undefined {
  const order = orders.get(id);
  return order !== undefined && order.strategy === strategyIndex && order.state !== STATE.done ? order : undefined;
}

/** Moves a stop at once. Returns null for an order that has filled lots without a stop, because those lots have no bracket. */
function moveStop(
  { orders, instruments, brackets }: AmendHost,
  id: OrderId,
  order: BotOrder | undefined,
  bracket: Bracket | undefined,
  stopTicks: Ticks,
): OrderId | null {
  if (bracket === undefined && order!.filledLots > 0) return null;
  if (order !== undefined) {
    order.stopLoss = stopTicks;
    order.isGuarded = true;
  }
  if (bracket !== undefined) brackets.moveStop(bracket, stopTicks);
  orders.journal.stopMoved(id, instruments[bracket?.instrument ?? order!.instrumentIndex]!, stopTicks);
  return id;
}

/** What a replacement has of its own; prices in ticks. `takeProfit` is 0 without a target, and the nearest one of a ladder. */
interface ReplacementTerms {
  readonly limitTicks: Ticks;
  readonly lots: Lots;
  readonly takeProfitTicks: Ticks;
  readonly ladder: Ladder | null;
}

/**
 * Returns the terms of the replacement, or null if a given number is NaN. Its size is the quantity that is still to be filled. `newLadder`:
 * the targets of the change, if it gives several.
 */
function replacementTermsOf(
  { sizing }: AmendHost,
  order: BotOrder,
  change: Amendment,
  newLadder: Ladder | undefined,
): ReplacementTerms | null {
  const { limit, size, target } = change;
  const { instrument } = order;
  const isBuy = order.sign > 0;
  const limitTicks = limit === undefined ? order.limit : sizing.ticks(instrument, limit, isBuy);
  const lots = size === undefined ? order.lots - order.filledLots : sizing.lots(instrument, size);
  const ladder = newLadder ?? (target === undefined ? order.ladder : null);
  const singleTargetTicks = target === undefined ? order.takeProfit : sizing.ticks(instrument, target, !isBuy);
  const takeProfit = ladder === null ? singleTargetTicks : nearestOf(ladder, isBuy);
  const hasValidTarget = changesTarget(change) ? takeProfit > 0 : takeProfit >= 0;
  if (!(limitTicks > 0 && lots >= instrument.minLots && hasValidTarget)) return null;
  return { limitTicks: limitTicks as Ticks, lots: lots as Lots, takeProfitTicks: takeProfit as Ticks, ladder };
}

/** Cancels an order and sends its replacement in the same slot, once the cancel is confirmed. */
function replace(
  engine: AmendHost,
  { strategy, decisions }: Amender,
  oldOrder: BotOrder,
  terms: ReplacementTerms & { readonly stopLoss: Ticks },
): OrderId {
  const { instrumentIndex, side, id } = oldOrder;
  const replacement = engine.newOrder(strategy, engine.execution[instrumentIndex]!, side);
  replacement.role = 'limit';
  replacement.slot = oldOrder.slot;
  replacement.limit = terms.limitTicks;
  replacement.lots = terms.lots;
  replacement.takeProfit = terms.takeProfitTicks;
  replacement.ladder = terms.ladder;
  replacement.stopLoss = terms.stopLoss;
  replacement.trailing = oldOrder.trailing;
  replacement.trailingPpm = oldOrder.trailingPpm;
  replacement.trailingFrom = oldOrder.trailingFrom;
  replacement.isGuarded = replacement.takeProfit > 0 || replacement.stopLoss > 0 || replacement.trailing > 0;
  replacement.reduceOnly = oldOrder.reduceOnly;
  replacement.timeInForce = oldOrder.timeInForce;
  if (decisions !== null) {
    decisions.note('cancel', id, strategy, instrumentIndex, engine.nowMs);
    decisions.order(replacement, false);
  }
  engine.orders.cancel(oldOrder, engine.nowMs);
  return engine.submit(replacement);
}

/**
 * Moves a trigger order that closes. The new one is sent at once, and `OrderManager` cancels the old one once the new one is acknowledged.
 * Returns the id of the new one. Returns null and changes nothing if the old one is not acknowledged yet, or is being moved already. The same
 * applies if nothing is held, if a given number is NaN, or if the new one is denied.
 */
function amendTrigger(engine: AmendHost, amender: Amender, oldOrder: BotOrder, change: Amendment): OrderId | null {
  const { orders, sizing } = engine;
  const { id, instrument, instrumentIndex, side, strategy } = oldOrder;
  const isBuy = oldOrder.sign > 0;
  const price = triggerPriceOf(amender.name, oldOrder, change);
  const closableLots = engine.ledger.closable(strategy, instrumentIndex, isBuy, true);
  const isMoving = orders.amended.oldOf(oldOrder) !== undefined || isBeingAmended(oldOrder, orders.active());
  const isUnfilled = oldOrder.state === STATE.working && oldOrder.filledLots === 0;
  if (!isUnfilled || closableLots === 0 || isMoving) return null;
  const triggerTicks = price === undefined ? oldOrder.triggerTicks : sizing.ticks(instrument, price, isBuy);
  const unchangedLots = Math.min(oldOrder.lots + oldOrder.fingerprintOffset, closableLots);
  const lots = change.size === undefined ? unchangedLots : sizing.lots(instrument, change.size);
  if (!(triggerTicks > 0 && lots >= instrument.minLots)) return null;
  if (triggerTicks === oldOrder.triggerTicks && lots === oldOrder.lots) return id;

  const replacement = engine.newOrder(strategy, engine.execution[instrumentIndex]!, side);
  replacement.role = oldOrder.role;
  replacement.slot = oldOrder.slot;
  replacement.reduceOnly = true;
  replacement.triggerTicks = triggerTicks as Ticks;
  replacement.triggersAbove = oldOrder.triggersAbove;
  replacement.amends = id;
  amender.writeClosing(replacement, change.size, lots);
  if (amender.decisions !== null) {
    amender.decisions.note('cancel', id, strategy, instrumentIndex, engine.nowMs);
    amender.decisions.order(replacement, false);
  }
  orders.amended.releaseOld(replacement);
  const sentId = engine.submit(replacement);
  return replacement.id === sentId && replacement.reason === null ? sentId : null;
}

/** Returns the new price of a trigger order; undefined if it stays. */
function triggerPriceOf(name: string, order: BotOrder, { limit, stop, target, targets }: Amendment): Amount | undefined {
  const isStop = order.role === 'stopLoss';
  if (!order.reduceOnly || limit !== undefined || targets !== undefined) throw triggerChangeError(name, order);
  if ((isStop ? target : stop) !== undefined) throw wrongTriggerKeyError(name, order, isStop);
  return isStop ? stop : target;
}

/** Returns the bracket of an order of the strategy, if it has a stop. A bracket without one only marks that a position still exists. */
function bracketWithStopOf({ brackets, instruments }: AmendHost, strategyIndex: number, id: OrderId): Bracket | undefined {
  if (brackets.total === 0) return undefined;
  for (let instrumentIndex = 0; instrumentIndex < instruments.length; instrumentIndex++) {
    const bracket = brackets.of({ instrumentIndex, id });
    if (bracket === undefined) continue;
    const hasStop = bracket.stopTicks > 0 || bracket.trailingTicks > 0;
    return bracket.strategy === strategyIndex && hasStop ? bracket : undefined;
  }
  return undefined;
}

/** Throws StrategyError for a change that is not an object with valid keys. */
function checkChange(name: string, change: unknown): void {
  const keys = typeof change === 'object' && change !== null ? Object.keys(change) : [];
  for (const key of keys) if (AMENDMENT_KEYS[key] !== true) throw unknownKeyError(name, key);
  const values = keys.map((key) => (change as Readonly<Record<string, unknown>>)[key]);
  // A change whose keys all have no value would read as a stop at no price, which would remove the stop.
  if (values.every((value) => value === undefined))
    throw new StrategyError(`${name}: this.amend without anything to change`, AMENDMENT_HELP);
  keys.forEach((key, index) => checkAmount(name, key, values[index]));
}

/**
 * Throws StrategyError for a negative size, and for an object in place of a number, such as the size of a new order. Without this check the
 * amendment would have no effect and report nothing.
 */
function checkAmount(name: string, key: string, value: unknown): void {
  if (key === 'size' && isNegative(value as Amount))
    throw new StrategyError(
      `${name}: this.amend with a negative size, ${String(value)}`,
      'give what is still to be filled, above zero: an order keeps its direction',
    );
  if (key === 'targets' || typeof value !== 'object' || value === null || Decimal.isDecimal(value)) return;
  const remedy = key === 'size' ? "size is what is still to be filled, in base, without a unit: { size: '0.5' }" : `such as { ${key}: 95 }`;
  throw new StrategyError(`${name}: this.amend with { ${Object.keys(value).join(', ')} } as its ${key}: expected a number`, remedy);
}

/** Returns the error for a key that is not one of an amendment. */
function unknownKeyError(name: string, key: string): StrategyError {
  const nearestKey = nearestName(key, Object.keys(AMENDMENT_KEYS));
  const remedy = nearestKey === null ? AMENDMENT_HELP : `did you mean ${nearestKey}?`;
  return new StrategyError(`${name}: this.amend with ${key}, which it does not change`, remedy);
}
const bracketLegError = (name: string, { id, parent, slot }: BotOrder): StrategyError =>
  new StrategyError(
    `${name}: this.amend(${id}), which is the ${slot} of order ${parent}`,
    `cancel it and close with a limit order of your own; this.amend(${parent}, { stop }) moves the stop`,
  );
/** Returns the error for a change that a trigger order cannot have. */
const triggerChangeError = (name: string, { id, reduceOnly }: BotOrder): StrategyError =>
  reduceOnly
    ? new StrategyError(
        `${name}: this.amend(${id}) with a limit or targets, but it is a trigger order`,
        'change its price with stop, or with target if it takes the profit, and its size',
      )
    : new StrategyError(
        `${name}: this.amend(${id}), which is a trigger order or a stop entry that may open a position`,
        'cancel it and place another one with its tag',
      );
/** Returns the error for `target` on a trigger order that is a stop, and for `stop` on one that takes the profit. */
const wrongTriggerKeyError = (name: string, { id }: BotOrder, isStop: boolean): StrategyError =>
  new StrategyError(
    `${name}: this.amend(${id}, { ${isStop ? 'target' : 'stop'} }), but this trigger order ${isStop ? 'is a stop' : 'takes the profit'}`,
    `change its price with ${isStop ? 'stop' : 'target'}`,
  );
const withoutLimitError = (name: string, id: number): StrategyError =>
  new StrategyError(
    `${name}: this.amend(${id}) with a limit, size or target, but the order has no limit price`,
    'change only its stop: this.amend replaces limit orders alone',
  );
const targetOfFilledError = (name: string, id: number, key: 'target' | 'targets'): StrategyError =>
  new StrategyError(
    `${name}: this.amend(${id}, { ${key} }), but the order has filled`,
    'cancel its takeProfit from openOrders() and close with a limit order of your own: the stop stays',
  );
