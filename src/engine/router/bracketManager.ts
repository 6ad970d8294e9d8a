// Runs brackets: places take-profits when an entry fills, and sends stops as market orders when the price reaches them.

import type { Lots, Ticks, TimeMs } from '../../base/brand.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Ladder, OrderId, OrderRole, Side } from '../../model/order.ts';
import { dropClosed, levelOf, type Bracket, type Brackets, type BracketEntry } from '../../orders/stops/brackets.ts';
import { rungsOfFill } from '../../orders/stops/ladder.ts';
import { STATE } from '../../orders/lifecycle.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import type { Reservations } from '../../orders/reserve/reservation.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';
import type { OrderGateway } from '../../ports/exchange.ts';
import type { RiskModule } from '../../risk/riskModule.ts';
import { takenLots } from '../../risk/rules/openOrderRules.ts';
import type { FeedRun } from '../feeds/feed.ts';
import { maxAtMarket } from './sizing.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Delay before a take-profit that could not be sent is placed again. */
const TARGET_RETRY_MS = 10_000;
const NO_STOP = { stopLoss: 0, trailing: 0, trailingPpm: 0, trailingFrom: 0 } as const;
const NO_TARGET = { takeProfit: 0, ladder: null } as const;

/** The entry that a leg protects. */
type ProtectedEntry = { readonly [Key in 'strategy' | 'instrumentIndex']: number } & Pick<BotOrder, 'side'>;
/** The take-profit for the filled `lots` of an open entry. It waits until the limit on open orders allows it. */
type PendingTarget = BracketEntry & ProtectedEntry & EntryTargets & { lots: number };
/** The targets of an entry. A copy, because its record returns to the pool with its last fill. */
interface EntryTargets {
  readonly target: Ticks;
  readonly ladder: Ladder | null;
  /** The lots of the entry; 0 if it is by amount. */
  readonly orderedLots: number;
  filledLots: number;
}

/** What the bracket of an entry needs of its fill. */
export type FillOfEntry = Pick<Fill, 'price' | 'lots' | 'timeMs' | 'isMaker'>;
/** Returns a copy of what a bracket needs of a fill, because the venue reuses the record of the fill. */
export const entryFill = ({ price, lots, timeMs, isMaker }: Fill): FillOfEntry => ({ price, lots, timeMs, isMaker });

const protectedEntryOf = ({ strategy, instrumentIndex, side }: BotOrder): ProtectedEntry => ({ strategy, instrumentIndex, side });
/** Returns a copy of the targets of an entry. */
const targetsOf = ({ takeProfit, ladder, lots, quoteUnits, filledLots }: BotOrder): EntryTargets => ({
  target: takeProfit,
  ladder,
  orderedLots: quoteUnits > 0 ? 0 : lots,
  filledLots,
});

/** What `BracketManager` needs of the engine. */
export interface BracketHost {
  readonly instruments: readonly Instrument[];
  readonly execution: readonly FeedRun[];
  readonly ledger: Ledger;
  readonly reservations: Reservations;
  readonly orders: OrderManager;
  readonly brackets: Brackets;
  readonly exchange: OrderGateway;
  readonly queue: DueQueue;
  readonly risk: RiskModule;
  readonly runs: readonly { isLeaving(instrumentIndex: number): boolean }[];
  /** Number of exits and drafts, of all strategies, that wait for orders to end. */
  readonly followUps: number;
  readonly nowMs: number;
  newOrder(strategyIndex: number, feed: FeedRun, side: Side): BotOrder;
  submit(order: BotOrder): OrderId;
}

/** Manages the legs of all brackets of one bot, from the fill of an entry to the end of its protection. */
export class BracketManager {
  private readonly engine: BracketHost;
  /** Triggered stops that wait for the cancel of the bracket's other legs, if an exchange confirms cancels later. */
  private readonly waitingStops: Bracket[] = [];
  /** By entry: take-profits that wait until their entry has ended, because the limit on open orders is reached and the entry counts in it. */
  private readonly pendingTargets = new Map<OrderId, PendingTarget>();
  /** Price at which the current stop leg triggers, for the exchange that replays it; NaN outside of `hit`. */
  hitPrice = NAN;
  /** Inside the row being matched: the time of the fill or level that the current legs react to. NaN outside of a row. */
  legTimeMs = NAN;
  /** True while a stop cancels its sibling legs. In a replay these cancels act at once; a strategy's own cancels have latency. */
  cancelsOwnOrders = false;

