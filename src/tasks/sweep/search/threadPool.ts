// Runs the tasks of a sweep on the threads of this process.

import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Piscina as Pool } from 'piscina';
import { requirePackage } from '../../../adapters/runtime/requirePackage.ts';
import { InvariantError, StrategyError } from '../../../base/errors.ts';
import type { TaskResult, TaskRunner, TaskThreads } from './sweep.ts';

const { FixedQueue, Piscina } = requirePackage('piscina') as typeof import('piscina');

/**
 * Memory of a thread for new objects, in MB, twice the default: each set makes a bot. Hot: docs/performance.md#young-memory.
 */
const YOUNG_MB = 96;

/** The module and the data of the threads. */
export interface PoolOptions {
  /** The module whose default export runs a task. */
  readonly worker: URL;
  /** Passed to every thread once. Bars in it are in shared memory. */
  readonly workerData: unknown;
  readonly threads: number;
  /** Runs a task by posting messages to threads. */
  readonly perform: (task: readonly number[], post: PostTask, signal: AbortSignal) => Promise<TaskResult>;
}

/**
 * Calls the module's function in a free thread with `message`, and resolves with its reply. Rejects with its error, or when `signal` is
 * aborted. An aborted thread ends and another one replaces it.
 */
export type PostTask = (message: unknown, signal: AbortSignal) => Promise<unknown>;

/** Returns one thread per core. */
export function defaultThreads(): number {
  return availableParallelism();
}

/** The threads of one sweep. */
export class ThreadPool implements TaskRunner, TaskThreads {
  readonly threads: number;
  readonly #pool: Pool<unknown, unknown>;
  readonly #perform: PoolOptions['perform'];

  constructor({ worker, workerData, threads, perform }: PoolOptions) {
    this.threads = threads;
    this.#perform = perform;
    this.#pool = new Piscina({
      filename: worker.href,
      workerData,
      minThreads: threads,
      maxThreads: threads,
      // Threads hold classes and compiled loops, so keep them until the sweep ends.
      idleTimeout: Infinity,
      // A task that hangs must not block a task that is queued in the same thread.
      concurrentTasksPerWorker: 1,
      taskQueue: new FixedQueue(),
      recordTiming: false,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
  }

  async runTask(task: readonly number[], signal: AbortSignal): Promise<TaskResult> {
    const post: PostTask = (message, ended) => this.#pool.run(message, { signal: ended });
    return this.#perform(task, post, signal).catch((error: unknown) => Promise.reject(explainError(error)));
  }

  async run(
    tasks: readonly (readonly number[])[],
    notify: (task: readonly number[], result: TaskResult) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const stop = new AbortController();
    const anyStop = AbortSignal.any([signal, stop.signal]);
    setMaxListeners(0, anyStop);
    // Start only enough tasks to keep every thread busy, so that few need to be watched.
    const remainingTasks = tasks.values();
    const runners = Array.from({ length: this.threads * 2 }, async () => {
      for (const task of remainingTasks) await notify(task, await this.runTask(task, anyStop));
    });
    try {
      await Promise.all(runners);
    } finally {
      stop.abort();
      // Wait for pending writes to the ledger. Aborted tasks reject, but the first error has been reported already.
      await Promise.allSettled(runners);
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

/** Explains the error of a thread that ended by itself. */
function explainError(error: unknown): unknown {
  if (!(error instanceof Error)) return new InvariantError(String(error));
  if (/worker exited|exit code/i.test(error.message)) {
    return new StrategyError('a strategy ended the thread of its sweep', 'remove process.exit from the strategy', error);
  }
  return error;
}
