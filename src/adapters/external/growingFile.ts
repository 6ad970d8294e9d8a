// Reads a text file of values that another program appends to: each read returns the new rows, and names the bad lines.

import { closeSync, fstatSync, readSync } from 'node:fs';
import { ConfigError } from '../../base/errors.ts';
import { TextFile, type ColumnNames } from '../catalog/external/externalFile.ts';
import { formatOf } from '../catalog/rows/formats.ts';
import { openRegularFile } from '../disk/regularFile.ts';

/** A value with its two times, as the file has it. */
export interface FileRow {
  readonly timeMs: number;
  readonly knownMs: number;
  readonly value: number;
}

/** The result of one read of a growing file. */
export interface NewRows {
  readonly rows: readonly FileRow[];
  /** Bad lines, and a file that cannot be read, as sentences. */
  readonly problems: readonly string[];
  /** False: there is more to read at once. */
  readonly isAtEnd: boolean;
}

/** Maximum number of bytes in one read, so that nothing else waits long. */
const MAX_READ_BYTES = 1 << 20;
const NEWLINE = 10;
/** Maximum number of bad lines that one read names. */
const MAX_NAMED_LINES = 3;

/** Reads the values that another program appends to a file. */
export class GrowingFile {
  readonly #path: string;
  readonly #names: ColumnNames;
  #header: string | null = null;
  #inode = 0;
  /** Number of bytes and lines that were read, without an unfinished last line. */
  #bytes = 0;
  #lines = 0;
  #problem: string | null = null;

  constructor(path: string, names: ColumnNames) {
    this.#path = path;
    this.#names = names;
  }

  /** Reads what was appended since the last read, up to the last line that has an end. Throws ConfigError for a file without such columns. */
  readNew(): NewRows {
    let descriptor: number;
    try {
      descriptor = openRegularFile(this.#path);
    } catch (error) {
      return this.#unreadable(error);
    }
    try {
      const { size, ino } = fstatSync(descriptor);
      // The file was replaced or cut. The caller recognises rows that it already has by their times.
      if (ino !== this.#inode || size < this.#bytes) this.#restart(ino);
      return this.#read(descriptor, size);
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      return this.#unreadable(error);
    } finally {
      closeSync(descriptor);
    }
  }

  #restart(inode: number): void {
    this.#inode = inode;
    this.#header = null;
    this.#bytes = this.#lines = 0;
  }

  /** Reads the complete lines that were added since the last read, at most `MAX_READ_BYTES`. `size`: of the file, in bytes. */
  #read(descriptor: number, size: number): NewRows {
    this.#problem = null;
    const bytes = Buffer.alloc(Math.min(MAX_READ_BYTES, size - this.#bytes));
    const byteCount = readSync(descriptor, bytes, 0, bytes.length, this.#bytes);
    const linesEnd = bytes.lastIndexOf(NEWLINE, byteCount - 1) + 1;
    if (byteCount === 0 || linesEnd === 0) {
      if (byteCount < MAX_READ_BYTES) return { rows: [], problems: [], isAtEnd: true };
      this.#bytes += byteCount;
      return {
        rows: [],
        problems: [`${this.#path}:${this.#lines + 1}: a line of more than ${MAX_READ_BYTES} bytes is left out`],
        isAtEnd: false,
      };
    }
    if (this.#bytes === 0 && formatOf(bytes, this.#path) !== 'text')
      throw new ConfigError(`${this.#path}: expected text with a header`, 'a file that grows is CSV: a header, then a line for each value');
    const lines = bytes.toString('utf8', 0, linesEnd).split(/\r?\n/);
    lines.pop();
    const fileRows = this.#rowsOf(lines);
    this.#bytes += linesEnd;
    return { ...fileRows, isAtEnd: byteCount < MAX_READ_BYTES };
  }

  /** Returns the rows of complete lines. Bad lines are left out and reported, the first ones by name. */
  #rowsOf(lines: readonly string[]): Omit<NewRows, 'isAtEnd'> {
    const textFile = new TextFile(this.#path, this.#names);
    const badLines: string[] = [];
    if (this.#header !== null) textFile.parseLine(this.#header);
    textFile.line = this.#lines;
    let goodLineCount = 0;
    for (const line of lines) {
      if (this.#header === null) {
        textFile.parseLine(line);
        if (line.trim() !== '') this.#header = line;
        continue;
      }
      try {
        textFile.parseLine(line);
        if (line.trim() !== '') goodLineCount++;
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        badLines.push(`${error.message}: left out`);
      }
    }
    this.#lines = textFile.line;
    const unnamedText =
      badLines.length > MAX_NAMED_LINES ? [`${this.#path}: ${badLines.length - MAX_NAMED_LINES} more bad lines are left out`] : [];
    const problems = [...badLines.slice(0, MAX_NAMED_LINES), ...unnamedText];
    if (goodLineCount === 0) return { rows: [], problems };
    const { timeMs, knownMs, value } = textFile.rows.finish();
    return { rows: Array.from(timeMs, (valueMs, row) => ({ timeMs: valueMs, knownMs: knownMs[row]!, value: value[row]! })), problems };
  }

  /** Reports once that the file cannot be read, until it can be read again. */
  #unreadable(error: unknown): NewRows {
    const problem = `${this.#path}: cannot be read (${causeText(error)})`;
    const isNew = problem !== this.#problem;
    this.#problem = problem;
    return { rows: [], problems: isNew ? [problem] : [], isAtEnd: true };
  }
}

/** Returns the code of an error of the system, or the message of another error. */
function causeText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}
