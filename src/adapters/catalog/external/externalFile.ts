// Reads a file of an external series: text with a header (comma, semicolon or tab; plain, gzip or zip), an Arrow file (feather) or a Parquet
// file.

import { ConfigError } from '../../../base/errors.ts';
import { GrowingColumn } from '../../../base/memory/growingColumn.ts';
import { ArrowFile, withArrowFile } from '../arrow/arrowReader.ts';
import { loadInflate } from '../arrow/inflate.ts';
import type { TableField, TableFile } from '../parquet/tableFile.ts';
import { inspectFile, openPacked, unpackError } from '../readers/packedFile.ts';
import { formatOf, isTableFormat, type TableFormat } from '../rows/formats.ts';
import { EARLIEST_MS, LATEST_MS } from '../rows/rowCollector.ts';
import { msOfDate, msOfUnix } from '../rows/timeText.ts';
import type { ValueKind } from './externalSeries.ts';

/** The columns of a file, by their names in it. */
export interface ColumnNames {
  readonly time: string;
  readonly knownAt: string;
  /** Null: the column is detected. It is named like the series or `value`, or is the only column beside the times. */
  readonly value: string | null;
  readonly series: string;
}

/** Rows in the order of the file. `line` is the line or row of each one, from 1. */
export interface ReadRows {
  readonly file: string;
  readonly kind: ValueKind;
  readonly knownMs: Float64Array;
  readonly timeMs: Float64Array;
  readonly value: Float64Array;
  readonly line: Float64Array;
}

const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,3})?$/;
const COMMA_NUMBER = /^[-+]?(\d+(,\d*)?|,\d+)([eE][-+]?\d{1,3})?$/;
const FLAGS: ReadonlyMap<string, number> = new Map([['true', 1], ['false', 0]]); // prettier-ignore
const MAX_LINE_LENGTH = 100_000;

/** Reads all rows, in any order. Throws ConfigError with file and line of the first bad row. */
export async function readExternal(path: string, names: ColumnNames): Promise<ReadRows> {
  const head = inspectFile(path);
  const format = head.packing === 'none' ? formatOf(head.bytes, path) : 'text';
  if (isTableFormat(format)) return readTableFile(path, format, names);
  const { chunks } = openPacked(path, head);
  const textFile = new TextFile(path, names);
  try {
    const decoder = new TextDecoder('utf-8', { fatal: false });
    let unfinishedLine = '';
    let isFirst = true;
    for await (const chunk of chunks) {
      if (isFirst && formatOf(chunk, path) !== 'text')
        throw new ConfigError(
          `${path}: expected text with a header, or an Arrow or Parquet file that is not packed`,
          'write it as CSV, feather or Parquet',
        );
      isFirst = false;
      // A carriage return alone ends a line too, except at the end of a chunk: the newline may follow in the next one.
      const lines = (unfinishedLine + decoder.decode(chunk, { stream: true })).split(/\r?\n|\r(?!$|\n)/);
      unfinishedLine = lines.pop() ?? '';
      if (unfinishedLine.length > MAX_LINE_LENGTH)
        throw new ConfigError(`${path}: a line of more than ${MAX_LINE_LENGTH} characters`, 'fetch the file again');
      for (const line of lines) textFile.parseLine(line);
    }
    textFile.parseLine((unfinishedLine + decoder.decode()).replace(/\r$/, ''));
  } catch (error) {
    throw unpackError(path, head, `line ${textFile.line}`, error);
  }
  return textFile.rows.finish();
}

/** Parses the lines of a text file, one after the other. A bad line throws and leaves the rows unchanged. */
export class TextFile {
  /** Number of lines read. */
  line = 0;
  /** The rows that were parsed. */
  readonly rows: ExternalRows;
  private readonly path: string;
  private readonly names: ColumnNames;
  private separator = ',';
  private width = 0;
  /** Positions of time, known-at and value among the columns; null before the header. */
  private positions: readonly number[] | null = null;
  /** The decimal sign of the file; null until a value has one. Files with semicolons may have decimal commas. */
  private decimalSign: '.' | ',' | null = null;

  constructor(path: string, names: ColumnNames) {
    this.path = path;
    this.names = names;
    this.rows = new ExternalRows(path);
  }

