// A text file of values that another program appends to: each look returns the rows that are new, and says which lines are bad.

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

/** Most bytes that one look reads, so that nothing else waits long. */
const MAX_BYTES = 1 << 20;
const NEWLINE = 10;
/** Most bad lines of a look that are named. */
const MAX_NAMED = 3;

/** Reads the values that another program appends to a file. */
export class GrowingFile {
  readonly #path: string;
  readonly #names: ColumnNames;
  #header: string | null = null;
  #inode = 0;
  /** Bytes and lines that were read: whole lines alone. */
  #bytes = 0;
  #lines = 0;
  #problem: string | null = null;

  constructor(path: string, names: ColumnNames) {
    this.#path = path;
    this.#names = names;
  }

  /** Reads what was appended since the last look, up to the last line that has an end. Throws ConfigError for a file without such columns. */
  readNew(): NewRows {
    let descriptor: number;
    try {
      descriptor = openRegularFile(this.#path);
    } catch (error) {
      return this.#unreadable(error);
    }
    try {
      const { size, ino } = fstatSync(descriptor);
      // Another file of that name, or one that was cut: its rows that are known already are found by their times.
      if (ino !== this.#inode || size < this.#bytes) this.#beginAnew(ino);
      return this.#read(descriptor, size);
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      return this.#unreadable(error);
    } finally {
      closeSync(descriptor);
    }
  }

  #beginAnew(inode: number): void {
    this.#inode = inode;
    this.#header = null;
    this.#bytes = this.#lines = 0;
  }

  /** Reads the complete lines that were added since the last read, at most `MAX_BYTES`. `size`: of the file, in bytes. */
  #read(descriptor: number, size: number): NewRows {
    this.#problem = null;
    const bytes = Buffer.alloc(Math.min(MAX_BYTES, size - this.#bytes));
    const count = readSync(descriptor, bytes, 0, bytes.length, this.#bytes);
    const end = bytes.lastIndexOf(NEWLINE, count - 1) + 1;
    if (count === 0 || end === 0) {
      if (count < MAX_BYTES) return { rows: [], problems: [], isAtEnd: true };
      this.#bytes += count;
      return {
        rows: [],
        problems: [`${this.#path}:${this.#lines + 1}: a line of more than ${MAX_BYTES} bytes is left out`],
        isAtEnd: false,
      };
    }
    if (this.#bytes === 0 && formatOf(bytes, this.#path) !== 'text')
      throw new ConfigError(`${this.#path}: expected text with a header`, 'a file that grows is CSV: a header, then a line for each value');
    const lines = bytes.toString('utf8', 0, end).split(/\r?\n/);
    lines.pop();
    const fileRows = this.#rowsOf(lines);
    this.#bytes += end;
    return { ...fileRows, isAtEnd: count < MAX_BYTES };
  }

  /** Returns the rows of complete lines. Bad lines are left out and reported, the first ones by name. */
  #rowsOf(lines: readonly string[]): Omit<NewRows, 'isAtEnd'> {
    const text = new TextFile(this.#path, this.#names);
    const bad: string[] = [];
    if (this.#header !== null) text.parseLine(this.#header);
    text.line = this.#lines;
    let good = 0;
    for (const line of lines) {
      if (this.#header === null) {
        text.parseLine(line);
        if (line.trim() !== '') this.#header = line;
        continue;
      }
      try {
        text.parseLine(line);
        if (line.trim() !== '') good++;
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        bad.push(`${error.message}: left out`);
      }
    }
    this.#lines = text.line;
    const more = bad.length > MAX_NAMED ? [`${this.#path}: ${bad.length - MAX_NAMED} more bad lines are left out`] : [];
    const problems = [...bad.slice(0, MAX_NAMED), ...more];
    if (good === 0) return { rows: [], problems };
    const { timeMs, knownMs, value } = text.rows.done();
    return { rows: Array.from(timeMs, (ms, row) => ({ timeMs: ms, knownMs: knownMs[row]!, value: value[row]! })), problems };
  }

  /** Says once that the file cannot be read, until it can. */
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
