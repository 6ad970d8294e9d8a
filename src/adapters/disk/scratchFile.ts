// A temporary file for rows that should not stay in memory. It has no name and disappears with the process.

import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Rows are written in blocks of this many bytes. */
const BUFFER_BYTES = 1 << 16;
const PIECE_BYTES = 1024;
const LINE_FEED = 10;

/** Rows of printable ASCII, each found by its offset. */
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

  add(row: string): number {
    const line = Buffer.from(`${row}\n`, 'latin1');
    if (this.#buffered + line.length > BUFFER_BYTES) this.#flush();
    const place = this.#written + this.#buffered;
    if (line.length > BUFFER_BYTES) this.#write(line);
    else {
      line.copy(this.#buffer, this.#buffered);
      this.#buffered += line.length;
    }
    return place;
  }

  read(place: number): string {
    if (place >= this.#written) {
      const from = place - this.#written;
      return this.#buffer.toString('latin1', from, this.#buffer.indexOf(LINE_FEED, from));
    }
    for (let length = PIECE_BYTES; ; length *= 8) {
      const bytes = Buffer.allocUnsafe(Math.min(length, this.#written - place));
      readSync(this.#descriptor, bytes, 0, bytes.length, place);
      const end = bytes.indexOf(LINE_FEED);
      if (end >= 0) return bytes.toString('latin1', 0, end);
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #flush(): void {
    this.#write(this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
  }
  #write(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) at += writeSync(this.#descriptor, bytes, at, bytes.length - at, this.#written + at);
    this.#written += bytes.length;
  }
}
