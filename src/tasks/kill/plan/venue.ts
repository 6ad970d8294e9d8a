// The exchange as a kill uses it: reads that are retried until they are answered, and waits that can be aborted.

import { callAsPromise } from '../../../adapters/exchange/client/callAsPromise.ts';
import type { RestClient } from '../../../adapters/exchange/client/restClient.ts';
import type { ServerTime } from '../../../adapters/exchange/time/serverClock.ts';
import type { Instrument, Market } from '../../../model/instrument.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { Op, OpArgs, OpResult } from '../../../protocol/endpoints/endpoints.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { KillView } from '../../control/botView.ts';

export interface KillDeps {
  readonly client: RestClient;
  readonly scheduler: Scheduler;
  readonly serverTime: (market: Market) => ServerTime;
  /** All instruments that were traded, or could have been. */
  readonly instruments: readonly Instrument[];
  readonly settings: KillSettings;
  /** Speed of the scheduler's time relative to real time; default 1. */
  readonly timeScale?: number;
  /** Called with every step, as a sentence. */
  readonly onPhase: (phase: KillView['phase'], message: string) => void;
  /** Aborts the kill. What is not done by then is reported as not done. */
  readonly signal?: AbortSignal;
}

/** In ms of the scheduler. */
export interface KillSettings {
  /** Read lag (L): how old a list may be when it is read. */
  readonly readLagMs: number;
  /** Visibility delay (D): longest assumed time from admission until a list shows an order. */
  readonly visibilityDelayMs: number;
  /** Admission window: how long the exchange may admit a request after its timestamp. */
  readonly recvWindowMs: number;
  /** Interval between two reads of a list. */
  readonly pollEveryMs: number;
  /** A cancel without visible effect is repeated after this time. */
  readonly cancelAgainMs: number;
  /** Interval between two messages that the exchange does not reply. */
  readonly alarmEveryMs: number;
  /** A kill that makes no progress for this time ends, and reports what is left. */
  readonly giveUpMs: number;
}

/** From order-safety.md, section 18. */
export const KILL_SETTINGS: KillSettings = {
  readLagMs: 3000,
  visibilityDelayMs: 60_000,
  recvWindowMs: 5000,
  pollEveryMs: 500,
  cancelAgainMs: 2000,
  alarmEveryMs: 60_000,
  giveUpMs: 600_000,
};

/** Returns settings with every wait divided by `times`, for paper trading. */
export function scaledSettings(settings: KillSettings, times: number): KillSettings {
  const names = Object.keys(settings) as (keyof KillSettings)[];
  return names.reduce((all, name) => ({ ...all, [name]: Math.ceil(settings[name] / times) }), settings);
}

/** The kill was aborted before it completed. */
export class KillStopped extends Error {
  override readonly name = 'KillStopped';
}

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5000;

export class KillVenue {
  readonly deps: KillDeps;
  /** Since when no read has been answered; null: the last one was. */
  #unreachableSinceMs: number | null = null;
  #alarmedMs = -Infinity;
  #isOver = false;

  constructor(deps: KillDeps) {
    this.deps = deps;
  }

  get nowMs(): number {
    return this.deps.scheduler.nowMs;
  }

  /** Throws KillStopped if the kill was aborted meanwhile. */
  async wait(ms: number): Promise<void> {
    this.#check();
    const { scheduler, signal } = this.deps;
    await new Promise<void>((resolve) => {
      const handle = scheduler.at(scheduler.nowMs + ms, finish);
      signal?.addEventListener('abort', finish, { once: true });
      function finish(): void {
        scheduler.cancel(handle);
        signal?.removeEventListener('abort', finish);
        resolve();
      }
    });
    this.#check();
  }

  /** Returns a limit that stops the kill when there is no progress on `what`. */
  timeLimit(what: string): RetryLimit {
    return new RetryLimit(this, what);
  }

  /** Sends no more requests. */
  close(): void {
    this.#isOver = true;
  }

  /** Sends a call once, whatever the outcome. */
  once<O extends Op>(op: O, args: OpArgs<O>): Promise<Outcome<OpResult<O>>> {
    this.#check();
    return callAsPromise(this.deps.client, op, args);
  }

  /** Repeats a read until it is answered, with growing pauses. Throws KillStopped after too long. */
  async read<O extends Op>(op: O, args: OpArgs<O>): Promise<OpResult<O>> {
    const timeLimit = this.timeLimit(`the exchange does not answer ${op}`);
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
      this.#check();
      // High priority: nothing else needs this key's request budget any more.
      const outcome = await callAsPromise(this.deps.client, op, args, { priority: 'reconcile', attempts: 1 });
      if (outcome.kind === 'acked') {
        this.#unreachableSinceMs = null;
        return outcome.value;
      }
      this.#reportFailure(op, outcome);
      await timeLimit.wait(pauseMs);
    }
  }

  #reportFailure(op: Op, outcome: Exclude<Outcome<unknown>, { kind: 'acked' }>): void {
    const { alarmEveryMs } = this.deps.settings;
    this.#unreachableSinceMs ??= this.nowMs;
    if (this.nowMs - this.#alarmedMs < alarmEveryMs) return;
    this.#alarmedMs = this.nowMs;
    const text = outcome.kind === 'refused' ? `code ${outcome.code}: ${outcome.msg}` : outcome.cause;
    const seconds = Math.round((this.nowMs - this.#unreachableSinceMs) / 1000);
    this.deps.onPhase('waiting', `${op} is not answered (${text}), for ${seconds} s; trying on. Nothing is known to be cancelled.`);
  }

  #check(): void {
    if (this.#isOver) throw new KillStopped('the kill has ended');
    if (this.deps.signal?.aborted === true) throw new KillStopped('the kill was ended before it was through');
  }
}

/** Waits, and stops the kill after `giveUpMs` without progress. */
export class RetryLimit {
  readonly #venue: KillVenue;
  readonly #what: string;
  #sinceMs: number;

  constructor(venue: KillVenue, what: string) {
    this.#venue = venue;
    this.#what = what;
    this.#sinceMs = venue.nowMs;
  }

  /** Returns seconds of real time. */
  #secondsOf(ms: number): number {
    return Math.round(ms / 1000 / (this.#venue.deps.timeScale ?? 1));
  }

  /** Progress was made: the time starts again. */
  restart(): void {
    this.#sinceMs = this.#venue.nowMs;
  }

  /** Throws KillStopped. */
  async wait(ms: number): Promise<void> {
    const { giveUpMs } = this.#venue.deps.settings;
    const leftMs = this.#sinceMs + giveUpMs - this.#venue.nowMs;
    if (leftMs <= 0) throw new KillStopped(`given up after ${this.#secondsOf(giveUpMs)} s: ${this.#what}`);
    await this.#venue.wait(Math.min(ms, leftMs));
  }
}
