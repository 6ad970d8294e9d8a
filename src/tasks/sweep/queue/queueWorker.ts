// A worker of a shared sweep: takes tasks from the queue and runs them on threads, while it renews its locks.

import type { Worker } from 'bullmq';
import { KEY_PREFIX, type QueueClient } from './queueClient.ts';
import { packResult, queueName, type TaskReply } from './queueWire.ts';
import type { TaskThreads } from '../search/sweep.ts';

/**
 * Duration of a lock, ms. When it expires, another worker runs the job. Locks are renewed twice as often. If a machine was away only for a
 * moment, its task runs twice, but its result is collected once.
 */
const LOCK_MS = 3000;
/** How often the queue looks for jobs whose lock has expired, ms. */
const STALLED_CHECK_MS = 1500;
/** How often a job may lose its worker before it fails. It is large, so that lost workers do not end a long sweep. */
const MAX_STALLED = 1000;

/** The queue, and the threads of this machine. */
export interface QueueWorkerOptions {
  readonly client: QueueClient;
  readonly sweepId: string;
  readonly pool: TaskThreads;
  /** Converts an error of a thread to data for other machines. */
  readonly packError: (error: unknown) => unknown;
}

/** The work of this machine on one sweep. */
export class QueueWorker {
  readonly #options: QueueWorkerOptions;
  /** Aborted by `close`. */
  readonly #closing = new AbortController();
  #worker: Worker<readonly number[], TaskReply> | null = null;
  #setCount = 0;

  constructor(options: QueueWorkerOptions) {
    this.#options = options;
  }

  /** Number of sets that this machine has run. */
  get setCount(): number {
    return this.#setCount;
  }

  /** Starts to take tasks. */
  start(): void {
    const { client, sweepId, pool } = this.#options;
    this.#worker = new client.bull.Worker<readonly number[], TaskReply>(queueName(sweepId), async ({ data }) => this.#run(data), {
      connection: client.connection,
      prefix: KEY_PREFIX,
      // One task more than threads, so that no thread waits for the queue.
      concurrency: pool.threads + 1,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: MAX_STALLED,
    });
    // bullmq reconnects by itself.
    this.#worker.on('error', () => {});
  }

  /** Aborts running tasks and ends the threads. Another machine takes the tasks over. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#worker?.close(true);
    await this.#options.pool.close();
  }

  /** Runs a task (set indices) of the sweep. Returns its packed result, or its error as data. */
  async #run(task: readonly number[]): Promise<TaskReply> {
    try {
      const result = await this.#options.pool.runTask(task, this.#closing.signal);
      this.#setCount += task.length;
      return packResult(result);
    } catch (error) {
      // Never resolve after an abort: the job stays active until its lock expires and another machine takes it.
      if (this.#closing.signal.aborted) return new Promise(() => {});
      return { error: this.#options.packError(error) };
    }
  }
}
