// Checks rows of bars from any file: keeps valid rows in columns. A bad row ends the reading, or is set aside as a reject.
// `TextRows` and `NumberRows` fill in each row and pass it here.

import { ConfigError } from '../../../base/errors.ts';
import { pow10 } from '../../../base/number/exact.ts';
import { GrowingColumn } from '../../../base/memory/growingColumn.ts';
import { openOf, type Interval } from '../../../model/interval.ts';
import { emptyColumns, RAW, type RawColumns } from '../files/columns.ts';
import { MAX_DIGITS, MAX_TICKS, type SeenFigures } from '../records/instrumentRecord.ts';

/** Times before this are in another unit or are not times (ms UTC): the start of the year 2000. */
export const EARLIEST_MS = 946_684_800_000;
/** Times from here on are errors of a file (ms UTC): the start of the year 2100. */
export const LATEST_MS = 4_102_444_800_000;
const CHUNK_ROWS = 65_536;
/** A file with more bad rows than this cannot be fixed by omitting rows. */
const MAX_REJECTS = 100_000;
const MAX_TEXT_LENGTH = 500;

/** The rules that each row of a file must meet. `priceDigits`: maximum decimals of a price; null: no limit. */
export interface RowRules {
  /** Name of the file in messages. */
  readonly file: string;
  readonly interval: Interval;
  /** Maximum number of decimals of a price; null: as many as the file has. */
  readonly priceDigits: number | null;
  /** Round finer prices, half up, instead of rejecting them. */
  readonly roundToTick: boolean;
  /** Reject bad rows and continue, instead of stopping at the first. */
  readonly skipBad: boolean;
}

/** A bad row that was rejected. */
export interface Reject {
  /** Its place: a line of text, an element of a list, a row of a table; from 1. */
  readonly line: number;
  readonly reason: string;
  readonly text: string;
}

/** The problem of a row. */
export interface RowProblem {
  /** The wrong column; null if the row as a whole is wrong. */
  readonly column: string | null;
  readonly reason: string;
  readonly remedy: string;
}

/** The content of a file. */
export interface ParsedFile {
  readonly columns: RawColumns;
  /** The place of each row in the file, from 1. */
  readonly lines: Int32Array;
  readonly seen: SeenFigures;
  /** Time of the bar for each price that was rounded to the precision, rising. */
  readonly roundedMs: Float64Array;
  /** Number of rows that equal the row before them and were skipped. */
  readonly repeats: number;
  readonly rejects: readonly Reject[];
}

/** The current row, filled in by its reader. */
export interface CurrentRow {
  /** Time (ms UTC), open, high, low, close, volume. */
  readonly values: Float64Array;
  /** Maximum number of decimals of its prices, and that of its volume. */
  priceDigits: number;
  volumeDigits: number;
  /** Number of rounded prices. */
  rounded: number;
}

/** Collects rows in the order of the file: oldest first or newest first. */
export class RowCollector {
  /** Number of rows kept. */
  rows = 0;
  /** What a valid row is, and what happens to a bad one. */
  readonly rules: RowRules;
  /** The row that is being read. The caller fills it in and then calls `add`. */
  readonly row: CurrentRow = { values: new Float64Array(6), priceDigits: 0, volumeDigits: 0, rounded: 0 };
  /** Time and line of the last row kept. */
  lastMs = NaN;
  lastLine = 0;
  /** 1: times rise; -1: they fall; 0 until the second row. */
  direction: -1 | 0 | 1;
  private readonly placeOf: (line: number) => string;
  private chunks: { columns: Float64Array[]; lines: Int32Array }[] = [];
  private chunk: { columns: Float64Array[]; lines: Int32Array } = { columns: [], lines: new Int32Array(0) };
  private readonly roundedMs = new GrowingColumn(16);
  private readonly rejects: Reject[] = [];
  private repeats = 0;
  private priceDigits = 0;
  private volumeDigits = 0;
  private lowest = Infinity;
  private highest = 0;

  /** `placeOf` returns the place of a row for messages. `isAscendingOnly`: a file that is newest first is invalid. */
  constructor(rules: RowRules, placeOf: (line: number) => string, isAscendingOnly = false) {
    this.rules = rules;
    this.placeOf = placeOf;
    this.direction = isAscendingOnly ? 1 : 0;
  }

  /** Keeps the current row, which is at `line`. Returns false if it breaks a rule. */
  accept(line: number): boolean {
    const { values } = this.row;
    const time = values[0]!;
    const volume = values[5]!;
    if (!(time >= EARLIEST_MS && time < LATEST_MS) || openOf(this.rules.interval, time) !== time) return false;
    const open = values[1]!;
    const high = values[2]!;
    const low = values[3]!;
    const close = values[4]!;
    if (!(low > 0 && low <= open && low <= close && open <= high && close <= high)) return false;
    if (this.digits > MAX_DIGITS || high >= this.priceLimit) return false;
    if (!(volume >= 0 && volume < Infinity)) return false;
    if (!((time - this.lastMs) * this.direction > 0)) {
      if (this.equalsLastRow()) {
        this.repeats++;
        return true;
      }
      if (!this.setDirection(time)) return false;
    }
    this.store(line);
    return true;
  }

