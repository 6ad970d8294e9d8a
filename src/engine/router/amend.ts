// Changes an order of a strategy: its stop at once; its limit, size and targets by replacing the order; a trigger order that closes by another
// one, which stands before the old one is cancelled.

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
  newOrder(strategy: number, feed: FeedRun, side: Side): BotOrder;
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

const REMEDY = 'give one or more of limit, size, stop, target and targets';
const KEYS: Readonly<Record<string, true>> = {
  limit: true,
  size: true,
  stop: true,
  target: true,
  targets: true,
} satisfies Record<keyof Amendment, true>;

/**
 * Changes an order. Returns its id, or the id of its replacement. Null if nothing was changed: the order has ended and has no bracket, is
 * under cancel, waits as a draft, or a given number is NaN.
 */
export function amendOrder(engine: AmendHost, by: Amender, id: OrderId, change: Amendment): OrderId | null {
  checkChange(by.name, change);
  const amended = engine.orders.get(id);
  const order = amended !== undefined && amended.strategy === by.strategy && amended.state !== STATE.done ? amended : undefined;
  const bracket = bracketOf(engine, by.strategy, id);
  if (order === undefined && bracket === undefined) return null;
  const { limit, size, stop, target, targets } = change;
  const changesTarget = target !== undefined || targets !== undefined;
  const replaces = limit !== undefined || size !== undefined || changesTarget;
  if (target !== undefined && targets !== undefined) throw bothTargetsError(by.name, 'this.amend', 'target');
  if (order !== undefined && order.parent > 0) throw legError(by.name, order);
  if (order !== undefined && order.triggerTicks > 0) return amendTrigger(engine, by, order, change);
  if (replaces && order === undefined) {
    if (changesTarget) throw filledError(by.name, id, target === undefined ? 'targets' : 'target');
    return null;
  }
  if (replaces && order!.role !== 'limit') throw noLimitError(by.name, id);
  if (order !== undefined && (order.state === STATE.draft || isUnderCancel(order))) return null;

  const instrument = order?.instrument ?? engine.instruments[bracket!.instrument]!;
  const isLong = order === undefined ? bracket!.isLong : order.sign > 0;
  const stopTicks = stop === undefined ? 0 : engine.sizing.ticks(instrument, stop, !isLong);
  if (stop !== undefined && !(stopTicks > 0)) return null;
  if (!replaces) return moveStop(engine, id, order, bracket, stopTicks as Ticks);

  const ladder = targets === undefined ? undefined : readTargets(order!, targets, by.name);
  const next = termsOf(engine, order!, change, ladder);
  if (next === null) return null;
  if (stop !== undefined && bracket !== undefined) moveStop(engine, id, order, bracket, stopTicks as Ticks);
  return replace(engine, by, order!, { ...next, stopLoss: stop === undefined ? order!.stopLoss : (stopTicks as Ticks) });
}

/** Moves a stop at once. Returns null for an order that has filled lots without a stop, because those lots have no bracket. */
function moveStop(
  { orders, instruments, brackets }: AmendHost,
  id: OrderId,
  order: BotOrder | undefined,
  bracket: Bracket | undefined,
  ticks: Ticks,
): OrderId | null {
  if (bracket === undefined && order!.filledLots > 0) return null;
  if (order !== undefined) {
    order.stopLoss = ticks;
    order.isGuarded = true;
  }
  if (bracket !== undefined) brackets.moveStop(bracket, ticks);
  orders.journal.stopMoved(id, instruments[bracket?.instrument ?? order!.instrumentIndex]!, ticks);
  return id;
}

type Terms = { readonly limit: Ticks; readonly lots: Lots; readonly takeProfit: Ticks; readonly ladder: Ladder | null };

/** Returns the terms of the replacement; null if a given number is NaN. The size is the quantity that is still to be filled. */
function termsOf({ sizing }: AmendHost, order: BotOrder, { limit, size, target }: Amendment, targets: Ladder | undefined): Terms | null {
  const { instrument } = order;
  const isBuy = order.sign > 0;
  const ticks = limit === undefined ? order.limit : sizing.ticks(instrument, limit, isBuy);
  const lots = size === undefined ? order.lots - order.filledLots : sizing.lots(instrument, size);
  const ladder = targets ?? (target === undefined ? order.ladder : null);
  const single = target === undefined ? order.takeProfit : sizing.ticks(instrument, target, !isBuy);
  const takeProfit = ladder === null ? single : nearestOf(ladder, isBuy);
  const changesTarget = target !== undefined || targets !== undefined;
  const isValid = ticks > 0 && lots >= instrument.minLots && (changesTarget ? takeProfit > 0 : takeProfit >= 0);
  return isValid ? { limit: ticks as Ticks, lots: lots as Lots, takeProfit: takeProfit as Ticks, ladder } : null;
}

/** Cancels an order and sends its replacement in the same slot, once the cancel is confirmed. */
function replace(
  engine: AmendHost,
  { strategy, decisions }: Amender,
  oldOrder: BotOrder,
  terms: Terms & { readonly stopLoss: Ticks },
): OrderId {
  const { instrumentIndex, side, id } = oldOrder;
  const next = engine.newOrder(strategy, engine.execution[instrumentIndex]!, side);
  next.role = 'limit';
  next.slot = oldOrder.slot;
  next.limit = terms.limit;
  next.lots = terms.lots;
  next.takeProfit = terms.takeProfit;
  next.ladder = terms.ladder;
  next.stopLoss = terms.stopLoss;
  next.trailing = oldOrder.trailing;
  next.trailingPpm = oldOrder.trailingPpm;
  next.trailingFrom = oldOrder.trailingFrom;
  next.isGuarded = next.takeProfit > 0 || next.stopLoss > 0 || next.trailing > 0;
  next.reduceOnly = oldOrder.reduceOnly;
  next.timeInForce = oldOrder.timeInForce;
  if (decisions !== null) {
    decisions.note('cancel', id, strategy, instrumentIndex, engine.nowMs);
    decisions.order(next, false);
  }
  engine.orders.cancel(oldOrder, engine.nowMs);
  return engine.submit(next);
}

