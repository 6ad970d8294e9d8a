// Reads a bar file, plain or gzip, as a stream of lines.

import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ConfigError } from '../../base/errors.ts';
import type { RawColumns } from './columns.ts';
import { RowCollector, type RowRules } from './csvRows.ts';
import { fileError } from './fileError.ts';
import type { SeenFigures } from './instrumentRecord.ts';

export interface ParsedFile {
  readonly columns: RawColumns;
  readonly seen: SeenFigures;
  /** The time of the bar of each price that was rounded to the precision, rising. */
  readonly roundedMs: Float64Array;
}

/** Rows so far, and the share of the file that was read (0 to 1). */
export type ReadProgress = (rows: number, share: number) => void;

/** A longer line is no row of bars, and is not collected. */
const LONGEST_LINE = 65_536;
const CHUNK_BYTES = 1 << 18;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Reads all rows of the file. Throws ConfigError that names file, line and column at the first row that is not sound. */
export async function readCsv(path: string, rules: RowRules, onProgress: ReadProgress = () => {}): Promise<ParsedFile> {
  const { size, gzip } = inspectFile(path);
  const rows = new RowCollector(rules);
  const lines = new LineSplitter(rows);
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  // Errors of either stream come out of the iteration below.
  const bytes: AsyncIterable<Uint8Array> = gzip ? pipeline(file, createGunzip({ chunkSize: CHUNK_BYTES }), () => {}) : file;
  try {
    for await (const chunk of bytes) {
      lines.take(chunk);
      onProgress(rows.rows, file.bytesRead / size);
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!code.startsWith('Z_')) throw fileError(path, 'cannot be read', error);
    throw new ConfigError(`${path}: the gzip data is damaged or ends early, after line ${lines.count}`, 'fetch the file again');
  }
  lines.finish();
  if (lines.count === 0) throw new ConfigError(`${path}: the file is empty`, 'fetch the file again');
  if (rows.rows === 0) throw new ConfigError(`${path}: a header, but no rows`, 'fetch the file again');
  return { columns: rows.columns(), seen: rows.figures(), roundedMs: rows.roundedMs.view() };
}

/** Size, and whether the first bytes are those of gzip; the name does not count. Throws ConfigError when there is no such file. */
export function inspectFile(path: string): { size: number; gzip: boolean } {
  try {
    const file = openSync(path, 'r');
    try {
      const head = new Uint8Array(2);
      const got = readSync(file, head, 0, 2, 0);
      return { size: Math.max(1, fstatSync(file).size), gzip: got === 2 && head[0] === 0x1f && head[1] === 0x8b };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw fileError(path, 'cannot be read', error);
  }
}

/** Cuts a stream of bytes into lines; only the unfinished last line of a chunk is kept. */
class LineSplitter {
  count = 0;
  private rest: Buffer = Buffer.alloc(0);
  private readonly rows: RowCollector;

  constructor(rows: RowCollector) {
    this.rows = rows;
  }

  take(bytes: Uint8Array): void {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    if (this.rest.length > 0) {
      const end = chunk.indexOf(NEWLINE);
      const piece = end < 0 ? chunk : chunk.subarray(0, end);
      this.checkLength(this.rest.length + piece.length);
      this.rest = Buffer.concat([this.rest, piece]);
      if (end < 0) return;
      this.line(this.rest, 0, this.rest.length);
      at = end + 1;
    }
    for (let end = chunk.indexOf(NEWLINE, at); end >= 0; end = chunk.indexOf(NEWLINE, at)) {
      this.line(chunk, at, end);
      at = end + 1;
    }
    this.checkLength(chunk.length - at);
    this.rest = Buffer.from(chunk.subarray(at));
  }

  /** The last line may lack its end. */
  finish(): void {
    if (this.rest.length > 0) this.line(this.rest, 0, this.rest.length);
  }

  private line(bytes: Buffer, from: number, to: number): void {
    this.checkLength(to - from);
    this.count++;
    this.rows.take(bytes, from, to > from && bytes[to - 1] === RETURN ? to - 1 : to);
  }

  private checkLength(bytes: number): void {
    if (bytes <= LONGEST_LINE) return;
    throw new ConfigError(
      `${this.rows.place()}: a line of more than ${LONGEST_LINE} bytes`,
      'this is no file of bars, or its line ends are lost',
    );
  }
}
