// Shares a sweep between machines: one starts it, and others with the same inputs find it in Redis.

import { repeatEvery } from '../../adapters/clock/wallClock.ts';
import { ConfigError } from '../../base/errors.ts';
import { changedParts } from '../trials/sweepIdentity.ts';
import { counted } from '../../base/text/format.ts';
import { connectQueue, type QueueClient } from './queue/queueClient.ts';
import { QueueRunner } from './queue/queueRunner.ts';
import { aliveKey, parseShared, SWEEPS, type SharedSweep } from './queue/queueWire.ts';
import { QueueWorker } from './queue/queueWorker.ts';
import type { TaskRunner } from './search/sweep.ts';
import { setUpSharedSweep, type SweepSetup } from './plan/setUp.ts';
import { threadRunner, type ThreadOptions } from './threads/threadRunner.ts';
import { fromWire, toWire, type WireError } from '../backtest/run/wireError.ts';

/** Tasks are sized for this many threads, because the number of machines is unknown. */
export const SHARED_PARALLEL = 32;
/** Interval at which a worker looks for a sweep, and checks whether its current one has ended. */
const POLL_MS = 500;

/** The queue, and the threads of this machine. */
export interface SharedOptions {
  readonly url: string;
  /** Threads of this machine; 0: other machines run all sets. */
  readonly threads: ThreadOptions;
}

/** Returns a runner that shares the sets of `setup` in the queue at `url`. Throws ConfigError if there is no connection. */
export async function openSharedRunner(setup: SweepSetup, { url, threads }: SharedOptions): Promise<TaskRunner> {
  const client = await connectQueue(url);
  const worker =
    threads.threads === 0
      ? null
      : new QueueWorker({ client, sweepId: setup.identity.id, pool: threadRunner(setup, threads), packError: toWire });
  return new QueueRunner({
    client,
    sweep: sharedSweepOf(setup),
    worker,
    every: repeatEvery,
    errorOf: (reported) => fromWire(reported as WireError),
  });
}

/** Returns a sweep as other machines receive it. */
function sharedSweepOf({ identity, header, resolved, axes, request }: SweepSetup): SharedSweep {
  return {
    id: identity.id,
    name: header.name,
    definition: resolved.text,
    grid: axes.map(({ name, values }) => `${name}=${values.join(',')}`),
    random: request.random,
    parts: identity.parts,
  };
}

/** Options of a machine that joins sweeps. */
export interface JoinOptions extends SharedOptions {
  readonly catalog: string | null;
  /** True to end after the first sweep, or at once if no sweep is running. */
  readonly isOnce: boolean;
  readonly onMessage: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Works on the sweeps of the queue, one after the other, until the signal. Throws ConfigError if a sweep has other inputs than this machine.
 */
export async function joinSweeps(options: JoinOptions): Promise<void> {
  const client = await connectQueue(options.url);
  try {
    let isIdle = false;
    while (!options.signal.aborted) {
      const sweep = await nextSweep(client);
      if (sweep !== null) await joinSweep(client, sweep, options);
      else if (!isIdle && !options.isOnce) options.onMessage('No sweep is running; waiting for one.');
      isIdle = sweep === null;
      if (options.isOnce) return;
      await pause(POLL_MS, options.signal);
    }
  } finally {
    await client.close();
  }
}

/** Returns a sweep whose first machine is running; null: none. An abandoned sweep waits until it is resumed. */
async function nextSweep({ redis }: QueueClient): Promise<SharedSweep | null> {
  for (const [id, text] of Object.entries(await redis.hgetall(SWEEPS)))
    if ((await redis.exists(aliveKey(id))) === 1) return parseShared(text);
  return null;
}

/** Works on one sweep until it or its first machine has ended. */
async function joinSweep(client: QueueClient, sweep: SharedSweep, { threads, catalog, onMessage, signal }: JoinOptions): Promise<void> {
  const setup = await setUpSharedSweep(sweep, catalog);
  if (setup.identity.id !== sweep.id) {
    const differences = changedParts(sweep.parts, setup.identity.parts);
    throw new ConfigError(
      `the sweep ${sweep.name} has other inputs than this machine: ${differences.join('; ')}`,
      'use the same strategy, bars and version of isobar; --catalog names other bars',
    );
  }
  onMessage(`Working on ${sweep.name} (${counted(setup.sets.length, 'set')}) on ${counted(threads.threads, 'thread')}.`);
  const worker = new QueueWorker({ client, sweepId: sweep.id, pool: threadRunner(setup, threads), packError: toWire });
  worker.start();
  try {
    while (!signal.aborted && (await client.redis.exists(aliveKey(sweep.id))) === 1) await pause(POLL_MS, signal);
  } finally {
    await worker.close();
  }
  onMessage(`${worker.setCount} sets of ${sweep.name} were run here.`);
}

/** Resolves after `durationMs`, or with the signal. */
function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const endPause = () => {
      stopTimer();
      signal.removeEventListener('abort', endPause);
      resolve();
    };
    const stopTimer = repeatEvery(durationMs, endPause);
    signal.addEventListener('abort', endPause);
    if (signal.aborted) endPause();
  });
}
