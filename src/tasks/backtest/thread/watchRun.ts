// Runs a backtest in a worker thread: starts it, reports its progress, and ends it when a strategy hangs.

import { rmSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { processStartMs, repeatEvery } from '../../../adapters/clock/wallClock.ts';
import { assert, assertNever } from '../../../base/assert.ts';
import { StrategyError } from '../../../base/errors.ts';
import type { RunRequest } from '../../../definition/request.ts';
import type { VerifyVerdict, VerifyTask } from '../verify/verify.ts';
import { isThrownByUserCode } from './userFrames.ts';
import { temporaryFolder } from '../../../adapters/disk/folders/temporaryFolder.ts';
import { takeWorker } from './prestartedWorker.ts';
import { HANG_REMEDY, stallText, POLL_MS, StallDetector, type StalledRun } from '../run/stallDetector.ts';
import { ProgressCells, type Phase } from '../run/progressCells.ts';
import type { FoundBreakEven, FromWorker, RunDescription, RunOutcome, WorkerTask, WorkerInput } from './workerMessages.ts';
import { fromWire } from '../run/wireError.ts';

/** Options of a run in a thread. */
export interface WatchOptions {
  readonly outFolder: string;
  readonly stagingFolder: string;
  /** Time without progress after which a run is ended; 0: no limit. */
  readonly barTimeoutMs: number;
  readonly colour: boolean;
  /** False: the run folder gets no report. */
  readonly hasReport: boolean;
  /** True when the envelope of the run is computed. */
  readonly findsEnvelope: boolean;
  readonly onLoaded: (loaded: RunDescription) => void;
  /** Called ten times a second with the phase, the rows done, their share of all rows, and the name. */
  readonly onProgress: (phase: Phase, rows: number, share: number, name: string) => void;
}

/** A run in progress that can be stopped. */
export interface WatchedRun<Outcome> {
  readonly outcome: Promise<Outcome>;
  /** Ends the worker and removes its partly written files. */
  stop(): Promise<void>;
}

/** A run that was ended as stalled, and what was loaded for it. */
class StallOutcome {
  readonly stalled: StalledRun;
  readonly loaded: RunDescription | null;
  constructor(stalled: StalledRun, loaded: RunDescription | null) {
    this.stalled = stalled;
    this.loaded = loaded;
  }
}

/** The outcome of a worker that ended in the sample, after the run itself was done. The run is then repeated without a sample. */
class SampleEnd {
  readonly why: string;
  constructor(reason: string) {
    this.why = reason;
  }
}

/**
 * Runs the request of `work` in a worker thread and notes it as a trial. The outcome rejects with the run's own error. A run without progress for
 * `barTimeoutMs` is repeated with one bar per block, so that the error can name the bar. If the repeat completes, the bars were only slow,
 * and its results are valid: they do not depend on the block size.
 */
export function watchRun(work: Omit<Extract<WorkerTask, { kind: 'run' }>, 'kind'>, options: WatchOptions): WatchedRun<RunOutcome> {
  return watch({ kind: 'run', ...work }, options, (message) => (message.kind === 'done' ? message.outcome : null));
}

/** Finds the break-even of a run in a worker thread, without a run folder. */
export function watchBreakEven(request: RunRequest, options: WatchOptions): WatchedRun<FoundBreakEven> {
  return watch({ kind: 'breakEven', request }, options, (message) => (message.kind === 'broken' ? message.found : null));
}

/** Repeats a finished run in a worker thread and compares it with its folder. */
export function watchVerify(task: VerifyTask, options: WatchOptions): WatchedRun<VerifyVerdict> {
  return watch({ kind: 'verify', ...task }, options, (message) => (message.kind === 'verified' ? message.verdict : null));
}

/** Returns the outcome in a message; null for a message of another kind of work. */
type OutcomeIn<Outcome> = (message: FromWorker) => Outcome | null;

/** Starts a thread for the work. It starts another one if the run stalls, or if the watched sample breaks it. */
function watch<Outcome>(work: WorkerTask, options: WatchOptions, outcomeIn: OutcomeIn<Outcome>): WatchedRun<Outcome> {
  let current: Worker | null = null;
  const barsFolder = work.kind === 'verify' || work.request.kind === 'options' ? temporaryFolder() : null;
  const removeFolders = () => {
    for (const folder of [options.stagingFolder, barsFolder]) if (folder !== null) rmSync(folder, { recursive: true, force: true });
  };
  const start = (isByBar: boolean, unsampled: string | null = null): Promise<Outcome | StallOutcome | SampleEnd> => {
    const progressCells = new ProgressCells();
    current = startWorker({ ...inputOf(options, progressCells), work, barsFolder, isByBar, unsampled });
    return follow(current, progressCells, options, outcomeIn);
  };
  const run = async (): Promise<Outcome> => {
    try {
      let result = await start(false);
      const isByBar = result instanceof StallOutcome && result.stalled.phase === 'bars';
      if (isByBar) result = await start(true);
      if (result instanceof SampleEnd) result = await start(isByBar, result.why);
      // A run without a sample does not end in it.
      assert(!(result instanceof SampleEnd), 'a run whose sample is left out ends without one');
      if (result instanceof StallOutcome) throw hangError(result, options.barTimeoutMs);
      return result;
    } finally {
      removeFolders();
    }
  };
  return {
    outcome: run(),
    async stop() {
      await current?.terminate();
      removeFolders();
    },
  };
}

/** Returns the part of the worker's input that is the same for all kinds of work. */
function inputOf(options: WatchOptions, { memory }: ProgressCells): Omit<WorkerInput, 'work' | 'barsFolder' | 'isByBar' | 'unsampled'> {
  const { outFolder, stagingFolder, colour, hasReport, findsEnvelope } = options;
  return { outFolder, stagingFolder, colour, hasReport, findsEnvelope, memory, processStartMs: processStartMs() };
}

/** Starts a thread, or takes a waiting one, and gives it the work. */
function startWorker(input: WorkerInput): Worker {
  const worker = takeWorker();
  // Output of a strategy is not a result: stdout is for the summary.
  worker.stdout.pipe(process.stderr, { end: false });
  worker.ref();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  worker.postMessage(input);
  return worker;
}

/** The reports of the thread up to now. */
interface ThreadProgress {
  /** Null until the definition is loaded. */
  loaded: RunDescription | null;
  /** The running part of a break-even search. Null in the run itself. */
  search: Extract<FromWorker, { kind: 'searching' }> | null;
}

/** Returns the outcome of the thread's work, or how it stalled. Rejects with the error that the thread reports. */
function follow<Outcome>(
  worker: Worker,
  progressCells: ProgressCells,
  options: WatchOptions,
  outcomeIn: OutcomeIn<Outcome>,
): Promise<Outcome | StallOutcome | SampleEnd> {
  return new Promise((resolve, reject) => {
    const isInSample = (): boolean => progressCells.phase === 'proof';
    const progress: ThreadProgress = { loaded: null, search: null };
    const stallDetector = new StallDetector(progressCells, options.barTimeoutMs);
    const stopPolling = repeatEvery(POLL_MS, () => {
      showProgress(progressCells, progress, options);
      const stalled = stallDetector.check();
      if (stalled === null) return;
      const reason = `the strategy gave no answer for ${options.barTimeoutMs / 1000} s in the sample`;
      end(() => resolve(isInSample() ? new SampleEnd(reason) : new StallOutcome(stalled, progress.loaded)));
    });
    const end = (notify: () => void): void => {
      stopPolling();
      worker.removeAllListeners('exit');
      void worker.terminate().then(notify, reject);
    };
    worker.on('message', (message: FromWorker) => {
      const result = resultIn(message, progress, options, outcomeIn);
      if (result !== null) end(() => ('error' in result ? reject(result.error) : resolve(result.outcome)));
    });
    worker.on('error', (error) => {
      if (isInSample()) return end(() => resolve(new SampleEnd(`the strategy threw after a call of the sample: ${error.message}`)));
      const { loaded } = progress;
      end(() => reject(loaded === null ? error : lateError(error, loaded)));
    });
    worker.on('exit', (code) => {
      if (isInSample()) return end(() => resolve(new SampleEnd(`the strategy ended the process of the sample (exit code ${code})`)));
      end(() => reject(exitError(code, progress.loaded)));
    });
  });
}

/** How the work of a thread has ended: with an outcome, or with an error. */
type WorkResult<Outcome> = { readonly outcome: Outcome } | { readonly error: Error };

/** Notes a message of the thread. Returns the result of its work, or null while it is running. */
function resultIn<Outcome>(
  message: FromWorker,
  progress: ThreadProgress,
  options: WatchOptions,
  outcomeIn: OutcomeIn<Outcome>,
): WorkResult<Outcome> | null {
  switch (message.kind) {
    case 'loaded':
      progress.loaded = message.loaded;
      options.onLoaded(message.loaded);
      return null;
    case 'searching':
      progress.search = message;
      return null;
    case 'done':
    case 'broken':
    case 'verified': {
      const outcome = outcomeIn(message);
      assert(outcome !== null, 'a worker answers what it was asked');
      return { outcome };
    }
    case 'failed':
      return { error: fromWire(message.error) };
    default:
      return assertNever(message);
  }
}

/** Reports the progress of the run, or of the break-even search after it. */
function showProgress({ phase, rows }: ProgressCells, { loaded, search }: ThreadProgress, { onProgress }: WatchOptions): void {
  const rowShare = loaded === null ? 0 : rows / loaded.rows;
  const name = loaded?.name ?? 'backtest';
  if (search === null || phase === 'report') onProgress(phase, rows, rowShare, name);
  else {
    const searchShare = search.doneShare + rowShare * (search.nextShare - search.doneShare);
    onProgress(phase, rows, searchShare, `${name} break-even`);
  }
}

/** Returns the error for a thread that has ended by itself. Only strategy code can end it. */
function exitError(code: number, loaded: RunDescription | null): StrategyError {
  const names = loaded?.strategies.join(', ') ?? 'the strategy';
  return new StrategyError(`${names}: ended the process of the backtest (exit code ${code})`, 'take process.exit out of the strategy');
}

/** Returns an unhandled error as one of the strategy, if a timer or a promise of the strategy threw it. Other errors stay as they are. */
function lateError(error: unknown, { strategies }: RunDescription): unknown {
  if (!(error instanceof Error)) return error;
  const isRejection = 'code' in error && error.code === 'ERR_UNHANDLED_REJECTION';
  if (!isRejection && !isThrownByUserCode(error.stack ?? '')) return error;
  const problem = `${strategies.join(', ')} threw in a timer or a promise of its own: ${error.message}`;
  return new StrategyError(problem, 'callbacks are synchronous: nothing in a strategy may wait', error);
}

/** Returns the error for a strategy that gave no answer in time. */
function hangError({ stalled, loaded }: StallOutcome, barTimeoutMs: number): StrategyError {
  const names = loaded === null ? 'the strategy' : loaded.strategies.join(', ');
  const problem = stallText(stalled, barTimeoutMs, loaded?.closeMs ?? [], loaded?.fromMs ?? 0);
  return new StrategyError(`${names}: ${problem}`, HANG_REMEDY);
}
