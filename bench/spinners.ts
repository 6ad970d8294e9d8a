// How much more two threads do than one where they share nothing: what the cores of the machine have to give while others use them too.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Some 100 ms of dependent arithmetic: no memory, no compiler, no collector. */
const SPIN = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', () => {
  let x = 0.5;
  for (let i = 0; i < 5e7; i++) x = x * 0.999 + i;
  parentPort.postMessage(x);
});`;

export class Spinners {
  readonly #threads = [0, 1].map(() => new Worker(SPIN, { eval: true }));
  #aloneMs = Infinity;
  #bothMs = Infinity;

  async pass(): Promise<void> {
    this.#aloneMs = Math.min(this.#aloneMs, await spin(this.#threads.slice(0, 1)));
    this.#bothMs = Math.min(this.#bothMs, await spin(this.#threads));
  }

  /** Work of two threads in a time over that of one. */
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
