// Cancels orders: sends each cancel once the venue order id is known, repeats it until the order has ended, and reads the order each time.

import { start, type Work } from '../../../base/task.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { OrderSettings } from '../calls/orderSettings.ts';
import type { TrackedOrder } from '../order/trackedOrder.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

/** The collaborators of `Cancels`. */
export interface CancelsDeps {
  readonly scheduler: Scheduler;
  readonly venue: VenueCalls;
  readonly instruments: readonly Instrument[];
  readonly settings: Pick<OrderSettings, 'cancelRetryMs' | 'cancelRetryMaxMs'>;
  /** Queries the order's state. */
  readonly queryOrder: (tracked: TrackedOrder) => Work<void>;
  /** Returns the lots of the order that were read and are not booked yet. */
  readonly unbookedLots: (tracked: TrackedOrder) => number;
}

/** Cancels orders until they have ended. */
export class Cancels {
  readonly #deps: CancelsDeps;
  /** Timer of the next cancel of each order. */
  readonly #timers = new Map<TrackedOrder, number>();

  constructor(deps: CancelsDeps) {
    this.#deps = deps;
  }

  /** Cancels the order. Without a venue order id, the cancel waits for `onVenueId`. */
  cancel(tracked: TrackedOrder): void {
    tracked.isCancelWanted = true;
    if (tracked.isLive && !this.#timers.has(tracked)) this.#send(tracked, this.#deps.settings.cancelRetryMs);
  }
  /** Sends a cancel that was waiting for the venue order id. */
  onVenueId(tracked: TrackedOrder): void {
    if (tracked.isCancelWanted) this.cancel(tracked);
  }
  /** Stops cancelling, because the order has ended. */
  forget(tracked: TrackedOrder): void {
    const timer = this.#timers.get(tracked);
    if (timer !== undefined) this.#deps.scheduler.cancel(timer);
    this.#timers.delete(tracked);
  }
  /** Ends all repetitions. */
  stop(): void {
    for (const tracked of Array.from(this.#timers.keys())) this.forget(tracked);
  }

  /** Sends a cancel, and again after a pause that doubles each time. Repeating is safe: the venue refuses a cancel of an ended order. */
  #send(tracked: TrackedOrder, pauseMs: number): void {
    const { scheduler, settings } = this.#deps;
    if (!tracked.isLive || tracked.venueId === null) return this.forget(tracked);
    const nextMs = Math.min(pauseMs * 2, settings.cancelRetryMaxMs);
    this.#timers.set(
      tracked,
      scheduler.at(scheduler.nowMs + Math.ceil(pauseMs), () => this.#send(tracked, nextMs)),
    );
    // The order has a terminal status, which a second read will confirm. It needs no cancel.
    if (tracked.terminalReading !== null) return;
    // The fills that were just read may complete this order. Then their booking ends it, and it needs no cancel.
    const isFirstCancel = pauseMs === settings.cancelRetryMs;
    if (isFirstCancel && isCompletedBy(tracked, this.#deps.unbookedLots(tracked))) return;
    start(this.#cancelAndQuery(tracked, tracked.venueId));
  }
  /**
   * Sends one cancel, then always queries the order, because only its status shows that it has ended. While the id may be that of another order, it
   * only queries.
   */
  *#cancelAndQuery(tracked: TrackedOrder, venueId: string): Work<void> {
    const { venue, instruments, queryOrder } = this.#deps;
    if (tracked.otherId === null) yield* venue.cancel(instruments[tracked.request.instrumentIndex]!, venueId);
    yield* queryOrder(tracked);
  }
}

/** True if these lots complete the quantity of the order. An order by amount has no quantity. */
const isCompletedBy = ({ request: { lots }, executedLots }: TrackedOrder, unbookedLots: number): boolean =>
  lots > 0 && unbookedLots > 0 && executedLots + unbookedLots >= lots;
