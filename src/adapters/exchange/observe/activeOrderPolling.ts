// Polls instruments whose orders may end at any time. Resting orders are left to the audits.

import type { Scheduler } from '../../../ports/scheduler.ts';
import type { OrderSettings } from '../calls/settings.ts';
import { parseTriggerTrackId } from '../calls/triggers.ts';
import type { TrackedOrder, TrackedOrders } from '../order/trackedOrder.ts';

export interface ActiveOrderPollingDeps {
  readonly scheduler: Scheduler;
  readonly tracks: TrackedOrders;
  readonly settings: Pick<OrderSettings, 'followMs' | 'fastMs'>;
  /** Reconciles the instrument once. */
  readonly reconcile: (instrument: number, done: () => void) => void;
}

/**
 * True for orders that need a read soon: immediate orders, orders to be cancelled, and orders that a list should have shown. The delay of
 * lists is measured on the last kind, and it counts three times in every proof of absence.
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

  /** Schedules a read, because an order of the instrument may have changed. */
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
        const hasRestlessOrder = Array.from(tracks.openOf(instrument)).some(isRestless);
        if (hasRestlessOrder) this.#arm(instrument, Math.min(2 * pauseMs, settings.fastMs));
      });
    };
    this.#timers.set(instrument, scheduler.at(scheduler.nowMs + Math.ceil(pauseMs), run));
  }
}
