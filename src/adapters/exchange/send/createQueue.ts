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
import { SendOnceGuard } from '../order/sendOnce.ts';
import type { DelayObserver } from '../calls/types.ts';
import type { OrderSettings } from '../calls/settings.ts';
import type { TrackedOrder, TrackedOrders } from '../order/trackedOrder.ts';
import type { RaisedCauses } from '../order/raisedCauses.ts';
import type { CreatedOrder, VenueCalls } from '../calls/venueCalls.ts';

export interface CreateQueueDeps {
  readonly scheduler: Scheduler;
  readonly venue: VenueCalls;
  readonly tracks: TrackedOrders;
  readonly raisedCauses: RaisedCauses;
  readonly journal: Pick<Journal, 'durableSeq'>;
  readonly instruments: readonly Instrument[];
  readonly settings: Pick<OrderSettings, 'createTimeoutMs' | 'windowMs' | 'maxUncertaintyMs'>;
  readonly serverTime: () => ServerTime;
  readonly delayObserver: DelayObserver | null;
  readonly sink: () => ExchangeSink;
  /** Returns the code of the reason why such an order must not be sent now; null if it may be sent. */
  readonly holdCode: (track: TrackedOrder) => string | null;
  /** Called when the order has an id. It is polled from now on. */
  readonly adopted: (track: TrackedOrder) => void;
  /** Reports that the venue has used one id for these orders. */
  readonly contested: (tracks: readonly TrackedOrder[], venueId: string) => void;
  /** True if the id belongs to a duplicate of one of our orders. */
  readonly isExtra: (venueId: string) => boolean;
  /** Reports the id of a duplicate: the venue has accepted the order twice. */
  readonly doubled: (track: TrackedOrder, venueId: string) => void;
}

interface Waiting {
  readonly track: TrackedOrder;
  readonly seq: number;
}
/** One side of one instrument. At most one create of it is on the wire (order safety, 7.1). */
interface SideQueue {
  readonly queue: Waiting[];
  onWire: TrackedOrder | null;
}

/** An order is not sent with less than this left of its admission window. */
const MIN_LEFT_MS = 500;
/** How far the venue's time of an acknowledged order may precede its signing time. */
const EARLY_MS = 1000;

export class CreateQueue {
  readonly #parts: CreateQueueDeps;
  readonly #sideQueues = new Map<string, SideQueue>();
  readonly #sent = new SendOnceGuard();

  constructor(parts: CreateQueueDeps) {
    this.#parts = parts;
  }

  /** True if no create is waiting or on the wire. */
  get isEmpty(): boolean {
    for (const { queue, onWire } of this.#sideQueues.values()) if (queue.length > 0 || onWire !== null) return false;
    return true;
  }

  submit(track: TrackedOrder, seq: number): void {
    const sideQueue = this.#sideQueueOf(track);
    sideQueue.queue.push({ track, seq });
    this.#sendWaiting(sideQueue);
  }
  /** Called when more of the journal is durable. */
  onDurable(): void {
    for (const sideQueue of this.#sideQueues.values()) this.#sendWaiting(sideQueue);
  }

  #sideQueueOf({ request: { instrumentIndex, side } }: TrackedOrder): SideQueue {
    const key = `${side} ${instrumentIndex}`;
    const known = this.#sideQueues.get(key);
    if (known) return known;
    const made: SideQueue = { queue: [], onWire: null };
    this.#sideQueues.set(key, made);
    return made;
  }

  #sendWaiting(sideQueue: SideQueue): void {
    while (sideQueue.onWire === null) {
      const [head] = sideQueue.queue;
      if (head === undefined || this.#parts.journal.durableSeq < head.seq) return;
      sideQueue.queue.shift();
      const why = this.#whyNot(head.track);
      if (why !== null) this.#parts.sink().notSent(head.track.id, why);
      else start(this.#send(sideQueue, head.track));
    }
  }

  /** Returns why the order must not be sent, or null. No byte has left, so this proves that the order does not exist. */
  #whyNot(track: TrackedOrder): string | null {
    const { tracks, serverTime, settings, holdCode, raisedCauses } = this.#parts;
    const { instrumentIndex, side } = track.request;
    for (const other of tracks.openOf(instrumentIndex)) {
      if (other.lifecycle === 'unknown' && other.request.side === side) return 'SIDE_UNKNOWN';
    }
    const { ms, uncertaintyMs } = serverTime();
    if (!(uncertaintyMs <= settings.maxUncertaintyMs)) {
      raisedCauses.raise('CLOCK', null, `the exchange's clock is known to ${Math.ceil(uncertaintyMs)} ms only`);
      return 'CLOCK';
    }
    if (ms - track.signMs > settings.windowMs - MIN_LEFT_MS) return 'STALE';
    return holdCode(track);
  }

  *#send(sideQueue: SideQueue, track: TrackedOrder): Work<void> {
    const { venue, settings } = this.#parts;
    this.#sent.take(track.id);
    track.isOnWire = true;
    sideQueue.onWire = track;
    const outcome = yield* venue.create(track.request, track.cid, {
      timeoutMs: settings.createTimeoutMs,
      signMs: timeMs(track.signMs),
      late: (late) => this.#onLateReply(track, late),
    });
    sideQueue.onWire = null;
    this.#onAnswer(track, outcome, sideQueue);
    this.#sendWaiting(sideQueue);
  }

