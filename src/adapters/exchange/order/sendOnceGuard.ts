// The send-once guard: asserts that no order is ever sent twice (order safety, W2). Always on, also in production.

import { InvariantError } from '../../../base/errors.ts';

/** Keeps one bit for each order id. Ids count up from 1, so a million orders take 125 kB. */
export class SendOnceGuard {
  #words = new Uint32Array(64);

  /** Marks the order. Throws InvariantError the second time. */
  mark(id: number): void {
    const word = id >>> 5;
    if (word >= this.#words.length) {
      const largerWords = new Uint32Array(Math.max(word + 1, 2 * this.#words.length));
      largerWords.set(this.#words);
      this.#words = largerWords;
    }
    const bit = 1 << (id & 31);
    if ((this.#words[word]! & bit) !== 0) throw new InvariantError(`order ${id} is sent a second time`);
    this.#words[word] = this.#words[word]! | bit;
  }
}