/**
 * Moves a trigger order that closes. The new one is sent at once, and `OrderManager` cancels the old one once the new one is acknowledged.
 * Returns the id of the new one; null, and nothing has changed, if the old one is not acknowledged yet, another move of it is under way,
 * nothing is held, a given number is NaN, or the new one is denied.
 */
function amendTrigger(engine: AmendHost, by: Amender, oldOrder: BotOrder, change: Amendment): OrderId | null {
  const { orders, sizing } = engine;
  const { id, instrument, instrumentIndex, side, strategy } = oldOrder;
  const isBuy = oldOrder.sign > 0;
  const price = triggerPriceOf(by.name, oldOrder, change);
  const closableLots = engine.ledger.closable(strategy, instrumentIndex, isBuy, true);
  const isMoving = orders.amended.oldOf(oldOrder) !== undefined || isBeingAmended(oldOrder, orders.active());
  if (oldOrder.state !== STATE.working || oldOrder.filledLots > 0 || closableLots === 0 || isMoving) return null;
  const ticks = price === undefined ? oldOrder.triggerTicks : sizing.ticks(instrument, price, isBuy);
  const lots =
    change.size === undefined ? Math.min(oldOrder.lots + oldOrder.fingerprintOffset, closableLots) : sizing.lots(instrument, change.size);
  if (!(ticks > 0 && lots >= instrument.minLots)) return null;
  if (ticks === oldOrder.triggerTicks && lots === oldOrder.lots) return id;

  const next = engine.newOrder(strategy, engine.execution[instrumentIndex]!, side);
  next.role = oldOrder.role;
  next.slot = oldOrder.slot;
  next.reduceOnly = true;
  next.triggerTicks = ticks as Ticks;
  next.triggersAbove = oldOrder.triggersAbove;
  next.amends = id;
  by.writeClosing(next, change.size, lots);
  if (by.decisions !== null) {
    by.decisions.note('cancel', id, strategy, instrumentIndex, engine.nowMs);
    by.decisions.order(next, false);
  }
  orders.amended.passOn(next);
  const sent = engine.submit(next);
  return next.id === sent && next.reason === null ? sent : null;
}

/** Returns the new price of a trigger order; undefined if it stays. */
function triggerPriceOf(name: string, order: BotOrder, { limit, stop, target, targets }: Amendment): Amount | undefined {
  const isStop = order.role === 'stopLoss';
  if (!order.reduceOnly || limit !== undefined || targets !== undefined) throw triggerChangeError(name, order);
  if ((isStop ? target : stop) !== undefined) throw otherTriggerError(name, order, isStop);
  return isStop ? stop : target;
}

/** Returns the bracket of an order of the strategy, if it has a stop. Undefined otherwise. */
function bracketOf({ brackets, instruments }: AmendHost, strategy: number, id: OrderId): Bracket | undefined {
  if (brackets.total === 0) return undefined;
  for (let instrumentIndex = 0; instrumentIndex < instruments.length; instrumentIndex++) {
    const bracket = brackets.of({ instrumentIndex, id });
    // A bracket without a stop only marks that a position still exists.
    if (bracket !== undefined) return bracket.strategy === strategy && (bracket.stop > 0 || bracket.trailing > 0) ? bracket : undefined;
  }
  return undefined;
}

/** Throws StrategyError for a change that is not an object with valid keys. */
function checkChange(name: string, change: unknown): void {
  const keys = typeof change === 'object' && change !== null ? Object.keys(change) : [];
  if (keys.length === 0) {
    throw new StrategyError(`${name}: this.amend without anything to change`, REMEDY);
  }
  for (const key of keys) {
    if (KEYS[key] === true) {
      checkAmount(name, key, (change as Readonly<Record<string, unknown>>)[key]);
      continue;
    }
    const near = nearestName(key, Object.keys(KEYS));
    throw new StrategyError(`${name}: this.amend with ${key}, which it does not change`, near === null ? REMEDY : `did you mean ${near}?`);
  }
}

/**
 * Throws StrategyError for a negative size, and for an object where a number is due, such as the size of a new order: it would change nothing, and
 * say nothing.
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

const legError = (name: string, { id, parent, slot }: BotOrder): StrategyError =>
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
const otherTriggerError = (name: string, { id }: BotOrder, isStop: boolean): StrategyError =>
  new StrategyError(
    `${name}: this.amend(${id}, { ${isStop ? 'target' : 'stop'} }), but this trigger order ${isStop ? 'is a stop' : 'takes the profit'}`,
    `change its price with ${isStop ? 'stop' : 'target'}`,
  );
const noLimitError = (name: string, id: number): StrategyError =>
  new StrategyError(
    `${name}: this.amend(${id}) with a limit, size or target, but the order has no limit price`,
    'change only its stop: this.amend replaces limit orders alone',
  );
const filledError = (name: string, id: number, problem: string): StrategyError =>
  new StrategyError(
    `${name}: this.amend(${id}, { ${problem} }), but the order has filled`,
    'cancel its takeProfit from openOrders() and close with a limit order of your own: the stop stays',
  );
