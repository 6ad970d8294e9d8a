// Plans when to request klines: soon after a bar closes, again while it is missing, less often while the venue is unreachable.

import { closeOf, openOf, typicalLengthMs, type Interval } from '../../../model/interval.ts';

/** All in ms. */
export interface PollRules {
  /** From a bar's close to the first call: the time that the venue needs to build it. */
  readonly delayMs: number;
  /** The first call is delayed by up to this at random, so that many feeds do not call at once. */
  readonly spreadMs: number;
  /** Shortest pause after a call that did not bring the bar. Pauses grow while the bar is missing. */
  readonly retryMs: number;
  /** How long after its close a missing bar is requested again. After that, the calls for later bars also return it. */
  readonly retryForMs: number;
  /** Longest pause between calls without a reply. */
  readonly outageMs: number;
}

/**
 * Returns the rules for an interval. The first call comes 0.4 to 1.4 s after the close. A missing bar is requested again for half an
 * interval, at most a minute. It is requested for at least `graceMs`, while it may still trigger a decision. While the venue is
 * unreachable, calls come once a minute.
 */
export function pollRules(interval: Interval, graceMs = 0): PollRules {
  const retryForMs = Math.max(graceMs, Math.min(60_000, typicalLengthMs(interval) / 2));
  return { delayMs: 400, spreadMs: 1000, retryMs: 1000, retryForMs, outageMs: 60_000 };
}

/** What the plan of the next call depends on. */
export interface PollState {
  readonly interval: Interval;
  /** Open time of the newest bar received; null before the first. */
  readonly lastMs: number | null;
  /** The venue's clock, ms. */
  readonly serverMs: number;
  /** Calls in a row without a reply. */
  readonly failures: number;
}

/** Returns the time of the next call, ms on the venue's clock. `random` is from 0 to 1. */
export function nextPollMs({ interval, lastMs, serverMs, failures }: PollState, rules: PollRules, random: number): number {
  if (failures > 0) {
    const pauseMs = Math.min(rules.outageMs, rules.retryMs * 2 ** Math.min(30, failures - 1));
    return serverMs + pauseMs * (0.5 + random / 2);
  }
  const runningMs = openOf(interval, serverMs);
  const nextCloseMs = closeOf(interval, runningMs) + rules.delayMs + rules.spreadMs * random;
  if (lastMs !== null && closeOf(interval, lastMs) >= runningMs) return nextCloseMs;
  // Each pause equals the time since the close: calls at about 1, 2, 4 and 8 s after the close.
  const againMs = serverMs + Math.max(rules.retryMs, serverMs - runningMs) * (0.75 + random / 4);
  return againMs <= runningMs + rules.retryForMs ? againMs : nextCloseMs;
}
