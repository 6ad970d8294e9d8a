// A machine that works on a shared sweep: takes tasks from the queue and runs them on its threads, so that its locks are renewed meanwhile.

import type { Worker } from 'bullmq';
import { PREFIX, type QueueClient } from './queueClient.ts';
import { packResult, queueName, type JobAnswer } from './queueWire.ts';
import type { TaskThreads } from '../search/sweep.ts';

/**
 * A job whose worker has not renewed its lock for so long is run by another one. Renewed twice as often; a machine that was only away
 * for a moment does its task a second time, which changes nothing: a result is collected once.
 */
const LOCK_MS = 3000;
const STALLED_MS = 1500;
/** A job is given up after so many dead workers: their number must not end a long sweep. */
const MAX_STALLED = 1000;

export interface QueueWorkerOptions {
  readonly client: QueueClient;
  readonly sweepId: string;
  readonly pool: TaskThreads;
  /** What to tell others of an error that a thread threw. */
  readonly errorTextOf: (error: unknown) => unknown;
}

export class QueueWorker {
  readonly #options: QueueWorkerOptions;
  readonly #stop = new AbortController();
  #worker: Worker<readonly number[], JobAnswer> | null = null;
  #done = 0;

  constructor(options: QueueWorkerOptions) {
    this.#options = options;
  }

  /** Sets that this machine has run. */
  get done(): number {
    return this.#done;
  }

  start(): void {
    const { client, sweepId, pool } = this.#options;
    this.#worker = new client.bull.Worker<readonly number[], JobAnswer>(queueName(sweepId), async ({ data }) => this.#run(data), {
      connection: client.connection,
      prefix: PREFIX,
      // One task more than threads, so that none of them waits for the queue.
      concurrency: pool.threads + 1,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_MS,
      maxStalledCount: MAX_STALLED,
    });
    // The connection comes back by itself.
    this.#worker.on('error', () => {});
  }

  /** Gives up what is running and ends the threads; another machine takes it over. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#worker?.close(true);
    await this.#options.pool.close();
  }

  async #run(task: readonly number[]): Promise<JobAnswer> {
    try {
      const result = await this.#options.pool.runTask(task, this.#stop.signal);
      this.#done += task.length;
      return packResult(result);
    } catch (error) {
      // Given up: no answer, so that the job stays active until its lock runs out and another machine takes it.
      if (this.#stop.signal.aborted) return new Promise(() => {});
      return { error: this.#options.errorTextOf(error) };
    }
  }
}
