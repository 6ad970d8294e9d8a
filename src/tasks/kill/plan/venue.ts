// The exchange as a kill deals with it: questions that are asked until they are answered, and waits that can be ended.

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
  /** Everything that was ever traded, or could have been. */
  readonly instruments: readonly Instrument[];
  readonly settings: KillSettings;
  /** How many times as fast as the clock on the wall the scheduler's time passes; default 1. */
  readonly timeScale?: number;
  /** Told of every step, in a sentence. */
  readonly onPhase: (phase: KillView['phase'], message: string) => void;
  /** Ends all trying; what is not done by then is reported as not done. */
  readonly signal?: AbortSignal;
}

/** ms of the scheduler. */
export interface KillSettings {
  /** L: how old a list may be when it is read. */
  readonly readLagMs: number;
  /** D: longest assumed time from admission to visibility. */
  readonly visibilityDelayMs: number;
  /** How long the exchange may still admit a request after its timestamp. */
  readonly recvWindowMs: number;
  /** Between two looks at a list. */
  readonly pollEveryMs: number;
  /** A cancel that has not shown its effect is repeated after this. */
  readonly cancelAgainMs: number;
  /** How often it is said that the exchange does not answer. */
  readonly alarmEveryMs: number;
  /** A kill that comes no further for so long ends, and says what is left. */
  readonly giveUpMs: number;
}

/** Of order-safety.md, section 18. */
export const KILL_SETTINGS: KillSettings = {
  readLagMs: 3000,
  visibilityDelayMs: 60_000,
  recvWindowMs: 5000,
  pollEveryMs: 500,
  cancelAgainMs: 2000,
  alarmEveryMs: 60_000,
  giveUpMs: 600_000,
};

/** The same where every wait is `times` as short, as paper trading has it. */
export function scaledSettings(settings: KillSettings, times: number): KillSettings {
  const names = Object.keys(settings) as (keyof KillSettings)[];
  return names.reduce((all, name) => ({ ...all, [name]: Math.ceil(settings[name] / times) }), settings);
}

/** The kill was ended before it was through. */
export class KillStopped extends Error {
  override readonly name = 'KillStopped';
}

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5000;

export class KillVenue {
  readonly parts: KillDeps;
  /** By what it was about: the newest reason why it does not go on. */
  #unreachableSinceMs: number | null = null;
  #alarmedMs = -Infinity;
  #isOver = false;

  constructor(parts: KillDeps) {
    this.parts = parts;
  }

  get nowMs(): number {
    return this.parts.scheduler.nowMs;
  }

  /** Throws KillStopped where the kill has been ended meanwhile. */
  async wait(ms: number): Promise<void> {
    this.#check();
    const { scheduler, signal } = this.parts;
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

  /** Ends the kill when `what` holds for longer than it is waited for. */
  timeLimit(what: string): RetryLimit {
    return new RetryLimit(this, what);
  }

  /** Nothing is asked any more. */
  close(): void {
    this.#isOver = true;
  }

  /** A call that is made once, whatever comes of it. */
  once<O extends Op>(op: O, args: OpArgs<O>): Promise<Outcome<OpResult<O>>> {
    this.#check();
    return callAsPromise(this.parts.client, op, args);
  }

  /** A read that is asked until it is answered, ever more slowly. Throws KillStopped when that takes too long. */
  async read<O extends Op>(op: O, args: OpArgs<O>): Promise<OpResult<O>> {
    const timeLimit = this.timeLimit(`the exchange does not answer ${op}`);
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
      this.#check();
      // Ahead of what is steady: nothing else of this key has anything to do any more.
      const outcome = await callAsPromise(this.parts.client, op, args, { priority: 'reconcile', attempts: 1 });
      if (outcome.kind === 'acked') {
        this.#unreachableSinceMs = null;
        return outcome.value;
      }
      this.#alarm(op, outcome);
      await timeLimit.wait(pauseMs);
    }
  }

  #alarm(op: Op, outcome: Exclude<Outcome<unknown>, { kind: 'acked' }>): void {
    const { alarmEveryMs } = this.parts.settings;
    this.#unreachableSinceMs ??= this.nowMs;
    if (this.nowMs - this.#alarmedMs < alarmEveryMs) return;
    this.#alarmedMs = this.nowMs;
    const text = outcome.kind === 'refused' ? `code ${outcome.code}: ${outcome.msg}` : outcome.cause;
    const seconds = Math.round((this.nowMs - this.#unreachableSinceMs) / 1000);
    this.parts.onPhase('waiting', `${op} is not answered (${text}), for ${seconds} s; trying on. Nothing is known to be cancelled.`);
  }

  #check(): void {
    if (this.#isOver) throw new KillStopped('the kill is over');
    if (this.parts.signal?.aborted === true) throw new KillStopped('the kill was ended before it was through');
  }
}

/** Waits, and stops the kill once nothing has come of it for `giveUpMs`. */
export class RetryLimit {
  readonly #venue: KillVenue;
  readonly #what: string;
  #sinceMs: number;

  constructor(venue: KillVenue, what: string) {
    this.#venue = venue;
    this.#what = what;
    this.#sinceMs = venue.nowMs;
  }

  /** As they pass on the computer of the operator. */
  #secondsOf(ms: number): number {
    return Math.round(ms / 1000 / (this.#venue.parts.timeScale ?? 1));
  }

  /** Something has come of it: the time begins anew. */
  goesOn(): void {
    this.#sinceMs = this.#venue.nowMs;
  }

  /** Throws KillStopped. */
  async wait(ms: number): Promise<void> {
    const { giveUpMs } = this.#venue.parts.settings;
    const leftMs = this.#sinceMs + giveUpMs - this.#venue.nowMs;
    if (leftMs <= 0) throw new KillStopped(`given up after ${this.#secondsOf(giveUpMs)} s: ${this.#what}`);
    await this.#venue.wait(Math.min(ms, leftMs));
  }
}