  /** Parses the next line. The first line that is not empty is the header. */
  parseLine(text: string): void {
    this.line++;
    if (text.trim() === '') return;
    if (this.positions === null) {
      const header = text.replace(/^\uFEFF/, '');
      const countOf = (separator: string): number => cellsOf(header, separator).length;
      this.separator = [',', ';', '\t'].reduce((best, separator) => (countOf(separator) > countOf(best) ? separator : best));
      const names = cellsOf(header, this.separator);
      this.width = names.length;
      this.positions = columnPositions(names, this.path, this.names);
      return;
    }
    const cells = cellsOf(text, this.separator);
    // A decimal comma in a file with commas would otherwise cut a number short.
    if (cells.length !== this.width)
      throw this.rows.badRowError(this.line, `expected ${this.width} cells as in the header, got ${cells.length}`);
    const [time = '', knownAt = '', value = ''] = this.positions.map((position) => cells[position] ?? '');
    const timeMs = parseTimeText(time, false);
    if (timeMs === null) throw this.rows.badRowError(this.line, `expected a time, got ${JSON.stringify(time)}`);
    const knownMs = parseTimeText(knownAt, true);
    if (knownMs === null) throw this.rows.badRowError(this.line, `expected the time at which it was known, got ${JSON.stringify(knownAt)}`);
    const flag = FLAGS.get(value.toLowerCase());
    if (flag !== undefined) this.rows.push(this.line, timeMs, knownMs, flag, 'flag');
    else this.rows.push(this.line, timeMs, knownMs, this.parseValue(value), 'number');
  }

  /**
   * Returns the number of a cell with a point or a comma as decimal sign. Throws ConfigError if it is not a number, or if the file has used
   * the other sign before.
   */
  private parseValue(cell: string): number {
    const hasComma = this.separator !== ',' && cell.includes(',') && COMMA_NUMBER.test(cell);
    if (!hasComma && !NUMBER.test(cell))
      throw this.rows.badRowError(this.line, `expected a number, true or false, got ${JSON.stringify(cell)}`);
    const pointOfCell = cell.includes('.') ? '.' : null;
    const signOfCell = hasComma ? ',' : pointOfCell;
    if (signOfCell !== null && this.decimalSign !== null && signOfCell !== this.decimalSign)
      throw this.rows.badRowError(
        this.line,
        `the decimal sign before was ${JSON.stringify(this.decimalSign)}, here it is ${JSON.stringify(signOfCell)}`,
      );
    this.decimalSign ??= signOfCell;
    return Number(cell.replace(',', '.'));
  }
}

/** Reads the named columns of a Parquet or Arrow file. Throws ConfigError for a missing column or another type. */
async function readTableFile(path: string, format: TableFormat, names: ColumnNames): Promise<ReadRows> {
  if (format === 'parquet') {
    // Loaded on demand: only an import reads such files, and a bot starts faster with fewer files.
    const { withParquetFile } = await import('../parquet/parquetFile.ts');
    return withParquetFile(path, async (file) => {
      const columns = columnsOf(file, path, names);
      await file.load(columns);
      return rowsOf(file, columns, path);
    });
  }
  const inflate = await loadInflate();
  return withArrowFile(path, (file) => rowsOf(file, columnsOf(file, path, names), path), inflate);
}

function columnsOf({ fields }: TableFile, path: string, names: ColumnNames): readonly string[] {
  const header = fields.map(({ name }) => name);
  return columnPositions(header, path, names).map((position) => header[position]!);
}

/** Returns the rows of a table: time, time at which the value became known, value. */
function rowsOf(file: TableFile, [time, knownAt, value]: readonly string[], path: string): ReadRows {
  const timeMs = timesIn(file, time!, path);
  const knownMs = timesIn(file, knownAt!, path);
  const { values, kind } = valuesIn(file, value!, path);
  const rows = new ExternalRows(path);
  for (let row = 0; row < file.rows; row++) {
    // Round to whole ms so that no value is known too early.
    rows.push(row + 1, Math.floor(timeMs[row]!), Math.ceil(knownMs[row]!), values[row]!, kind);
  }
  return rows.finish();
}

function kindOf({ fields }: TableFile, name: string): TableField['kind'] {
  return fields.find((field) => field.name === name)!.kind;
}

/** Returns a column of times, ms UTC, perhaps with fractions. Throws ConfigError for another type. */
function timesIn(file: TableFile, name: string, path: string): Float64Array {
  const kind = kindOf(file, name);
  if (kind !== 'timestamp' && kind !== 'int64')
    throw new ConfigError(`${path}: column ${name}: expected times, got ${kind ?? 'another type'}`, 'write it as datetime64');
  const into = new Float64Array(file.rows);
  file.readTimes(name, 0, into);
  return into;
}

/** Returns a column of numbers or flags. Throws ConfigError for another type. */
function valuesIn(file: TableFile, name: string, path: string): { readonly values: Float64Array; readonly kind: ValueKind } {
  const kind = kindOf(file, name);
  const values = new Float64Array(file.rows);
  if (kind === 'float64' || kind === 'int64' || kind === 'flag') file.readFloats(name, 0, values);
  else if (kind === 'int32' && file instanceof ArrowFile) {
    const integers = new Int32Array(file.rows);
    file.readInts(name, 0, integers);
    values.set(integers);
  } else
    throw new ConfigError(
      `${path}: column ${name}: expected numbers (float64 or int32) or flags, got ${kind ?? 'another type'}`,
      'write it as float64',
    );
  return { values, kind: kind === 'flag' ? 'flag' : 'number' };
}

