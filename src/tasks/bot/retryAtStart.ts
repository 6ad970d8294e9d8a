// Reads of a start that are asked again: where an exchange lives many times as fast, its ten seconds of patience are over in a moment of ours.

import type { Scheduler } from '../../ports/scheduler.ts';
import { NoAnswer } from '../download/service.ts';

/** ms of our own clock for which an answer is worth waiting for. */
const START_RETRY_MS = 10_000;
const PAUSE_MS = 100;

/**
 * Does it again while the exchange gives no answer, for as long as one call may take where nothing hurries. Rejects with the last NoAnswer;
 * at a time scale of 1 the call itself has been as patient, and this asks once.
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
