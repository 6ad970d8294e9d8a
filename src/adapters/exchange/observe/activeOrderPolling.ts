// Looks again soon at instruments whose orders may end at any moment; those that rest are left to the audits.

import type { Scheduler } from '../../../ports/scheduler.ts';
import type { OrderSettings } from '../calls/settings.ts';
import { parseTriggerTrackId } from '../calls/triggers.ts';
import type { TrackedOrder, TrackedOrders } from '../order/trackedOrder.ts';

export interface ActiveOrderPollingDeps {
  readonly scheduler: Scheduler;
  readonly tracks: TrackedOrders;
  readonly settings: Pick<OrderSettings, 'followMs' | 'fastMs'>;
  /** Looks at the instrument once. */
  readonly reconcile: (instrument: number, done: () => void) => void;
}

/**
 * What takes at once or not at all, and what is to be cancelled, is worth a look soon; and what a list should have shown: how late lists are
 * is measured on it, and counts three times in every proof.
 */
const isRestless = ({ stage, request, isCancelWanted, terminal, venueId, listed }: TrackedOrder): boolean =>
  stage === 'live' &&
  (isCancelWanted || parseTriggerTrackId(venueId) === null) &&
  terminal === null &&
  (isCancelWanted || listed === 'missed' || request.limit === 0 || request.timeInForce === 'IOC' || request.timeInForce === 'FOK');

export class ActiveOrderPolling {
  readonly #parts: ActiveOrderPollingDeps;
  readonly #timers = new Map<number, number>();

  constructor(parts: ActiveOrderPollingDeps) {
    this.#parts = parts;
  }

  /** Something may have happened to an order of the instrument. */
  soon(instrument: number): void {
    this.#arm(instrument, this.#parts.settings.followMs);
  }
  stop(): void {
    for (const handle of this.#timers.values()) this.#parts.scheduler.cancel(handle);
    this.#timers.clear();
  }

  #arm(instrument: number, pauseMs: number): void {
    if (this.#timers.has(instrument)) return;
    const { scheduler, reconcile, tracks, settings } = this.#parts;
    const run = (): void => {
      this.#timers.delete(instrument);
      reconcile(instrument, () => {
        const isValue = Array.from(tracks.openOf(instrument)).some(isRestless);
        if (isValue) this.#arm(instrument, Math.min(2 * pauseMs, settings.fastMs));
      });
    };
    this.#timers.set(instrument, scheduler.at(scheduler.nowMs + Math.ceil(pauseMs), run));
  }
}