  constructor(engine: BracketHost) {
    this.engine = engine;
  }

  /** Handles a fill of a leg: the bracket protects that many lots less. */
  onLegFill(leg: BotOrder, lots: number): void {
    if (this.hasWaitingStops) this.onSiblingFill(leg, lots);
    const { brackets, ledger } = this.engine;
    const bracket = brackets.of({ instrumentIndex: leg.instrumentIndex, id: leg.parent });
    if (!bracket) return;
    // Remaining dust cannot be sold, so no bracket protects it. The lots of a stop leg left the bracket when the leg was sent.
    if (ledger.isFlat(leg.strategy, leg.instrumentIndex)) brackets.remove(bracket);
    else if (leg.firedAtTicks === 0) brackets.reduce(bracket, lots);
  }

  /** Handles a fill of an entry: arms its bracket and places its take-profits. */
  onEntryFill(order: BotOrder, fill: FillOfEntry): void {
    // Copied first: the record returns to the pool with its last fill, and the draft of the take-profit may reuse it.
    const { id, takeProfit } = order;
    const { price, lots, timeMs } = fill;
    const targets = order.ladder === null ? null : targetsOf(order);
    this.armStop(order, fill);
    // A take-profit would block an exit that is about to sell the same lots, perhaps permanently.
    if (takeProfit === 0 || this.engine.runs[order.strategy]!.isLeaving(order.instrumentIndex)) return;
    if (this.waitsForEntryEnd(order, lots, price, timeMs)) return;
    const pendingLots = this.pendingTargets.size > 0 ? this.takePendingTarget(id) : 0;
    if (targets !== null) this.scheduleLadder(timeMs, protectedEntryOf(order), id, targets, lots + pendingLots);
    else this.scheduleTarget(timeMs, order, id, takeProfit, lots + pendingLots);
  }
  /** Arms the stop of an entry for what a fill has opened. */
  private armStop(order: BotOrder, { price, lots, timeMs, isMaker }: FillOfEntry): void {
    if (order.stopLoss === 0 && order.trailing === 0) return;
    // A fee in the base asset reduces the bought coins, and only the remaining ones can be protected.
    const protectedLots = Math.min(lots, this.closableLots(order.strategy, order.instrumentIndex, order.side === 'buy'));
    if (protectedLots <= 0) return;
    // The price reached this entry by moving in its favour. In live a stop entry is sent only after that row.
    const isReachedStopEntry = order.firedAtTicks > 0 && this.hitPrice === this.hitPrice;
    const isReachedTrigger = order.triggerTicks > 0 && order.triggersAbove === (order.side === 'buy');
    const isChasing = (isReachedStopEntry || isReachedTrigger) && !isMaker;
    this.engine.brackets.arm(order, protectedLots, price, timeMs, isChasing);
  }
  /**
   * Arms the stop of an entry that a fill has ended. Call it before the end is reported. An exit that waited for the entry is sent at the
   * report, and must find the stop to set it aside. Returns a copy of the order for `onEntryFill`, because a new order may reuse the
   * record. The copy has no stop, and no targets if an exit is about to close the lots. Returns the order itself where nothing waits.
   */
  armBeforeEnd(order: BotOrder, fill: FillOfEntry): BotOrder {
    const { followUps, brackets, runs } = this.engine;
    if (order.reason === null || !order.isGuarded || (followUps === 0 && brackets.aside.count === 0)) return order;
    this.armStop(order, fill);
    const isLeaving = runs[order.strategy]!.isLeaving(order.instrumentIndex);
    return Object.assign({}, order, NO_STOP, isLeaving ? NO_TARGET : {});
  }

  /** True when take-profits wait for the end of their entry. */
  get hasPendingTargets(): boolean {
    return this.pendingTargets.size > 0;
  }
  /** Handles the end of an order that the exchange reported: the take-profit that waited for it may now be sent. */
  onEntryEnd(id: OrderId, timeMs: number): void {
    const pending = this.pendingTargets.get(id);
    if (pending === undefined) return;
    const lots = this.takePendingTarget(id);
    if (lots === 0 || this.engine.runs[pending.strategy]!.isLeaving(pending.instrumentIndex)) return;
    if (pending.ladder !== null) this.scheduleLadder(timeMs, pending, id, pending, lots);
    else this.scheduleTarget(timeMs, pending, id, pending.target, lots);
  }

