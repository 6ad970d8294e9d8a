// Watches which outside state strategy code uses during a run: the clock, random numbers, local time, timers, promises, the process and the
// network.
//
// The built-ins are replaced once for a run, in the thread of the run. Calls of isobar itself are not reported.

import { appendAll } from '../../../base/memory/appendAll.ts';
import { briefReplacement, BY_PACKAGE, warning, type WarningCode } from '../../../model/warning.ts';
import { holdClocks } from '../../../adapters/clock/wallClock.ts';
import { AsyncWatch } from './asyncWatch.ts';
import { FastPaths } from '../builtIns/fastPaths.ts';
import { isPackageMember, type OnAssignment } from '../builtIns/watchDefinitions.ts';
import { authorPlace, isCalledByPackage, type Place } from './callSite.ts';
import { watchDates } from './watchDates.ts';
import { onlyCountsBits, watchGlobals } from './watchGlobals.ts';
import { watchLanguages } from './watchLanguages.ts';
import { BuiltIns, replacedText } from './builtIns.ts';
import { watchNodeModules } from './watchNodeModules.ts';
import { isReplaceableRead, type ReportCall, type WarningSink } from './purityWarning.ts';

/** For a process that also runs other code: the built-ins before the first strategy was loaded. */
const BUILT_INS_AT_START = new BuiltIns();
/** Globals that Node 24 itself writes at the first read of its network functions. This watch reads them, so these writes are not reported. */
const GLOBALS_OF_NODE = /^Symbol\(undici\.globalDispatcher\.\d+\)$/;

/**
 * For each name of a read of the machine: the place of each of the first 512 reads is looked up, and later the place of every 61st, because a
 * lookup takes microseconds. 61 is a prime number. So if a bar makes several reads, each of them is met in turn.
 */
const ALL_PLACES_READS = 512;
const LATER_PLACES_READS = 61;
/** The two numbers for uses of the local time: a package may make dozens of them at each bar. */
const ALL_PLACES_USES = 32;
const LATER_PLACES_USES = 997;

/** True for a read whose place is not looked up. `reads`: the number of earlier reads of its name. */
const isSkippedRead = (code: WarningCode, reads: number): boolean =>
  code === 'IMPURE_CLOCK'
    ? reads > ALL_PLACES_READS && reads % LATER_PLACES_READS !== 0
    : reads > ALL_PLACES_USES && reads % LATER_PLACES_USES !== 0;

const EXPLANATIONS: Partial<Record<WarningCode, string>> = {
  IMPURE_RANDOM: 'every run has another result; use this.random()',
  IMPURE_CLOCK: 'the result depends on when the run is made; use this.nowMs',
  IMPURE_LOCAL_TIME: "the result depends on the machine's time zone or language; use UTC",
  IMPURE_TIMER: 'it fires after the last bar; use this.every, this.at or this.cron',
  IMPURE_PROMISE: 'nothing in a strategy may wait; what follows runs after the last bar',
  IMPURE_PROCESS: 'the result depends on the process and its machine; use params',
  IMPURE_NETWORK: 'the result depends on what is outside the run',
  IMPURE_MODULE: 'the result depends on what is outside the run',
  LOOKAHEAD_FILE: 'a file may hold data from after a bar',
};

/** Watches strategy code for functions whose results depend on more than the bars, and warns about each once. */
export class PurityWatch {
  readonly #warnings: WarningSink;
  readonly #isAlone: boolean;
  /** Names of the uses that have been reported. Each is reported once. */
  readonly #reported = new Set<string>();
  /** Number of reads of the clock and of the local time, by their names. */
  readonly #reads = new Map<string, number>();
  readonly #restorers: (() => void)[] = [];
  readonly #async: AsyncWatch;
  readonly #globalsBefore = new Set(Reflect.ownKeys(globalThis));
  #builtIns: BuiltIns;
  /** The fast paths at the start of the run; null: the run does not look for members that are replaced for a time. */
  #fastPaths: FastPaths | null = null;

