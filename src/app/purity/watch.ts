// Watches what strategy code asks of the world while it runs: the clock, chance, local time, timers, promises, the process and the network.
//
// The built-ins are replaced once for a run, in the thread of the run. A call of isobar itself goes through without a word.

import { warning, type WarningCode, type WarningList } from '../../model/warning.ts';
import { AsyncWatch } from './asyncWatch.ts';
import { authorPlace } from './callSite.ts';
import { watchDates } from './dates.ts';
import { watchGlobals } from './globals.ts';
import { BuiltIns } from './lockdown.ts';

/** Tells of a call of `what`, unless isobar made it. `below`: the replacement that was called. */
export type Report = (code: WarningCode, what: string, below: (...args: never[]) => unknown) => void;

export class PurityWatch {
  readonly #warnings: WarningList;
  /** What has been reported; the first call of each is enough. */
  readonly #told = new Set<string>();
  readonly #undo: (() => void)[] = [];
  readonly #async: AsyncWatch;
  readonly #before = new Set(Reflect.ownKeys(globalThis));

  readonly #builtIns: BuiltIns;

  /** `isAlone`: the thread runs nothing but strategies, and ends with them. */
  constructor(warnings: WarningList, isAlone: boolean) {
    this.#warnings = warnings;
    this.#async = new AsyncWatch(this.#report);
    this.#undo.push(...watchDates(this.#report), ...watchGlobals(this.#report));
    if (isAlone) BuiltIns.fix();
    this.#builtIns = new BuiltIns();
  }

  /** Runs the loop over the bars: promises that are made inside are the strategy's. */
  during<T>(run: () => T): T {
    return this.#async.during(run);
  }

  /** Waits until promises of callbacks have had their turn. Throws StrategyError when one of them went on after the last bar. */
  async settle(strategy: string): Promise<void> {
    await this.#async.settle(strategy);
  }

  /** Reports what strategy code has left on the global object and in built-ins. */
  checkGlobals(): void {
    this.#builtIns.check(this.#warnings);
    for (const key of Reflect.ownKeys(globalThis)) {
      if (this.#before.has(key)) continue;
      this.#before.add(key);
      this.#warnings.add(
        warning('STATE_GLOBAL', `the strategy writes globalThis.${String(key)}, which every strategy of this process shares`),
      );
    }
  }

  /** Puts the built-ins back. */
  stop(): void {
    this.checkGlobals();
    for (const undo of this.#undo.splice(0).toReversed()) undo();
  }

  readonly #report: Report = (code, what, below) => {
    if (this.#told.has(what)) return;
    const place = authorPlace(below);
    if (place === null) return;
    this.#told.add(what);
    this.#warnings.add({ code, text: `${what} in strategy code: ${WHY[code] ?? ''}`, ...place });
  };
}

const WHY: Partial<Record<WarningCode, string>> = {
  IMPURE_RANDOM: 'every run has another result; use this.random()',
  IMPURE_CLOCK: 'the result depends on when the run is made; use this.nowMs',
  IMPURE_LOCAL_TIME: "the result depends on the machine's time zone or language; use UTC",
  IMPURE_TIMER: 'it fires after the last bar; use this.every, this.at or this.cron',
  IMPURE_PROMISE: 'nothing in a strategy may wait; what follows runs after the last bar',
  IMPURE_PROCESS: 'the result depends on the process and its machine; use params',
  IMPURE_NETWORK: 'the result depends on what is outside the run',
  IMPURE_MODULE: 'the result depends on what is outside the run',
};
