// Retries the reads of a start. With a time scale, the time limit of a call passes in a moment of local time.

import type { Scheduler } from '../../ports/scheduler.ts';
import { NoAnswer } from '../download/marketService.ts';

/** Local time for which reads are retried, ms. */
const START_RETRY_MS = 10_000;
const PAUSE_MS = 100;

/**
 * Runs `act` until the exchange replies, for as long as one call may take without a time scale. Rejects with the last NoAnswer. At a time
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
