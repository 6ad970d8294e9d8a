// The funding rates of a live bot, one for each funding time. An unknown rate is NaN.

import { InvariantError } from '../../base/errors.ts';
import type { FundingRates } from './fundingRates.ts';

const INITIAL_CAPACITY = 64;

/** Funding rates that grow at their end. */
export class GrowingRates implements FundingRates {
  timeMs = new Float64Array(INITIAL_CAPACITY);
  rate = new Float64Array(INITIAL_CAPACITY);
  #length = 0;

  get length(): number {
    return this.#length;
  }
  /** The newest funding time, ms UTC. -Infinity before the first. */
  get lastMs(): number {
    return this.#length === 0 ? -Infinity : this.timeMs[this.#length - 1]!;
  }

  /** Adds the rate of a later time, or corrects the newest rate. Throws InvariantError for an earlier time. */
  set(timeMs: number, rate: number): void {
    const { lastMs } = this;
    if (timeMs < lastMs) throw new InvariantError(`a funding rate of ${timeMs} after that of ${lastMs}`);
    if (timeMs > lastMs) {
      if (this.#length === this.timeMs.length) this.#grow();
      this.timeMs[this.#length++] = timeMs;
    }
    this.rate[this.#length - 1] = rate;
  }

  /** Removes the rates of `timeMs` and later. A process that journals them again sets them again. */
  removeFrom(timeMs: number): void {
    while (this.#length > 0 && this.timeMs[this.#length - 1]! >= timeMs) this.#length--;
  }

  /** Doubles the room of both columns. */
  #grow(): void {
    const doubleColumn = (column: Float64Array): Float64Array<ArrayBuffer> => {
      const grown = new Float64Array(2 * column.length);
      grown.set(column);
      return grown;
    };
    this.timeMs = doubleColumn(this.timeMs);
    this.rate = doubleColumn(this.rate);
  }
}
