// Lends memory for columns that are read once. All of it is freed at once.

/** Number of elements of the first piece of memory. */
const FIRST_ELEMENTS = 65_536;

/**
 * Lends arrays with any content until `reset`; a reader must be done with them by then. Code that makes columns a thousand times, and drops
 * them, allocates them here. Hot: docs/performance.md#lent-columns.
 */
export class Arena {
  private memory = new Float64Array(0);
  private used = 0;

  /** Lends `length` numbers. */
  take(length: number): Float64Array {
    if (this.used + length > this.memory.length) {
      // Readers keep the arrays of the earlier memory.
      this.memory = new Float64Array(Math.max(FIRST_ELEMENTS, 2 * this.memory.length, length));
      this.used = 0;
    }
    const from = this.used;
    this.used += length;
    return this.memory.subarray(from, this.used);
  }

  /** Lends an array of `length` bytes, with arbitrary content. */
  takeBytes(length: number): Uint8Array {
    const { buffer, byteOffset } = this.take(Math.ceil(length / Float64Array.BYTES_PER_ELEMENT));
    return new Uint8Array(buffer, byteOffset, length);
  }

  /** Lends an array of `length` 16-bit integers, with arbitrary content. */
  takeShorts(length: number): Uint16Array {
    const { buffer, byteOffset } = this.take(Math.ceil((2 * length) / Float64Array.BYTES_PER_ELEMENT));
    return new Uint16Array(buffer, byteOffset, length);
  }

  /** Frees everything: memory that was lent may be lent again. */
  reset(): void {
    this.used = 0;
  }
}
