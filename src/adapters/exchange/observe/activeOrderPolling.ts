// Polls the instruments whose orders may end at any time. Audits read resting orders.

import { sleep, start, type Task, type Work } from '../../../base/task.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { OrderSettings } from '../calls/orderSettings.ts';
import { parseTriggerTrackId } from '../calls/triggers.ts';
import type { TrackedOrder, TrackedOrders } from '../order/trackedOrder.ts';

/** What the polling takes. */
export interface ActiveOrderPollingDeps {
  readonly scheduler: Scheduler;
  readonly trackedOrders: TrackedOrders;
  readonly settings: Pick<OrderSettings, 'followMs' | 'fastMs'>;
  /** Reconciles the instrument once. */
  readonly reconcile: (instrumentIndex: number) => Work<unknown>;
}

/**
 * True for orders that need a read soon: immediate orders, orders to be cancelled, and orders that a list should have shown. The delay of
 * lists is measured on orders of the last kind, and every proof of absence counts that delay three times.
 */
const needsReadSoon = ({ isLive, request, isCancelWanted, terminalReading, venueId, listSighting }: TrackedOrder): boolean =>
  isLive &&
  (isCancelWanted || parseTriggerTrackId(venueId) === null) &&
  terminalReading === null &&
  (isCancelWanted || listSighting === 'missed' || request.limit === 0 || request.timeInForce === 'IOC' || request.timeInForce === 'FOK');

/** The instruments of one market that are polled, and when each is read next. */
export class ActiveOrderPolling {
  readonly #deps: ActiveOrderPollingDeps;
  /** The task that waits until the next read, by instrument. */
  readonly #pauses = new Map<number, Task<void>>();

  constructor(deps: ActiveOrderPollingDeps) {
    this.#deps = deps;
  }

  /** Schedules a read, because an order of the instrument may have changed. */
  scheduleRead(instrumentIndex: number): void {
    this.#pollAfter(instrumentIndex, this.#deps.settings.followMs);
  }
  /** Ends all polling. */
  stop(): void {
    for (const pause of this.#pauses.values()) pause.cancel();
    this.#pauses.clear();
  }

  #pollAfter(instrumentIndex: number, pauseMs: number): void {
    if (!this.#pauses.has(instrumentIndex)) this.#pauses.set(instrumentIndex, start(this.#poll(instrumentIndex, pauseMs)));
  }
  /** Reconciles an instrument after a pause, and again after twice the pause while an order of it needs it. */
  *#poll(instrumentIndex: number, pauseMs: number): Work<void> {
    const { scheduler, reconcile, trackedOrders, settings } = this.#deps;
    yield* sleep(scheduler, Math.ceil(pauseMs));
    this.#pauses.delete(instrumentIndex);
    yield* reconcile(instrumentIndex);
    const isReadNeeded = Array.from(trackedOrders.openOf(instrumentIndex)).some(needsReadSoon);
    if (isReadNeeded) this.#pollAfter(instrumentIndex, Math.min(2 * pauseMs, settings.fastMs));
  }
}
