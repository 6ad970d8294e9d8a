// Reads text from chunks of bytes: line by line, or as a whole up to a maximum size.

import { ConfigError } from '../../../base/errors.ts';

/** A text that can be read once. */
export interface TextLines {
  /** Returns the first character that is not white space, or '' without one. */
  start(): Promise<string>;
  /** Calls `take` for each line, without its end. */
  lines(take: (line: string) => void): Promise<void>;
  /** Returns all bytes. Throws ConfigError for more than the limit. */
  whole(): Promise<Uint8Array>;
}

/** Returns the text of `chunks`. Only the current part is in memory. `file` is its name in messages. */
export function textOfChunks(chunks: AsyncIterable<Uint8Array>, file: string, maxWholeBytes: number): TextLines {
  const iterator = chunks[Symbol.asyncIterator]();
  /** Chunks that `start` has read. They are read again by `lines` and `whole`. */
  const buffered: Uint8Array[] = [];
  const next = async (): Promise<Uint8Array | null> => {
    const result = await iterator.next();
    return result.done === true ? null : result.value;
  };
  async function* allChunks(): AsyncIterable<Uint8Array> {
    yield* buffered.splice(0);
    for (let chunk = await next(); chunk !== null; chunk = await next()) yield chunk;
  }
  return {
    async start() {
      for (let chunk = await next(); chunk !== null; chunk = await next()) {
        buffered.push(chunk);
        const text = Buffer.from(chunk)
          .toString('utf8')
          .replace(/^\uFEFF/, '')
          .trimStart();
        if (text !== '') return text[0]!;
      }
      return '';
    },
    async lines(take) {
      const decoder = new TextDecoder('utf-8', { fatal: false });
      let rest = '';
      for await (const chunk of allChunks()) {
        // A single carriage return also ends a line, except at the end of a chunk: its newline may begin the next chunk.
        const parts = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n|\r(?!$|\n)/);
        rest = parts.pop() ?? '';
        if (rest.length > 100_000) throw new ConfigError(`${file}: a line of more than 100,000 characters`, 'fetch the file again');
        for (const line of parts) take(line);
      }
      if (rest !== '') take(rest);
    },
    async whole() {
      let bytes = 0;
      const parts: Uint8Array[] = [];
      for await (const chunk of allChunks()) {
        bytes += chunk.length;
        if (bytes > maxWholeBytes)
          throw new ConfigError(`${file}: a JSON file of more than ${maxWholeBytes} bytes`, 'split it, or use CSV');
        parts.push(chunk);
      }
      return Buffer.concat(parts);
    },
  };
}