  /**
   * True when the take-profit must wait for the end of its entry. Either the limit on open orders is reached and the entry counts in it. Or the
   * entry is by amount and has several targets, whose lots are known only at the end.
   */
  private waitsForEntryEnd(order: BotOrder, lots: number, price: number, timeMs: number): boolean {
    if (order.state === STATE.done) return false;
    const { ladder, quoteUnits } = order;
    const isReady = ladder === null || quoteUnits === 0;
    if (isReady && this.engine.risk.mayOpenAnother(order, ladder === null ? 1 : ladder.length)) return false;
    this.deferTarget(order, lots, price, timeMs);
    return true;
  }
  /** Keeps lots of an entry fill until its targets can be placed. Without a stop, a bracket waits in their place. */
  private deferTarget(order: BotOrder, lots: number, price: number, timeMs: number): void {
    const { id } = order;
    const pending = this.pendingTargets.get(id);
    if (pending === undefined) this.pendingTargets.set(id, { id, ...protectedEntryOf(order), ...NO_STOP, ...targetsOf(order), lots });
    else {
      pending.lots += lots;
      pending.filledLots = order.filledLots;
    }
    if (order.stopLoss === 0 && order.trailing === 0) this.engine.brackets.arm(order, lots, price, timeMs);
  }
  /** Restores the unsent take-profit for what an entry had filled when the bot was killed. It is sent when the entry ends. */
  restorePendingTarget(entry: BotOrder, lots: number, timeMs: number): void {
    const { strategy, instrumentIndex, side, takeProfit } = entry;
    if (entry.state === STATE.done || this.closableLots(strategy, instrumentIndex, side === 'buy') === 0) return;
    this.deferTarget(entry, lots, takeProfit, timeMs);
  }
  /** Removes the pending take-profit of an entry; returns its lots, or 0 if its bracket was removed with its position. */
  private takePendingTarget(id: OrderId): number {
    const pending = this.pendingTargets.get(id);
    if (pending === undefined) return 0;
    this.pendingTargets.delete(id);
    const { brackets } = this.engine;
    const bracket = brackets.of(pending);
    if (bracket?.stopTicks === 0 && bracket.trailingTicks === 0) brackets.reduce(bracket, pending.lots);
    return bracket === undefined ? 0 : pending.lots;
  }
  /** Places a take-profit as of `timeMs`. */
  private scheduleTarget(timeMs: number, entry: ProtectedEntry, id: OrderId, target: Ticks, lots: number): void {
    // Restored afterwards: if this is the fill of a stop entry, other entries of the same row must still be sent.
    const rowTimeMs = this.legTimeMs;
    this.legTimeMs = timeMs;
    this.placeTarget(entry, id, target, lots);
    this.legTimeMs = rowTimeMs;
  }

  /** Places the targets of a ladder for the newest `lots` of what its entry has filled. */
  private scheduleLadder(timeMs: number, entry: ProtectedEntry, id: OrderId, targets: EntryTargets, lots: number): void {
    const { ladder, orderedLots, filledLots } = targets;
    const { minLots } = this.engine.instruments[entry.instrumentIndex]!;
    const rungs = rungsOfFill(ladder!, orderedLots > 0 ? orderedLots : filledLots, filledLots - lots, filledLots, minLots);
    for (const rung of rungs) this.scheduleTarget(timeMs, entry, id, rung.targetTicks, rung.lots);
  }

  /** Handles a closing fill of an order that is not a leg. Brackets end with the side that they protect: they would close a later entry. */
  onClosingFill(strategyIndex: number, instrumentIndex: number, isBuy: boolean): void {
    const { brackets, ledger } = this.engine;
    if (brackets.waiting(instrumentIndex) > 0)
      dropClosed(brackets, ledger, { strategy: strategyIndex, instrument: instrumentIndex, isBuy });
  }

  /** `hit` as a function value. Created once, because every row passes it on. */
  readonly onHit = (bracket: Bracket, price: number): void => this.hit(bracket, price);

  /** Handles a reached stop: cancels the other legs and the remainder of the entry, and closes the protected lots at the market. */
  hit(bracket: Bracket, price: number): void {
    const engine = this.engine;
    if (bracket.triedMs === engine.nowMs) return;
    bracket.triedMs = engine.nowMs;
    engine.brackets.remove(bracket);
    this.cancelsOwnOrders = true;
    this.cancelSiblings(bracket);
    this.cancelsOwnOrders = false;
    if (this.waitsForSiblings(bracket)) this.waitingStops.push(bracket);
    else this.sendStops(bracket, price);
  }

