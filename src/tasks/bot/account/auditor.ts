// Audits the account at fixed intervals: compares the bot's orders and balances with the exchange. The bot trades after two clean audits.

import type { AuditKind, AuditResult } from '../../../adapters/exchange/calls/types.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';

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
  #isRunning = false;
  #isBusy = false;
  #timer: number | null = null;
  #nextFullMs = Infinity;

  constructor(deps: AuditorDeps) {
    this.#deps = deps;
  }

  /** True while an audit runs. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /**
   * Runs full audits until two in a row, at least `startGapMs` apart, are clean. Then calls `clean` once and starts the continuous audit.
   */
  start(clean: () => void): void {
    this.#isRunning = true;
    const { scheduler, startGapMs, fullMs, fastMs } = this.#deps;
    let firstMs: number | null = null;
    const repeat = (): void =>
      this.#run('full', (result) => {
        if (result.kind !== 'ok') {
          firstMs = null;
          return this.#runAfter(Math.max(fastMs, 1000), repeat);
        }
        if (firstMs !== null && scheduler.nowMs - firstMs >= startGapMs) {
          this.#nextFullMs = scheduler.nowMs + fullMs;
          clean();
          return this.#runAfter(fastMs, () => this.#continue());
        }
        firstMs ??= scheduler.nowMs;
        this.#runAfter(Math.max(1, firstMs + startGapMs - scheduler.nowMs), repeat);
      });
    repeat();
  }

  /** Starts no further audit. The result of a running one is ignored. */
  stop(): void {
    this.#isRunning = false;
    if (this.#timer !== null) this.#deps.scheduler.cancel(this.#timer);
    this.#timer = null;
  }

  /** Runs the next audit of the continuous sequence: a full one when it is due, else a fast one. */
  #continue(): void {
    const { scheduler, fastMs, fullMs } = this.#deps;
    const kind = scheduler.nowMs >= this.#nextFullMs ? 'full' : 'fast';
    if (kind === 'full') this.#nextFullMs = scheduler.nowMs + fullMs;
    this.#run(kind, () => this.#runAfter(fastMs, () => this.#continue()));
  }

  #run(kind: AuditKind, done: (result: AuditResult) => void): void {
    this.#isBusy = true;
    this.#deps.audit(kind, (result) => {
      this.#isBusy = false;
      if (!this.#isRunning) return;
      this.#deps.onResult(kind, result);
      done(result);
    });
  }

  #runAfter(ms: number, run: () => void): void {
    if (!this.#isRunning) return;
    const { scheduler } = this.#deps;
    this.#timer = scheduler.at(scheduler.nowMs + ms, () => {
      this.#timer = null;
      run();
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
    venueMs: Math.min(...results.map(({ venueMs }) => venueMs)),
  };
}
