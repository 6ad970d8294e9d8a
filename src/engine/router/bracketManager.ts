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
/** The take-profit for the fills of an open entry, until the limit on open orders allows it. */
type PendingTarget = BracketEntry & ProtectedEntry & EntryTargets & { lots: number };
/** The targets of an entry. A copy, because its record returns to the pool with its last fill. */
interface EntryTargets {
  readonly target: Ticks;
  readonly ladder: Ladder | null;
  /** The lots of the entry (0 if it is by amount), and its filled lots. */
  readonly total: number;
  filled: number;
}

/** What the bracket of an entry needs of its fill. */
export type FillOfEntry = Pick<Fill, 'price' | 'lots' | 'timeMs' | 'isMaker'>;
/** A copy, because the venue reuses the record of a fill. */
export const entryFill = ({ price, lots, timeMs, isMaker }: Fill): FillOfEntry => ({ price, lots, timeMs, isMaker });

const protectedEntryOf = ({ strategy, instrumentIndex, side }: BotOrder): ProtectedEntry => ({ strategy, instrumentIndex, side });
/** Returns the take-profits of an entry, with its quantities in lots. `total` is 0 for an entry by amount. */
const targetsOf = ({ takeProfit, ladder, lots, quoteUnits, filledLots }: BotOrder): EntryTargets => ({
  target: takeProfit,
  ladder,
  total: quoteUnits > 0 ? 0 : lots,
  filled: filledLots,
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
  newOrder(strategy: number, feed: FeedRun, side: Side): BotOrder;
  submit(order: BotOrder): OrderId;
}

/** Manages the legs of all brackets of one bot, from the fill of an entry to the end of its protection. */
export class BracketManager {
  private readonly engine: BracketHost;
  /** Triggered stops that wait for the cancel of the bracket's other legs, if an exchange confirms cancels later. */
  private readonly waitingStops: Bracket[] = [];
  /**
   * By entry: take-profits that wait until their entry has ended, because the limit on open orders is reached and the entry counts in it.
   */
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
  private armStop(order: BotOrder, { price, lots, timeMs, isMaker }: FillOfEntry): void {
    if (order.stopLoss === 0 && order.trailing === 0) return;
    // A fee in the base asset reduces the bought coins, and only the remaining ones can be protected.
    const protectedLots = Math.min(lots, this.closableLots(order.strategy, order.instrumentIndex, order.side === 'buy'));
    if (protectedLots <= 0) return;
    // The price reached a stop entry by moving in its favour. In live it is sent only after that row.
    const isEntered = order.firedAtTicks > 0 && this.hitPrice === this.hitPrice;
    const isChasing = (isEntered || (order.triggerTicks > 0 && order.triggersAbove === (order.side === 'buy'))) && !isMaker;
    this.engine.brackets.arm(order, protectedLots, price, timeMs, isChasing);
  }
  /**
   * Arms the stop of an entry that a fill has ended, before its end is reported: an exit that waited for the entry is sent then, and must find
   * the stop to set it aside. Returns what `onEntryFill` needs afterwards, a copy, because a new order may reuse the record: without the stop,
   * and without targets for lots that an exit is about to close. Returns the order itself where nothing waits.
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
   * True when the take-profit must wait for the end of its entry: the limit on open orders is reached and the entry counts in it, or the
   * entry is by amount and has a ladder, whose lots are known only at the end.
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
    if (pending !== undefined) pending.lots += lots;
    else this.pendingTargets.set(id, { id, ...protectedEntryOf(order), ...NO_STOP, ...targetsOf(order), lots });
    if (pending !== undefined) pending.filled = order.filledLots;
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
    if (bracket?.stop === 0 && bracket.trailing === 0) brackets.reduce(bracket, pending.lots);
    return bracket === undefined ? 0 : pending.lots;
  }
  private scheduleTarget(timeMs: number, entry: ProtectedEntry, id: OrderId, target: Ticks, lots: number): void {
    // Restored afterwards: if this is the fill of a stop entry, other entries of the same row must still be sent.
    const rowTimeMs = this.legTimeMs;
    this.legTimeMs = timeMs;
    this.placeTarget(entry, id, target, lots);
    this.legTimeMs = rowTimeMs;
  }

  /** Places the targets of a ladder for the newest `lots` of what its entry has filled. */
  private scheduleLadder(timeMs: number, entry: ProtectedEntry, id: OrderId, { ladder, total, filled }: EntryTargets, lots: number): void {
    const { minLots } = this.engine.instruments[entry.instrumentIndex]!;
    const rungs = rungsOfFill(ladder!, total > 0 ? total : filled, filled - lots, filled, minLots);
    for (const rung of rungs) this.scheduleTarget(timeMs, entry, id, rung.at, rung.lots);
  }

  /** Handles a closing fill of an order that is not a leg. Brackets end with the side that they protect: they would close a later entry. */
  onClosingFill(strategy: number, instrumentIndex: number, isBuy: boolean): void {
    const { brackets, ledger } = this.engine;
    if (brackets.waiting(instrumentIndex) > 0) dropClosed(brackets, ledger, { strategy, instrument: instrumentIndex, isBuy });
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
  private cancelSiblings({ entry }: Bracket): void {
    const { orders, exchange, nowMs } = this.engine;
    const active = orders.active();
    for (let index = active.length - 1; index >= 0; index--) {
      const order = active[index]!;
      if (order.parent !== entry && order.id !== entry) continue;
      // The strategy has cancelled this leg, but the cancel has not arrived yet.
      if (order.parent > 0 && order.state === STATE.cancelSent) exchange.recall?.(order);
      else orders.cancel(order, nowMs);
    }
  }

  /** Handles a take-profit that filled before its cancel arrived: the stop that waits for it has less to close. */
  private onSiblingFill({ parent }: BotOrder, lots: number): void {
    for (const bracket of this.waitingStops) if (bracket.entry === parent) bracket.lots -= lots;
  }
  /** Handles the end of an order: sends the stop that waited for it. */
  onSiblingEnd({ parent }: BotOrder): void {
    for (const bracket of this.waitingStops.slice()) {
      if (bracket.entry !== parent || this.waitsForSiblings(bracket)) continue;
      this.waitingStops.splice(this.waitingStops.indexOf(bracket), 1);
      this.sendStops(bracket, levelOf(bracket));
    }
  }
  /** True when any stop waits. */
  get hasWaitingStops(): boolean {
    return this.waitingStops.length > 0;
  }

  private waitsForSiblings({ entry }: Bracket): boolean {
    return this.engine.orders
      .active()
      .some(({ parent, state, wantsCancel }) => parent === entry && (state === STATE.cancelSent || wantsCancel));
  }

  /** Sends the stop for what the bracket protects, as several orders if one would be too large for the exchange. */
  private sendStops(bracket: Bracket, price: number): void {
    const engine = this.engine;
    const closable = this.closableLots(bracket.strategy, bracket.instrument, bracket.isLong);
    const { minLots } = engine.instruments[bracket.instrument]!;
    bracket.lots = Math.min(bracket.lots, closable);
    if (bracket.lots < minLots) return;
    if (closable - this.lotsBeingClosed(bracket.strategy, bracket.instrument, bracket.isLong) < bracket.lots)
      this.cancelBlockingOrders(bracket);
    const lots = Math.min(bracket.lots, closable - this.lotsBeingClosed(bracket.strategy, bracket.instrument, bracket.isLong));
    const max = maxAtMarket(engine.instruments[bracket.instrument]!);
    for (let remainingLots = lots, sent = lots; remainingLots >= minLots && sent > 0; remainingLots -= sent) {
      sent = this.sendStop(bracket, price, Math.min(remainingLots, max));
      bracket.lots -= sent;
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
      entry: leg.parent,
      strategy: leg.strategy,
      instrument: leg.instrumentIndex,
      isLong: leg.side === 'sell',
      lots: leg.lots - leg.filledLots,
      stop: leg.firedAtTicks,
      trailing: 0,
      trailingPpm: 0,
      trailingFrom: 0,
      best: leg.firedAtTicks,
      entryPrice: leg.firedAtTicks,
      armedMs: nowMs,
      isChasing: false,
      triedMs: nowMs,
    });
  }

  /** Places a take-profit that could not be sent again after `TARGET_RETRY_MS`, if the lots that it should close still exist. */
  retryTarget({ strategy, instrumentIndex, side, parent, limit, lots }: BotOrder): void {
    const { brackets, queue, nowMs } = this.engine;
    const entry = { id: parent, strategy, instrumentIndex, side: side === 'buy' ? 'sell' : 'buy', ...NO_STOP } as const;
    // A bracket ends with its position. If the entry has no stop, a placeholder that never triggers shows whether the position still
    // exists.
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
    const hasTrailed = bracket.trailing > 0 && levelOf(bracket) !== bracket.stop;
    const leg = this.newLeg(bracket.strategy, bracket.instrument, !bracket.isLong, hasTrailed ? 'trailing' : 'stopLoss', bracket.entry);
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

  /**
   * Places the take-profit of an entry, for at most the filled lots and what is left to close. Returns null if that is below the smallest
   * order.
   */
  private placeTarget(entry: ProtectedEntry, id: OrderId, target: Ticks, filled: number): BotOrder | null {
    const engine = this.engine;
    const { strategy, instrumentIndex } = entry;
    const isLong = entry.side === 'buy';
    const lots = Math.min(
      filled,
      this.closableLots(strategy, instrumentIndex, isLong) - this.lotsBeingClosed(strategy, instrumentIndex, isLong),
    );
    if (lots < engine.instruments[instrumentIndex]!.minLots) return null;
    const leg = this.newLeg(strategy, instrumentIndex, entry.side !== 'buy', 'takeProfit', id);
    leg.lots = lots as Lots;
    leg.limit = target;
    engine.submit(leg);
    return leg;
  }

  /** Returns a new reduce-only leg of an entry, without size and price. */
  private newLeg(strategy: number, instrumentIndex: number, isBuy: boolean, role: OrderRole, entry: number): BotOrder {
    const leg = this.engine.newOrder(strategy, this.engine.execution[instrumentIndex]!, isBuy ? 'buy' : 'sell');
    leg.role = role;
    leg.slot = role;
    leg.parent = entry as OrderId;
    leg.reduceOnly = true;
    // A leg arrives at the time of the fill or level that it reacts to, so that it can match on the same row.
    if (this.legTimeMs === this.legTimeMs) leg.createdMs = leg.changedMs = this.legTimeMs as TimeMs;
    return leg;
  }

  /** Returns the lots that may be closed: fewer than were filled if the fee was taken in the base asset. */
  private closableLots(strategy: number, instrumentIndex: number, isLong: boolean): number {
    return this.engine.ledger.closable(strategy, instrumentIndex, !isLong, true);
  }
  /** Returns the lots that other open orders may close. */
  private lotsBeingClosed(strategy: number, instrumentIndex: number, isLong: boolean): number {
    const { ledger, reservations } = this.engine;
    return takenLots(strategy, instrumentIndex, !isLong, ledger, reservations);
  }
}
