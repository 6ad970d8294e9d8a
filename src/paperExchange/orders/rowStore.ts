// Where rows of text lie that are no longer at hand: in memory without an object for each, or behind a hole to a disk.

import { InvariantError } from '../../base/errors.ts';

/** Finds rows again. */
export interface RowReader {
  /** The row that was put at a place, without its line feed. */
  read(place: number): string;
}

/** Takes rows of printable ASCII; each has a place then, which never changes. */
export interface RowWriter {
  add(row: string): number;
}

const CHUNK_BYTES = 1 << 20;
export const LINE_FEED = 10;

/** Rows in large pieces of memory, for an exchange that nobody asks to last. */
export class MemoryRows implements RowReader, RowWriter {
  readonly #chunks: Buffer[] = [];
  #bytes = CHUNK_BYTES;

  add(row: string): number {
    const length = row.length + 1;
    if (length > CHUNK_BYTES) throw new InvariantError(`a row of ${length} bytes is more than a piece of memory holds`);
    // A row does not lie across two pieces.
    if (this.#bytes + length > CHUNK_BYTES) {
      this.#chunks.push(Buffer.alloc(CHUNK_BYTES));
      this.#bytes = 0;
    }
    const chunk = this.#chunks.at(-1)!;
    chunk.write(row, this.#bytes, 'latin1');
    chunk[this.#bytes + row.length] = LINE_FEED;
    const place = (this.#chunks.length - 1) * CHUNK_BYTES + this.#bytes;
    this.#bytes += length;
    return place;
  }

  read(place: number): string {
    const chunk = this.#chunks[Math.floor(place / CHUNK_BYTES)]!;
    const from = place % CHUNK_BYTES;
    return chunk.toString('latin1', from, chunk.indexOf(LINE_FEED, from));
  }
}
