// Long lists of whole numbers below 2^40, for offsets in the store. Each takes four bytes (five beyond 2^32), and growing never copies.

/** Numbers in a chunk, a power of two. */
const CHUNK_LENGTH = 1 << 14;
const LOW_RANGE = 2 ** 32;
/** Stored values are one higher, so that 0 means not set. */
const MAX_OFFSET = 2 ** 40 - 2;

/** A growing list of offsets by index. */
export class Offsets {
  readonly #low: Uint32Array[] = [];
  /** The part above 2^32, for chunks that need it. A store below 4 GiB has none. */
  readonly #high: (Uint8Array | undefined)[] = [];
  /** One above the highest index that was set. */
  length = 0;

  /** Sets the offset at an index. `storeOffset`: a whole number from 0 to 2^40 - 2; else throws RangeError. */
  set(index: number, storeOffset: number): void {
    if (!(storeOffset >= 0 && storeOffset <= MAX_OFFSET))
      throw new RangeError(`expected an offset from 0 to ${MAX_OFFSET}, got ${storeOffset}`);
    const chunkIndex = Math.floor(index / CHUNK_LENGTH);
    while (this.#low.length <= chunkIndex) this.#low.push(new Uint32Array(CHUNK_LENGTH));
    this.#low[chunkIndex]![index % CHUNK_LENGTH] = (storeOffset + 1) % LOW_RANGE;
    const high = Math.floor((storeOffset + 1) / LOW_RANGE);
    if (high > 0) (this.#high[chunkIndex] ??= new Uint8Array(CHUNK_LENGTH))[index % CHUNK_LENGTH] = high;
    else if (this.#high[chunkIndex] !== undefined) this.#high[chunkIndex][index % CHUNK_LENGTH] = 0;
    if (index >= this.length) this.length = index + 1;
  }

  /** Adds an offset at the end. */
  push(storeOffset: number): void {
    this.set(this.length, storeOffset);
  }

  /** Returns the offset at an index; -1 if it was never set. */
  get(index: number): number {
    const chunkIndex = Math.floor(index / CHUNK_LENGTH);
    const low = this.#low[chunkIndex];
    return low === undefined ? -1 : (this.#high[chunkIndex]?.[index % CHUNK_LENGTH] ?? 0) * LOW_RANGE + low[index % CHUNK_LENGTH]! - 1;
  }
}

/** A list of small numbers, one for each offset: one byte each, or two in chunks with a number above 255. */
export class TagColumn {
  readonly #chunks: (Uint8Array | Uint16Array)[] = [];
  /** Number of tags. */
  length = 0;

  /** `tag`: a whole number from 0 to 65535. */
  push(tag: number): void {
    if (this.length % CHUNK_LENGTH === 0) this.#chunks.push(new Uint8Array(CHUNK_LENGTH));
    const lastChunk = this.#chunks.length - 1;
    if (tag > 0xff && this.#chunks[lastChunk] instanceof Uint8Array) this.#chunks[lastChunk] = Uint16Array.from(this.#chunks[lastChunk]);
    this.#chunks[lastChunk]![this.length++ % CHUNK_LENGTH] = tag;
  }
  /** Returns the tag at an index. */
  at(index: number): number {
    return this.#chunks[Math.floor(index / CHUNK_LENGTH)]![index % CHUNK_LENGTH]!;
  }
}
