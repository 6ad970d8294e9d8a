// Delays the first decision of a starting bot until its pending cancels have ended, so that strategies know the outcome of their orders.

import type { Engine } from '../../../engine/engine.ts';
import { STATE } from '../../../orders/lifecycle.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';

/** Time between two checks for pending cancels, ms. */
const CHECK_PERIOD_MS = 250;

/** The orders to wait for, the clock, and the time limit. */
interface CancelWait {
  /** Its orders are checked for pending cancels. */
  readonly engine: Pick<Engine, 'orders'>;
  readonly scheduler: Scheduler;
  /** Maximum wait, ms. An exchange that never confirms a cancel must not block the bot. */
  readonly maxWaitMs: number;
}

/**
 * Calls `onReady` once no cancel is pending: immediately if none is pending now, and at the latest after `maxWaitMs`. Without the wait, a
 * restarted bot would decide before it knows what became of its orders. A bot without a restart learns that before its next bar. Returns a
 * function that ends the wait without a call.
 */
export function afterCancels({ engine, scheduler, maxWaitMs }: CancelWait, onReady: () => void): () => void {
  const deadlineMs = scheduler.nowMs + maxWaitMs;
  let timerHandle: number | null = null;
  const check = (): void => {
    timerHandle = null;
    const hasPendingCancel = engine.orders.active().some(({ state }) => state === STATE.cancelSent);
    if (hasPendingCancel && scheduler.nowMs < deadlineMs) timerHandle = scheduler.at(scheduler.nowMs + CHECK_PERIOD_MS, check);
    else onReady();
  };
  check();
  return () => {
    if (timerHandle !== null) scheduler.cancel(timerHandle);
  };
}