  /** Throws the problem of the row at `line`, or rejects the row. */
  refuse(line: number, { column, reason, remedy }: RowProblem, text: string): void {
    const place = this.placeOf(line);
    if (!this.rules.skipBad) {
      throw new ConfigError(`${place}${column === null ? '' : ` ${column}`}: ${reason}`, `${remedy}; nothing was imported`);
    }
    if (this.rejects.length === MAX_REJECTS) {
      throw new ConfigError(`${place}: more than ${MAX_REJECTS} bad rows`, 'fix the file where it was made; nothing was imported');
    }
    const clippedText = text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}...` : text;
    this.rejects.push({ line, reason: column === null ? reason : `${column}: ${reason}`, text: clippedText });
  }

  /** Number of decimals that the prices of the current row need. */
  get digits(): number {
    return this.rules.priceDigits ?? this.row.priceDigits;
  }

  /** Upper bound (exclusive) of a price with that many decimals. */
  get priceLimit(): number {
    return MAX_TICKS / pow10(this.digits);
  }

  /** Returns the place of a row for messages. */
  place(line: number): string {
    return this.placeOf(line);
  }

  /**
   * Returns all rows, oldest first. The chunks of each column are freed as it is made, so that memory does not double. Throws ConfigError
   * if there are no rows.
   */
  parsed(): ParsedFile {
    if (this.rows === 0) throw this.noRowsError();
    const columns = emptyColumns(this.rows);
    const lines = new Int32Array(this.rows);
    for (const [chunkIndex, chunk] of this.chunks.entries()) {
      const from = chunkIndex * CHUNK_ROWS;
      lines.set(chunk.lines.subarray(0, Math.min(CHUNK_ROWS, this.rows - from)), from);
    }
    for (const [i, name] of RAW.entries()) {
      for (const [chunkIndex, chunk] of this.chunks.entries()) {
        const from = chunkIndex * CHUNK_ROWS;
        columns[name].set(chunk.columns[i]!.subarray(0, Math.min(CHUNK_ROWS, this.rows - from)), from);
        chunk.columns[i] = new Float64Array(0);
      }
    }
    this.chunks = [];
    const roundedMs = this.roundedMs.view();
    if (this.direction < 0) for (const column of [...RAW.map((name) => columns[name]), lines, roundedMs]) column.reverse();
    const { priceDigits, volumeDigits, lowest, highest, repeats, rejects } = this;
    return { columns, lines, seen: { priceDigits, volumeDigits, lowest, highest }, roundedMs, repeats, rejects };
  }

  /** Returns the error for a file without a usable row. It names the first rejected row. */
  private noRowsError(): ConfigError {
    const [first] = this.rejects;
    if (first === undefined) return new ConfigError(`${this.rules.file}: there are no rows in it`, 'fetch the file again');
    return new ConfigError(
      `${this.placeOf(first.line)}: ${first.reason}; as all ${this.rejects.length} rows, it is bad`,
      'is this a file of bars of this symbol and interval?',
    );
  }

  private equalsLastRow(): boolean {
    const lastIndex = (this.rows - 1) % CHUNK_ROWS;
    return this.rows > 0 && this.row.values.every((value, i) => value === this.chunk.columns[i]![lastIndex]);
  }

  /** Lets the second row decide whether times rise or fall. Returns false if `time` contradicts the direction. */
  private setDirection(time: number): boolean {
    if (this.rows === 0) return true;
    if (this.direction !== 0 || time === this.lastMs) return false;
    this.direction = time > this.lastMs ? 1 : -1;
    return true;
  }

  /** Stores the current row, and keeps the extremes and decimals of all rows. `line`: its line in the file. */
  private store(line: number): void {
    const { row, rows } = this;
    const { values } = row;
    const index = rows % CHUNK_ROWS;
    if (index === 0) {
      this.chunk = { columns: RAW.map(() => new Float64Array(CHUNK_ROWS)), lines: new Int32Array(CHUNK_ROWS) };
      this.chunks.push(this.chunk);
    }
    const { columns, lines } = this.chunk;
    for (let i = 0; i < 6; i++) columns[i]![index] = values[i]!;
    lines[index] = line;
    this.lastMs = values[0]!;
    this.lastLine = line;
    const high = values[2]!;
    const low = values[3]!;
    if (low < this.lowest) this.lowest = low;
    if (high > this.highest) this.highest = high;
    if (row.priceDigits > this.priceDigits) this.priceDigits = row.priceDigits;
    if (row.volumeDigits > this.volumeDigits) this.volumeDigits = row.volumeDigits;
    for (let i = 0; i < row.rounded; i++) this.roundedMs.push(values[0]!);
    this.rows++;
  }
}
