// Writes the cells of one column as CSV bytes, a chunk of rows at a time: it first measures the cells, then writes each into its row.

import { plainReading } from './plainReading.ts';
import type { LabelColumn, NumberColumn, ReadingColumn, TableColumn } from './tables.ts';

/** Rows in a chunk. Their values and bytes fit into the processor's second-level cache. */
export const CHUNK_ROWS = 512;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
/** Doubles with at most this many decimals are written directly, without an intermediate string. */
const MAX_DIRECT_DIGITS = 4;
const DIRECT_SCALE = 10_000;
/** In place of a number of digits: the reading is written from a string. */
const FROM_STRING = 255;

/**
 * The writer of one column. Work goes column by column, because a loop over one column is compiled for its kind of values. A loop over the
 * cells of a row would meet all kinds.
 */
export interface ColumnCells {
  /** Adds the lengths of the cells of the rows [from, from + rows) to `lengths`. */
  measure(from: number, rows: number, lengths: Int32Array): void;
  /** Writes the cells of the measured rows at the offsets `at`, each followed by `separator`. Advances the offsets past the separator. */
  write(rows: number, bytes: Uint8Array, at: Int32Array, separator: number): void;
}

/** Returns the writer of a column. `quoted` turns a label into the text of a cell. */
export function columnCellsOf(column: TableColumn, quoted: (label: string) => string): ColumnCells {
  if (column.kind === 'number') return new NumberCells(column);
  return column.kind === 'reading' ? new ReadingCells(column) : new LabelCells(column, quoted);
}

const POWERS = Float64Array.from({ length: 23 }, (_, digits) => 10 ** digits);
const TENS = Uint8Array.from({ length: 100 }, (_, pair) => ZERO + Math.floor(pair / 10));
const ONES = Uint8Array.from({ length: 100 }, (_, pair) => ZERO + (pair % 10));

/** Writes numbers with a fixed number of decimals. NaN is an empty cell. */
class NumberCells implements ColumnCells {
  readonly #column: NumberColumn;
  /** The values of the chunk. By value: the number of its decimals, and the length of its cell. */
  readonly #chunk = new Float64Array(CHUNK_ROWS);
  readonly #digits = new Uint8Array(CHUNK_ROWS);
  readonly #sizes = new Uint8Array(CHUNK_ROWS);

  constructor(column: NumberColumn) {
    this.#column = column;
    this.#digits.fill(column.digits[0] ?? 0);
  }

  measure(from: number, rows: number, lengths: Int32Array): void {
    const { values, digits, digitsAt, emptyAt } = this.#column;
    const chunk = this.#chunk;
    const decimals = this.#digits;
    const sizes = this.#sizes;
    chunk.set(values.subarray(from, from + rows));
    if (digitsAt !== null) for (let i = 0; i < rows; i++) decimals[i] = digits[digitsAt[from + i]!]!;
    for (let i = 0; i < rows; i++) {
      const value = chunk[i]!;
      const size = value === emptyAt || value !== value ? 0 : lengthOf(value, decimals[i]!);
      sizes[i] = size;
      lengths[i]! += size;
    }
  }

  write(rows: number, bytes: Uint8Array, at: Int32Array, separator: number): void {
    const chunk = this.#chunk;
    const digits = this.#digits;
    const sizes = this.#sizes;
    for (let i = 0; i < rows; i++) {
      const from = at[i]!;
      const end = from + sizes[i]!;
      if (end > from) putNumber(bytes, from, end, chunk[i]!, digits[i]!);
      bytes[end] = separator;
      at[i] = end + 1;
    }
  }
}

/** Writes labels. Each label is encoded once. */
class LabelCells implements ColumnCells {
  readonly #values: ArrayLike<number>;
  /** The bytes of all labels, then the offset of each label. The last offset is the end of all labels. */
  readonly #bytes: Uint8Array;
  readonly #begins: Int32Array;
  readonly #chunk = new Int32Array(CHUNK_ROWS);

