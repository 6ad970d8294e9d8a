// One send an order, for ever: the assertion that stands between a bug and a second order (order safety, W2). It stays on in production.

import { InvariantError } from '../../../base/errors.ts';

/** Bits by order id: ids count up from 1, so a million orders take 125 kB. */
export class SendOnceGuard {
  #words = new Uint32Array(64);

  /** Throws InvariantError the second time. */
  take(id: number): void {
    const word = id >>> 5;
    if (word >= this.#words.length) {
      const wider = new Uint32Array(Math.max(word + 1, 2 * this.#words.length));
      wider.set(this.#words);
      this.#words = wider;
    }
    const bit = 1 << (id & 31);
    if ((this.#words[word]! & bit) !== 0) throw new InvariantError(`order ${id} is sent a second time`);
    this.#words[word] = this.#words[word]! | bit;
  }
}
