// Sends cancels: once the venue order id is known, and again until the order has ended. Reads the order after every reply.

import { start, type Work } from '../../../base/task.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { OrderSettings } from '../calls/settings.ts';
import type { TrackedOrder } from '../order/trackedOrder.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

export interface CancelsDeps {
  readonly scheduler: Scheduler;
  readonly venue: VenueCalls;
  readonly instruments: readonly Instrument[];
  readonly settings: Pick<OrderSettings, 'cancelRetryMs' | 'cancelRetryMaxMs'>;
  /** Queries the order's state. */
  readonly check: (track: TrackedOrder) => Work<void>;
}

export class Cancels {
  readonly #parts: CancelsDeps;
  /** Timer of the next cancel of each order. */
  readonly #timers = new Map<TrackedOrder, number>();

  constructor(parts: CancelsDeps) {
    this.#parts = parts;
  }

  /** Requests the order's cancellation. Without an id it waits for `onVenueId`. */
  want(track: TrackedOrder): void {
    track.isCancelWanted = true;
    if (track.isLive && !this.#timers.has(track)) this.#send(track, this.#parts.settings.cancelRetryMs);
  }
  /** The venue order id has become known. */
  onVenueId(track: TrackedOrder): void {
    if (track.isCancelWanted) this.want(track);
  }
  /** The order has ended. */
  forget(track: TrackedOrder): void {
    const handle = this.#timers.get(track);
    if (handle !== undefined) this.#parts.scheduler.cancel(handle);
    this.#timers.delete(track);
  }
  stop(): void {
    for (const track of Array.from(this.#timers.keys())) this.forget(track);
  }

  /** Sends a cancel. Repeating it is safe: cancels are idempotent, and the venue refuses them for an ended order. */
  #send(track: TrackedOrder, pauseMs: number): void {
    const { scheduler, settings } = this.#parts;
    if (!track.isLive || track.venueId === null) return this.forget(track);
    const nextMs = Math.min(pauseMs * 2, settings.cancelRetryMaxMs);
    this.#timers.set(
      track,
      scheduler.at(scheduler.nowMs + Math.ceil(pauseMs), () => this.#send(track, nextMs)),
    );
    // A terminal status was read, which only needs confirmation.
    if (track.terminal !== null) return;
    start(this.#cancel(track, track.venueId));
  }
  /** Queries the order after any reply, even a refusal that there is no such order. Only the order's own status shows that it has ended. */
  *#cancel(track: TrackedOrder, venueId: string): Work<void> {
    const { venue, instruments, check } = this.#parts;
    yield* venue.cancel(instruments[track.request.instrumentIndex]!, venueId);
    yield* check(track);
  }
}