  /** Cancels the other legs of the bracket and the remainder of its entry. */
  private cancelSiblings({ entryId }: Bracket): void {
    const { orders, exchange, nowMs } = this.engine;
    const active = orders.active();
    for (let index = active.length - 1; index >= 0; index--) {
      const order = active[index]!;
      if (order.parent !== entryId && order.id !== entryId) continue;
      // The strategy has cancelled this leg, but the cancel has not arrived yet.
      if (order.parent > 0 && order.state === STATE.cancelSent) exchange.recall?.(order);
      else orders.cancel(order, nowMs);
    }
  }

  /** Handles a take-profit that filled before its cancel arrived: the stop that waits for it has less to close. */
  private onSiblingFill({ parent }: BotOrder, lots: number): void {
    for (const bracket of this.waitingStops) if (bracket.entryId === parent) bracket.lots -= lots;
  }
  /** Handles the end of an order: sends the stop that waited for it. */
  onSiblingEnd({ parent }: BotOrder): void {
    for (const bracket of this.waitingStops.slice()) {
      if (bracket.entryId !== parent || this.waitsForSiblings(bracket)) continue;
      this.waitingStops.splice(this.waitingStops.indexOf(bracket), 1);
      this.sendStops(bracket, levelOf(bracket));
    }
  }
  /** True when any stop waits. */
  get hasWaitingStops(): boolean {
    return this.waitingStops.length > 0;
  }

  private waitsForSiblings({ entryId }: Bracket): boolean {
    return this.engine.orders
      .active()
      .some(({ parent, state, wantsCancel }) => parent === entryId && (state === STATE.cancelSent || wantsCancel));
  }

  /** Sends the stop for what the bracket protects, as several orders if one would be too large for the exchange. */
  private sendStops(bracket: Bracket, price: number): void {
    const engine = this.engine;
    const closableLots = this.closableLots(bracket.strategy, bracket.instrument, bracket.isLong);
    const { minLots } = engine.instruments[bracket.instrument]!;
    bracket.lots = Math.min(bracket.lots, closableLots);
    if (bracket.lots < minLots) return;
    if (closableLots - this.lotsBeingClosed(bracket.strategy, bracket.instrument, bracket.isLong) < bracket.lots)
      this.cancelBlockingOrders(bracket);
    const lots = Math.min(bracket.lots, closableLots - this.lotsBeingClosed(bracket.strategy, bracket.instrument, bracket.isLong));
    const maxLots = maxAtMarket(engine.instruments[bracket.instrument]!);
    for (let remainingLots = lots, sentLots = lots; remainingLots >= minLots && sentLots > 0; remainingLots -= sentLots) {
      sentLots = this.sendStop(bracket, price, Math.min(remainingLots, maxLots));
      bracket.lots -= sentLots;
    }
    // Lots that could not be sent stay protected, and the next row tries again. Other orders hold them until their cancel takes effect, or
    // risk has denied the leg.
    if (bracket.lots >= minLots) engine.brackets.restore(bracket);
  }

  /**
   * Cancels the strategy's own resting limit and trigger orders that hold lots the stop must close, as `exit` does. Market orders in flight
   * and legs of other entries stay, because they close the position too.
   */
  private cancelBlockingOrders({ strategy, instrument, isLong }: Bracket): void {
    const { orders, ledger, nowMs } = this.engine;
    const active = orders.active();
    // In two-way mode only a reduce-only order takes lots from either side.
    const isTwoWay = ledger.closable(strategy, instrument, !isLong, false) === 0;
    for (let index = active.length - 1; index >= 0; index--) {
      const order = active[index]!;
      const isOwn = order.strategy === strategy && order.instrumentIndex === instrument && order.parent === 0;
      if (!isOwn || (order.side === 'sell') !== isLong || (isTwoWay && !order.reduceOnly)) continue;
      if (order.role === 'limit' || order.triggerTicks > 0) orders.cancel(order, nowMs);
    }
  }

  /** Handles a stop leg that ended before it closed everything: from the next row on, the remainder is protected at the same level. */
  onLegRemainder(leg: BotOrder): void {
    const { nowMs, brackets } = this.engine;
    brackets.restore({
      entryId: leg.parent,
      strategy: leg.strategy,
      instrument: leg.instrumentIndex,
      isLong: leg.side === 'sell',
      lots: leg.lots - leg.filledLots,
      stopTicks: leg.firedAtTicks,
      trailingTicks: 0,
      trailingPpm: 0,
      trailingFromTicks: 0,
      bestTicks: leg.firedAtTicks,
      entryTicks: leg.firedAtTicks,
      armedMs: nowMs,
      isChasing: false,
      triedMs: nowMs,
    });
  }

