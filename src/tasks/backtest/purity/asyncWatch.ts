// Watches promises and microtasks that strategy callbacks create: it reports where they are created, and fails the run if one continues
// after the last bar.

import { createHook, type AsyncHook } from 'node:async_hooks';
import { waitForNextTurn } from '../../../adapters/clock/wallClock.ts';
import { StrategyError } from '../../../base/errors.ts';
import { authorPlace, nodeCallsBelow, type Place } from './callSite.ts';
import type { Report } from './report.ts';

const KINDS = new Set(['PROMISE', 'Microtask']);
/** Work that Node does beside the thread and reports to a callback: compression, keys, hashes. A signature is the same kind with and without one. */
const BESIDE = /^(?:ZLIB|(?!SIGN)[A-Z\d]+REQUEST)$/;
/** Functions of Node that wait for the work, such as `pbkdf2Sync`. */
const AT_ONCE = /\bsync|Sync$/;
/** What is reported of code that runs after the code that asked for it. */
export const CALLS_BACK = 'a callback that comes later';
/** Most reports: enough to find a strategy that creates one at every bar. */
const MAX_REPORTS = 10_000;

/** Reports promises that strategy code creates, and calls of Node that call back later. */
export class AsyncWatch {
  readonly #hook: AsyncHook;
  readonly #report: Report;
  readonly #made = new Set<number>();
  #isRunning = false;
  #first: Place | null = null;
  #wentOn = 0;
  #looked = 0;

  constructor(report: Report) {
    this.#report = report;
    const init = (id: number, type: string): void => {
      if (!this.#isRunning) return;
      if (BESIDE.test(type)) this.#lookAtCallback(init);
      if (!KINDS.has(type) || this.#made.size >= MAX_REPORTS) return;
      // Ignore what isobar itself creates meanwhile.
      this.#first ??= authorPlace(init);
      if (this.#first === null) return;
      this.#made.add(id);
      if (type === 'PROMISE') this.#report('IMPURE_PROMISE', 'a promise', init);
    };
    const before = (id: number): void => {
      if (!this.#isRunning && this.#made.has(id)) this.#wentOn++;
    };
    this.#hook = createHook({ init, before });
  }

  /** Reports work that calls back later. The same work without a callback makes the same resources. */
  #lookAtCallback(below: (...args: never[]) => unknown): void {
    if (this.#looked >= MAX_REPORTS) return;
    this.#looked++;
    if (!nodeCallsBelow(below).some((call) => AT_ONCE.test(call))) this.#report('IMPURE_PROMISE', CALLS_BACK, below);
  }

  during<T>(run: () => T): T {
    this.#hook.enable();
    this.#isRunning = true;
    try {
      return run();
    } finally {
      this.#isRunning = false;
      if (this.#made.size === 0) this.#hook.disable();
    }
  }

  /** Throws StrategyError if a promise of a callback continued after the last bar. */
  async settle(strategy: string): Promise<void> {
    if (this.#made.size === 0) return;
    // Promises of a constructor continued before the first bar. They are reported as warnings and are not errors here.
    this.#wentOn = 0;
    await waitForNextTurn();
    this.#hook.disable();
    this.#made.clear();
    const where = this.#first === null || this.#first.file === null ? '' : ` (${this.#first.file}:${this.#first.line})`;
    if (this.#wentOn === 0) return;
    throw new StrategyError(
      `${strategy}: a promise of a callback went on after the last bar${where}`,
      'callbacks are synchronous: nothing in a strategy may wait',
    );
  }
}
