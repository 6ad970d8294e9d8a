// Retries the reads of a starting bot. With a time scale of 60, a time limit of 10 s ends after 167 ms on this computer: one try is too few.

import type { Scheduler } from '../../ports/scheduler.ts';
import { NoAnswer } from '../download/marketService.ts';

/** Local time for which reads are retried, ms. */
const START_RETRY_MS = 10_000;
/** Local time between two tries, ms. */
const PAUSE_MS = 100;

/**
 * Runs `act` until the exchange replies, but at most for START_RETRY_MS of local time. Rejects with the last NoAnswer. At a time
 * scale of 1 the call itself waits that long, so there is no retry.
 */
export async function retryAtStart<T>(scheduler: Scheduler, timeScale: number, act: () => Promise<T>): Promise<T> {
  const endMs = scheduler.nowMs + (timeScale > 1 ? START_RETRY_MS * timeScale : 0);
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof NoAnswer) || scheduler.nowMs >= endMs) throw error;
    }
    await new Promise<void>((resolve) => void scheduler.at(scheduler.nowMs + PAUSE_MS * timeScale, resolve));
  }
}