  constructor({ values, labels }: LabelColumn, quoted: (label: string) => string) {
    const cells = labels.map((label) => Buffer.from(quoted(label)));
    this.#values = values;
    this.#bytes = Buffer.concat(cells);
    this.#begins = new Int32Array(cells.length + 1);
    cells.forEach(({ length }, label) => (this.#begins[label + 1] = this.#begins[label]! + length));
  }

  measure(from: number, rows: number, lengths: Int32Array): void {
    const values = this.#values;
    const begins = this.#begins;
    const chunk = this.#chunk;
    for (let i = 0; i < rows; i++) {
      const label = values[from + i]!;
      chunk[i] = label;
      lengths[i]! += begins[label + 1]! - begins[label]!;
    }
  }

  write(rows: number, bytes: Uint8Array, at: Int32Array, separator: number): void {
    const begins = this.#begins;
    const labels = this.#bytes;
    const chunk = this.#chunk;
    for (let i = 0; i < rows; i++) {
      const label = chunk[i]!;
      let end = at[i]!;
      for (let from = begins[label]!; from < begins[label + 1]!; from++) bytes[end++] = labels[from]!;
      bytes[end] = separator;
      at[i] = end + 1;
    }
  }
}

/** Writes the readings of an indicator in the shortest form. */
class ReadingCells implements ColumnCells {
  readonly #values: Float64Array;
  /** For a reading that is written directly: its digits as a whole number, and the number of decimals. */
  readonly #whole = new Int32Array(CHUNK_ROWS);
  readonly #digits = new Uint8Array(CHUNK_ROWS);
  /** The text of a tiny number has more than 300 characters. */
  readonly #sizes = new Uint16Array(CHUNK_ROWS);
  readonly #texts: string[] = Array.from({ length: CHUNK_ROWS }, () => '');

  constructor({ values }: ReadingColumn) {
    this.#values = values;
  }

  measure(from: number, rows: number, lengths: Int32Array): void {
    const values = this.#values;
    for (let i = 0; i < rows; i++) {
      const value = values[from + i]!;
      const whole = Math.round(value * DIRECT_SCALE) | 0;
      // A decimal of up to 15 digits is the shortest text of its double, so these digits are the text.
      if (whole / DIRECT_SCALE === value) lengths[i]! += this.#shorten(i, whole);
      else {
        const text = plainReading(value);
        this.#digits[i] = FROM_STRING;
        this.#texts[i] = text;
        this.#sizes[i] = text.length;
        lengths[i]! += text.length;
      }
    }
  }

  write(rows: number, bytes: Uint8Array, at: Int32Array, separator: number): void {
    for (let i = 0; i < rows; i++) {
      const digits = this.#digits[i]!;
      const end = at[i]! + this.#sizes[i]!;
      if (digits === FROM_STRING) putText(bytes, at[i]!, this.#texts[i]!);
      else putNumber(bytes, at[i]!, end, this.#whole[i]!, digits);
      bytes[end] = separator;
      at[i] = end + 1;
    }
  }

  /** Stores a number without trailing zeros in its decimals. Returns the length of the cell. */
  #shorten(i: number, scaled: number): number {
    let whole = scaled;
    let digits = MAX_DIRECT_DIGITS;
    while (digits > 0 && whole % 10 === 0) {
      whole /= 10;
      digits--;
    }
    this.#whole[i] = whole;
    this.#digits[i] = digits;
    return (this.#sizes[i] = lengthOf(whole, digits));
  }
}

/** Returns the length in bytes of a whole `value` that is written with `digits` decimals. */
function lengthOf(value: number, digits: number): number {
  const count = digitCount(Math.abs(value));
  return (value < 0 ? 1 : 0) + (digits === 0 ? count : Math.max(count, digits + 1) + 1);
}

/** Returns the number of decimal digits of a whole number from 0 to 2^53. */
function digitCount(size: number): number {
  if (size < 1e4) return countBelow(size, 1, 10, 100, 1e3);
  if (size < 1e8) return countBelow(size, 5, 1e5, 1e6, 1e7);
  return size < 1e12 ? countBelow(size, 9, 1e9, 1e10, 1e11) : countBelow(size, 13, 1e13, 1e14, 1e15);
}

/** Returns `min`, and one more for each of the bounds that `size` reaches. The bounds rise. */
function countBelow(size: number, min: number, first: number, second: number, third: number): number {
  if (size < second) return size < first ? min : min + 1;
  return size < third ? min + 2 : min + 3;
}

/** Writes a whole `value` to [from, end), with its last `digits` digits behind the decimal point. `lengthOf` is the length of the range. */
function putNumber(bytes: Uint8Array, from: number, end: number, value: number, digits: number): void {
  let at = from;
  if (value < 0) bytes[at++] = MINUS;
  const size = Math.abs(value);
  if (digits === 0) return putDigits(bytes, end, size, at);
  // The quotient of whole numbers below 2^53 rounds down exactly.
  const scale = POWERS[digits]!;
  const whole = Math.floor(size / scale);
  const point = end - digits - 1;
  putDigits(bytes, point, whole, at);
  bytes[point] = POINT;
  putDigits(bytes, end, size - whole * scale, point + 1);
}

/** Writes a whole number below 2^53 to [from, end), with zeros in front. */
function putDigits(bytes: Uint8Array, end: number, size: number, from: number): void {
  if (end - from <= 9) return putPairs(bytes, end, size | 0, from);
  const high = Math.floor(size / 1e9);
  putPairs(bytes, end, (size - high * 1e9) | 0, end - 9);
  putDigits(bytes, end - 9, high, from);
}

/** Writes a whole number of at most 9 digits, two digits at a time, from the right. */
function putPairs(bytes: Uint8Array, end: number, value: number, from: number): void {
  let rest = value;
  let at = end;
  while (at - from > 1) {
    const next = (rest / 100) | 0;
    const pair = rest - next * 100;
    bytes[--at] = ONES[pair]!;
    bytes[--at] = TENS[pair]!;
    rest = next;
  }
  if (at > from) bytes[at - 1] = ZERO + rest;
}

/** Writes an ASCII text. */
function putText(bytes: Uint8Array, from: number, text: string): void {
  for (let i = 0; i < text.length; i++) bytes[from + i] = text.charCodeAt(i);
}
