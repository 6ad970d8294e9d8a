// Tasks of a sweep on the threads of this process.

import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { FixedQueue, Piscina } from 'piscina';
import { InvariantError, StrategyError } from '../base/errors.ts';
import type { TaskResult, TaskRunner } from './sweep.ts';

export interface PoolOptions {
  /** The module whose default export runs a task. */
  readonly worker: URL;
  /** Given to every thread once; bars in it lie on shared memory. */
  readonly workerData: unknown;
  readonly threads: number;
  /** Turns what a thread answers into a result; throws the error that it holds. */
  readonly read: (answer: unknown) => TaskResult;
}

/** One thread a core. */
export function defaultThreads(): number {
  return availableParallelism();
}

export class ThreadPool implements TaskRunner {
  readonly threads: number;
  readonly #pool: Piscina<readonly number[], unknown>;
  readonly #read: PoolOptions['read'];

  constructor({ worker, workerData, threads, read }: PoolOptions) {
    this.threads = threads;
    this.#read = read;
    this.#pool = new Piscina({
      filename: worker.href,
      workerData,
      minThreads: threads,
      maxThreads: threads,
      // Threads hold classes and compiled loops: they live until the sweep ends.
      idleTimeout: Infinity,
      // A task that hangs must not hold back one that is queued behind it in the same thread.
      concurrentTasksPerWorker: 1,
      taskQueue: new FixedQueue(),
      recordTiming: false,
    });
  }

  /** Runs one task; rejects with its error, or when `signal` is aborted: its thread ends then. */
  async runTask(task: readonly number[], signal: AbortSignal): Promise<TaskResult> {
    return this.#read(await this.#pool.run(task, { signal }).catch((error: unknown) => Promise.reject(explained(error))));
  }

  async run(
    tasks: readonly (readonly number[])[],
    tell: (task: readonly number[], result: TaskResult) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    setMaxListeners(0, either);
    const told = tasks.map(async (task) => tell(task, await this.runTask(task, either)));
    try {
      await Promise.all(told);
    } finally {
      stop.abort();
      // What is on its way to the disk gets there; tasks that were cut reject, which the first error has said already.
      await Promise.allSettled(told);
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

/** A thread that ends by itself takes its task with it. */
function explained(error: unknown): unknown {
  if (!(error instanceof Error)) return new InvariantError(String(error));
  if (/worker exited|exit code/i.test(error.message)) {
    return new StrategyError('a strategy ended the thread of its sweep', 'take process.exit out of the strategy', error);
  }
  return error;
}
