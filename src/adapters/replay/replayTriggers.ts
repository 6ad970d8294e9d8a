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
  /** Waiting orders: the bot's order of each trigger, and the trigger of each order. */
  private readonly orderOf = new Map<number, OrderId>();
  private readonly triggerOf = new Map<OrderId, Trigger>();
  /** The venue's order for each fired trigger order that is still open. */
  private readonly children = new Map<OrderId, number>();
  /** By instrument. */
  private readonly waitingCount: Int32Array;

  constructor(engine: ReplayHost, venue: FuturesVenue, account: number, watch: MarginWatch) {
    this.engine = engine;
    this.venue = venue;
    this.account = account;
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
    this.orderOf.set(trigger.id, id);
    this.triggerOf.set(id, trigger);
    this.waitingCount[instrumentIndex]!++;
    return trigger.id;
  }
  get refusal(): number {
    return this.queue.refusal;
  }

  waiting(instrumentIndex: number): number {
    return this.waitingCount[instrumentIndex]!;
  }
  waits(order: OrderId): boolean {
    return this.triggerOf.has(order);
  }
  cancel(order: OrderId, nowMs: number): void {
    const trigger = this.triggerOf.get(order);
    if (trigger === undefined) return;
    this.queue.cancel(this.account, trigger.id);
    this.forget(trigger, order);
    this.engine.ended(order, 'canceled', nowMs);
  }
  /** Returns the venue's order of a fired trigger order. */
  childOf(order: OrderId): number | undefined {
    return this.children.get(order);
  }
  onChildEnd(order: OrderId): void {
    this.children.delete(order);
  }

  /** True if a row reaches any of them. */
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
    const order = this.orderOf.get(trigger.id)!;
    const { instrumentIndex } = this.engine.orders.get(order)!;
    this.watch.beforeOrder(instrumentIndex);
    const child = this.venue.place(this.account, order, trigger.child, timeMs);
    if (child !== null) this.children.set(order, child.id);
    return child;
  };

  /** Handles a trigger order that has fired. A refused child order ends it as rejected. */
  private onFired(trigger: Trigger, timeMs: number): void {
    const engine = this.engine;
    const order = this.orderOf.get(trigger.id)!;
    this.forget(trigger, order);
    if (trigger.status !== 'failed') return;
    const record = engine.orders.get(order)!;
    const { strategy, instrument } = record;
    record.code = String(trigger.code);
    engine.log(engine.runs[strategy]!.name, `${instrument.id}: trigger order ${order} was refused when it fired`, { code: trigger.code });
    engine.ended(order, 'rejected', timeMs);
  }

  private forget({ id, child: { instrument } }: Trigger, order: OrderId): void {
    this.orderOf.delete(id);
    this.triggerOf.delete(order);
    this.waitingCount[this.engine.instruments.indexOf(instrument)]!--;
  }
}

/** Returns the venue's trigger type: an exit is a stop-loss or take-profit, any other waits for a rise or fall. */
function triggerKindOf({ side, reduceOnly, triggersAbove = false }: Order): TriggerKind {
  if (!reduceOnly) return triggersAbove ? 'rise' : 'fall';
  return triggersAbove === (side === 'buy') ? 'stopLoss' : 'takeProfit';
}
