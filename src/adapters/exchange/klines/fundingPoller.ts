// Reads the rate of a contract shortly before each funding time: the exchange tells what is charged next, and keeps no list of what was.

import type { Scheduler } from '../../../ports/scheduler.ts';
import type { OpResult } from '../../../protocol/endpoints/endpoints.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { RestClient } from '../client/restClient.ts';
import type { ServerTime } from '../time/serverClock.ts';
import { causeOf } from './barPoller.ts';

/** Calls `done` once, not within the call; what it returns gives the call up. */
export type AskRate = (timeoutMs: number, done: (outcome: Outcome<OpResult<'futures.indexPrice'>>) => void) => () => void;

export interface RateSink {
  /** The next funding time has changed; nothing is known of it yet. Told first, and whatever the exchange answers. */
  next(dueMs: number): void;
  /** The rate with which `dueMs` will be charged, as a decimal. It may come again: what comes later is nearer to what is charged. */
  rate(dueMs: number, rate: string): void;
  /** No answer: one line for a person. */
  onProblem(problem: string): void;
}

export interface RatePollerDeps {
  readonly scheduler: Scheduler;
  readonly serverTime: () => ServerTime;
  readonly ask: AskRate;
  readonly sink: RateSink;
  /** Between two funding times, which lie on its grid from 1970-01-01 00:00 UTC on. */
  readonly periodMs: number;
}

/** So long before a funding time its rate is read: first to have one at all, last because a rate may move until it is charged. */
export const RATE_LEADS_MS = [300_000, 60_000, 5000] as const;
const CALL_MS = { least: 1000, most: 10_000 } as const;
const AGAIN_MS = { least: 1000, most: 60_000 } as const;
/** Longer waits are cut, as the offset between the clocks drifts. */
const MAX_WAIT_MS = 3_600_000;

export class RatePoller {
  readonly #parts: RatePollerDeps;
  #dueMs = -Infinity;
  /** The shortest time before `#dueMs` at which it was asked for. */
  #leadMs = Infinity;
  /** When it is asked for again after a failure. */
  #againMs = Infinity;
  #failures = 0;
  #timer: number | null = null;
  #giveUp: (() => void) | null = null;
  #isRunning = false;

  constructor(parts: RatePollerDeps) {
    this.#parts = parts;
  }

  /** An answer is awaited. */
  get isBusy(): boolean {
    return this.#giveUp !== null;
  }

  start(): void {
    this.#isRunning = true;
    this.#goOn();
  }
  /** Nothing is told any more. */
  stop(): void {
    this.#isRunning = false;
    if (this.#timer !== null) this.#parts.scheduler.cancel(this.#timer);
    this.#timer = null;
    this.#giveUp?.();
    this.#giveUp = null;
  }

  #goOn(): void {
    const { serverTime, periodMs, sink, scheduler } = this.#parts;
    const { ms, uncertaintyMs } = serverTime();
    // Of a clock that is not known nothing is asked: a rate of the next period would pass for one of this.
    const isKnown = uncertaintyMs < Infinity;
    const dueMs = isKnown ? (Math.floor((ms + uncertaintyMs) / periodMs) + 1) * periodMs : this.#dueMs;
    if (dueMs > this.#dueMs) {
      this.#dueMs = dueMs;
      this.#leadMs = this.#againMs = Infinity;
      this.#failures = 0;
      sink.next(dueMs);
    }
    const atMs = this.#askMs();
    if (isKnown && atMs <= ms) return this.#ask(ms);
    const waitMs = isKnown ? Math.min(MAX_WAIT_MS, atMs - ms, dueMs + uncertaintyMs - ms) : AGAIN_MS.most;
    this.#timer = scheduler.at(scheduler.nowMs + Math.max(1, Math.ceil(waitMs)), () => {
      this.#timer = null;
      this.#goOn();
    });
  }

  #askMs(): number {
    const lead = RATE_LEADS_MS.find((each) => each < this.#leadMs);
    return Math.min(this.#againMs, lead === undefined ? Infinity : this.#dueMs - lead);
  }

  #ask(nowMs: number): void {
    const { ask, sink, serverTime } = this.#parts;
    const dueMs = this.#dueMs;
    this.#leadMs = RATE_LEADS_MS.findLast((each) => dueMs - each <= nowMs) ?? this.#leadMs;
    this.#againMs = Infinity;
    this.#giveUp = ask(Math.min(CALL_MS.most, Math.max(CALL_MS.least, dueMs - nowMs)), (outcome) => {
      if (!this.#isRunning) return;
      this.#giveUp = null;
      const { ms, uncertaintyMs } = serverTime();
      // An answer that may be from after the funding time may tell the rate of the next one.
      const isInTime = ms + uncertaintyMs < dueMs;
      if (outcome.kind !== 'acked') {
        const pauseMs = Math.min(AGAIN_MS.most, AGAIN_MS.least * 2 ** Math.min(10, this.#failures++));
        if (ms + pauseMs < dueMs) this.#againMs = ms + pauseMs;
        sink.onProblem(causeOf(outcome));
      } else if (isInTime) {
        this.#failures = 0;
        sink.rate(dueMs, outcome.value.currentFundRate);
      }
      this.#goOn();
    });
  }
}

/** Asks for the rate of one contract, with the priority of what comes again and again. */
export const rateOf =
  (client: Pick<RestClient, 'call'>, symbol: string): AskRate =>
  (timeoutMs, done) =>
    client.call('futures.indexPrice', { contractName: symbol }, done, { priority: 'steady', timeoutMs });
