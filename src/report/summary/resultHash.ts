// Computes the result hash: SHA-256 over orders, fills and equity as in the files of the run folder (docs/run-folder.md).

import { createHash, type Hash } from 'node:crypto';
import { endianness } from 'node:os';
import { pow10 } from '../../base/number/exact.ts';
import type { RunRecord } from '../../model/run/run.ts';
import type { StreamedFigures } from '../../model/run/streamed.ts';
import { fillsTable, ordersTable, type LabelColumn, type NumberColumn, type Table } from './tables.ts';

/** Returns the result hash in lower-case hex. It does not depend on wall time, block size, worker count or machine. */
export function resultHash(record: RunRecord): string {
  const { streamed } = record;
  if (streamed !== undefined) return streamedHash(record, streamed);
  return tablesHash([ordersTable(record), fillsTable(record), equityTable(record)]);
}

/** A column of numbers with the same number of digits, none of them empty. */
const PLAIN_NUMBERS = { kind: 'number', digitsAt: null, emptyAt: NaN } as const;

/** Instants of equity that are read at a time from a streamed run. */
const PART_ROWS = 65_536;

/** Returns the result hash of a record whose equity is read in parts: first the times of all parts, then the equity. */
function streamedHash(record: RunRecord, streamed: StreamedFigures): string {
  const hash = createHash('sha256');
  for (const table of [ordersTable(record), fillsTable(record)]) addTable(hash, table);
  for (const parts of [streamed.timeParts(PART_ROWS), streamed.equityParts(PART_ROWS)]) {
    for (const values of parts) addNumbers(hash, { ...PLAIN_NUMBERS, name: '', values, digits: [0] }, values.length);
  }
  return hash.digest('hex');
}

/** Returns the result hash from the tables of a run folder: orders, fills, equity, in this order. */
export function tablesHash(tables: readonly Table[]): string {
  const hash = createHash('sha256');
  for (const table of tables) addTable(hash, table);
  return hash.digest('hex');
}

/** Returns the metadata of equity.arrow. */
export function equityMetadata({ name, reportingAsset }: Pick<RunRecord, 'name' | 'reportingAsset'>, hash: string): Record<string, string> {
  return { name, asset: reportingAsset, result_hash: hash };
}

/** Returns the columns of equity.arrow for the file writer. The writer divides the units by `divisor`. */
export function equityToWrite({ equity, reportingDigits }: RunRecord) {
  const filledRows = (column: Float64Array): Float64Array => column.subarray(0, equity.length);
  return [
    { name: 'time_ms', kind: 'timestamp', values: filledRows(equity.timeMs) },
    { name: 'equity', kind: 'float64', values: filledRows(equity.units), divisor: pow10(reportingDigits) },
  ] as const;
}

/** Returns the columns of equity.arrow. `equity` is in the reporting asset. */
export function equityColumns(record: RunRecord) {
  const { equity, reportingDigits } = record;
  const unitsPerAsset = pow10(reportingDigits);
  const values = new Float64Array(equity.length);
  for (let row = 0; row < values.length; row++) values[row] = equity.units[row]! / unitsPerAsset;
  return [
    { name: 'time_ms', kind: 'timestamp', values: equity.timeMs.subarray(0, equity.length) },
    { name: 'equity', kind: 'float64', values },
  ] as const;
}

/** Returns the equity of a run as a table. */
function equityTable({ equity, reportingDigits }: RunRecord): Table {
  return {
    length: equity.length,
    columns: [
      { ...PLAIN_NUMBERS, name: 'time_ms', values: equity.timeMs, digits: [0] },
      { ...PLAIN_NUMBERS, name: 'equity', values: equity.units, digits: [reportingDigits] },
    ],
  };
}

/** Adds the columns of a table to the hash. Text is not part of it. */
function addTable(hash: Hash, { columns, length }: Table): void {
  for (const column of columns) {
    if (column.kind === 'number') addNumbers(hash, column, length);
    else if (column.kind === 'code') hash.update(codeBytes(column, length));
  }
}

/** Returns one byte for each code. With more than 256 labels, which only instruments can have, two bytes with the lower one first. */
function codeBytes({ values, labels }: LabelColumn, length: number): Uint8Array {
  const isWide = labels.length > 256;
  const codeCells = new Uint8Array(isWide ? 2 * length : length);
  for (let row = 0; row < length; row++) {
    const code = values[row]!;
    if (!isWide) codeCells[row] = code;
    else {
      codeCells[2 * row] = code;
      codeCells[2 * row + 1] = code >>> 8;
    }
  }
  return codeCells;
}

/** The number of an empty cell. A constant of the file, so that no row makes an object of a number. Hot: docs/performance.md#file-constants. */
const EMPTY = NaN;
/** Numbers that are added to the hash at a time. */
const CHUNK_ROWS = 8192;
/** The numbers of the current chunk, and the same memory as bytes. */
const chunk = new Float64Array(CHUNK_ROWS);
const bytes = Buffer.from(chunk.buffer);
const isBigEndian = endianness() === 'BE';

/**
 * Adds each value as the double nearest to its text in the file. Dividend and divisor are exact doubles, so the division rounds once, like
 * reading the text. An empty cell is NaN, which typed arrays store as the canonical quiet NaN.
 */
function addNumbers(hash: Hash, column: NumberColumn, length: number): void {
  const { values, digits, digitsAt, emptyAt } = column;
  const powers = digits.map(pow10);
  for (let from = 0; from < length; from += CHUNK_ROWS) {
    const count = Math.min(CHUNK_ROWS, length - from);
    if (digitsAt === null && values instanceof Float64Array) divideByOne(values, from, count, powers[0] ?? 1, emptyAt);
    else divideByEach(column, powers, from, count);
    const chunkBytes = bytes.subarray(0, count * 8);
    hash.update(isBigEndian ? Buffer.from(chunkBytes).swap64() : chunkBytes);
  }
}

/**
 * Writes the rows [from, from + count) to `chunk`, divided by one number. A separate function, because `divideByEach` sees arrays of all
 * kinds. Hot: docs/performance.md#one-kind-loops.
 */
function divideByOne(values: Float64Array, from: number, count: number, divisor: number, emptyAt: number): void {
  for (let row = 0; row < count; row++) {
    const value = values[from + row]!;
    chunk[row] = value === emptyAt || value !== value ? EMPTY : value / divisor + 0;
  }
}

/** Writes the rows [from, from + count) to `chunk`, each divided by the power of its own number of digits. */
function divideByEach({ values, digitsAt, emptyAt }: NumberColumn, powers: readonly number[], from: number, count: number): void {
  const firstPower = powers[0] ?? 1;
  for (let row = 0; row < count; row++) {
    const value = values[from + row]!;
    const divisor = digitsAt === null ? firstPower : powers[digitsAt[from + row]!]!;
    chunk[row] = value === emptyAt || value !== value ? EMPTY : value / divisor + 0;
  }
}
