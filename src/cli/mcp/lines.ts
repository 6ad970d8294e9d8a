// Splits a stream of bytes into lines. A line that is too long is dropped and reported.

const NEWLINE = 0x0a;

export class Lines {
  readonly #maxBytes: number;
  readonly #take: (line: string | null) => void;
  #parts: Buffer[] = [];
  #bytes = 0;

  /** `take` gets each line, or null for a line of more than `maxBytes`. */
  constructor(maxBytes: number, take: (line: string | null) => void) {
    this.#maxBytes = maxBytes;
    this.#take = take;
  }

  add(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#append(chunk.subarray(from, at));
      this.#end();
      from = at + 1;
    }
    this.#append(chunk.subarray(from));
  }

  /** Ends the stream. The bytes after the last newline are a line too. */
  end(): void {
    if (this.#bytes > 0) this.#end();
  }

  #append(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes <= this.#maxBytes) this.#parts.push(part);
    else this.#parts = [];
  }

  #end(): void {
    const line = this.#bytes > this.#maxBytes ? null : Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#bytes = 0;
    this.#take(line);
  }
}
