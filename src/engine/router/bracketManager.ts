// Runs brackets for the engine: targets are placed when an entry fills, stops become market orders when a price reaches them.

import type { Lots, Ticks, TimeMs } from '../../base/brand.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderId, OrderRole, Side } from '../../model/order.ts';
import { levelOf, type Bracket, type Brackets, type BracketEntry } from '../../orders/stops/brackets.ts';
import { STATE } from '../../orders/lifecycle.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import type { Reservations } from '../../orders/reserve/reservation.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';
import type { ExchangePort } from '../../ports/exchange.ts';
import type { RiskModule } from '../../risk/riskModule.ts';
import { takenLots } from '../../risk/rules/openOrderRules.ts';
import type { FeedRun } from '../feeds/feed.ts';
import { maxAtMarket } from './sizing.ts';

/** From the end of a target that did not leave to the next try. */
const TARGET_AGAIN_MS = 10_000;

type Guarded = { readonly [Key in 'strategy' | 'instrumentIndex']: number } & Pick<BotOrder, 'side'>;
/** The target of what an open entry has filled, until there is room for it. */
type PendingTarget = BracketEntry & Guarded & { readonly target: Ticks; lots: number };

/** What the guards of an entry need of its fill. */
export type FillOfEntry = Pick<Fill, 'price' | 'lots' | 'timeMs' | 'isMaker'>;
/** A copy: the record of a fill is the book's, and serves the next one. */
export const entryFill = ({ price, lots, timeMs, isMaker }: Fill): FillOfEntry => ({ price, lots, timeMs, isMaker });

/** What it needs of the engine. */
export interface BracketHost {
  readonly instruments: readonly Instrument[];
  readonly execution: readonly FeedRun[];
  readonly ledger: Ledger;
  readonly reservations: Reservations;
  readonly orders: OrderManager;
  readonly brackets: Brackets;
  readonly exchange: ExchangePort;
  readonly queue: DueQueue;
  readonly risk: RiskModule;
  readonly runs: readonly { isLeaving(instrumentIndex: number): boolean }[];
  readonly nowMs: number;
  newOrder(strategy: number, feed: FeedRun, side: Side): BotOrder;
  submit(order: BotOrder): OrderId;
}

export class BracketManager {
  readonly #engine: BracketHost;
  /** Stops that have gone off and wait for the cancel of their siblings: where an exchange confirms it later than it is asked. */
  readonly #waitingStops: Bracket[] = [];
  /** Targets that the count of open orders keeps out while their entry is one of them, by entry: sent once it has ended. */
  readonly #pendingTargets = new Map<OrderId, PendingTarget>();
  /** Price at which the stop leg in work goes off, for the exchange that replays it; NaN outside of `hit`. */
  hitPrice = NaN;
  /** Time of what the legs in work answer: a fill or a level inside the row that is being matched. NaN outside. */
  legTimeMs = NaN;
  /** A stop is taking back its siblings: a replay lets these cancels act at once. What a strategy cancels takes the latency. */
  takesBack = false;

  constructor(engine: BracketHost) {
    this.#engine = engine;
  }

  /** A leg has filled `lots`: so much less is guarded. */
  legFilled(leg: BotOrder, lots: number): void {
    if (this.hasWaitingStops) this.#siblingFilled(leg, lots);
    const { brackets, ledger } = this.#engine;
    const bracket = brackets.of({ instrumentIndex: leg.instrumentIndex, id: leg.parent });
    if (!bracket) return;
    // Dust that is left is nobody's to guard: it cannot be sold. What a stop leg sells left its bracket when it was sent.
    if (ledger.isFlat(leg.strategy, leg.instrumentIndex)) brackets.remove(bracket);
    else if (leg.firedAtTicks === 0) brackets.reduce(bracket, lots);
  }

