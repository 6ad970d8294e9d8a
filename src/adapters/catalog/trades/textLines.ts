// Reads text from chunks of bytes: line by line, or as a whole up to a maximum size.

import { ConfigError } from '../../../base/errors.ts';

/** A longer line is not a row of trades, and is not buffered. The message below has the same number. */
const MAX_LINE_LENGTH = 100_000;

/** A text that can be read once. */
export interface TextLines {
  /** Returns the first character that is not white space, or '' without one. */
  start(): Promise<string>;
  /** Calls `onLine` for each line, without its end. */
  forEachLine(onLine: (line: string) => void): Promise<void>;
  /** Returns all bytes. Throws ConfigError if the text is larger than the maximum size. */
  readAll(): Promise<Uint8Array>;
}

/**
 * Returns the text of `chunks`. When it is read line by line, only one chunk is in memory. `file`: its name in messages. `maxWholeBytes`: the
 * maximum size for `readAll`.
 */
export function textOfChunks(chunks: AsyncIterable<Uint8Array>, file: string, maxWholeBytes: number): TextLines {
  return new ChunkedText(chunks, file, maxWholeBytes);
}

/** A text that arrives in chunks of bytes. */
class ChunkedText implements TextLines {
  readonly #iterator: AsyncIterator<Uint8Array>;
  readonly #file: string;
  readonly #maxWholeBytes: number;
  /** Chunks that `start` has read. `forEachLine` and `readAll` return them again. */
  readonly #buffered: Uint8Array[] = [];

  constructor(chunks: AsyncIterable<Uint8Array>, file: string, maxWholeBytes: number) {
    this.#iterator = chunks[Symbol.asyncIterator]();
    this.#file = file;
    this.#maxWholeBytes = maxWholeBytes;
  }

  async start(): Promise<string> {
    for (let chunk = await this.#next(); chunk !== null; chunk = await this.#next()) {
      this.#buffered.push(chunk);
      const text = Buffer.from(chunk)
        .toString('utf8')
        .replace(/^\uFEFF/, '')
        .trimStart();
      if (text !== '') return text[0]!;
    }
    return '';
  }

  async forEachLine(onLine: (line: string) => void): Promise<void> {
    const decoder = new TextDecoder('utf-8', { fatal: false });
    let unfinishedLine = '';
    for await (const chunk of this.#allChunks()) {
      // A single carriage return also ends a line, except at the end of a chunk: its newline may begin the next chunk.
      const lines = (unfinishedLine + decoder.decode(chunk, { stream: true })).split(/\r?\n|\r(?!$|\n)/);
      unfinishedLine = lines.pop() ?? '';
      if (unfinishedLine.length > MAX_LINE_LENGTH)
        throw new ConfigError(`${this.#file}: a line of more than 100,000 characters`, 'fetch the file again');
      for (const line of lines) onLine(line);
    }
    if (unfinishedLine !== '') onLine(unfinishedLine);
  }

  async readAll(): Promise<Uint8Array> {
    let bytes = 0;
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#allChunks()) {
      bytes += chunk.length;
      if (bytes > this.#maxWholeBytes)
        throw new ConfigError(`${this.#file}: a JSON file of more than ${this.#maxWholeBytes} bytes`, 'split it, or use CSV');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** Returns the next chunk that was not read yet; null at the end. */
  async #next(): Promise<Uint8Array | null> {
    const result = await this.#iterator.next();
    return result.done === true ? null : result.value;
  }

  /** Returns the chunks from the first one on. */
  async *#allChunks(): AsyncIterable<Uint8Array> {
    yield* this.#buffered.splice(0);
    for (let chunk = await this.#next(); chunk !== null; chunk = await this.#next()) yield chunk;
  }
}
