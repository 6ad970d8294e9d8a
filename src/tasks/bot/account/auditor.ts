// Audits the account at fixed intervals: compares the bot's orders and balances with the exchange. The bot trades after two clean audits.

import { smallestOf } from '../../../base/number/extremes.ts';
import type { AuditKind, AuditResult } from '../../../adapters/exchange/calls/types.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';

/** Minimum pause of a starting bot after an audit that was not clean, ms. */
const MIN_START_RETRY_MS = 1000;

/** The audit of the account, its periods in ms, and the listener for its results. */
export interface AuditorDeps {
  readonly scheduler: Scheduler;
  /** Audits all markets together. Calls `done` once. */
  readonly audit: (kind: AuditKind, done: (result: AuditResult) => void) => void;
  readonly fastMs: number;
  readonly fullMs: number;
  readonly startGapMs: number;
  readonly onResult: (kind: AuditKind, result: AuditResult) => void;
}

/** Schedules the audits of one bot. At most one runs at a time. */
export class Auditor {
  readonly #deps: AuditorDeps;
  /** True between `start` and `stop`. */
  #isStarted = false;
  #isBusy = false;
  #timer: number | null = null;
  /** Scheduler time at which the next full audit is due, ms. */
  #nextFullMs = Infinity;

  constructor(deps: AuditorDeps) {
    this.#deps = deps;
  }

  /** True while an audit runs. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /**
   * Runs full audits until two in a row, at least `startGapMs` apart, are clean. Then calls `onClean` once and starts the continuous
   * audits.
   */
  start(onClean: () => void): void {
    this.#isStarted = true;
    const { scheduler, startGapMs, fullMs, fastMs } = this.#deps;
    // Time of the first clean audit of the current sequence. Any other result starts a new sequence.
    let firstCleanMs: number | null = null;
    const auditUntilClean = (): void =>
      this.#audit('full', (result) => {
        if (result.kind !== 'ok') {
          firstCleanMs = null;
          return this.#schedule(Math.max(fastMs, MIN_START_RETRY_MS), auditUntilClean);
        }
        if (firstCleanMs !== null && scheduler.nowMs - firstCleanMs >= startGapMs) {
          this.#nextFullMs = scheduler.nowMs + fullMs;
          onClean();
          return this.#schedule(fastMs, () => this.#auditContinuously());
        }
        firstCleanMs ??= scheduler.nowMs;
        const remainingGapMs = firstCleanMs + startGapMs - scheduler.nowMs;
        this.#schedule(Math.max(1, remainingGapMs), auditUntilClean);
      });
    auditUntilClean();
  }

  /** Starts no further audit. The result of a running one is ignored. */
  stop(): void {
    this.#isStarted = false;
    if (this.#timer !== null) this.#deps.scheduler.cancel(this.#timer);
    this.#timer = null;
  }

  /** Runs a full audit when one is due, else a fast one. Schedules the next audit after its result. */
  #auditContinuously(): void {
    const { scheduler, fastMs, fullMs } = this.#deps;
    const kind = scheduler.nowMs >= this.#nextFullMs ? 'full' : 'fast';
    if (kind === 'full') this.#nextFullMs = scheduler.nowMs + fullMs;
    this.#audit(kind, () => this.#schedule(fastMs, () => this.#auditContinuously()));
  }

  /** Runs one audit, then reports its result to the listener and to `done`. */
  #audit(kind: AuditKind, done: (result: AuditResult) => void): void {
    this.#isBusy = true;
    this.#deps.audit(kind, (result) => {
      this.#isBusy = false;
      if (!this.#isStarted) return;
      this.#deps.onResult(kind, result);
      done(result);
    });
  }

  /** Calls `act` after `delayMs`, unless the auditor has been stopped. */
  #schedule(delayMs: number, act: () => void): void {
    if (!this.#isStarted) return;
    const { scheduler } = this.#deps;
    this.#timer = scheduler.at(scheduler.nowMs + delayMs, () => {
      this.#timer = null;
      act();
    });
  }
}

/** Merges the audits of several markets: one mismatch makes a mismatch, else one gap makes a gap. */
export function mergeAudits(results: readonly AuditResult[]): AuditResult {
  const kinds = new Set(results.map(({ kind }) => kind));
  let kind: AuditResult['kind'] = 'ok';
  if (kinds.has('mismatch')) kind = 'mismatch';
  else if (kinds.has('gap')) kind = 'gap';
  return {
    kind,
    differences: results.flatMap(({ differences }) => differences),
    isComplete: results.every(({ isComplete }) => isComplete),
    venueMs: smallestOf(results.map(({ venueMs }) => venueMs)),
  };
}
