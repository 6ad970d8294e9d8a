// A worker of a shared sweep: takes tasks from the queue and runs them on threads, while it renews its locks.

import type { Worker } from 'bullmq';
import { KEY_PREFIX, type QueueClient } from './queueClient.ts';
import { packResult, queueName, type JobAnswer } from './queueWire.ts';
import type { TaskThreads } from '../search/sweep.ts';

/**
 * Duration of a lock, ms. When it expires, another worker runs the job. Locks are renewed twice as often. If a machine was away only for a
 * moment, its task runs twice, but its result is collected once.
 */
const LOCK_MS = 3000;
/** How often the queue looks for jobs whose lock has expired, ms. */
const STALLED_MS = 1500;
/** Maximum of lost workers per job. It is large, so that lost workers do not end a long sweep. */
const MAX_STALLED = 1000;

/** The queue, and the threads of this machine. */
export interface QueueWorkerOptions {
  readonly client: QueueClient;
  readonly sweepId: string;
  readonly pool: TaskThreads;
  /** Converts an error of a thread to data for other machines. */
  readonly errorTextOf: (error: unknown) => unknown;
}

/** The work of this machine on one sweep. */
export class QueueWorker {
  readonly #options: QueueWorkerOptions;
  readonly #stop = new AbortController();
  #worker: Worker<readonly number[], JobAnswer> | null = null;
  #done = 0;

  constructor(options: QueueWorkerOptions) {
    this.#options = options;
  }

  /** Number of sets that this machine has run. */
  get done(): number {
    return this.#done;
  }

  /** Starts to take tasks. */
  start(): void {
    const { client, sweepId, pool } = this.#options;
    this.#worker = new client.bull.Worker<readonly number[], JobAnswer>(queueName(sweepId), async ({ data }) => this.#run(data), {
      connection: client.connection,
      prefix: KEY_PREFIX,
      // One task more than threads, so that no thread waits for the queue.
      concurrency: pool.threads + 1,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_MS,
      maxStalledCount: MAX_STALLED,
    });
    // bullmq reconnects by itself.
    this.#worker.on('error', () => {});
  }

  /** Aborts running tasks and ends the threads. Another machine takes the tasks over. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#worker?.close(true);
    await this.#options.pool.close();
  }

  /** Runs a task of the sweep. Returns its packed result, or the text of its error. */
  async #run(task: readonly number[]): Promise<JobAnswer> {
    try {
      const result = await this.#options.pool.runTask(task, this.#stop.signal);
      this.#done += task.length;
      return packResult(result);
    } catch (error) {
      // Never resolve after an abort: the job stays active until its lock expires and another machine takes it.
      if (this.#stop.signal.aborted) return new Promise(() => {});
      return { error: this.#options.errorTextOf(error) };
    }
  }
}
