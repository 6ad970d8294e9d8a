// Sends create requests: each waits until it is durable and its side is free, is sent once, and its outcome is reported.

import { timeMs } from '../../../base/brand.ts';
import { start, type Work } from '../../../base/task.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { VenueOrderId } from '../../../model/order.ts';
import type { ExchangeSink } from '../../../ports/exchange.ts';
import type { Journal } from '../../../ports/journal.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ServerTime } from '../time/serverClock.ts';
import { createOutcome } from '../calls/createOutcome.ts';
import { EARLY_MS } from '../order/matchRow.ts';
import { SendOnceGuard } from '../order/sendOnceGuard.ts';
import type { DelayObserver } from '../calls/types.ts';
import type { OrderSettings } from '../calls/orderSettings.ts';
import type { TrackedOrder, TrackedOrders } from '../order/trackedOrder.ts';
import type { RaisedCauses } from '../order/raisedCauses.ts';
import type { CreatedOrder, VenueCalls } from '../calls/venueCalls.ts';

/** What the queue of create requests takes. */
export interface CreateQueueDeps {
  readonly scheduler: Scheduler;
  readonly venue: VenueCalls;
  readonly trackedOrders: TrackedOrders;
  readonly raisedCauses: RaisedCauses;
  readonly journal: Pick<Journal, 'durableSeq'>;
  readonly instruments: readonly Instrument[];
  readonly settings: Pick<OrderSettings, 'createTimeoutMs' | 'windowMs' | 'maxUncertaintyMs'>;
  readonly serverTime: () => ServerTime;
  readonly delayObserver: DelayObserver | null;
  readonly sink: () => ExchangeSink;
  /** Returns the code of the reason why such an order must not be sent now; null if it may be sent. */
  readonly holdCode: (tracked: TrackedOrder) => string | null;
  /** Called when the order has an id. It is polled from now on. */
  readonly onIdKnown: (tracked: TrackedOrder) => void;
  readonly attribution: VenueIdConflicts;
}

/** Handles venue order ids that the venue has used twice, and orders that it has created twice. */
export interface VenueIdConflicts {
  /** Takes the id from these orders, because the venue has used it for all of them. */
  contestVenueId(trackedOrders: readonly TrackedOrder[], venueId: string): void;
  /** The duplicates of our orders, by id. */
  readonly duplicates: { has(venueId: string): boolean };
  /** True if an order of an earlier process that has ended has this id. */
  hasEndedBeforeStart(venueId: string, instrumentIndex: number): boolean;
  /** Reports the id of a duplicate, because the venue has accepted the order twice. */
  addSecondId(tracked: TrackedOrder, venueId: string): void;
}

/** A create request that waits, and its journal record. */
interface WaitingCreate {
  readonly tracked: TrackedOrder;
  readonly seq: number;
}
/** One side of one instrument. At most one create of it is on the wire (order safety, 7.1). */
interface SideQueue {
  readonly queue: WaitingCreate[];
  onWire: TrackedOrder | null;
}

/** Do not send an order with less than this left of its admission window, in ms. */
const MIN_WINDOW_LEFT_MS = 500;

/** The create requests of one market that wait to be sent. */
export class CreateQueue {
  readonly #deps: CreateQueueDeps;
  readonly #sideQueues = new Map<string, SideQueue>();
  /** One guard for requests, and one behind the queue. */
  readonly #requestOnce = new SendOnceGuard();
  readonly #sendOnce = new SendOnceGuard();

  constructor(deps: CreateQueueDeps) {
    this.#deps = deps;
  }

  /** True if no create is waiting or on the wire. */
  get isEmpty(): boolean {
    for (const { queue, onWire } of this.#sideQueues.values()) if (queue.length > 0 || onWire !== null) return false;
    return true;
  }

  /** Marks the order as requested, and returns it. Throws InvariantError if it was requested before. */
  markRequested(tracked: TrackedOrder): TrackedOrder {
    this.#requestOnce.mark(tracked.id);
    return tracked;
  }
  /** Sends the order in its turn, once the journal is durable up to `seq`. */
  submit(tracked: TrackedOrder, seq: number): void {
    const sideQueue = this.#sideQueueOf(tracked);
    sideQueue.queue.push({ tracked, seq });
    this.#sendWaiting(sideQueue);
  }
  /** Called when more of the journal is durable. */
  onDurable(): void {
    for (const sideQueue of this.#sideQueues.values()) this.#sendWaiting(sideQueue);
  }

  /** Returns the queue of one side of an instrument, and creates it at first use. */
  #sideQueueOf({ request: { instrumentIndex, side } }: TrackedOrder): SideQueue {
    const key = `${side} ${instrumentIndex}`;
    const existing = this.#sideQueues.get(key);
    if (existing) return existing;
    const sideQueue: SideQueue = { queue: [], onWire: null };
    this.#sideQueues.set(key, sideQueue);
    return sideQueue;
  }

  /** Sends waiting orders until one is on the wire, or one is not durable in the journal yet. */
  #sendWaiting(sideQueue: SideQueue): void {
    while (sideQueue.onWire === null) {
      const [next] = sideQueue.queue;
      if (next === undefined || this.#deps.journal.durableSeq < next.seq) return;
      sideQueue.queue.shift();
      const holdCode = this.#reasonNotToSend(next.tracked);
      if (holdCode !== null) this.#deps.sink().notSent(next.tracked.id, holdCode);
      else start(this.#send(sideQueue, next.tracked));
    }
  }

  /** Returns the code of the reason why the order must not be sent, or null. No byte has left, so the order does not exist. */
  #reasonNotToSend(tracked: TrackedOrder): string | null {
    const { trackedOrders, serverTime, settings, holdCode, raisedCauses } = this.#deps;
    const { instrumentIndex, side } = tracked.request;
    for (const otherOrder of trackedOrders.openOf(instrumentIndex)) {
      if (otherOrder.lifecycle === 'unknown' && otherOrder.request.side === side) return 'SIDE_UNKNOWN';
    }
    const { ms: serverMs, uncertaintyMs } = serverTime();
    if (!(uncertaintyMs <= settings.maxUncertaintyMs)) {
      raisedCauses.raise('CLOCK', null, `the exchange's clock is known to ${Math.ceil(uncertaintyMs)} ms only`);
      return 'CLOCK';
    }
    if (serverMs - tracked.signMs > settings.windowMs - MIN_WINDOW_LEFT_MS) return 'STALE';
    return holdCode(tracked);
  }

  /** Sends the create request of an order, handles the outcome, and lets the next order of the side follow. */
  *#send(sideQueue: SideQueue, tracked: TrackedOrder): Work<void> {
    const { venue, settings } = this.#deps;
    this.#sendOnce.mark(tracked.id);
    tracked.isOnWire = true;
    sideQueue.onWire = tracked;
    const outcome = yield* venue.create(tracked.request, tracked.clientOrderId, {
      timeoutMs: settings.createTimeoutMs,
      signMs: timeMs(tracked.signMs),
      late: (lateOutcome) => this.#onLateReply(tracked, lateOutcome),
    });
    sideQueue.onWire = null;
    this.#onReply(tracked, outcome, sideQueue);
    this.#sendWaiting(sideQueue);
  }

