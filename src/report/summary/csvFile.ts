// Writes a table as CSV bytes, with exact decimals and without a string for each cell.

import { closeSync, openSync, writeSync } from 'node:fs';
import { CHUNK_ROWS, columnCellsOf, type ColumnCells } from './csvCells.ts';
import type { Table } from './tables.ts';

/** Size of the buffer at first. */
const CHUNK_BYTES = 1 << 18;
const COMMA = 0x2c;
const NEWLINE = 0x0a;

/** Writes the header and `table.length` rows to a file, which is replaced. Lines end in \n. Throws the system error when writing fails. */
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

/** Collects rows as bytes, and hands them over in chunks. */
class CsvWriter {
  readonly #sink: (bytes: Uint8Array) => void;
  #bytes = new Uint8Array(CHUNK_BYTES);
  /** Number of bytes that wait for the sink. */
  #end = 0;
  /** By row of a chunk: its length, and the offset of its next cell. */
  readonly #lengths = new Int32Array(CHUNK_ROWS);
  readonly #offsets = new Int32Array(CHUNK_ROWS);

  constructor(sink: (bytes: Uint8Array) => void) {
    this.#sink = sink;
  }

  /** Writes the header and all rows of a table. */
  write({ columns, length }: Table): void {
    this.#sink(Buffer.from(`${columns.map(({ name }) => name).join(',')}\n`));
    const cells = columns.map((column) => columnCellsOf(column, quoteCell));
    for (let from = 0; from < length; from += CHUNK_ROWS) this.#writeRows(cells, from, Math.min(CHUNK_ROWS, length - from));
    this.#flush();
  }

  /** Writes `rows` rows from row `from` on. All lengths are measured first, so that each column writes its cells at known offsets. */
  #writeRows(columns: readonly ColumnCells[], from: number, rows: number): void {
    const lengths = this.#lengths;
    // Each cell is followed by one separator.
    lengths.fill(columns.length);
    for (const cells of columns) cells.measure(from, rows, lengths);
    let totalBytes = 0;
    for (let row = 0; row < rows; row++) totalBytes += lengths[row]!;
    this.#reserve(totalBytes);
    const offsets = this.#offsets;
    for (let row = 0; row < rows; row++) {
      offsets[row] = this.#end;
      this.#end += lengths[row]!;
    }
    columns.forEach((cells, index) => {
      const isLast = index === columns.length - 1;
      cells.write(rows, this.#bytes, offsets, isLast ? NEWLINE : COMMA);
    });
  }

  /** Ensures that `bytes` more bytes fit into the buffer. It is emptied into the sink first, and replaced if it is too small. */
  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return;
    this.#flush();
    if (bytes > this.#bytes.length) this.#bytes = new Uint8Array(bytes * 2);
  }

  /** Passes the waiting bytes to the sink. */
  #flush(): void {
    if (this.#end > 0) this.#sink(this.#bytes.subarray(0, this.#end));
    this.#end = 0;
  }
}

/**
 * Returns a label as a CSV cell. RFC 4180: quotes around a text with a comma, a quote or a line break. A text that a spreadsheet would read
 * as a formula gets a leading apostrophe, because users choose tags and names.
 */
export function quoteCell(label: string): string {
  const isNumber = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(label);
  const isFormula = /^[=+\-@\t\r]/.test(label) && !isNumber;
  const text = isFormula ? `'${label}` : label;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
