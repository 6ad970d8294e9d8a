// Makes the proofs in a worker thread: starts it, reports its progress, and ends it when a strategy hangs.

import { rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { repeatEvery } from '../../../adapters/clock/wallClock.ts';
import { temporaryFolder } from '../../../adapters/disk/folders/temporaryFolder.ts';
import { assertNever } from '../../../base/assert.ts';
import { StrategyError } from '../../../base/errors.ts';
import { moduleUrl } from '../../../base/inPackage.ts';
import type { RunRequest } from '../../../definition/request.ts';
import { ProgressCells } from '../../backtest/run/progressCells.ts';
import { HANG_REMEDY, POLL_MS, StallDetector } from '../../backtest/run/stallDetector.ts';
import { fromWire, type WireError } from '../../backtest/run/wireError.ts';
import type { ProofName, StrategyVerdict } from '../../../model/run/proof.ts';

/** The message that starts the worker. */
export interface ProverInput {
  readonly request: RunRequest;
  /** Folder for bars that only this run has. */
  readonly barsFolder: string;
  /** Memory of the progress cells. */
  readonly memory: SharedArrayBuffer;
  /** Number of random times of the proofs of prefix and poison. */
  readonly times: number;
  /** Folder of the trial ledger, which keeps the verdict; null: beside the catalog. */
  readonly ledger: string | null;
}

/** The messages of the worker. `storeFailure`: as in `ProveOutcome`. */
export type FromProver =
  | { readonly kind: 'loaded'; readonly name: string }
  | { readonly kind: 'proving'; readonly name: ProofName; readonly share: number }
  | { readonly kind: 'done'; readonly verdict: StrategyVerdict; readonly storeFailure: string | null }
  | { readonly kind: 'failed'; readonly error: WireError };

/** Extent of the proofs, and how the worker is watched. */
export interface WatchProveOptions {
  readonly times: number;
  /** Folder of the trial ledger; null: beside the catalog. */
  readonly ledger: string | null;
  /** Time without progress after which a strategy counts as hanging; 0: no limit. */
  readonly barTimeoutMs: number;
  /** Called ten times a second with the name of the strategy, the proof and the share of it that is done. */
  readonly onProgress: (strategy: string, proof: ProofName | null, share: number) => void;
}

/** The verdict of finished proofs. */
export interface ProveOutcome {
  readonly verdict: StrategyVerdict;
  /** Why the verdict could not be written to the trial ledger; null: it was written. */
  readonly storeFailure: string | null;
}

/** Proofs in progress that can be stopped. */
export interface WatchedProve {
  readonly outcome: Promise<ProveOutcome>;
  /** Ends the worker and removes its files. */
  stop(): Promise<void>;
}

/** Starts the proofs of a run in a worker thread. */
export function watchProve(request: RunRequest, options: WatchProveOptions): WatchedProve {
  const barsFolder = temporaryFolder();
  const removeBars = () => rmSync(barsFolder, { recursive: true, force: true });
  const progress = new ProgressCells();
  const worker = new Worker(moduleUrl('tasks/prove/thread/proveWorker'), { stdout: true });
  // Output of a strategy is not a result: stdout is for the verdict.
  worker.stdout.pipe(process.stderr, { end: false });
  const input: ProverInput = { request, barsFolder, memory: progress.memory, times: options.times, ledger: options.ledger };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  worker.postMessage(input);
  return {
    outcome: follow(worker, progress, options).finally(removeBars),
    async stop() {
      await worker.terminate();
      removeBars();
    },
  };
}

/** Follows the thread to its end. Rejects with its error, or when it makes no progress. */
function follow(worker: Worker, progress: ProgressCells, { barTimeoutMs, onProgress }: WatchProveOptions): Promise<ProveOutcome> {
  return new Promise((resolve, reject) => {
    let strategy: string = 'the strategy';
    let proof: ProofName | null = null;
    let share: number = 0;
    const stallDetector = new StallDetector(progress, barTimeoutMs);
    const end = (notify: () => void): void => {
      stopChecks();
      worker.removeAllListeners('exit');
      void worker.terminate().then(notify, reject);
    };
    const stopChecks = repeatEvery(POLL_MS, () => {
      onProgress(strategy, proof, share);
      if (stallDetector.check() === null) return;
      const where = proof === null ? 'while its file was loaded' : `in the proof of ${proof}`;
      end(() => reject(new StrategyError(`${strategy}: no answer for ${barTimeoutMs / 1000} s ${where}`, HANG_REMEDY)));
    });
    worker.on('message', (message: FromProver) => {
      switch (message.kind) {
        case 'loaded':
          strategy = message.name;
          return;
        case 'proving':
          proof = message.name;
          share = message.share;
          return;
        case 'done':
          return end(() => resolve({ verdict: message.verdict, storeFailure: message.storeFailure }));
        case 'failed':
          return end(() => reject(fromWire(message.error)));
        default:
          return assertNever(message);
      }
    });
    worker.on('error', (error) => end(() => reject(error)));
    worker.on('exit', (code) => {
      const problem = `${strategy}: ended the process of the proofs (exit code ${code})`;
      end(() => reject(new StrategyError(problem, 'take process.exit out of the strategy')));
    });
  });
}
