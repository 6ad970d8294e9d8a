// Reads a contract's funding rate shortly before each funding time. The venue publishes only the next rate and keeps no history.

import type { Scheduler } from '../../../ports/scheduler.ts';
import type { OpResult } from '../../../protocol/endpoints/endpoints.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { RestClient } from '../client/restClient.ts';
import type { ServerTime } from '../time/serverClock.ts';
import { causeOf } from './barPoller.ts';

/** Calls `done` once, never before returning. The returned function cancels the request. */
export type AskRate = (timeoutMs: number, done: (outcome: Outcome<OpResult<'futures.indexPrice'>>) => void) => () => void;

/** Takes the funding rates of a contract. */
export interface RateSink {
  /** The next funding time has changed, and its rate is not known yet. Always called before `rate`, even if the venue does not reply. */
  next(dueMs: number): void;
  /** The rate for `dueMs`, as a decimal. It may be reported again; a later report is closer to the rate that is charged. */
  rate(dueMs: number, rate: string): void;
  /** No reply: one line for the operator. */
  onProblem(problem: string): void;
}

/** What the poller takes. */
export interface FundingRatePollerDeps {
  readonly scheduler: Scheduler;
  readonly serverTime: () => ServerTime;
  readonly ask: AskRate;
  readonly sink: RateSink;
  /** Time between fundings. Funding times are multiples of it since 1970-01-01 00:00 UTC. */
  readonly periodMs: number;
}

/**
 * Lead times of the reads before a funding time. The early read provides a rate at all; the late one follows because the rate may still
 * move.
 */
export const RATE_LEADS_MS = [300_000, 60_000, 5000] as const;
const TIMEOUT_MS = { min: 1000, max: 10_000 } as const;
const RETRY_MS = { min: 1000, max: 60_000 } as const;
/** Longer waits are cut, because the clock offset drifts. */
const MAX_WAIT_MS = 3_600_000;

/** Polls the funding rate of one contract. */
export class FundingRatePoller {
  readonly #deps: FundingRatePollerDeps;
  #dueMs = -Infinity;
  /** The shortest lead time already used for `#dueMs`. */
  #leadMs = Infinity;
  /** Time of the next attempt after a failure. */
  #retryAtMs = Infinity;
  #failures = 0;
  #timer: number | null = null;
  #cancelCall: (() => void) | null = null;
  #isRunning = false;

  constructor(deps: FundingRatePollerDeps) {
    this.#deps = deps;
  }

  /** True while waiting for a reply. */
  get isBusy(): boolean {
    return this.#cancelCall !== null;
  }

  /** Starts polling. */
  start(): void {
    this.#isRunning = true;
    this.#readOrWait();
  }
  /** Stops polling. No event follows. */
  stop(): void {
    this.#isRunning = false;
    if (this.#timer !== null) this.#deps.scheduler.cancel(this.#timer);
    this.#timer = null;
    this.#cancelCall?.();
    this.#cancelCall = null;
  }

  /** Reads the rate of the current period if a read is due, and otherwise waits for the next one. */
  #readOrWait(): void {
    const { serverTime, periodMs, sink, scheduler } = this.#deps;
    const { ms, uncertaintyMs } = serverTime();
    // Without a measured clock, no request is made: the next period's rate could pass for this one's.
    const isKnown = uncertaintyMs < Infinity;
    const dueMs = isKnown ? (Math.floor((ms + uncertaintyMs) / periodMs) + 1) * periodMs : this.#dueMs;
    if (dueMs > this.#dueMs) {
      this.#dueMs = dueMs;
      this.#leadMs = this.#retryAtMs = Infinity;
      this.#failures = 0;
      sink.next(dueMs);
    }
    const atMs = this.#nextReadMs();
    if (isKnown && atMs <= ms) return this.#ask(ms);
    const waitMs = isKnown ? Math.min(MAX_WAIT_MS, atMs - ms, dueMs + uncertaintyMs - ms) : RETRY_MS.max;
    this.#timer = scheduler.at(scheduler.nowMs + Math.max(1, Math.ceil(waitMs)), () => {
      this.#timer = null;
      this.#readOrWait();
    });
  }

  #nextReadMs(): number {
    const lead = RATE_LEADS_MS.find((leadMs) => leadMs < this.#leadMs);
    return Math.min(this.#retryAtMs, lead === undefined ? Infinity : this.#dueMs - lead);
  }

  /** Requests the rate that applies at the next funding time. A failed read is repeated after a growing pause. */
  #ask(nowMs: number): void {
    const { ask, sink, serverTime } = this.#deps;
    const dueMs = this.#dueMs;
    this.#leadMs = RATE_LEADS_MS.findLast((leadMs) => dueMs - leadMs <= nowMs) ?? this.#leadMs;
    this.#retryAtMs = Infinity;
    this.#cancelCall = ask(Math.min(TIMEOUT_MS.max, Math.max(TIMEOUT_MS.min, dueMs - nowMs)), (outcome) => {
      if (!this.#isRunning) return;
      this.#cancelCall = null;
      const { ms, uncertaintyMs } = serverTime();
      // A reply from after the funding time may have the next period's rate.
      const isInTime = ms + uncertaintyMs < dueMs;
      if (outcome.kind !== 'acked') {
        const pauseMs = Math.min(RETRY_MS.max, RETRY_MS.min * 2 ** Math.min(10, this.#failures++));
        if (ms + pauseMs < dueMs) this.#retryAtMs = ms + pauseMs;
        sink.onProblem(causeOf(outcome));
      } else if (isInTime) {
        this.#failures = 0;
        sink.rate(dueMs, outcome.value.currentFundRate);
      }
      this.#readOrWait();
    });
  }
}

/** Returns the function that requests one contract's rate, at polling priority. */
export const rateOf =
  (client: Pick<RestClient, 'call'>, symbol: string): AskRate =>
  (timeoutMs, done) =>
    client.call('futures.indexPrice', { contractName: symbol }, done, { priority: 'steady', timeoutMs });
