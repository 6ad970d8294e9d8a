// The values of an external series in a live bot, to which values are added as they become known.

import type { KnownValues } from './knownValues.ts';

const INITIAL_CAPACITY = 64;

/** Known values that grow at their end. */
export class GrowingValues implements KnownValues {
  knownMs = new Float64Array(INITIAL_CAPACITY);
  timeMs = new Float64Array(INITIAL_CAPACITY);
  value = new Float64Array(INITIAL_CAPACITY);
  #length = 0;

  get length(): number {
    return this.#length;
  }
  /** Time at which the newest value became known, ms UTC. -Infinity before the first. */
  get lastKnownMs(): number {
    return this.#length === 0 ? -Infinity : this.knownMs[this.#length - 1]!;
  }

  /**
   * Adds the value that became known next. As `newestValues` does, leaves out a value of an earlier time than the newest. If several values
   * become known at the same time, the last one replaces the others.
   */
  add(knownMs: number, timeMs: number, value: number): void {
    const last = this.#length - 1;
    if (last >= 0 && timeMs < this.timeMs[last]!) return;
    const row = last >= 0 && this.knownMs[last] === knownMs ? last : this.#length;
    if (row === this.knownMs.length) this.#grow();
    this.knownMs[row] = knownMs;
    this.timeMs[row] = timeMs;
    this.value[row] = value;
    this.#length = row + 1;
  }

  /** Doubles the room of all columns. */
  #grow(): void {
    const doubleColumn = (column: Float64Array): Float64Array<ArrayBuffer> => {
      const grown = new Float64Array(2 * column.length);
      grown.set(column);
      return grown;
    };
    this.knownMs = doubleColumn(this.knownMs);
    this.timeMs = doubleColumn(this.timeMs);
    this.value = doubleColumn(this.value);
  }
}
