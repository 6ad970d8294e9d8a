// Compares a table in a run folder with that of the repeated run: equal bytes, or the first cell that differs.

import { readInputFile } from '../../../adapters/disk/regularFile.ts';
import { timeText } from '../../../base/text/format.ts';
import { streamCsv } from '../../../report/summary/csvFile.ts';
import type { Table } from '../../../report/summary/tables.ts';
import { csvCells } from './storedTable.ts';

/** One difference between the folder and the repeated run. */
export interface TableDifference {
  /** `fills.csv`, `equity.arrow` ... */
  readonly file: string;
  /** The item that differs: `fill 12, price`. */
  readonly what: string;
  /** Time, instrument and side of its row; empty for the header. */
  readonly where: string;
  /** The value in the folder, and the value of the repeated run. */
  readonly recorded: string;
  readonly now: string;
}

/** How messages name a table: its file, and one of its rows. */
export interface TableNames {
  readonly file: string;
  /** `order`, `fill`, `trade`. */
  readonly row: string;
}

/** Counters shift with every earlier row. Other columns say more about a difference. */
const COUNTER_COLUMNS = ['order_id', 'trade_id', 'parent_id', 'trade'];
const NEWLINE = 0x0a;
const MAX_CELL_LENGTH = 70;

/** Returns the first difference between the file `path` and the CSV of `table`; null: all bytes are equal. */
export function tableDifference(path: string, table: Table, names: TableNames): TableDifference | null {
  const stored = readInputFile(path);
  const unequalOffset = firstUnequal(stored, table);
  if (unequalOffset === null) return null;
  const lineStart = stored.lastIndexOf(NEWLINE, unequalOffset - 1) + 1;
  const row = countLines(stored, lineStart);
  const header = table.columns.map(({ name }) => name);
  const storedLine = lineFrom(stored, lineStart);
  const repeatedLine = writtenLine(table, lineStart);
  return row === 0 ? headerDifference(header, storedLine ?? '', names) : cellDifference(header, storedLine, repeatedLine, row, names);
}

/** Returns the offset of the first byte at which `stored` differs from the CSV of `table`; null: equal. */
function firstUnequal(stored: Buffer, table: Table): number | null {
  let partStart = 0;
  let unequalOffset: number | null = null;
  streamCsv(table, (bytes) => {
    if (unequalOffset === null) {
      const part = stored.subarray(partStart, partStart + bytes.length);
      if (part.length !== bytes.length || Buffer.compare(part, bytes) !== 0) {
        const offset = part.findIndex((byte, index) => byte !== bytes[index]);
        unequalOffset = partStart + (offset < 0 ? part.length : offset);
      }
    }
    partStart += bytes.length;
  });
  return unequalOffset ?? (partStart === stored.length ? null : partStart);
}

/** Returns the line that begins at byte `start` of the CSV of `table`; null: past its end. */
function writtenLine(table: Table, start: number): string | null {
  const parts: Buffer[] = [];
  let writtenBytes = 0;
  let hasEnded = false;
  streamCsv(table, (bytes) => {
    const from = Math.max(0, start - writtenBytes);
    writtenBytes += bytes.length;
    if (hasEnded || from >= bytes.length) return;
    const end = bytes.indexOf(NEWLINE, from);
    parts.push(Buffer.from(bytes.subarray(from, end < 0 ? bytes.length : end)));
    hasEnded = end >= 0;
  });
  return parts.length === 0 ? null : Buffer.concat(parts).toString('utf8');
}

/** Returns the line that begins at `start`. Null at the end of the file. */
function lineFrom(bytes: Buffer, start: number): string | null {
  if (start >= bytes.length) return null;
  const end = bytes.indexOf(NEWLINE, start);
  return bytes.toString('utf8', start, end < 0 ? bytes.length : end);
}

/** Returns the number of lines before `end`. */
function countLines(bytes: Buffer, end: number): number {
  let lines = 0;
  for (let offset = bytes.indexOf(NEWLINE); offset >= 0 && offset < end; offset = bytes.indexOf(NEWLINE, offset + 1)) lines++;
  return lines;
}

/** Returns the first difference between the header in the folder and that of the repeated run. */
function headerDifference(header: readonly string[], storedLine: string, { file }: TableNames): TableDifference {
  const storedCells = csvCells(storedLine);
  const column = header.findIndex((name, index) => storedCells[index] !== name);
  if (column < 0) return { file, what: 'header', where: '', recorded: `${storedCells.length} columns`, now: `${header.length} columns` };
  return {
    file,
    what: `header, column ${column + 1}`,
    where: '',
    recorded: clippedCell(storedCells[column]),
    now: clippedCell(header[column]),
  };
}

/** Returns the first difference between two lines of a CSV file. A line is null if its file ends before it. */
function cellDifference(
  header: readonly string[],
  storedLine: string | null,
  repeatedLine: string | null,
  row: number,
  names: TableNames,
): TableDifference {
  const storedCells = storedLine === null ? [] : csvCells(storedLine);
  const repeatedCells = repeatedLine === null ? [] : csvCells(repeatedLine);
  const where = rowPlace(header, storedLine === null ? repeatedCells : storedCells);
  const place = `${names.row} ${row}`;
  if (storedLine === null) return { file: names.file, what: place, where, recorded: 'no such row', now: 'there' };
  if (repeatedLine === null) return { file: names.file, what: place, where, recorded: 'there', now: 'no such row' };
  const unequal = header.flatMap((name, column) => (storedCells[column] === repeatedCells[column] ? [] : [{ name, column }]));
  const first = unequal.find(({ name }) => !COUNTER_COLUMNS.includes(name)) ?? unequal[0];
  if (first === undefined)
    return { file: names.file, what: place, where, recorded: `${storedCells.length} cells`, now: `${repeatedCells.length} cells` };
  return {
    file: names.file,
    what: `${place}, ${first.name}`,
    where,
    recorded: clippedCell(storedCells[first.column]),
    now: clippedCell(repeatedCells[first.column]),
  };
}

/** Returns a cell for a message, cut to a maximum length. */
function clippedCell(cell: string | undefined): string {
  const text = cell === undefined || cell === '' ? 'empty' : cell;
  return text.length > MAX_CELL_LENGTH ? `${text.slice(0, MAX_CELL_LENGTH - 3)}...` : text;
}

/** Returns time, instrument and side of a row, as far as it has them. */
function rowPlace(header: readonly string[], cells: readonly string[]): string {
  const cell = (...names: readonly string[]) => names.map((name) => cells[header.indexOf(name)] ?? '').find((text) => text !== '') ?? '';
  const ms = Number(cell('time_ms', 'created_ms', 'entry_ms') || NaN);
  return [Number.isFinite(ms) ? timeText(ms) : '', cell('instrument'), cell('side')].filter((part) => part !== '').join(' ');
}
