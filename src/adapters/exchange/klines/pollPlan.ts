// When to ask for klines next: soon after a bar has closed, again while it lacks, ever more rarely while the exchange is away.

import { closeOf, openOf, typicalLengthMs, type Interval } from '../../../model/interval.ts';

/** All in ms. */
export interface PollRules {
  /** From the close of a bar to the first call for it: what an exchange takes to make it up. */
  readonly delayMs: number;
  /** The first call comes up to this much later, at random, so that many feeds do not ask at once. */
  readonly spreadMs: number;
  /** The least pause after a call that did not bring the bar; pauses grow as the bar stays away. */
  readonly retryMs: number;
  /** After the close of a bar it is no more asked for on its own: the calls for later bars bring it, if it ever comes. */
  readonly retryForMs: number;
  /** The longest pause between calls that get no answer. */
  readonly outageMs: number;
}

/**
 * 0.4 to 1.4 s after the close; for half a bar, at most a minute, and for as long as a bar may still be decided on (`graceMs` after its
 * close); once a minute while the exchange is away.
 */
export function pollRules(interval: Interval, graceMs = 0): PollRules {
  const retryForMs = Math.max(graceMs, Math.min(60_000, typicalLengthMs(interval) / 2));
  return { delayMs: 400, spreadMs: 1000, retryMs: 1000, retryForMs, outageMs: 60_000 };
}

export interface PollState {
  readonly interval: Interval;
  /** The open time of the newest bar that came; null before the first. */
  readonly lastMs: number | null;
  /** The exchange's clock, ms. */
  readonly serverMs: number;
  /** Calls in a row without an answer. */
  readonly failures: number;
}

/** The time of the next call, ms on the exchange's clock. `chance` is from 0 to 1. */
export function nextPollMs({ interval, lastMs, serverMs, failures }: PollState, rules: PollRules, random: number): number {
  if (failures > 0) {
    const pauseMs = Math.min(rules.outageMs, rules.retryMs * 2 ** Math.min(30, failures - 1));
    return serverMs + pauseMs * (0.5 + random / 2);
  }
  const runningMs = openOf(interval, serverMs);
  const nextCloseMs = closeOf(interval, runningMs) + rules.delayMs + rules.spreadMs * random;
  if (lastMs !== null && closeOf(interval, lastMs) >= runningMs) return nextCloseMs;
  // As long again as it has been away already: calls at about 1, 2, 4, 8 s after the close.
  const againMs = serverMs + Math.max(rules.retryMs, serverMs - runningMs) * (0.75 + random / 4);
  return againMs <= runningMs + rules.retryForMs ? againMs : nextCloseMs;
}
