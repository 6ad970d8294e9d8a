// Sets the stops of a position aside while an order closes it, and brings them back if that order ends without having closed it.

import type { Lots, Ticks } from '../../base/brand.ts';
import type { OrderId, Side } from '../../model/order.ts';
import { isUnderCancel, type BotOrder } from '../../orders/botOrder.ts';
import { STATE } from '../../orders/lifecycle.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { AsideTrigger } from '../../orders/stops/asideStops.ts';
import type { Brackets } from '../../orders/stops/brackets.ts';
import type { Reservations } from '../../orders/reserve/reservation.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';
import { takenLots } from '../../risk/rules/openOrderRules.ts';
import type { FeedRun } from '../feeds/feed.ts';

/** The longest delay before a stop at the exchange that could not be sent is placed again. The delay doubles each time. */
const MAX_RETRY_MS = 600_000;

/** Delay before the bot checks again whether a stop at the exchange may be placed. */
const RECHECK_MS = 10_000;

/** Done reasons of orders that never were in the books of the exchange. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(['denied', 'refused', 'notSent', 'noEffect']);

/** The sides of a position: true is long. */
const SIDES = [true, false] as const;

/** What `Protection` needs of the engine. */
export interface ProtectionHost {
  readonly ledger: Ledger;
  /** Execution feeds in instrument order. */
  readonly execution: readonly FeedRun[];
  readonly orders: OrderManager;
  readonly brackets: Brackets;
  readonly reservations: Reservations;
  readonly queue: DueQueue;
  /** `isHeld`: no order may be sent, because the bot starts or has stopped. */
  readonly drafts: { readonly isHeld: boolean };
  readonly nowMs: number;
  /** True when an order was submitted or cancelled since the last check. */
  hasPendingWork: boolean;
  newOrder(strategyIndex: number, feed: FeedRun, side: Side): BotOrder;
}

/** What protection needs of the strategy. */
interface ProtectedStrategy {
  readonly index: number;
  /** Decision slots of the orders that close a position whose stops were set aside. */
  readonly slots: readonly string[];
  send(order: BotOrder): OrderId;
  /** True while an exit from the instrument waits for cancels. */
  isWaiting(instrumentIndex: number): boolean;
}

/** The stops of one strategy that are set aside, and how they come back. */
export class Protection {
  private readonly host: ProtectionHost;
  private readonly strategy: ProtectedStrategy;
  private readonly strategyIndex: number;
  /** Above 0 while a decision cancels and sends orders: the end of one of them brings no stop back yet. */
  private openDecisions = 0;

  constructor(host: ProtectionHost, protectedStrategy: ProtectedStrategy) {
    this.host = host;
    this.strategy = protectedStrategy;
    this.strategyIndex = protectedStrategy.index;
  }

  /** Notes that the stops that were set aside protected what is held now. */
  noteProtectedLots(instrumentIndex: number): void {
    const { ledger, brackets } = this.host;
    for (const isLong of SIDES) {
      const heldLots = ledger.closable(this.strategyIndex, instrumentIndex, !isLong, true);
      brackets.aside.setProtectedLots(this.strategyIndex, instrumentIndex, isLong, heldLots);
    }
  }

  /** Marks the start of a decision, which may set stops aside for an order. Call `end` after it, also if it throws. */
  begin(): void {
    this.openDecisions++;
  }
  /** Marks the end of a decision: its order was sent, or none was needed. */
  end(): void {
    this.openDecisions--;
  }

  /** True when an order that closes a side of a position is unfinished, or waits as a draft. `isLong`: the side that it closes; null: either. */
  isClosing(instrumentIndex: number, isLong: boolean | null = null): boolean {
    const { orders } = this.host;
    const closes = (order: BotOrder): boolean =>
      order.strategy === this.strategyIndex &&
      order.instrumentIndex === instrumentIndex &&
      order.parent === 0 &&
      (isLong === null || (order.side === 'sell') === isLong) &&
      this.strategy.slots.includes(order.slot);
    return orders.active().some(closes) || orders.drafts.waiting.some(({ order }) => closes(order));
  }

