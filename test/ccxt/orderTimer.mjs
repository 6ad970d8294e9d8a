// Measures the CPU time of orders, one at a time: until the last byte of an order is on its socket, and until its reply is read. The benchmark
// measures every client in this way.

import { subscribe } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers/promises';

/** Measures orders one after the other. */
export class OrderTimer {
  #create;
  /** Number of orders that were created until now, in all runs. */
  #orderCount = 0;
  /** CPU time of the process at which the current order began, us. */
  #startUs = 0;
  /** Sum of the times until an order of this run was on its socket, us. */
  #toSocketUs = 0;
  /** Number of requests of this run that were written. */
  #writtenCount = 0;

  /** @param {(orderIndex: number) => Promise<unknown>} create Creates an order. */
  constructor(create) {
    this.#create = create;
    // Every copy of undici in the process publishes this when it has written a whole request.
    subscribe('undici:request:bodySent', () => {
      this.#toSocketUs += cpuUs() - this.#startUs;
      this.#writtenCount++;
    });
  }

  /** Returns the mean times of the next `count` orders, us: until each was on its socket, and until its reply was read. */
  async run(count) {
    this.#toSocketUs = 0;
    this.#writtenCount = 0;
    let toAnswerUs = 0;
    for (let order = 0; order < count; order++) {
      // Work that the previous reply has left is done before this order begins.
      await setImmediate();
      this.#startUs = cpuUs();
      await this.#create(this.#orderCount++);
      toAnswerUs += cpuUs() - this.#startUs;
    }
    if (this.#writtenCount !== count) throw new Error(`${this.#writtenCount} requests were written for ${count} orders`);
    return { toSocketUs: this.#toSocketUs / count, toAnswerUs: toAnswerUs / count };
  }
}

/** Returns the user and system time of the process, us. */
function cpuUs() {
  const { user, system } = process.cpuUsage();
  return user + system;
}
