// Runs the tasks of a shared sweep on the machine that started it: adds them to the queue and collects each result once.

import type { Job, Queue, QueueEvents } from 'bullmq';
import { setMaxListeners } from 'node:events';
import { KEY_PREFIX, type QueueClient } from './queueClient.ts';
import { aliveKey, queueName, SWEEPS, jobIdOf, unpackResult, type TaskReply, type SharedSweep } from './queueWire.ts';
import type { QueueWorker } from './queueWorker.ts';
import type { TaskResult, TaskRunner } from '../search/sweep.ts';

/** Interval at which the queue is polled for results, because an event may be lost with a connection. */
const POLL_MS = 2000;
/** Jobs that are added with one call. */
const MAX_BULK_JOBS = 1000;
/** Time after its last heartbeat for which a sweep counts as running. */
const ALIVE_SECONDS = 10;

/** The sweep and its queue. */
export interface QueueRunnerOptions {
  readonly client: QueueClient;
  readonly sweep: SharedSweep;
  /** Works on the tasks in this process too; null: only other machines work. */
  readonly worker: QueueWorker | null;
  /** Calls a function repeatedly, until the returned function is called. */
  readonly every: (periodMs: number, run: () => void) => () => void;
  /** Converts the report of another machine to an error. */
  readonly errorOf: (value: unknown) => Error;
}

/** Called with the result of each task. `task` lists the indices of its sets. */
type ResultHandler = (task: readonly number[], result: TaskResult) => Promise<void>;

/** The queue of one sweep. */
export class QueueRunner implements TaskRunner {
  readonly #options: QueueRunnerOptions;
  readonly #queue: Queue;
  readonly #events: QueueEvents;
  #isDone = false;

  constructor(options: QueueRunnerOptions) {
    this.#options = options;
    const { bull, connection } = options.client;
    const name = queueName(options.sweep.id);
    this.#queue = new bull.Queue(name, { connection, prefix: KEY_PREFIX });
    this.#events = new bull.QueueEvents(name, { connection, prefix: KEY_PREFIX });
    // bullmq reconnects by itself. Polling finds the results that it missed.
    this.#queue.on('error', () => {});
    this.#events.on('error', () => {});
  }

  /** Runs all tasks, and resolves when each has a result. Rejects when `signal` aborts or a task fails. */
  async run(tasks: readonly (readonly number[])[], notify: ResultHandler, signal: AbortSignal): Promise<void> {
    const { client, sweep, worker, every } = this.#options;
    await Promise.all([this.#queue.waitUntilReady(), this.#events.waitUntilReady()]);
    const collector = new Collector(this.#queue, { tasks, sweepId: sweep.id, onResult: notify, errorOf: this.#options.errorOf });
    this.#events.on('completed', ({ jobId }) => collector.collect(jobId));
    this.#events.on('failed', ({ jobId }) => collector.collect(jobId));
    const stopPolling = every(POLL_MS, () => {
      collector.collectAll();
      void this.#sendHeartbeat();
    });
    try {
      await client.redis.hset(SWEEPS, sweep.id, JSON.stringify(sweep));
      await this.#sendHeartbeat();
      const jobs = tasks.map((task) => ({ name: 'task', data: task, opts: { jobId: jobIdOf(sweep.id, task) } }));
      for (let first = 0; first < jobs.length; first += MAX_BULK_JOBS) await this.#queue.addBulk(jobs.slice(first, first + MAX_BULK_JOBS));
      // Collect earlier results, because this sweep may have been interrupted.
      collector.collectAll();
      worker?.start();
      await finishedOrAborted(collector.finished, signal);
      this.#isDone = true;
    } finally {
      stopPolling();
    }
  }

  /** Shows that this machine is running. Workers leave a sweep whose heartbeat has stopped. */
  async #sendHeartbeat(): Promise<void> {
    const { client, sweep } = this.#options;
    await client.redis.set(aliveKey(sweep.id), '1', 'EX', ALIVE_SECONDS);
  }

  /** Removes the sweep from the list of running ones, and closes all connections. */
  async close(): Promise<void> {
    const { client, sweep, worker } = this.#options;
    await client.redis.hdel(SWEEPS, sweep.id);
    await client.redis.del(aliveKey(sweep.id));
    await worker?.close();
    // Remove waiting tasks. After an interruption, keep results that are still to come, for a resumed sweep.
    if (this.#isDone) await this.#queue.obliterate({ force: true });
    else await this.#queue.drain();
    await Promise.all([this.#events.close(), this.#queue.close()]);
    await client.close();
  }
}

/** What a collector waits for, and who takes the results. */
interface CollectorOptions {
  /** Each task is a list of set indices. */
  readonly tasks: readonly (readonly number[])[];
  readonly sweepId: string;
  readonly onResult: ResultHandler;
  /** Returns the error of a worker from the value of its job. */
  readonly errorOf: (value: unknown) => Error;
}

/** Fetches results by job and reports each task once. `finished` resolves with the last one. */
class Collector {
  readonly finished: Promise<void>;
  readonly #queue: Queue;
  /** Tasks without a result, by job id. */
  readonly #openTasks: Map<string, readonly number[]>;
  readonly #onResult: ResultHandler;
  readonly #errorOf: (value: unknown) => Error;
  /** Ids of the jobs whose result is being fetched. */
  readonly #fetchedJobIds = new Set<string>();
  #resolve: () => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(queue: Queue, { tasks, sweepId, onResult, errorOf }: CollectorOptions) {
    this.#queue = queue;
    this.#openTasks = new Map(tasks.map((task) => [jobIdOf(sweepId, task), task]));
    this.#onResult = onResult;
    this.#errorOf = errorOf;
    this.finished = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // When `finished` rejects, perhaps no one waits for it any more.
    this.finished.catch(() => {});
    if (tasks.length === 0) this.#resolve();
  }

  /** Fetches the result of a job, unless that is done or under way. */
  collect(jobId: string): void {
    if (!this.#openTasks.has(jobId) || this.#fetchedJobIds.has(jobId)) return;
    this.#fetchedJobIds.add(jobId);
    this.#fetch(jobId)
      .catch((error: unknown) => this.#reject(error))
      .finally(() => this.#fetchedJobIds.delete(jobId));
  }

  /** Fetches the results of all jobs that have ended. */
  collectAll(): void {
    this.#queue
      .getJobs(['completed', 'failed'])
      .then((jobs) => jobs.forEach((job: Job) => this.collect(String(job.id))))
      .catch((error: unknown) => this.#reject(error));
  }

  /** Takes the result of a job that has ended, and removes the job. Throws if the job failed. */
  async #fetch(jobId: string): Promise<void> {
    const job: Job | undefined = await this.#queue.getJob(jobId);
    const task = this.#openTasks.get(jobId);
    if (!job || !task) return;
    const isFailed = await job.isFailed();
    const reply = job.returnvalue as TaskReply;
    if (!isFailed && 'values' in reply) await this.#onResult(task, unpackResult(reply));
    // The result is in the ledger, or it is an error that is reported and retried. The queue need not keep it.
    await job.remove();
    if (isFailed) throw new Error(`a task of the sweep failed in the queue: ${job.failedReason}`);
    if ('error' in reply) throw this.#errorOf(reply.error);
    this.#openTasks.delete(jobId);
    if (this.#openTasks.size === 0) this.#resolve();
  }
}

/** Resolves with `work`, or rejects with the signal's reason, whichever comes first. */
async function finishedOrAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  setMaxListeners(0, signal);
  const stop = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: stop.signal });
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    stop.abort();
  }
}
