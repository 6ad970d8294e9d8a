// Cancels: sent when the id is known, read back after every answer, and sent again until the order has ended.

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
  /** Asks what has become of the order. */
  readonly check: (track: TrackedOrder) => void;
}

export class Cancels {
  readonly #parts: CancelsDeps;
  /** Next sending of each order that is to end, by handle. */
  readonly #timers = new Map<TrackedOrder, number>();

  constructor(parts: CancelsDeps) {
    this.#parts = parts;
  }

  /** Wants the order gone. Without an id it waits for `named`. */
  want(track: TrackedOrder): void {
    track.isCancelWanted = true;
    if (track.stage === 'live' && !this.#timers.has(track)) this.#send(track, this.#parts.settings.cancelRetryMs);
  }
  /** The id of the order has become known. */
  named(track: TrackedOrder): void {
    if (track.isCancelWanted) this.want(track);
  }
  /** It has ended. */
  forget(track: TrackedOrder): void {
    const handle = this.#timers.get(track);
    if (handle !== undefined) this.#parts.scheduler.cancel(handle);
    this.#timers.delete(track);
  }
  stop(): void {
    for (const track of Array.from(this.#timers.keys())) this.forget(track);
  }

  /** A cancel may be sent again, however often: it is idempotent, and an order that is over only refuses it. */
  #send(track: TrackedOrder, pauseMs: number): void {
    const { scheduler, venue, instruments, settings, check } = this.#parts;
    if (track.stage !== 'live' || track.venueId === null) return this.forget(track);
    const nextMs = Math.min(pauseMs * 2, settings.cancelRetryMaxMs);
    this.#timers.set(
      track,
      scheduler.at(scheduler.nowMs + Math.ceil(pauseMs), () => this.#send(track, nextMs)),
    );
    // Its end was read and waits for its confirmation only.
    if (track.terminal !== null) return;
    // Whatever the answer says, a refusal that there is no such order included: only the order itself tells that it has ended.
    venue.cancel(instruments[track.request.instrumentIndex]!, track.venueId, () => check(track));
  }
}
