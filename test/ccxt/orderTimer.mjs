// CPU time of orders, one at a time, up to when the last byte of each was handed to its socket; the same stopwatch for every client.

import { subscribe } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers/promises';

/** Measures orders one after the other. */
export class OrderTimer {
  #create;
  #sent = 0;
  /** Process CPU time at which the order under way began, us. */
  #began = 0;
  #toSocketUs = 0;
  #written = 0;

  /** @param {(at: number) => Promise<unknown>} create creates order number `at` */
  constructor(create) {
    this.#create = create;
    // Every undici says it, whoever brought it along, when it has written the whole of a request.
    subscribe('undici:request:bodySent', () => {
      this.#toSocketUs += cpuUs() - this.#began;
      this.#written++;
    });
  }

  /** Returns the times of the next `count` orders, us: until each was on its socket, and until its answer was read. */
  async run(count) {
    this.#toSocketUs = 0;
    this.#written = 0;
    let toAnswerUs = 0;
    for (let order = 0; order < count; order++) {
      // What the answer before it left to be done is not this one's.
      await setImmediate();
      this.#began = cpuUs();
      await this.#create(this.#sent++);
      toAnswerUs += cpuUs() - this.#began;
    }
    if (this.#written !== count) throw new Error(`${this.#written} requests were written for ${count} orders`);
    return { toSocketUs: this.#toSocketUs / count, toAnswerUs: toAnswerUs / count };
  }
}

/** Returns the user and system time of the process, us. */
function cpuUs() {
  const { user, system } = process.cpuUsage();
  return user + system;
}