  /** An entry has filled `lots` at `price`. */
  entryFilled(order: BotOrder, { price, lots, timeMs, isMaker }: FillOfEntry): void {
    const { brackets } = this.#engine;
    // Copied first: the record goes back to the pool with its last fill, and the target is a new draft.
    const { id, takeProfit } = order;
    const hasStop = order.stopLoss > 0 || order.trailing > 0;
    // What the fee has taken of the coins bought is not there to be guarded.
    const guarded = Math.min(lots, this.#closable(order.strategy, order.instrumentIndex, order.side === 'buy'));
    const isChasing = order.triggerTicks > 0 && order.triggersAbove === (order.side === 'buy') && !isMaker;
    if (hasStop && guarded > 0) brackets.arm(order, guarded, price, timeMs, isChasing);
    // A target would stand in the way of an exit that is about to sell this as well, perhaps for good.
    if (takeProfit === 0 || this.#engine.runs[order.strategy]!.isLeaving(order.instrumentIndex)) return;
    if (this.#waitsForRoom(order, lots, price, timeMs)) return;
    const pending = this.#pendingTargets.size > 0 ? this.#settle(id) : 0;
    this.#targetAt(timeMs, order, id, takeProfit, lots + pending);
  }

  /** Whether targets wait for the end of their entry. */
  get hasPendingTargets(): boolean {
    return this.#pendingTargets.size > 0;
  }
  /** The exchange has told the end of an order: there is room for the target that waited for it. */
  entryEnded(id: OrderId, timeMs: number): void {
    const otherPending = this.#pendingTargets.get(id);
    if (otherPending === undefined) return;
    const lots = this.#settle(id);
    if (lots > 0 && !this.#engine.runs[otherPending.strategy]!.isLeaving(otherPending.instrumentIndex))
      this.#targetAt(timeMs, otherPending, id, otherPending.target, lots);
  }

  /** True: no order more may be open, and the entry is one of those that are. How much was filled by its last fill only its end says. */
  #waitsForRoom(order: BotOrder, lots: number, price: number, timeMs: number): boolean {
    if (order.state === STATE.done || this.#engine.risk.mayOpenAnother(order)) return false;
    this.#deferTarget(order, lots, price, timeMs);
    return true;
  }
  #deferTarget(order: BotOrder, lots: number, price: number, timeMs: number): void {
    const { id, strategy, instrumentIndex, side, takeProfit } = order;
    const owed = this.#pendingTargets.get(id);
    if (owed !== undefined) owed.lots += lots;
    else this.#pendingTargets.set(id, { id, strategy, instrumentIndex, side, stopLoss: 0, trailing: 0, target: takeProfit, lots });
    if (order.stopLoss === 0 && order.trailing === 0) this.#engine.brackets.arm(order, lots, price, timeMs);
  }
  /** The target of what an entry had filled when the bot was killed, and that had not been sent: it goes with the end of the entry. */
  restorePendingTarget(entry: BotOrder, lots: number, timeMs: number): void {
    const { strategy, instrumentIndex, side, takeProfit } = entry;
    if (entry.state === STATE.done || this.#closable(strategy, instrumentIndex, side === 'buy') === 0) return;
    this.#deferTarget(entry, lots, takeProfit, timeMs);
  }
  /** Ends what is owed to an entry; returns the lots, 0 where its bracket has gone with its position. */
  #settle(id: OrderId): number {
    const owed = this.#pendingTargets.get(id);
    if (owed === undefined) return 0;
    this.#pendingTargets.delete(id);
    const { brackets } = this.#engine;
    const bracket = brackets.of(owed);
    if (bracket?.stop === 0 && bracket.trailing === 0) brackets.reduce(bracket, owed.lots);
    return bracket === undefined ? 0 : owed.lots;
  }
  #targetAt(timeMs: number, entry: Guarded, id: OrderId, target: Ticks, lots: number): void {
    this.legTimeMs = timeMs;
    this.#placeTarget(entry, id, target, lots);
    this.legTimeMs = NaN;
  }

  /** An order that is no leg has closed: once nothing is left, no bracket may wait to sell what a later entry buys. */
  closedByOwnOrder(strategy: number, instrumentIndex: number): void {
    const { brackets, ledger } = this.#engine;
    if (brackets.waiting(instrumentIndex) > 0 && ledger.isFlat(strategy, instrumentIndex)) brackets.drop(strategy, instrumentIndex);
  }

  /** `hit` as a value, made once: rows hand it on. */
  readonly onHit = (bracket: Bracket, price: number): void => this.hit(bracket, price);

  /** A stop was reached: its siblings and what is left of its entry are cancelled, what it guards is sold at the market. */
  hit(bracket: Bracket, price: number): void {
    const engine = this.#engine;
    if (bracket.triedMs === engine.nowMs) return;
    bracket.triedMs = engine.nowMs;
    engine.brackets.remove(bracket);
    this.takesBack = true;
    this.#takeBack(bracket);
    this.takesBack = false;
    if (this.#waitsForSiblings(bracket)) this.#waitingStops.push(bracket);
    else this.#go(bracket, price);
  }

  #takeBack({ entry }: Bracket): void {
    const { orders, exchange, nowMs } = this.#engine;
    const active = orders.active();
    for (let at = active.length - 1; at >= 0; at--) {
      const order = active[at]!;
      if (order.parent !== entry && order.id !== entry) continue;
      // The strategy has cancelled this leg, and the cancel is still on its way.
      if (order.parent > 0 && order.state === STATE.cancelSent) exchange.recall?.(order);
      else orders.cancel(order, nowMs);
    }
  }

  /** A target has filled before its cancel had an effect: the stop that waits for it has less to sell. */
  #siblingFilled({ parent }: BotOrder, lots: number): void {
    for (const bracket of this.#waitingStops) if (bracket.entry === parent) bracket.lots -= lots;
  }
  /** An order has ended: the stop that it held back goes now. */
  siblingEnded({ parent }: BotOrder): void {
    for (const bracket of this.#waitingStops.slice()) {
      if (bracket.entry !== parent || this.#waitsForSiblings(bracket)) continue;
      this.#waitingStops.splice(this.#waitingStops.indexOf(bracket), 1);
      this.#go(bracket, levelOf(bracket));
    }
  }
  /** Whether a stop waits at all. */
  get hasWaitingStops(): boolean {
    return this.#waitingStops.length > 0;
  }

  #waitsForSiblings({ entry }: Bracket): boolean {
    return this.#engine.orders
      .active()
      .some(({ parent, state, cancelWanted }) => parent === entry && (state === STATE.cancelSent || cancelWanted));
  }

  #go(bracket: Bracket, price: number): void {
    const engine = this.#engine;
    const closable = this.#closable(bracket.strategy, bracket.instrument, bracket.isLong);
    const { minLots } = engine.instruments[bracket.instrument]!;
    bracket.lots = Math.min(bracket.lots, closable);
    if (bracket.lots < minLots) return;
    if (closable - this.#closing(bracket.strategy, bracket.instrument, bracket.isLong) < bracket.lots) this.#clearWay(bracket);
    const lots = Math.min(bracket.lots, closable - this.#closing(bracket.strategy, bracket.instrument, bracket.isLong));
    // In pieces where the exchange takes no market order as large as that.
    const max = maxAtMarket(engine.instruments[bracket.instrument]!);
    for (let left = lots, sent = lots; left >= minLots && sent > 0; left -= sent) {
      sent = this.#sendStop(bracket, price, Math.min(left, max));
      bracket.lots -= sent;
    }
    // What could not go (other sells hold it until their cancel acts, or risk refused it) stays guarded: the next row is another chance.
    if (bracket.lots >= minLots) engine.brackets.restore(bracket);
  }

  /**
   * Orders of the strategy's own that wait for a better price, or another one, and would take what the stop has to close: they go, as with
   * `exit`. Market orders under way and the legs of other entries close it too.
   */
  #clearWay({ strategy, instrument, isLong }: Bracket): void {
    const { orders, ledger, nowMs } = this.#engine;
    const active = orders.active();
    // Where long and short are kept apart, only an order that closes takes from either.
    const isApart = ledger.closable(strategy, instrument, !isLong, false) === 0;
    for (let at = active.length - 1; at >= 0; at--) {
      const order = active[at]!;
      const isOwn = order.strategy === strategy && order.instrumentIndex === instrument && order.parent === 0;
      if (!isOwn || (order.side === 'sell') !== isLong || (isApart && !order.reduceOnly)) continue;
      if (order.role === 'limit' || order.triggerTicks > 0) orders.cancel(order, nowMs);
    }
  }

  /** A stop leg has ended before it had sold everything: from the next row on the rest is guarded again, at the level that had set it off. */
  legEndedShort(leg: BotOrder): void {
    const { nowMs, brackets } = this.#engine;
    brackets.restore({
      entry: leg.parent,
      strategy: leg.strategy,
      instrument: leg.instrumentIndex,
      isLong: leg.side === 'sell',
      lots: leg.lots - leg.filledLots,
      stop: leg.firedAtTicks,
      trailing: 0,
      best: leg.firedAtTicks,
      entryPrice: leg.firedAtTicks,
      armedMs: nowMs,
      isChasing: false,
      triedMs: nowMs,
    });
  }

  /** A target did not leave: it is placed again in a while, if what it is to close is still there by then. */
  targetNotSent({ strategy, instrumentIndex, side, parent, limit, lots }: BotOrder): void {
    const { brackets, queue, nowMs } = this.#engine;
    const entry = { id: parent, strategy, instrumentIndex, side: side === 'buy' ? 'sell' : 'buy', stopLoss: 0, trailing: 0 } as const;
    // A bracket goes with its position. Where the entry has no stop, one that never goes off stands for it meanwhile.
    const isMade = brackets.of(entry) === undefined;
    if (isMade) brackets.arm(entry, lots, limit, nowMs);
    queue.at(nowMs + TARGET_AGAIN_MS, () => {
      const bracket = brackets.of(entry);
      if (bracket === undefined) return;
      if (isMade) brackets.remove(bracket);
      const leg = this.#placeTarget(entry, parent, limit, lots);
      if (leg?.reason === 'denied') this.targetNotSent(leg);
    });
  }

  /** Sends a stop leg of `lots`; returns how many of them it has taken over. */
  #sendStop(bracket: Bracket, price: number, lots: number): number {
    const engine = this.#engine;
    const trailed = bracket.trailing > 0 && levelOf(bracket) !== bracket.stop;
    const leg = this.#leg(bracket.strategy, bracket.instrument, !bracket.isLong, trailed ? 'trailing' : 'stopLoss', bracket.entry);
    const { id } = leg;
    leg.lots = lots as Lots;
    leg.firedAtTicks = levelOf(bracket) as Ticks;
    this.hitPrice = price;
    engine.submit(leg);
    this.hitPrice = NaN;
    // A record that serves another order by now was that of a leg which has sold everything.
    if (leg.id !== id) return lots;
    return leg.reason === 'denied' ? 0 : leg.lots;
  }

  #placeTarget(entry: Guarded, id: OrderId, target: Ticks, filled: number): BotOrder | null {
    const engine = this.#engine;
    const { strategy, instrumentIndex } = entry;
    const isLong = entry.side === 'buy';
    const lots = Math.min(filled, this.#closable(strategy, instrumentIndex, isLong) - this.#closing(strategy, instrumentIndex, isLong));
    if (lots < engine.instruments[instrumentIndex]!.minLots) return null;
    const leg = this.#leg(strategy, instrumentIndex, entry.side !== 'buy', 'takeProfit', id);
    leg.lots = lots as Lots;
    leg.limit = target;
    engine.submit(leg);
    return leg;
  }

  #leg(strategy: number, instrumentIndex: number, isBuy: boolean, role: OrderRole, entry: number): BotOrder {
    const leg = this.#engine.newOrder(strategy, this.#engine.execution[instrumentIndex]!, isBuy ? 'buy' : 'sell');
    leg.role = role;
    leg.slot = role;
    leg.parent = entry as OrderId;
    leg.reduceOnly = true;
    // A leg arrives with the fill that calls for it, so that it can be matched on the same row.
    if (this.legTimeMs === this.legTimeMs) leg.createdMs = leg.changedMs = this.legTimeMs as TimeMs;
    return leg;
  }

  /** What may be closed: less than was filled where the fee was taken in the base asset. */
  #closable(strategy: number, instrumentIndex: number, isLong: boolean): number {
    return this.#engine.ledger.closable(strategy, instrumentIndex, !isLong, true);
  }
  /** What other orders may close of it. */
  #closing(strategy: number, instrumentIndex: number, isLong: boolean): number {
    const { ledger, reservations } = this.#engine;
    return takenLots(strategy, instrumentIndex, !isLong, ledger, reservations);
  }
}
