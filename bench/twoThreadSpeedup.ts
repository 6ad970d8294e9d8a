// Measures how much faster two threads are than one when they share nothing: the upper bound for a sweep of two workers.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * About 50 ms of independent integer operations, without memory access. A chain of dependent operations would hide that another thread
 * shares the core; independent ones slow down as the loop of a sweep does.
 */
const SPIN_LOOP = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', () => {
  let [a, b, c, d, e, f] = [1, 2, 3, 4, 5, 6];
  for (let step = 0; step < 1e8; step++) {
    a = (a + step) | 0;
    b = b ^ step;
    c = (c - step) | 0;
    d = (d + a) | 0;
    e = e ^ b;
    f = (f + 3) | 0;
  }
  parentPort.postMessage(a + b + c + d + e + f);
});`;

/** Two threads that run the same loop, alone or at the same time. */
export class TwoThreadSpeedup {
  readonly #threads = [0, 1].map(() => new Worker(SPIN_LOOP, { eval: true }));
  #bestOneThreadMs = Infinity;
  #bestTwoThreadsMs = Infinity;

  /** Returns the speedup of one pass: how much more work two threads do in the same time than one thread in its best pass up to now. */
  async measure(): Promise<number> {
    for (const thread of this.#threads) this.#bestOneThreadMs = Math.min(this.#bestOneThreadMs, await wallMsOf([thread]));
    const twoThreadsMs = await wallMsOf(this.#threads);
    this.#bestTwoThreadsMs = Math.min(this.#bestTwoThreadsMs, twoThreadsMs);
    return (2 * this.#bestOneThreadMs) / twoThreadsMs;
  }

  /** The speedup of the best passes. */
  get bestSpeedup(): number {
    return (2 * this.#bestOneThreadMs) / this.#bestTwoThreadsMs;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }
}

/** Runs the loop once on each thread and returns the wall time until all threads have answered. */
async function wallMsOf(threads: readonly Worker[]): Promise<number> {
  const startMs = performance.now();
  const replies = threads.map((thread) => once(thread, 'message'));
  for (const thread of threads) thread.postMessage('spin', []);
  await Promise.all(replies);
  return performance.now() - startMs;
}
