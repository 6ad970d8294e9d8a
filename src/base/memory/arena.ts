// Memory for columns that are read once: taken piece by piece, given back all at once.

/** Numbers of the first piece of memory. */
const FIRST = 65_536;

/**
 * Lends arrays with any content until `reset`; a reader must be done with them by then. V8 counts what arrays take outside of its heap, and
 * collects the heap for it: whoever makes columns a thousand times, and drops them, takes them from here.
 */
export class Arena {
  #memory = new Float64Array(0);
  #used = 0;

  take(length: number): Float64Array {
    if (this.#used + length > this.#memory.length) {
      // What was lent of the memory before stays with its readers.
      this.#memory = new Float64Array(Math.max(FIRST, 2 * this.#memory.length, length));
      this.#used = 0;
    }
    const from = this.#used;
    this.#used += length;
    return this.#memory.subarray(from, this.#used);
  }

  takeBytes(length: number): Uint8Array {
    const { buffer, byteOffset } = this.take(Math.ceil(length / Float64Array.BYTES_PER_ELEMENT));
    return new Uint8Array(buffer, byteOffset, length);
  }

  /** What was lent is lent again from now on. */
  reset(): void {
    this.#used = 0;
  }
}