  #onAnswer(track: TrackedOrder, outcome: Outcome<CreatedOrder>, sideQueue: SideQueue): void {
    const { sink, raisedCauses } = this.#parts;
    const found = createOutcome(outcome, track.request, track.cid);
    switch (found.kind) {
      case 'acked':
        return this.#onAck(track, found.venueId, found.timeMs);
      case 'refused':
        // A list has shown the order meanwhile, which is stronger than a refusal.
        if (track.lifecycle === 'sent' || track.lifecycle === 'unknown') sink().refused(track.id, found.code);
        return;
      case 'notSent':
        return sink().notSent(track.id, found.cause);
      case 'unknown': {
        if (found.echo !== null) raisedCauses.raise('ECHO', null, `${track.cid}: ${found.cause}`);
        if (track.lifecycle !== 'sent') return;
        sink().outcomeUnknown(track.id, found.code === null ? found.cause : `${found.code}: ${found.cause}`);
        // With an unknown order on this side, the rest of the queue must not be sent.
        for (const { track: next } of sideQueue.queue.splice(0)) sink().notSent(next.id, 'SIDE_UNKNOWN');
      }
    }
  }

  /** Handles a late reply. It still counts, and its value is the create's. */
  #onLateReply(track: TrackedOrder, outcome: Outcome<unknown>): void {
    if (outcome.kind === 'refused') {
      if (track.lifecycle === 'unknown') this.#onAnswer(track, outcome, this.#sideQueueOf(track));
      return;
    }
    if (outcome.kind !== 'acked') return;
    const venueId = orderIdIn(outcome.value);
    if (venueId !== null) this.#onAck(track, venueId, null);
  }

  #onAck(track: TrackedOrder, venueId: string, atMs: number | null): void {
    const { tracks, sink, adopted, serverTime, delayObserver, raisedCauses, settings, contested, isExtra, doubled } = this.#parts;
    if (track.venueId !== null) {
      if (track.venueId !== venueId) doubled(track, venueId);
      return;
    }
    const other = tracks.byVenueId(venueId);
    if (other !== undefined || isExtra(venueId)) return contested(other === undefined ? [track] : [other, track], venueId);
    const { ms } = serverTime();
    const delayMs = (atMs ?? ms) - track.signMs;
    delayObserver?.onAdmission(Math.max(0, delayMs), ms);
    if (atMs !== null && !(delayMs > -EARLY_MS && delayMs <= settings.windowMs)) {
      raisedCauses.raise('ADMISSION', null, `order ${venueId} was taken ${delayMs} ms after the time with which it was signed`);
    }
    const wasAbsent = track.isBelievedAbsent;
    tracks.setVenueId(track, venueId);
    tracks.watch(track);
    if (wasAbsent) sink().arrivedLate(track.id, venueId as VenueOrderId, atMs ?? ms);
    else sink().acked(track.id, venueId as VenueOrderId, atMs ?? ms);
    adopted(track);
  }
}

/** Returns the order id in the value of a create of either market. */
function orderIdIn(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('orderId' in value)) return null;
  return typeof value.orderId === 'string' ? value.orderId : null;
}
