// The exchange as a kill uses it: reads are retried until the exchange replies, and waits can be aborted.

import { callAsPromise } from '../../../adapters/exchange/client/callAsPromise.ts';
import { accountHaltCode } from '../../../adapters/exchange/calls/createOutcome.ts';
import { lacksPositions, listedPositions, positionsOfAccount } from '../../../adapters/exchange/calls/positionRows.ts';
import { isMissingOrder } from '../../../adapters/exchange/calls/venueCalls.ts';
import type { Page, PositionRow } from '../../../adapters/exchange/calls/venueRows.ts';
import type { RestClient } from '../../../adapters/exchange/client/restClient.ts';
import type { ServerTime } from '../../../adapters/exchange/time/serverClock.ts';
import type { Instrument, Market } from '../../../model/instrument.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { Op, OpArgs, OpResult } from '../../../protocol/endpoints/endpoints.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { KillView } from '../../control/botView.ts';

/** The exchange, the instruments and the listener of a kill. */
export interface KillDeps {
  readonly client: RestClient;
  readonly scheduler: Scheduler;
  readonly serverTime: (market: Market) => ServerTime;
  /** All instruments that the bot could trade. */
  readonly instruments: readonly Instrument[];
  readonly settings: KillSettings;
  /** Venue time of the newest reply before the kill that admits a delay between gateway and lists, ms, by market. */
  readonly incidentMs?: ReadonlyMap<Market, number> | undefined;
  /** Returns the visibility delay that the bot assumes now, if it runs: it still gets replies to what left before the kill. */
  readonly botDelayMs?: (() => number) | undefined;
  /** Called with the venue time of each reply that admits such a delay, so that the next start assumes the longer delay, too. */
  readonly onIncident?: (market: Market, venueMs: number) => void;
  /** Speed of the scheduler's time relative to real time; default 1. */
  readonly timeScale?: number;
  /** Called with every step, as a sentence. */
  readonly onPhase: (phase: KillView['phase'], message: string) => void;
  /** Aborts the kill. The report then lists what was not done. */
  readonly signal?: AbortSignal;
}

/** Times of a kill, in ms of the scheduler. */
export interface KillSettings {
  /** Read lag (L): the largest age of a list when it is read. */
  readonly readLagMs: number;
  /** Visibility delay (D): longest assumed time from admission until a list shows an order. */
  readonly visibilityDelayMs: number;
  /** D for this time after a reply that admits a delay between gateway and lists: -1001, -1006, -1007, -1016, HTTP 504. */
  readonly incidentDelayMs: number;
  /** For how long such a reply lengthens D. */
  readonly incidentMemoryMs: number;
  /** Admission window: time after its timestamp in which the exchange may admit a request. */
  readonly recvWindowMs: number;
  /** Interval between two reads of a list. */
  readonly pollEveryMs: number;
  /** A cancel without visible effect is repeated after this time. */
  readonly cancelAgainMs: number;
  /** Interval between two messages that the exchange does not reply. */
  readonly alarmEveryMs: number;
  /** A kill ends after this time without progress. */
  readonly giveUpMs: number;
}

/** From order-safety.md, section 18. */
export const KILL_SETTINGS: KillSettings = {
  readLagMs: 3000,
  visibilityDelayMs: 60_000,
  incidentDelayMs: 600_000,
  incidentMemoryMs: 900_000,
  recvWindowMs: 5000,
  pollEveryMs: 500,
  cancelAgainMs: 2000,
  alarmEveryMs: 60_000,
  giveUpMs: 600_000,
};

/** Returns settings with every wait divided by `times`, for paper trading. */
export function scaledSettings(settings: KillSettings, times: number): KillSettings {
  const names = Object.keys(settings) as (keyof KillSettings)[];
  return names.reduce((scaled, name) => ({ ...scaled, [name]: Math.ceil(settings[name] / times) }), settings);
}

/** Thrown when a kill ends before it has completed. */
export class KillStopped extends Error {
  override readonly name = 'KillStopped';
}

/** Thrown when one step has made no progress for too long. Other instruments may still complete. */
export class KillGaveUp extends KillStopped {}

/** Pauses between two tries of a read: the first one, and the longest one. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5000;

/** The exchange of one kill. */
export class KillVenue {
  /** The collaborators of the kill. */
  readonly deps: KillDeps;
  /** Time without progress after which a step that begins now gives up, ms. */
  giveUpMs: number;
  /** Time of the first failed read since the last success, ms; null: the last read succeeded. */
  #unreachableSinceMs: number | null = null;
  #reportedMs = -Infinity;
  #hasEnded = false;
  /** Venue time of the newest incident, ms, by market. */
  readonly #incidentMs: Map<Market, number>;