  /** Brings stops back that protect what is still held, on each side of the position that no order is closing any more. */
  restore(instrumentIndex: number): void {
    if (this.openDecisions > 0 || this.strategy.isWaiting(instrumentIndex)) return;
    const { aside } = this.host.brackets;
    for (const isLong of SIDES) {
      if (aside.count > 0 && aside.has(this.strategyIndex, instrumentIndex, isLong) && !this.isClosing(instrumentIndex, isLong))
        this.restoreSide(instrumentIndex, isLong);
    }
  }
  /** Brings the stops of one side back, for the lots that they protected and that are still held. */
  private restoreSide(instrumentIndex: number, isLong: boolean): void {
    const { host, strategyIndex } = this;
    const { aside } = host.brackets;
    const heldLots = host.ledger.closable(strategyIndex, instrumentIndex, !isLong, true);
    const lots = Math.min(heldLots, aside.lotsLeft(strategyIndex, instrumentIndex, isLong));
    if (lots === 0 || host.ledger.isFlat(strategyIndex, instrumentIndex)) return aside.forget(strategyIndex, instrumentIndex, isLong);
    host.brackets.bringBack(strategyIndex, instrumentIndex, isLong, lots, heldLots);
    for (const trigger of aside.triggersOf(strategyIndex, instrumentIndex, isLong)) this.restoreTrigger(trigger, lots, heldLots);
    if (!aside.has(strategyIndex, instrumentIndex, isLong)) aside.forget(strategyIndex, instrumentIndex, isLong);
  }

  /** Places a stop at the exchange again. If it did not arrive there, places it once more later. */
  private restoreTrigger(trigger: AsideTrigger, lots: number, heldLots: number): void {
    const { orders, nowMs } = this.host;
    if (!trigger.isSent) {
      if (nowMs >= trigger.notBeforeMs) this.place(trigger, lots, heldLots);
      return;
    }
    const sentOrder = orders.get(trigger.id);
    const isOnItsWay = sentOrder?.reason === null && sentOrder.state !== STATE.working;
    if (isOnItsWay) return;
    // Unless the exchange never had it, it waits there, or the strategy or the price has ended it.
    if (WITHOUT_EFFECT.has(sentOrder?.reason ?? '')) this.placeLater(trigger);
    else this.forget(trigger);
  }
  /** Places a stop at the exchange, if its slot and enough lots are free. Otherwise forgets it, or tries again later. */
  private place(trigger: AsideTrigger, lots: number, heldLots: number): void {
    const { host, strategyIndex } = this;
    const { instrument, isLong, slot } = trigger;
    const ownOrders = host.orders.active().filter((order) => order.strategy === strategyIndex && order.instrumentIndex === instrument);
    const orderInSlot = ownOrders.find((order) => order.parent === 0 && order.slot === slot);
    if (orderInSlot !== undefined && isUnderCancel(orderInSlot)) return;
    const closingOrders = ownOrders.filter((order) => (order.side === 'sell') === isLong);
    const closingLots = closingOrders.reduce((sum, order) => sum + order.lots - order.filledLots, 0);
    // The strategy has placed another order for these lots meanwhile.
    if (orderInSlot !== undefined || closingLots >= heldLots) return this.forget(trigger);
    // An order that is proven absent may still arrive, and holds its lots for a while.
    const freeLots = heldLots - takenLots(strategyIndex, instrument, !isLong, host.ledger, host.reservations);
    const feed = host.execution[instrument]!;
    if (freeLots < feed.instrument.minLots || host.drafts.isHeld) return this.recheckLater(trigger);
    const order = host.newOrder(strategyIndex, feed, isLong ? 'sell' : 'buy');
    order.role = 'stopLoss';
    order.slot = slot;
    order.reduceOnly = true;
    order.triggerTicks = trigger.triggerTicks as Ticks;
    order.triggersAbove = trigger.triggersAbove;
    order.lots = Math.min(trigger.lots, lots, freeLots) as Lots;
    host.hasPendingWork = true;
    trigger.id = this.strategy.send(order);
    trigger.isSent = true;
    if (order.id === trigger.id && order.reason !== null) this.placeLater(trigger);
  }
  /** Places a stop that did not arrive once more, after a delay that doubles each time. */
  private placeLater(trigger: AsideTrigger): void {
    const { nowMs, queue } = this.host;
    trigger.isSent = false;
    trigger.notBeforeMs = nowMs + trigger.retryMs;
    queue.at(trigger.notBeforeMs, () => this.restore(trigger.instrument));
    trigger.retryMs = Math.min(2 * trigger.retryMs, MAX_RETRY_MS);
  }
  /**
   * Tries again at the next multiple of RECHECK_MS, or as soon as an order or a reservation ends. A failed try leaves no record in the
   * journal, and a replay tries only at the times of records. So the time of a failed try must not decide when the next one is.
   */
  private recheckLater(trigger: AsideTrigger): void {
    const { nowMs, queue } = this.host;
    // While a live bot decides on a bar, its time is the close of the bar, and the queue is later.
    const nextMs = (Math.floor(Math.max(nowMs, queue.nowMs) / RECHECK_MS) + 1) * RECHECK_MS;
    if (trigger.recheckMs >= nextMs) return;
    trigger.recheckMs = nextMs;
    queue.at(nextMs, () => this.restore(trigger.instrument));
  }
  private forget(trigger: AsideTrigger): void {
    this.host.brackets.aside.removeTrigger(trigger);
  }
}
