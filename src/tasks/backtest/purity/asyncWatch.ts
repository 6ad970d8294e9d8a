// Watches promises and microtasks that strategy callbacks create: it reports where they are created, and fails the run if one continues
// after the last bar.

import { createHook, type AsyncHook } from 'node:async_hooks';
import { waitForNextTurn } from '../../../adapters/clock/wallClock.ts';
import { StrategyError } from '../../../base/errors.ts';
import { authorPlace, nodeCallsBelow, type Place } from './callSite.ts';
import type { ReportCall } from './purityWarning.ts';

/** Kinds of resources that Node creates for promises and microtasks. */
const PROMISE_KINDS = new Set(['PROMISE', 'Microtask']);
/**
 * Kinds of work that Node does in another thread and reports to a callback: compression, keys, hashes. Signatures are excluded, because
 * their kind is the same with and without a callback.
 */
const CALLBACK_KINDS = /^(?:ZLIB|(?!SIGN)[A-Z\d]+REQUEST)$/;
/** Matches functions of Node that wait for such work, for example `pbkdf2Sync`. */
const SYNCHRONOUS_CALL = /\bsync|Sync$/;
/** How reports describe a callback that Node calls after the function that started the work has returned. */
export const LATE_CALLBACK = 'a callback that comes later';
/** Maximum number of reports. It suffices to find a strategy that creates a promise at every bar. */
const MAX_REPORTS = 10_000;

/** Reports promises that strategy code creates, and calls of Node that call back later. */
export class AsyncWatch {
  readonly #hook: AsyncHook;
  readonly #report: ReportCall;
  /** Ids of the promises and microtasks that strategy code has created. */
  readonly #createdIds = new Set<number>();
  #isRunning = false;
  /** Where strategy code created the first promise. */
  #firstPlace: Place | null = null;
  /** Number of promises that continued after strategy code had returned. */
  #continuedCount = 0;
  /** Number of reported callbacks. */
  #callbackCount = 0;

  constructor(report: ReportCall) {
    this.#report = report;
    const init = (id: number, type: string): void => {
      if (!this.#isRunning) return;
      if (CALLBACK_KINDS.test(type)) this.#reportCallback(init);
      if (!PROMISE_KINDS.has(type) || this.#createdIds.size >= MAX_REPORTS) return;
      // Ignore what isobar itself creates meanwhile.
      this.#firstPlace ??= authorPlace(init);
      if (this.#firstPlace === null) return;
      this.#createdIds.add(id);
      if (type === 'PROMISE') this.#report('IMPURE_PROMISE', 'a promise', init);
    };
    const before = (id: number): void => {
      if (!this.#isRunning && this.#createdIds.has(id)) this.#continuedCount++;
    };
    this.#hook = createHook({ init, before });
  }

  /** Reports work that calls back later. The same work without a callback makes the same resources. */
  #reportCallback(below: (...args: never[]) => unknown): void {
    if (this.#callbackCount >= MAX_REPORTS) return;
    this.#callbackCount++;
    if (!nodeCallsBelow(below).some((call) => SYNCHRONOUS_CALL.test(call))) this.#report('IMPURE_PROMISE', LATE_CALLBACK, below);
  }

  /** Runs a function whose promises and callbacks are reported. */
  during<T>(run: () => T): T {
    this.#hook.enable();
    this.#isRunning = true;
    try {
      return run();
    } finally {
      this.#isRunning = false;
      if (this.#createdIds.size === 0) this.#hook.disable();
    }
  }

  /** Gives promises of callbacks one turn. Throws StrategyError if one of them continued after the last bar. `strategy`: its name in the message. */
  async waitForPromises(strategy: string): Promise<void> {
    if (this.#createdIds.size === 0) return;
    // Promises of a constructor continued before the first bar. They are reported as warnings and are not errors here.
    this.#continuedCount = 0;
    await waitForNextTurn();
    this.#hook.disable();
    this.#createdIds.clear();
    if (this.#continuedCount === 0) return;
    const { file = null, line = null } = this.#firstPlace ?? {};
    const where = file === null ? '' : ` (${file}:${line})`;
    throw new StrategyError(
      `${strategy}: a promise of a callback went on after the last bar${where}`,
      'callbacks are synchronous: nothing in a strategy may wait',
    );
  }
}