  constructor(deps: KillDeps) {
    this.deps = deps;
    this.giveUpMs = deps.settings.giveUpMs;
    this.#incidentMs = new Map(deps.incidentMs);
  }

  /** The current time, ms UTC. */
  get nowMs(): number {
    return this.deps.scheduler.nowMs;
  }

  /** Visibility delay (D) that is assumed now, ms. */
  visibilityDelayMs(market: Market): number {
    const { settings, botDelayMs } = this.deps;
    const { incidentDelayMs, incidentMemoryMs } = settings;
    const visibilityDelayMs = Math.max(settings.visibilityDelayMs, botDelayMs?.() ?? 0);
    const incidentMs = this.#incidentMs.get(market);
    if (incidentMs === undefined || this.deps.serverTime(market).ms - incidentMs > incidentMemoryMs) return visibilityDelayMs;
    return Math.max(visibilityDelayMs, incidentDelayMs);
  }

  /** Notes a reply that admits a delay between gateway and lists. */
  #noteIncident(op: Op, outcome: Outcome<unknown>): void {
    if (accountHaltCode(outcome) !== 'INCIDENT') return;
    const market = op.startsWith('spot.') ? 'spot' : 'futures';
    const venueMs = Math.ceil(this.deps.serverTime(market).ms);
    this.#incidentMs.set(market, venueMs);
    this.deps.onIncident?.(market, venueMs);
  }

  /** Waits. Throws KillStopped if the kill is aborted meanwhile. */
  async wait(durationMs: number): Promise<void> {
    this.#throwIfStopped();
    const { scheduler, signal } = this.deps;
    await new Promise<void>((resolve) => {
      const handle = scheduler.at(scheduler.nowMs + durationMs, finish);
      signal?.addEventListener('abort', finish, { once: true });
      function finish(): void {
        scheduler.cancel(handle);
        signal?.removeEventListener('abort', finish);
        resolve();
      }
    });
    this.#throwIfStopped();
  }

  /** Returns a limit that stops the kill without progress. `problem` is the reason for the report, asked for when the limit is reached. */
  timeLimit(problem: string | (() => string)): RetryLimit {
    return new RetryLimit(this, problem);
  }

  /** Sends no more requests. */
  close(): void {
    this.#hasEnded = true;
  }

  /** Sends a call once, whatever the outcome. */
  async once<O extends Op>(op: O, args: OpArgs<O>): Promise<Outcome<OpResult<O>>> {
    this.#throwIfStopped();
    const outcome = await callAsPromise(this.deps.client, op, args);
    this.#noteIncident(op, outcome);
    return outcome;
  }

  /** Repeats a read, with growing pauses, until the exchange replies. Throws KillGaveUp after `giveUpMs`. */
  async read<O extends Op>(op: O, args: OpArgs<O>): Promise<OpResult<O>> {
    return (await this.#read(op, args, () => false))!.value;
  }
  /** As `read`, for the positions of a contract: from the list of positions, or from the account where the exchange lacks that list. */
  async readPositions(contractName: string): Promise<readonly PositionRow[]> {
    const timeLimit = this.timeLimit('the exchange does not show all positions');
    for (;;) {
      const page = await this.#readPositionPage(contractName);
      // A row of another contract that cannot be read is no reason to leave this one open.
      if (page.isComplete || page.rows.length > 0) return page.rows;
      this.deps.onPhase('waiting', 'a row of the positions cannot be read; reading them again');
      await timeLimit.wait(this.deps.settings.readLagMs);
    }
  }
  async #readPositionPage(contractName: string): Promise<Page<PositionRow>> {
    const isInAccount = this.deps.client.positionsFrom === 'account';
    const list = isInAccount ? null : await this.#read('futures.positions', { contractName }, lacksPositions);
    if (list !== null) return listedPositions(list.value);
    return positionsOfAccount(await this.read('futures.account', {}), contractName);
  }
  /** As `read`, for a query of one order. Null, too, if two replies, a read lag apart, say that the order does not exist: the first may be old. */
  async readOrder<O extends 'spot.queryOrder' | 'futures.orderInformation'>(op: O, args: OpArgs<O>): Promise<OpResult<O> | null> {
    const timeLimit = this.timeLimit(`the exchange does not answer ${op}`);
    const firstReply = await this.#read(op, args, isMissingOrder);
    if (firstReply !== null) return firstReply.value;
    await timeLimit.wait(this.deps.settings.readLagMs);
    const secondReply = await this.#read(op, args, isMissingOrder);
    return secondReply?.value ?? null;
  }
  /** Sends a query of one order once. `none`: the exchange replies that the order does not exist. Null: it has not replied. */
  async queryOnce<O extends 'spot.queryOrder' | 'futures.orderInformation'>(
    op: O,
    args: OpArgs<O>,
  ): Promise<NonNullable<OpResult<O>> | 'none' | null> {
    const outcome = await this.#ask(op, args);
    if (outcome.kind === 'acked') return outcome.value ?? 'none';
    this.#reportFailure(op, outcome);
    return isMissingOrder(outcome) ? 'none' : null;
  }
  /** Sends a read once, whatever the outcome. */
  async #ask<O extends Op>(op: O, args: OpArgs<O>): Promise<Outcome<OpResult<O>>> {
    this.#throwIfStopped();
    // High priority, because nothing else needs this key's request budget any more.
    const outcome = await callAsPromise(this.deps.client, op, args, { priority: 'reconcile', attempts: 1 });
    if (outcome.kind === 'acked') this.#unreachableSinceMs = null;
    else this.#noteIncident(op, outcome);
    return outcome;
  }
  /** Repeats a read until the exchange replies. Returns null for a reply that `isNone` accepts. */
  async #read<O extends Op>(
    op: O,
    args: OpArgs<O>,
    isNone: (outcome: Outcome<unknown>) => boolean,
  ): Promise<{ readonly value: OpResult<O> } | null> {
    const timeLimit = this.timeLimit(`the exchange does not answer ${op}`);
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
      const outcome = await this.#ask(op, args);
      if (outcome.kind === 'acked') return { value: outcome.value };
      if (isNone(outcome)) return null;
      this.#reportFailure(op, outcome);
      await timeLimit.wait(pauseMs);
    }
  }

  /** Reports that a read has had no useful reply, at most once in `alarmEveryMs`. */
  #reportFailure(op: Op, outcome: Exclude<Outcome<unknown>, { kind: 'acked' }>): void {
    const {
      settings: { alarmEveryMs },
      timeScale = 1,
    } = this.deps;
    this.#unreachableSinceMs ??= this.nowMs;
    if (this.nowMs - this.#reportedMs < alarmEveryMs) return;
    this.#reportedMs = this.nowMs;
    const cause = outcome.kind === 'refused' ? `code ${outcome.code}: ${outcome.msg}` : outcome.cause;
    const seconds = Math.round((this.nowMs - this.#unreachableSinceMs) / 1000 / timeScale);
    this.deps.onPhase('waiting', `${op} has had no useful reply for ${seconds} s (${cause}); retrying. No cancel is confirmed.`);
  }

  /** Throws KillStopped if the kill has ended or was aborted. */
  #throwIfStopped(): void {
    if (this.#hasEnded) throw new KillStopped('the kill has ended');
    if (this.deps.signal?.aborted === true) throw new KillStopped('the kill was aborted before it completed');
  }
}

/** Waits, and stops the kill after `giveUpMs` without progress. */
export class RetryLimit {
  readonly #venue: KillVenue;
  readonly #problem: string | (() => string);
  readonly #limitMs: number;
  /** Time of the last progress. */
  #progressMs: number;

  constructor(venue: KillVenue, problem: string | (() => string)) {
    this.#venue = venue;
    this.#problem = problem;
    this.#limitMs = venue.giveUpMs;
    this.#progressMs = venue.nowMs;
  }

  /** Returns seconds of real time. */
  #secondsOf(durationMs: number): number {
    return Math.round(durationMs / 1000 / (this.#venue.deps.timeScale ?? 1));
  }

  /** Starts the time again after progress. */
  restart(): void {
    this.#progressMs = this.#venue.nowMs;
  }

  get #remainingMs(): number {
    return this.#progressMs + this.#limitMs - this.#venue.nowMs;
  }

  /** Why no further attempt is made, as a sentence. Null while there is time. */
  get reached(): string | null {
    if (this.#remainingMs > 0) return null;
    const problem = typeof this.#problem === 'string' ? this.#problem : this.#problem();
    return `given up after ${this.#secondsOf(this.#venue.deps.settings.giveUpMs)} s: ${problem}`;
  }

  /** Waits at most `durationMs`. Throws KillGaveUp when the time without progress has ended. */
  async wait(durationMs: number): Promise<void> {
    const { reached } = this;
    if (reached !== null) throw new KillGaveUp(reached);
    await this.#venue.wait(Math.min(durationMs, this.#remainingMs));
  }
}