  /** Places a take-profit that could not be sent again after `TARGET_RETRY_MS`, if the lots that it should close still exist. */
  retryTarget({ strategy, instrumentIndex, side, parent, limit, lots }: BotOrder): void {
    const { brackets, queue, nowMs } = this.engine;
    const entry = { id: parent, strategy, instrumentIndex, side: side === 'buy' ? 'sell' : 'buy', ...NO_STOP } as const;
    // A bracket ends with its position. Without a stop, a placeholder that never triggers shows whether the position still exists.
    const isPlaceholder = brackets.of(entry) === undefined;
    if (isPlaceholder) brackets.arm(entry, lots, limit, nowMs);
    queue.at(nowMs + TARGET_RETRY_MS, () => {
      const bracket = brackets.of(entry);
      if (bracket === undefined) return;
      if (isPlaceholder) brackets.remove(bracket);
      const leg = this.placeTarget(entry, parent, limit, lots);
      if (leg?.reason === 'denied') this.retryTarget(leg);
    });
  }

  /** Sends a stop leg of `lots`. Returns the number of lots that it closes or may still close. */
  private sendStop(bracket: Bracket, price: number, lots: number): number {
    const engine = this.engine;
    const hasTrailed = bracket.trailingTicks > 0 && levelOf(bracket) !== bracket.stopTicks;
    const leg = this.newLeg(bracket.strategy, bracket.instrument, !bracket.isLong, hasTrailed ? 'trailing' : 'stopLoss', bracket.entryId);
    const { id } = leg;
    leg.lots = lots as Lots;
    leg.firedAtTicks = levelOf(bracket) as Ticks;
    this.hitPrice = price;
    engine.submit(leg);
    this.hitPrice = NAN;
    // If another order already uses this record, the leg has sold everything.
    if (leg.id !== id) return lots;
    return leg.reason === 'denied' ? 0 : leg.lots;
  }

  /** Places the take-profit of an entry, for at most `maxLots` and what is left to close. Returns null if that is below the smallest order. */
  private placeTarget(entry: ProtectedEntry, id: OrderId, target: Ticks, maxLots: number): BotOrder | null {
    const engine = this.engine;
    const { strategy, instrumentIndex } = entry;
    const isLong = entry.side === 'buy';
    const freeLots = this.closableLots(strategy, instrumentIndex, isLong) - this.lotsBeingClosed(strategy, instrumentIndex, isLong);
    const lots = Math.min(maxLots, freeLots);
    if (lots < engine.instruments[instrumentIndex]!.minLots) return null;
    const leg = this.newLeg(strategy, instrumentIndex, !isLong, 'takeProfit', id);
    leg.lots = lots as Lots;
    leg.limit = target;
    engine.submit(leg);
    return leg;
  }

  /** Returns a new reduce-only leg of an entry, without size and price. */
  private newLeg(strategyIndex: number, instrumentIndex: number, isBuy: boolean, role: OrderRole, entryId: number): BotOrder {
    const leg = this.engine.newOrder(strategyIndex, this.engine.execution[instrumentIndex]!, isBuy ? 'buy' : 'sell');
    leg.role = role;
    leg.slot = role;
    leg.parent = entryId as OrderId;
    leg.reduceOnly = true;
    // A leg arrives at the time of the fill or level that it reacts to, so that it can match on the same row.
    if (this.legTimeMs === this.legTimeMs) leg.createdMs = leg.changedMs = this.legTimeMs as TimeMs;
    return leg;
  }

  /** Returns the lots that may be closed: fewer than were filled if the fee was taken in the base asset. */
  private closableLots(strategyIndex: number, instrumentIndex: number, isLong: boolean): number {
    return this.engine.ledger.closable(strategyIndex, instrumentIndex, !isLong, true);
  }
  /** Returns the lots that other open orders may close. */
  private lotsBeingClosed(strategyIndex: number, instrumentIndex: number, isLong: boolean): number {
    const { ledger, reservations } = this.engine;
    return takenLots(strategyIndex, instrumentIndex, !isLong, ledger, reservations);
  }
}
