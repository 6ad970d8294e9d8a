// Trigger orders in a replay: they wait at the venue, fire by its rule, and continue under the bot's own order.

import type { Instrument } from '../../model/instrument.ts';
import type { Order, OrderId } from '../../model/order.ts';
import type { RowTriggers, TradedRow } from '../../venue/futures/rowOrder.ts';
import { TriggerQueue, type PlaceChild, type ReachedTriggers, type Trigger, type TriggerKind } from '../../venue/futures/triggers.ts';
import type { FuturesVenue } from '../../venue/futures/futuresVenue.ts';
import type { ReplayHost } from './replayHost.ts';
import type { MarginWatch } from './marginWatch.ts';

/** Maximum number of waiting trigger orders of an account. The bot's own limits are lower. */
const MAX_WAITING_TRIGGERS = 10_000;

/** The trigger orders of a replay's account. */
export class ReplayTriggers implements RowTriggers {
  private readonly engine: ReplayHost;
  private readonly venue: FuturesVenue;
  private readonly account: number;
  private readonly watch: MarginWatch;
  private readonly queue: TriggerQueue;
  /** Waiting orders: the id of the bot's order of each trigger, by the trigger's id, and the trigger of each order. */
  private readonly orderIdByTriggerId = new Map<number, OrderId>();
  private readonly triggerByOrderId = new Map<OrderId, Trigger>();
  /** The venue's order that each fired trigger order has placed, while it is open. Ids by ids. */
  private readonly childIdByOrderId = new Map<OrderId, number>();
  /** Number of waiting trigger orders of each instrument. */
  private readonly waitingCount: Int32Array;

  constructor(engine: ReplayHost, venue: FuturesVenue, accountIndex: number, watch: MarginWatch) {
    this.engine = engine;
    this.venue = venue;
    this.account = accountIndex;
    this.watch = watch;
    this.queue = new TriggerQueue(venue, { triggerEnded: (trigger, timeMs) => this.onFired(trigger, timeMs) }, MAX_WAITING_TRIGGERS);
    this.waitingCount = new Int32Array(engine.instruments.length);
  }

  /** Returns the id under which the order waits; null if refused, with the code in `refusal`. */
  place(order: Order, nowMs: number): number | null {
    const { id, instrument, instrumentIndex, side, role, lots, quoteUnits, limit, reduceOnly, timeInForce, slot, triggerTicks = 0 } = order;
    const child = { instrument, side, role, lots, quoteUnits, limit, reduceOnly, timeInForce, slot };
    const trigger = this.queue.place(this.account, triggerKindOf(order), triggerTicks, child, nowMs);
    if (trigger === null) return null;
    this.orderIdByTriggerId.set(trigger.id, id);
    this.triggerByOrderId.set(id, trigger);
    this.waitingCount[instrumentIndex]!++;
    return trigger.id;
  }
  /** The code with which the venue refused the last placed trigger order. */
  get refusal(): number {
    return this.queue.refusal;
  }

  /** Returns the number of waiting trigger orders of an instrument. */
  countWaiting(instrumentIndex: number): number {
    return this.waitingCount[instrumentIndex]!;
  }
  isWaiting(orderId: OrderId): boolean {
    return this.triggerByOrderId.has(orderId);
  }
  /** Cancels a trigger order. Does nothing if it no longer waits. */
  cancel(orderId: OrderId, nowMs: number): void {
    const trigger = this.triggerByOrderId.get(orderId);
    if (trigger === undefined) return;
    this.queue.cancel(this.account, trigger.id);
    this.forget(trigger, orderId);
    this.engine.ended(orderId, 'canceled', nowMs);
  }
  /** Returns the id of the venue's order that a fired trigger order has placed. */
  childIdOf(orderId: OrderId): number | undefined {
    return this.childIdByOrderId.get(orderId);
  }
  onChildEnd(orderId: OrderId): void {
    this.childIdByOrderId.delete(orderId);
  }

  /** True if a row reaches the price of a waiting trigger order. */
  isReached(instrumentIndex: number, { openMs, open, high, low }: TradedRow): boolean {
    if (this.waitingCount[instrumentIndex] === 0) return false;
    const { atOpen, afterOpen } = this.reachedBy(this.engine.instruments[instrumentIndex]!, openMs, open, high, low);
    return atOpen.length + afterOpen.length > 0;
  }
  reachedBy(instrument: Instrument, openMs: number, open: number, high: number, low: number): ReachedTriggers {
    return this.queue.reachedBy(instrument, openMs, open, high, low);
  }
  fireAt(trigger: Trigger, price: number, timeMs: number): void {
    this.queue.fire(trigger, price, timeMs, this.placeChild);
  }

  private readonly placeChild: PlaceChild = (trigger, timeMs) => {
    const orderId = this.orderIdByTriggerId.get(trigger.id)!;
    const { instrumentIndex } = this.engine.orders.get(orderId)!;
    this.watch.beforeOrder(instrumentIndex);
    const child = this.venue.place(this.account, orderId, trigger.child, timeMs);
    if (child !== null) this.childIdByOrderId.set(orderId, child.id);
    return child;
  };

  /** Handles a trigger order that has fired. A refused child order ends it as rejected. */
  private onFired(trigger: Trigger, timeMs: number): void {
    const engine = this.engine;
    const orderId = this.orderIdByTriggerId.get(trigger.id)!;
    this.forget(trigger, orderId);
    if (trigger.status !== 'failed') return;
    const order = engine.orders.get(orderId)!;
    const { strategy, instrument } = order;
    order.code = String(trigger.code);
    engine.log(engine.runs[strategy]!.name, `${instrument.id}: trigger order ${orderId} was refused when it fired`, { code: trigger.code });
    engine.ended(orderId, 'rejected', timeMs);
  }

  private forget({ id, child: { instrument } }: Trigger, orderId: OrderId): void {
    this.orderIdByTriggerId.delete(id);
    this.triggerByOrderId.delete(orderId);
    this.waitingCount[this.engine.instruments.indexOf(instrument)]!--;
  }
}

/** Returns the venue's trigger type: an exit is a stop-loss or take-profit, any other waits for a rise or fall. */
function triggerKindOf({ side, reduceOnly, triggersAbove = false }: Order): TriggerKind {
  if (!reduceOnly) return triggersAbove ? 'rise' : 'fall';
  return triggersAbove === (side === 'buy') ? 'stopLoss' : 'takeProfit';
}
