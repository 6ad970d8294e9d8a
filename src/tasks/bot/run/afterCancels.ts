// Delays the first decision of a start until pending cancels have ended, so that strategies know the outcome of their orders.

import type { Engine } from '../../../engine/engine.ts';
import { STATE } from '../../../orders/lifecycle.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';

/** Time between two checks for pending cancels, ms. */
const CHECK_MS = 250;

/** The orders to wait for, and the time limit. */
interface CancelWait {
  readonly engine: Pick<Engine, 'orders'>;
  readonly scheduler: Scheduler;
  /** Maximum wait, ms. An exchange that never confirms a cancel must not block the bot. */
  readonly limitMs: number;
}

/**
 * Calls `act` once no cancel is pending, at the latest after `limitMs`; at once if none is. A bot that was not restarted would have learned
 * of the end of the order before its next bar. Returns a function that ends the wait without a call.
 */
export function afterCancels({ engine, scheduler, limitMs }: CancelWait, act: () => void): () => void {
  const endMs = scheduler.nowMs + limitMs;
  let timer: number | null = null;
  const check = (): void => {
    timer = null;
    const hasPendingCancel = engine.orders.active().some(({ state }) => state === STATE.cancelSent);
    if (hasPendingCancel && scheduler.nowMs < endMs) timer = scheduler.at(scheduler.nowMs + CHECK_MS, check);
    else act();
  };
  check();
  return () => {
    if (timer !== null) scheduler.cancel(timer);
  };
}
