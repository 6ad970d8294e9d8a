// Splits a stream of bytes into lines, and reports lines that are too long.

const NEWLINE = 0x0a;

/** Splits one stream, whose bytes arrive in chunks. */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #onLine: (line: string | null) => void;
  /** The parts of the current line. Empty once the line is too long. */
  #parts: Buffer[] = [];
  #lineBytes = 0;

  /** Calls `onLine` with each line, and with null for a line of more than `maxBytes`. */
  constructor(maxBytes: number, onLine: (line: string | null) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  /** Takes the next bytes of the stream. */
  addChunk(chunk: Buffer): void {
    let lineStart = 0;
    for (let newline = chunk.indexOf(NEWLINE); newline >= 0; newline = chunk.indexOf(NEWLINE, lineStart)) {
      this.#append(chunk.subarray(lineStart, newline));
      this.#endLine();
      lineStart = newline + 1;
    }
    this.#append(chunk.subarray(lineStart));
  }

  /** Ends the stream. The bytes after the last newline are a line too. */
  end(): void {
    if (this.#lineBytes > 0) this.#endLine();
  }

  #append(part: Buffer): void {
    this.#lineBytes += part.length;
    if (this.#lineBytes <= this.#maxBytes) this.#parts.push(part);
    else this.#parts = [];
  }

  #endLine(): void {
    const line = this.#lineBytes > this.#maxBytes ? null : Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#lineBytes = 0;
    this.#onLine(line);
  }
}
