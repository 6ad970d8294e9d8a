// Writes a table as CSV directly into bytes: exact decimals as plain text, without a string for each cell.

import { closeSync, openSync, writeSync } from 'node:fs';
import { plainReading } from './plainReading.ts';
import type { TableColumn, LabelColumn, NumberColumn, Table } from './tables.ts';

const CHUNK_BYTES = 1 << 18;
/** Longest number: 2^53 with sign and decimal point, or the text of a double. */
const MAX_NUMBER_LENGTH = 40;
const [COMMA, NEWLINE, MINUS, POINT, ZERO] = [0x2c, 0x0a, 0x2d, 0x2e, 0x30];

/** Writes the header and `table.length` rows. Lines end in \n. */
export function writeCsv(path: string, table: Table): void {
  const file = openSync(path, 'w');
  try {
    const writer = new CsvWriter((bytes) => void writeSync(file, bytes));
    writer.write(table);
  } finally {
    closeSync(file);
  }
}

/** Returns the table as CSV text, for tests and small tables. */
export function csvText(table: Table): string {
  const parts: Buffer[] = [];
  streamCsv(table, (bytes) => void parts.push(Buffer.from(bytes)));
  return Buffer.concat(parts).toString('utf8');
}

/** Passes the table as CSV to `sink` in pieces. The memory of a piece is reused for the next one. */
export function streamCsv(table: Table, sink: (bytes: Uint8Array) => void): void {
  new CsvWriter(sink).write(table);
}

class CsvWriter {
  readonly #sink: (bytes: Uint8Array) => void;
  #bytes = new Uint8Array(CHUNK_BYTES);
  #at = 0;

  constructor(sink: (bytes: Uint8Array) => void) {
    this.#sink = sink;
  }

  write({ columns, length }: Table): void {
    this.#put(Buffer.from(`${columns.map(({ name }) => name).join(',')}\n`));
    const cells = columns.map((column) => this.#cellOf(column));
    for (let row = 0; row < length; row++) {
      for (let c = 0; c < cells.length; c++) {
        if (this.#at > this.#bytes.length - MAX_NUMBER_LENGTH) this.#flush();
        if (c > 0) this.#bytes[this.#at++] = COMMA;
        cells[c]!(row);
      }
      this.#bytes[this.#at++] = NEWLINE;
    }
    this.#flush();
  }

  #cellOf(column: TableColumn): (row: number) => void {
    if (column.kind === 'number') return this.#numberCell(column);
    if (column.kind === 'reading') return (row) => this.#put(Buffer.from(plainReading(column.values[row]!)));
    return this.#labelCell(column);
  }

  #labelCell({ values, labels }: LabelColumn): (row: number) => void {
    const made = labels.map((label) => Buffer.from(quoted(label)));
    return (row) => this.#put(made[values[row]!]!);
  }

  #numberCell({ values, digits, digitsAt, emptyAt }: NumberColumn): (row: number) => void {
    const only = digits[0] ?? 0;
    return (row) => {
      const value = values[row]!;
      if (value === emptyAt || value !== value) return;
      this.#number(value, digitsAt === null ? only : digits[digitsAt[row]!]!);
    };
  }

  /** Writes a whole `value` whose last `digits` digits are behind the decimal point. */
  #number(value: number, digits: number): void {
    const bytes = this.#bytes;
    if (value < 0) bytes[this.#at++] = MINUS;
    const size = Math.abs(value);
    const count = Math.max(digitCount(size), digits + 1);
    const end = this.#at + count + (digits > 0 ? 1 : 0);
    // Writes digits from last to first. Below 10^9 it uses 32-bit integers.
    let high = Math.floor(size / 1e9);
    let low = (size - high * 1e9) | 0;
    for (let done = 0, at = end; done < count; done++) {
      if (done === digits && done > 0) bytes[--at] = POINT;
      if (done === 9) [low, high] = [(high % 1e9) | 0, Math.floor(high / 1e9)];
      const rest = (low / 10) | 0;
      bytes[--at] = ZERO + low - rest * 10;
      low = rest;
    }
    this.#at = end;
  }

  #put(from: Uint8Array): void {
    if (this.#at + from.length + MAX_NUMBER_LENGTH > this.#bytes.length) {
      this.#flush();
      if (from.length + MAX_NUMBER_LENGTH > this.#bytes.length) this.#bytes = new Uint8Array(from.length * 2);
    }
    const bytes = this.#bytes;
    for (let i = 0; i < from.length; i++) bytes[this.#at++] = from[i]!;
  }

  #flush(): void {
    if (this.#at > 0) this.#sink(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
  }
}

function digitCount(size: number): number {
  let count = 1;
  for (let limit = 10; size >= limit; limit *= 10) count++;
  return count;
}

/**
 * Returns a label as a CSV cell. RFC 4180: quotes around a text with a comma, a quote or a line break. A text that a spreadsheet would read
 * as a formula gets a leading apostrophe, because users choose tags and names.
 */
export function quoted(label: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(label) && !/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(label);
  const text = isFormula ? `'${label}` : label;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
