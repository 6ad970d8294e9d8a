// Cancels orders: sends each cancel once the venue order id is known, repeats it until the order has ended, and reads the order each time.

import { start, type Work } from '../../../base/task.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { OrderSettings } from '../calls/orderSettings.ts';
import type { TrackedOrder } from '../order/trackedOrder.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

/** What the cancels take. */
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

/** The cancels that are wanted and not confirmed. */
export class Cancels {
  readonly #deps: CancelsDeps;
  /** Timer of the next cancel of each order. */
  readonly #timers = new Map<TrackedOrder, number>();

  constructor(deps: CancelsDeps) {
    this.#deps = deps;
  }

  /** Cancels the order. Without a venue order id, the cancel waits for `onVenueId`. */
  request(tracked: TrackedOrder): void {
    tracked.isCancelWanted = true;
    if (tracked.isLive && !this.#timers.has(tracked)) this.#send(tracked, this.#deps.settings.cancelRetryMs);
  }
  /** Sends a cancel that was waiting for the venue order id. */
  onVenueId(tracked: TrackedOrder): void {
    if (tracked.isCancelWanted) this.request(tracked);
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

  /** Sends a cancel. Repeating it is safe: cancels are idempotent, and the venue refuses them for an ended order. */
  #send(tracked: TrackedOrder, pauseMs: number): void {
    const { scheduler, settings } = this.#deps;
    if (!tracked.isLive || tracked.venueId === null) return this.forget(tracked);
    const nextMs = Math.min(pauseMs * 2, settings.cancelRetryMaxMs);
    this.#timers.set(
      tracked,
      scheduler.at(scheduler.nowMs + Math.ceil(pauseMs), () => this.#send(tracked, nextMs)),
    );
    // The order has a terminal status, which needs a confirmation and no cancel.
    if (tracked.terminalReading !== null) return;
    // One list may show the fills of several orders that cancel each other. An order that these fills complete ends when they are booked.
    const isFirst = pauseMs === settings.cancelRetryMs;
    if (isFirst && isCompletedBy(tracked, this.#deps.unbookedLots(tracked))) return;
    start(this.#cancel(tracked, tracked.venueId));
  }
  /** Sends one cancel, then always queries the order, because only its status shows that it has ended. */
  *#cancel(tracked: TrackedOrder, venueId: string): Work<void> {
    const { venue, instruments, queryOrder } = this.#deps;
    yield* venue.cancel(instruments[tracked.request.instrumentIndex]!, venueId);
    yield* queryOrder(tracked);
  }
}

/** True if these lots complete the quantity of the order. An order by amount has no quantity. */
const isCompletedBy = ({ request: { lots }, filledLots }: TrackedOrder, unbookedLots: number): boolean =>
  lots > 0 && unbookedLots > 0 && filledLots + unbookedLots >= lots;