  /** Reports the outcome of the create request. */
  #onReply(tracked: TrackedOrder, outcome: Outcome<CreatedOrder>, sideQueue: SideQueue): void {
    const { sink, raisedCauses } = this.#deps;
    const created = createOutcome(outcome, tracked.request, tracked.clientOrderId);
    switch (created.kind) {
      case 'acked':
        return this.#onAck(tracked, created.venueId, created.timeMs, created.isNamed);
      case 'refused':
        // In any other state a list has shown the order meanwhile, which is stronger than a refusal.
        if (tracked.lifecycle === 'sent' || tracked.lifecycle === 'unknown') sink().refused(tracked.id, created.code);
        return;
      case 'notSent':
        return sink().notSent(tracked.id, created.cause);
      case 'unknown': {
        if (created.echo !== null) raisedCauses.raise('ECHO', null, `${tracked.clientOrderId}: ${created.cause}`);
        if (tracked.lifecycle !== 'sent') return;
        sink().outcomeUnknown(tracked.id, created.code === null ? created.cause : `${created.code}: ${created.cause}`);
        // With an unknown order on this side, the rest of the queue must not be sent.
        for (const { tracked: next } of sideQueue.queue.splice(0)) sink().notSent(next.id, 'SIDE_UNKNOWN');
      }
    }
  }

  /** Handles a reply that arrives after the time limit. It still shows the outcome of the create. */
  #onLateReply(tracked: TrackedOrder, outcome: Outcome<unknown>): void {
    if (outcome.kind === 'refused') {
      if (tracked.lifecycle === 'unknown') this.#onReply(tracked, outcome, this.#sideQueueOf(tracked));
      return;
    }
    if (outcome.kind !== 'acked') return;
    const venueId = orderIdIn(outcome.value);
    if (venueId !== null) this.#onAck(tracked, venueId, null, false);
  }

  /**
   * Assigns the acknowledged id to the order, unless the order or the id is already taken. `atMs`: venue time of the order, or null.
   * `isNamed`: the reply has the client order id of the order.
   */
  #onAck(tracked: TrackedOrder, venueId: string, atMs: number | null, isNamed: boolean): void {
    const { trackedOrders, sink, onIdKnown, serverTime, delayObserver, raisedCauses, settings, attribution } = this.#deps;
    if (tracked.venueId !== null) {
      if (tracked.venueId !== venueId) attribution.addSecondId(tracked, venueId);
      return;
    }
    const otherOrder = trackedOrders.byVenueId(venueId);
    const isUsed = attribution.duplicates.has(venueId) || attribution.hasEndedBeforeStart(venueId, tracked.request.instrumentIndex);
    if (otherOrder !== undefined || isUsed)
      return attribution.contestVenueId(otherOrder === undefined ? [tracked] : [otherOrder, tracked], venueId);
    const { ms: serverMs } = serverTime();
    const admittedMs = atMs ?? serverMs;
    const delayMs = admittedMs - tracked.signMs;
    delayObserver?.onAdmission(Math.max(0, delayMs), serverMs);
    if (atMs !== null && !(delayMs > -EARLY_MS && delayMs <= settings.windowMs)) {
      raisedCauses.raise('ADMISSION', null, `order ${venueId} was taken ${delayMs} ms after the time with which it was signed`);
    }
    const wasAbsent = tracked.isBelievedAbsent;
    trackedOrders.setVenueId(tracked, venueId);
    tracked.isIdShown = isNamed;
    trackedOrders.watch(tracked);
    if (wasAbsent) sink().arrivedLate(tracked.id, venueId as VenueOrderId, admittedMs);
    else sink().acked(tracked.id, venueId as VenueOrderId, admittedMs);
    onIdKnown(tracked);
  }
}

/** Returns the order id in the value of a create of either market. */
function orderIdIn(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('orderId' in value)) return null;
  return typeof value.orderId === 'string' ? value.orderId : null;
}
