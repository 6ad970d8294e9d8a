// Long lists of whole numbers below 2^40, for offsets in the store. Each takes four bytes (five beyond 2^32), and growing never copies.

/** Numbers in a chunk, a power of two. */
const CHUNK = 1 << 14;
const LOW = 2 ** 32;
/** Stored values are one higher, so that 0 means not set. */
const MAX_OFFSET = 2 ** 40 - 2;

/** A growing list of offsets by index. */
export class Offsets {
  readonly #low: Uint32Array[] = [];
  /** The part above 2^32, for chunks that need it. A store below 4 GiB has none. */
  readonly #high: (Uint8Array | undefined)[] = [];
  /** One above the highest index that was set. */
  length = 0;

  /** Sets the offset at an index. `place`: a whole number from 0 to 2^40 - 2; else throws RangeError. */
  set(index: number, place: number): void {
    if (!(place >= 0 && place <= MAX_OFFSET)) throw new RangeError(`expected a place from 0 to ${MAX_OFFSET}, got ${place}`);
    const chunkIndex = Math.floor(index / CHUNK);
    while (this.#low.length <= chunkIndex) this.#low.push(new Uint32Array(CHUNK));
    this.#low[chunkIndex]![index % CHUNK] = (place + 1) % LOW;
    const high = Math.floor((place + 1) / LOW);
    if (high > 0) (this.#high[chunkIndex] ??= new Uint8Array(CHUNK))[index % CHUNK] = high;
    else if (this.#high[chunkIndex] !== undefined) this.#high[chunkIndex][index % CHUNK] = 0;
    if (index >= this.length) this.length = index + 1;
  }

  /** Adds an offset at the end. */
  push(place: number): void {
    this.set(this.length, place);
  }

  /** Returns the offset at an index; -1 if it was never set. */
  get(index: number): number {
    const chunkIndex = Math.floor(index / CHUNK);
    const low = this.#low[chunkIndex];
    return low === undefined ? -1 : (this.#high[chunkIndex]?.[index % CHUNK] ?? 0) * LOW + low[index % CHUNK]! - 1;
  }
}

/** A list of small numbers, one for each offset: one byte each, or two in chunks with a number above 255. */
export class TagColumn {
  readonly #chunks: (Uint8Array | Uint16Array)[] = [];
  /** Number of tags. */
  length = 0;

  /** `tag`: a whole number from 0 to 65535. */
  push(tag: number): void {
    if (this.length % CHUNK === 0) this.#chunks.push(new Uint8Array(CHUNK));
    const lastChunk = this.#chunks.length - 1;
    if (tag > 0xff && this.#chunks[lastChunk] instanceof Uint8Array) this.#chunks[lastChunk] = Uint16Array.from(this.#chunks[lastChunk]);
    this.#chunks[lastChunk]![this.length++ % CHUNK] = tag;
  }
  /** Returns the tag at an index. */
  at(index: number): number {
    return this.#chunks[Math.floor(index / CHUNK)]![index % CHUNK]!;
  }
}