  /**
   * `isAlone`: the thread runs only strategies and ends with them, so built-ins are replaced permanently. Otherwise other code uses the
   * same built-ins, and they are replaced only while strategy code runs. `isInput`: also watches the calls of Node's modules, for a thread
   * that runs alone, except reads of files for which it returns true. Without it they are not watched.
   */
  constructor(warnings: WarningSink, isAlone: boolean, isInput: ((path: string) => boolean) | null = null) {
    this.#warnings = warnings;
    this.#isAlone = isAlone;
    this.#async = new AsyncWatch(this.#report);
    if (isAlone) holdClocks();
    if (isAlone) appendAll(this.#restorers, [...replaceMembers(this.#report), ...watchLanguages()]);
    if (isAlone && isInput !== null) appendAll(this.#restorers, watchNodeModules(this.#report, isInput));
    if (isAlone) BuiltIns.makeReadOnly(isCalledByPackage);
    this.#builtIns = isAlone ? new BuiltIns() : BUILT_INS_AT_START;
  }

  /** Runs a function that calls strategy code, such as the loop over the bars. Promises created inside it belong to the strategy. */
  readonly during = <T>(run: () => T): T => {
    if (this.#isAlone) return this.#async.during(run);
    const end = listen(this.#report);
    try {
      return this.#async.during(run);
    } finally {
      end();
    }
  };

  /** Runs the load of the module at `url`. Reports only calls of that module. */
  async whileLoading<T>(url: string, load: () => Promise<T>): Promise<T> {
    if (this.#isAlone) return load();
    const end = listen((code, description, below) => {
      if (!onlyCountsBits(description, below)) this.#warn(code, description, authorPlace(below, url));
    });
    try {
      return await load();
    } finally {
      end();
    }
  }

  /**
   * Finds out from now on, in a thread that runs strategies alone, whether code replaces a built-in for a time and puts it back. Costs a run at
   * full speed nothing. Call it once strategies are loaded.
   */
  guardBuiltIns(): void {
    if (!this.#isAlone) return;
    BuiltIns.guard(this.#onReplacement);
    this.#fastPaths = new FastPaths();
  }

  /**
   * Fixes the built-ins that a run at full speed only compares, permanently for this thread. An assignment to one of them is reported and throws
   * TypeError; the message of any other attempt to change one is one of those that `isReadOnlyError` accepts.
   */
  sealBuiltIns(): void {
    this.checkGlobals();
    BuiltIns.seal(this.#onReplacement);
    this.#builtIns = new BuiltIns();
  }

  /** Waits until promises of callbacks had their turn. Throws StrategyError if one of them continued after the last bar. */
  async waitForPromises(strategy: string): Promise<void> {
    await this.#async.waitForPromises(strategy);
  }

  /** Reports what strategy code has changed on the global object and in built-ins. */
  checkGlobals(): void {
    this.#builtIns.check(this.#warnings, this.#isAlone);
    for (const key of Reflect.ownKeys(globalThis)) {
      if (this.#globalsBefore.has(key) || GLOBALS_OF_NODE.test(String(key)) || isPackageMember(globalThis, key)) continue;
      this.#globalsBefore.add(key);
      this.#warnings.add(
        warning('STATE_GLOBAL', `the strategy writes globalThis.${String(key)}, which every strategy of this process shares`),
      );
    }
  }

  /** Restores the built-ins. */
  stop(): void {
    this.checkGlobals();
    const members = this.#fastPaths?.firstWritten() ?? null;
    this.#fastPaths = null;
    if (members !== null) this.#warnings.add(briefReplacement(members));
    for (const restore of this.#restorers.splice(0).toReversed()) restore();
  }

  readonly #onReplacement: OnAssignment = (name, key, below) => {
    this.#warnings.add({ ...warning('STATE_GLOBAL', replacedText(name, key)), ...(authorPlace(below) ?? { file: null, line: null }) });
  };

  readonly #report: ReportCall = (code, description, below, place) => {
    if (this.#isKnown(code, description) || onlyCountsBits(description, below)) return;
    if (place !== undefined) return this.#warn(code, description, place);
    if (!isReplaceableRead(code, description)) return this.#warn(code, description, authorPlace(below));
    const reads = (this.#reads.get(description) ?? 0) + 1;
    this.#reads.set(description, reads);
    if (code === 'IMPURE_LOCAL_TIME' && isSkippedRead(code, reads)) return;
    if (!isCalledByPackage(below)) this.#warn(code, description, authorPlace(below));
    else if (!isSkippedRead(code, reads)) this.#warnOfPackage(code, description, below);
  };

  /** Warns once about each place of the author's code from which a package reads the machine. */
  #warnOfPackage(code: WarningCode, description: string, below: (...args: never[]) => unknown): void {
    const place = authorPlace(below);
    const name = `${description}${BY_PACKAGE}`;
    const key = `${name} ${place?.file}:${place?.line}`;
    if (place === null || this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#warnings.add({ code, text: `${name} in strategy code: ${EXPLANATIONS[code] ?? ''}`, ...place });
  }

  /** True when this use need not be reported again. */
  #isKnown(code: WarningCode, description: string): boolean {
    return this.#reported.has(description) && this.#warnings.rejectsEvery?.(code) !== true;
  }

  #warn(code: WarningCode, description: string, place: Place | null): void {
    if (place === null || this.#isKnown(code, description)) return;
    this.#reported.add(description);
    this.#warnings.add({ code, text: `${description} in strategy code: ${EXPLANATIONS[code] ?? ''}`, ...place });
  }
}

/** Replaces the watched built-ins and globals. Returns functions that restore them. */
const replaceMembers = (report: ReportCall): (() => void)[] => [...watchDates(report), ...watchGlobals(report)];

/**
 * The listeners in a process that also runs other code. Loads may overlap: the built-ins are replaced once for all of them, and restored
 * after the last one. If code kept a replaced function, its later calls are reported to the current listeners.
 */
const listeners = new Set<ReportCall>();
let sharedRestorers: readonly (() => void)[] = [];

/** Adds a listener for uses of watched functions. Returns a function that removes it; the last one restores all functions. */
function listen(report: ReportCall): () => void {
  listeners.add(report);
  if (listeners.size === 1) {
    sharedRestorers = replaceMembers((code, description, below) => {
      for (const listener of listeners) listener(code, description, below);
    });
  }
  return () => {
    listeners.delete(report);
    if (listeners.size > 0) return;
    for (const restore of sharedRestorers.toReversed()) restore();
  };
}
