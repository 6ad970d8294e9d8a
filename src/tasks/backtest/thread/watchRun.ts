// Runs a backtest in a worker thread: starts it, reports its progress, and ends it when a strategy hangs.

import { rmSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { processStartMs, repeat } from '../../../adapters/clock/wallClock.ts';
import { assert, assertNever } from '../../../base/assert.ts';
import { StrategyError } from '../../../base/errors.ts';
import type { RunRequest } from '../../../definition/request.ts';
import type { VerifyVerdict, VerifyTask } from '../verify/verify.ts';
import { isAuthors } from './authorFrames.ts';
import { temporaryFolder } from '../../../adapters/disk/folders/temporary.ts';
import { takeWorker } from './prestartedWorker.ts';
import { HANG_REMEDY, stallText, POLL_MS, StallDetector, type StalledRun } from '../run/stall.ts';
import { ProgressCells, type Phase } from '../run/progressCells.ts';
import type { FromWorker, Loaded, RunOutcome, TrialOptions, Work, WorkerInput } from './messages.ts';
import { fromWire } from '../run/wireError.ts';

export interface WatchOptions {
  readonly outFolder: string;
  readonly stagingFolder: string;
  /** Time without progress after which a run is ended; 0: no limit. */
  readonly barTimeoutMs: number;
  readonly colour: boolean;
  /** False: the run folder gets no report. */
  readonly hasReport: boolean;
  readonly findsEnvelope: boolean;
  readonly onLoaded: (loaded: Loaded) => void;
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
  readonly loaded: Loaded | null;
  constructor(stalled: StalledRun, loaded: Loaded | null) {
    this.stalled = stalled;
    this.loaded = loaded;
  }
}

/**
 * Runs `request` in a worker thread and notes it as a trial. The outcome rejects with the run's own error. A run without progress for
 * `barTimeoutMs` is repeated with one bar per block, so that the error can name the bar. If the repeat completes, the bars were only slow,
 * and its results are valid: they do not depend on the block size.
 */
export function watchRun(request: RunRequest, trial: TrialOptions, options: WatchOptions): WatchedRun<RunOutcome> {
  return watch({ kind: 'run', request, trial }, options, (message) => (message.kind === 'done' ? message.outcome : null));
}

/** Repeats a finished run in a worker thread and compares it with its folder. */
export function watchVerify(task: VerifyTask, options: WatchOptions): WatchedRun<VerifyVerdict> {
  return watch({ kind: 'verify', ...task }, options, (message) => (message.kind === 'verified' ? message.verdict : null));
}

type Take<Outcome> = (message: FromWorker) => Outcome | null;

function watch<Outcome>(work: Work, options: WatchOptions, take: Take<Outcome>): WatchedRun<Outcome> {
  let current: Worker | null = null;
  const barsFolder = work.kind === 'verify' || work.request.kind === 'options' ? temporaryFolder() : null;
  const discard = () => {
    for (const folder of [options.stagingFolder, barsFolder]) if (folder !== null) rmSync(folder, { recursive: true, force: true });
  };
  const start = (isByBar: boolean): Promise<Outcome | StallOutcome> => {
    const heartbeat = new ProgressCells();
    current = startWorker({ ...inputOf(options, heartbeat), work, barsFolder, isByBar });
    return follow(current, heartbeat, options, take);
  };
  const run = async (): Promise<Outcome> => {
    try {
      let result = await start(false);
      if (result instanceof StallOutcome && result.stalled.phase === 'bars') result = await start(true);
      if (result instanceof StallOutcome) throw hangError(result, options.barTimeoutMs);
      return result;
    } finally {
      discard();
    }
  };
  return {
    outcome: run(),
    async stop() {
      await current?.terminate();
      discard();
    },
  };
}

function inputOf(options: WatchOptions, { memory }: ProgressCells): Omit<WorkerInput, 'work' | 'barsFolder' | 'isByBar'> {
  const { outFolder, stagingFolder, colour, hasReport, findsEnvelope } = options;
  return { outFolder, stagingFolder, colour, hasReport, findsEnvelope, memory, processStartMs: processStartMs() };
}

function startWorker(input: WorkerInput): Worker {
  const worker = takeWorker();
  // Output of a strategy is not a result: stdout is for the summary.
  worker.stdout.pipe(process.stderr, { end: false });
  worker.ref();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  worker.postMessage(input);
  return worker;
}

function follow<Outcome>(
  worker: Worker,
  heartbeat: ProgressCells,
  options: WatchOptions,
  take: Take<Outcome>,
): Promise<Outcome | StallOutcome> {
  return new Promise((resolve, reject) => {
    let loaded: Loaded | null = null;
    const silence = new StallDetector(heartbeat, options.barTimeoutMs);
    const stopLooking = repeat(POLL_MS, () => {
      const { phase, rows } = heartbeat;
      options.onProgress(phase, rows, loaded === null ? 0 : rows / loaded.rows, loaded?.name ?? 'backtest');
      const stalled = silence.check();
      if (stalled !== null) end(() => resolve(new StallOutcome(stalled, loaded)));
    });
    const end = (notify: () => void): void => {
      stopLooking();
      worker.removeAllListeners('exit');
      void worker.terminate().then(notify, reject);
    };
    worker.on('message', (message: FromWorker) => {
      switch (message.kind) {
        case 'loaded':
          loaded = message.loaded;
          return options.onLoaded(message.loaded);
        case 'done':
        case 'verified': {
          const outcome = take(message);
          assert(outcome !== null, 'a worker answers what it was asked');
          return end(() => resolve(outcome));
        }
        case 'failed':
          return end(() => reject(fromWire(message.error)));
        default:
          return assertNever(message);
      }
    });
    worker.on('error', (error) => end(() => reject(loaded === null ? error : lateError(error, loaded))));
    worker.on('exit', (code) => {
      const who = loaded?.strategies.join(', ') ?? 'the strategy';
      end(() =>
        reject(new StrategyError(`${who}: ended the process of the backtest (exit code ${code})`, 'take process.exit out of the strategy')),
      );
    });
  });
}

/** Attributes an unhandled error to the strategy: a timer or promise that it started throws when the strategy is no longer called. */
function lateError(error: unknown, { strategies }: Loaded): unknown {
  const isReason = error instanceof Error && 'code' in error && error.code === 'ERR_UNHANDLED_REJECTION';
  if (!(error instanceof Error) || !(isReason || isAuthors(error.stack ?? ''))) return error;
  const what = `${strategies.join(', ')} threw in a timer or a promise of its own: ${error.message}`;
  return new StrategyError(what, 'callbacks are synchronous: nothing in a strategy may wait', error);
}

function hangError({ stalled, loaded }: StallOutcome, barTimeoutMs: number): StrategyError {
  const who = loaded === null ? 'the strategy' : loaded.strategies.join(', ');
  return new StrategyError(`${who}: ${stallText(stalled, barTimeoutMs, loaded?.closeMs ?? [], loaded?.fromMs ?? 0)}`, HANG_REMEDY);
}
