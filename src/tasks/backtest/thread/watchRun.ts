// The other side of a backtest: starts its worker, tells its progress, and ends it when a strategy hangs.

import { rmSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { processStartMs, repeat } from '../../../adapters/clock/wallClock.ts';
import { assert, assertNever } from '../../../base/assert.ts';
import { StrategyError } from '../../../base/errors.ts';
import type { RunRequest } from '../../../definition/request.ts';
import type { Verdict, VerifyTask } from '../verify/verify.ts';
import { isAuthors } from './authorFrames.ts';
import { temporaryFolder } from '../../../adapters/disk/folders/temporary.ts';
import { takeWorker } from './earlyWorker.ts';
import { HANG_REMEDY, hangText, LOOK_MS, Silence, type Hung } from '../run/hang.ts';
import { Heartbeat, type Phase } from '../run/heartbeat.ts';
import type { FromWorker, Loaded, RunOutcome, TrialOptions, Work, WorkerInput } from './messages.ts';
import { fromWire } from '../run/wireError.ts';

export interface WatchOptions {
  readonly outFolder: string;
  readonly stagingFolder: string;
  /** Silence of a strategy after which its run is ended; 0 waits for ever. */
  readonly barTimeoutMs: number;
  readonly colour: boolean;
  readonly onLoaded: (loaded: Loaded) => void;
  /** Called ten times a second: rows done and their share of all, and what the run is doing. */
  readonly onProgress: (phase: Phase, rows: number, share: number, name: string) => void;
}

/** A run that is under way, and the way to give it up. */
export interface WatchedRun<Outcome> {
  readonly outcome: Promise<Outcome>;
  /** Ends the worker and removes what it had begun to write. */
  stop(): Promise<void>;
}

/** A run that was ended for its silence, and what was loaded for it. */
class HungRun {
  readonly hung: Hung;
  readonly loaded: Loaded | null;
  constructor(hung: Hung, loaded: Loaded | null) {
    this.hung = hung;
    this.loaded = loaded;
  }
}

/**
 * Runs `request` in a worker thread, and notes it down as a trial. The outcome rejects with the run's own error; a strategy that is silent for `barTimeoutMs` is run
 * once more with one bar a block, so that the error can name the bar. Where that repeat gets through, the bars were merely slow, and its
 * results are as good: they do not depend on the block.
 */
export function watchRun(request: RunRequest, trial: TrialOptions, options: WatchOptions): WatchedRun<RunOutcome> {
  return watch({ kind: 'run', request, trial }, options, (message) => (message.kind === 'done' ? message.outcome : null));
}

/** The same for a finished run that is made again and compared with its folder. */
export function watchVerify(task: VerifyTask, options: WatchOptions): WatchedRun<Verdict> {
  return watch({ kind: 'verify', ...task }, options, (message) => (message.kind === 'verified' ? message.verdict : null));
}

type Take<Outcome> = (message: FromWorker) => Outcome | null;

function watch<Outcome>(work: Work, options: WatchOptions, take: Take<Outcome>): WatchedRun<Outcome> {
  let current: Worker | null = null;
  const barsFolder = work.kind === 'verify' || work.request.kind === 'options' ? temporaryFolder() : null;
  const discard = () => {
    for (const folder of [options.stagingFolder, barsFolder]) if (folder !== null) rmSync(folder, { recursive: true, force: true });
  };
  const start = (isByBar: boolean): Promise<Outcome | HungRun> => {
    const heartbeat = new Heartbeat();
    current = startWorker({ ...inputOf(options, heartbeat), work, barsFolder, isByBar });
    return follow(current, heartbeat, options, take);
  };
  const run = async (): Promise<Outcome> => {
    try {
      let result = await start(false);
      if (result instanceof HungRun && result.hung.phase === 'bars') result = await start(true);
      if (result instanceof HungRun) throw hangError(result, options.barTimeoutMs);
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

function inputOf(options: WatchOptions, { memory }: Heartbeat): Omit<WorkerInput, 'work' | 'barsFolder' | 'isByBar'> {
  const { outFolder, stagingFolder, colour } = options;
  return { outFolder, stagingFolder, colour, memory, processStartMs: processStartMs() };
}

function startWorker(input: WorkerInput): Worker {
  const worker = takeWorker();
  // What a strategy prints is no result: stdout belongs to the summary.
  worker.stdout.pipe(process.stderr, { end: false });
  worker.ref();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  worker.postMessage(input);
  return worker;
}

function follow<Outcome>(worker: Worker, heartbeat: Heartbeat, options: WatchOptions, take: Take<Outcome>): Promise<Outcome | HungRun> {
  return new Promise((resolve, reject) => {
    let loaded: Loaded | null = null;
    const silence = new Silence(heartbeat, options.barTimeoutMs);
    const stopLooking = repeat(LOOK_MS, () => {
      const { phase, rows } = heartbeat;
      options.onProgress(phase, rows, loaded === null ? 0 : rows / loaded.rows, loaded?.name ?? 'backtest');
      const hung = silence.look();
      if (hung !== null) end(() => resolve(new HungRun(hung, loaded)));
    });
    const end = (tell: () => void): void => {
      stopLooking();
      worker.removeAllListeners('exit');
      void worker.terminate().then(tell, reject);
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

/** Of what nobody caught: a timer of Node or a promise that a strategy started throws when the strategy is no longer called. */
function lateError(error: unknown, { strategies }: Loaded): unknown {
  const isReason = error instanceof Error && 'code' in error && error.code === 'ERR_UNHANDLED_REJECTION';
  if (!(error instanceof Error) || !(isReason || isAuthors(error.stack ?? ''))) return error;
  const what = `${strategies.join(', ')} threw in a timer or a promise of its own: ${error.message}`;
  return new StrategyError(what, 'callbacks are synchronous: nothing in a strategy may wait', error);
}

function hangError({ hung, loaded }: HungRun, barTimeoutMs: number): StrategyError {
  const who = loaded === null ? 'the strategy' : loaded.strategies.join(', ');
  return new StrategyError(`${who}: ${hangText(hung, barTimeoutMs, loaded?.closeMs ?? [], loaded?.fromMs ?? 0)}`, HANG_REMEDY);
}