/** Collects rows in the order of the file. */
class ExternalRows {
  private readonly path: string;
  private kind: ValueKind | null = null;
  private readonly columns = {
    line: new GrowingColumn(),
    timeMs: new GrowingColumn(),
    knownMs: new GrowingColumn(),
    value: new GrowingColumn(),
  };

  constructor(path: string) {
    this.path = path;
  }

  /** Adds a row. Throws ConfigError for a time outside 2000 to 2099, for a value that is not finite, and for another kind of value than before. */
  push(line: number, timeMs: number, knownMs: number, value: number, kind: ValueKind): void {
    for (const ms of [timeMs, knownMs])
      if (!(ms >= EARLIEST_MS && ms < LATEST_MS)) throw this.badRowError(line, `expected a time of the years 2000 to 2099, got ${ms}`);
    if (!Number.isFinite(value))
      throw this.badRowError(line, Number.isNaN(value) ? 'expected a value, got none' : 'the value is too large for a number');
    this.kind ??= kind;
    if (kind !== this.kind) throw this.badRowError(line, `expected a ${this.kind} as in the rows before, got a ${kind}`);
    const { columns } = this;
    columns.line.push(line);
    columns.timeMs.push(timeMs);
    columns.knownMs.push(knownMs);
    // Adding 0 turns minus zero into zero. The two are equal, but would give different hashes.
    columns.value.push(value + 0);
  }

  /** Returns all added rows. Throws ConfigError if there are none. */
  finish(): ReadRows {
    const { line, timeMs, knownMs, value } = this.columns;
    if (this.kind === null) throw new ConfigError(`${this.path}: there are no rows in it`, 'fetch the file again');
    return { file: this.path, kind: this.kind, line: line.view(), timeMs: timeMs.view(), knownMs: knownMs.view(), value: value.view() };
  }

  /** Returns the error for a bad row. */
  badRowError(line: number, reason: string): ConfigError {
    return new ConfigError(`${this.path}:${line}: ${reason}`, 'correct the row, or fetch the file again; nothing was imported');
  }
}

/** Returns the positions of time, known-at and value among the columns. */
function columnPositions(header: readonly string[], path: string, { time, knownAt, value, series }: ColumnNames): readonly number[] {
  const columnsText = header.slice(0, 20).join(', ');
  const positionOf = (name: string, option: string): number => {
    const position = header.indexOf(name);
    if (position < 0)
      throw new ConfigError(`${path}: expected a column ${name} (${option}), found ${columnsText}`, `name another: ${option} COLUMN`);
    if (header.lastIndexOf(name) !== position)
      throw new ConfigError(`${path}: expected one column ${name}, got several`, 'give each column a name of its own');
    return position;
  };
  const timePosition = positionOf(time, '--time');
  const knownPosition = positionOf(knownAt, '--known-at');
  const valueName = value ?? [series, 'value'].find((name) => header.includes(name));
  if (valueName !== undefined) return [timePosition, knownPosition, positionOf(valueName, '--value')];
  // Columns without a name, such as the index of pandas, hold no values.
  const isOther = (name: string, position: number) => position !== timePosition && position !== knownPosition && name !== '';
  const others = header.flatMap((name, position) => (isOther(name, position) ? [position] : []));
  if (others.length === 1) return [timePosition, knownPosition, others[0]!];
  throw new ConfigError(
    `${path}: expected a column ${series} or value, or one column beside the times, found ${columnsText}`,
    'name the column of the values: --value COLUMN',
  );
}

/** Returns the cells of a line. A cell in double quotes may contain the separator. */
function cellsOf(line: string, separator: string): string[] {
  if (!line.includes('"')) return line.split(separator).map((cell) => cell.trim());
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let position = 0; position < line.length; position++) {
    const character = line[position]!;
    if (character === '"' && isQuoted && line[position + 1] === '"') {
      // Two double quotes inside a quoted cell mean one.
      cell += '"';
      position++;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      cells.push(cell.trim());
      cell = '';
    } else cell += character;
  }
  return [...cells, cell.trim()];
}

/** Returns a time in whole ms; null if the text is not a time. A finer part is rounded down, or up if `roundsUp`. */
function parseTimeText(text: string, roundsUp: boolean): number | null {
  if (/^\d+$/.test(text)) {
    const ms = msOfUnix(Number(text));
    if (Number.isNaN(ms)) return null;
    return roundsUp ? Math.ceil(ms) : Math.floor(ms);
  }
  const [, digitsBelowMs = ''] = /\.\d{3}(\d+)/.exec(text) ?? [];
  const ms = msOfDate(text.replace(/(\.\d{3})\d+/, '$1'));
  if (ms === null) return null;
  return roundsUp && /[1-9]/.test(digitsBelowMs) ? ms + 1 : ms;
}
