// Lets a start wait for cancels that are under way, so that strategies decide on what has become of their orders.

import type { Engine } from '../../../engine/engine.ts';
import { STATE } from '../../../orders/lifecycle.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';

const LOOK_MS = 250;

interface Waiting {
  readonly engine: Pick<Engine, 'orders'>;
  readonly scheduler: Scheduler;
  /** The longest wait: an exchange that never confirms a cancel does not hold up a bot. */
  readonly limitMs: number;
}

/**
 * Calls `act` at once if no order is under cancel, else as soon as none is, or when the time has ended. A bot that was not restarted would
 * have heard of the end of the order before its next bar. Returns a function that ends the wait without a call.
 */
export function afterCancels({ engine, scheduler, limitMs }: Waiting, act: () => void): () => void {
  const endMs = scheduler.nowMs + limitMs;
  let timer: number | null = null;
  const look = (): void => {
    timer = null;
    const isUnderWay = engine.orders.active().some(({ state }) => state === STATE.cancelSent);
    if (isUnderWay && scheduler.nowMs < endMs) timer = scheduler.at(scheduler.nowMs + LOOK_MS, look);
    else act();
  };
  look();
  return () => {
    if (timer !== null) scheduler.cancel(timer);
  };
}
