// Measures how much faster two threads are than one when they share nothing, which shows what the cores of the machine have to give.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * Some 50 ms of arithmetic that depends on little: no memory, no compiler, no collector. What waits for one result after the other does
 * not notice when something else shares its core; this does, as the loop of a sweep does.
 */
const SPIN = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', () => {
  let [a, b, c, d, e, f] = [1, 2, 3, 4, 5, 6];
  for (let i = 0; i < 1e8; i++) {
    a = (a + i) | 0;
    b = b ^ i;
    c = (c - i) | 0;
    d = (d + a) | 0;
    e = e ^ b;
    f = (f + 3) | 0;
  }
  parentPort.postMessage(a + b + c + d + e + f);
});`;

export class Spinners {
  readonly #threads = [0, 1].map(() => new Worker(SPIN, { eval: true }));
  #aloneMs = Infinity;
  #bothMs = Infinity;

  /** Work of two threads in a time, divided by the best of one until now. */
  async pass(): Promise<number> {
    for (const thread of this.#threads) this.#aloneMs = Math.min(this.#aloneMs, await spin([thread]));
    const bothMs = await spin(this.#threads);
    this.#bothMs = Math.min(this.#bothMs, bothMs);
    return (2 * this.#aloneMs) / bothMs;
  }

  /** The same of the best of both. */
  get speedup(): number {
    return (2 * this.#aloneMs) / this.#bothMs;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }
}

/** Wall time until all of them are through. */
async function spin(threads: readonly Worker[]): Promise<number> {
  const from = performance.now();
  const answers = threads.map((thread) => once(thread, 'message'));
  for (const thread of threads) thread.postMessage('spin', []);
  await Promise.all(answers);
  return performance.now() - from;
}
