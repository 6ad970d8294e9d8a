// Stores rows in a temporary file, so that they need no memory. The file has no name and disappears with the process.

import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Rows are written in blocks of this many bytes. */
const BUFFER_BYTES = 1 << 16;
const FIRST_READ_BYTES = 1024;
const LINE_FEED = 10;

/** A file of rows of printable ASCII. Each row is found by its offset. */
export class ScratchFile {
  readonly #descriptor: number;
  /** Bytes in the file. Later bytes are still in the buffer. */
  #written = 0;
  readonly #buffer = Buffer.alloc(BUFFER_BYTES);
  #buffered = 0;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'isobar-exchange-'));
    this.#descriptor = openSync(join(folder, 'rows'), 'wx+', 0o600);
    // An open file stays usable without its name. On Windows the name stays until the process ends.
    if (process.platform !== 'win32') rmSync(folder, { recursive: true });
  }

  /** Adds a row and returns its offset. */
  add(row: string): number {
    const line = Buffer.from(`${row}\n`, 'latin1');
    if (this.#buffered + line.length > BUFFER_BYTES) this.#flush();
    const offset = this.#written + this.#buffered;
    if (line.length > BUFFER_BYTES) this.#write(line);
    else {
      line.copy(this.#buffer, this.#buffered);
      this.#buffered += line.length;
    }
    return offset;
  }

  /** Returns the row at an offset that `add` has returned. */
  read(offset: number): string {
    if (offset >= this.#written) {
      const from = offset - this.#written;
      return this.#buffer.toString('latin1', from, this.#buffer.indexOf(LINE_FEED, from));
    }
    for (let length = FIRST_READ_BYTES; ; length *= 8) {
      const bytes = Buffer.allocUnsafe(Math.min(length, this.#written - offset));
      readSync(this.#descriptor, bytes, 0, bytes.length, offset);
      const end = bytes.indexOf(LINE_FEED);
      if (end >= 0) return bytes.toString('latin1', 0, end);
    }
  }

  /** Closes the file, which frees its space. */
  close(): void {
    closeSync(this.#descriptor);
  }

  #flush(): void {
    this.#write(this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
  }
  #write(bytes: Buffer): void {
    let done = 0;
    while (done < bytes.length) done += writeSync(this.#descriptor, bytes, done, bytes.length - done, this.#written + done);
    this.#written += bytes.length;
  }
}
