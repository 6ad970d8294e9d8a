// Runs an explanation in a worker thread: starts the thread, reports progress, and ends the thread when a strategy hangs.

import { rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { repeatEvery } from '../../../adapters/clock/wallClock.ts';
import { temporaryFolder } from '../../../adapters/disk/folders/temporaryFolder.ts';
import { assertNever } from '../../../base/assert.ts';
import { StrategyError } from '../../../base/errors.ts';
import { moduleUrl } from '../../../base/inPackage.ts';
import { ProgressCells } from '../../backtest/run/progressCells.ts';
import { HANG_REMEDY, POLL_MS, StallDetector } from '../../backtest/run/stallDetector.ts';
import { fromWire, type WireError } from '../../backtest/run/wireError.ts';
import type { Explanation } from '../model/explanation.ts';
import type { WhyTask } from '../why.ts';

/** The message that starts the worker. */
export interface ExplainerInput {
  readonly task: WhyTask;
  /** Folder for bars that are imported for this explanation. */
  readonly barsFolder: string;
  /** Memory of the progress cells. */
  readonly memory: SharedArrayBuffer;
}

/** The messages of the worker. */
export type FromExplainer =
  | { readonly kind: 'loaded'; readonly name: string; readonly rows: number }
  | { readonly kind: 'done'; readonly explanation: Explanation }
  | { readonly kind: 'failed'; readonly error: WireError };

/** How the worker is watched. */
export interface WatchWhyOptions {
  /** Time without progress after which a strategy counts as hanging; 0: no limit. */
  readonly barTimeoutMs: number;
  /** Called ten times a second with the name of the run, the number of finished rows, and their share of all rows, 0 to 1. */
  readonly onProgress: (name: string, rows: number, share: number) => void;
}

/** An explanation in progress that can be stopped. */
export interface WatchedWhy {
  readonly outcome: Promise<Explanation>;
  /** Ends the worker and removes its files. */
  stop(): Promise<void>;
}

/** Starts the explanation of `task`. */
export function watchWhy(task: WhyTask, options: WatchWhyOptions): WatchedWhy {
  const barsFolder = temporaryFolder();
  const removeBars = () => rmSync(barsFolder, { recursive: true, force: true });
  const progress = new ProgressCells();
  const worker = new Worker(moduleUrl('tasks/why/thread/whyWorker'), { stdout: true });
  // The stdout of isobar is for the explanation alone, so the output of a strategy goes to stderr.
  worker.stdout.pipe(process.stderr, { end: false });
  const input: ExplainerInput = { task, barsFolder, memory: progress.memory };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  worker.postMessage(input);
  return {
    outcome: outcomeOf(worker, progress, options).finally(removeBars),
    async stop() {
      await worker.terminate();
      removeBars();
    },
  };
}

/** Resolves with the explanation of the worker. Rejects with its error, when it hangs, and when it exits. */
function outcomeOf(worker: Worker, progress: ProgressCells, { barTimeoutMs, onProgress }: WatchWhyOptions): Promise<Explanation> {
  return new Promise((resolve, reject) => {
    let name = 'the run';
    let rows = Infinity;
    const stallDetector = new StallDetector(progress, barTimeoutMs);
    const end = (settle: () => void): void => {
      stopChecks();
      worker.removeAllListeners('exit');
      void worker.terminate().then(settle, reject);
    };
    const stopChecks = repeatEvery(POLL_MS, () => {
      onProgress(name, progress.rows, Math.min(1, progress.rows / rows));
      if (stallDetector.check() === null) return;
      end(() => reject(new StrategyError(`${name}: no progress for ${barTimeoutMs / 1000} s while the run was repeated`, HANG_REMEDY)));
    });
    worker.on('message', (message: FromExplainer) => {
      switch (message.kind) {
        case 'loaded':
          name = message.name;
          rows = message.rows;
          return;
        case 'done':
          return end(() => resolve(message.explanation));
        case 'failed':
          return end(() => reject(fromWire(message.error)));
        default:
          return assertNever(message);
      }
    });
    worker.on('error', (error) => end(() => reject(error)));
    worker.on('exit', (code) => {
      const problem = `${name}: the strategy ended the process in which the run was repeated (exit code ${code})`;
      end(() => reject(new StrategyError(problem, 'remove process.exit from the strategy')));
    });
  });
}
