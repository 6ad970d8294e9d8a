// Values of an external series in a live bot: columns that grow as values become known.

import type { KnownValues } from './knownValues.ts';

const INITIAL_CAPACITY = 64;

export class GrowingValues implements KnownValues {
  knownMs = new Float64Array(INITIAL_CAPACITY);
  timeMs = new Float64Array(INITIAL_CAPACITY);
  value = new Float64Array(INITIAL_CAPACITY);
  #length = 0;

  get length(): number {
    return this.#length;
  }
  /** When the newest value became known; -Infinity before the first. */
  get lastKnownMs(): number {
    return this.#length === 0 ? -Infinity : this.knownMs[this.#length - 1]!;
  }

  /**
   * Adds a value, in the order in which values become known. As in `newestValues`, one of an earlier time than the newest is left out, and of
   * those that become known at one time the last one counts.
   */
  add(knownMs: number, timeMs: number, value: number): void {
    const last = this.#length - 1;
    if (last >= 0 && timeMs < this.timeMs[last]!) return;
    const at = last >= 0 && this.knownMs[last] === knownMs ? last : this.#length;
    if (at === this.knownMs.length) this.#grow();
    this.knownMs[at] = knownMs;
    this.timeMs[at] = timeMs;
    this.value[at] = value;
    this.#length = at + 1;
  }

  #grow(): void {
    const twice = (column: Float64Array): Float64Array<ArrayBuffer> => {
      const grown = new Float64Array(2 * column.length);
      grown.set(column);
      return grown;
    };
    this.knownMs = twice(this.knownMs);
    this.timeMs = twice(this.timeMs);
    this.value = twice(this.value);
  }
}
