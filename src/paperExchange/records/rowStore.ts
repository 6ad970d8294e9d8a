// Storage of text rows that are no longer in memory as objects: in large buffers, or on a disk behind an interface.

import { InvariantError } from '../../base/errors.ts';
import { Layout } from './layout.ts';
import type { RecordSpec } from './record.ts';

/** Reads records back. */
export interface StoredRecordReader {
  /** Returns the record stored at an offset. Throws ConfigError if a field is invalid. */
  read<R>(spec: RecordSpec<R>, storeOffset: number): R;
}

/** Reads rows back as text. */
interface TextReader {
  /** Returns the row stored at an offset, without its line feed. */
  read(storeOffset: number): string;
}

/** Stores rows of printable ASCII. */
export interface RowWriter {
  /** Stores a row. Returns its offset, which never changes. */
  add(row: string): number;
}

/** Returns a reader of rows that this process has written. `name` names them in errors. */
export function readerOf(rows: TextReader, name: string): StoredRecordReader {
  const layout = Layout.current(name);
  return { read: (spec, storeOffset) => layout.read(spec, rows.read(storeOffset)) };
}

const CHUNK_BYTES = 1 << 20;
/** The byte that ends a row. */
export const LINE_FEED = 10;

/** Stores rows in large memory buffers, for an exchange that is not persistent. */
export class MemoryRows implements TextReader, RowWriter {
  readonly #chunks: Buffer[] = [];
  /** Used bytes of the last buffer. */
  #usedBytes = CHUNK_BYTES;

  add(row: string): number {
    const length = row.length + 1;
    if (length > CHUNK_BYTES) throw new InvariantError(`a row of ${length} bytes exceeds the ${CHUNK_BYTES} bytes of a buffer`);
    // A row must not cross two buffers.
    if (this.#usedBytes + length > CHUNK_BYTES) {
      this.#chunks.push(Buffer.alloc(CHUNK_BYTES));
      this.#usedBytes = 0;
    }
    const chunk = this.#chunks.at(-1)!;
    chunk.write(row, this.#usedBytes, 'latin1');
    chunk[this.#usedBytes + row.length] = LINE_FEED;
    const storeOffset = (this.#chunks.length - 1) * CHUNK_BYTES + this.#usedBytes;
    this.#usedBytes += length;
    return storeOffset;
  }

  read(storeOffset: number): string {
    const chunk = this.#chunks[Math.floor(storeOffset / CHUNK_BYTES)]!;
    const from = storeOffset % CHUNK_BYTES;
    return chunk.toString('latin1', from, chunk.indexOf(LINE_FEED, from));
  }
}
