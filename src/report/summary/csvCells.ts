// The cells of one column as CSV bytes, a chunk of rows at a time: first how long each cell is, then its bytes at its place in the row.

import { plainReading } from './plainReading.ts';
import type { LabelColumn, NumberColumn, ReadingColumn, TableColumn } from './tables.ts';

/** Rows of a chunk. Their values and bytes fit into the processor's second-level cache. */
export const CHUNK_ROWS = 512;
const [MINUS, POINT, ZERO] = [0x2d, 0x2e, 0x30];
/** A double that is a decimal of at most this many digits is written without making a text of it. */
const FEW_DIGITS = 4;
const FEW_SCALE = 10_000;
/** Marks a reading that needs its text. */
const AS_TEXT = 255;

/** A loop over one column is compiled for its kind of values; a loop over the cells of a row meets all kinds. */
export interface ColumnCells {
  /** Adds the lengths of the cells of the rows [from, from + rows) to `lengths`. */
  measure(from: number, rows: number, lengths: Int32Array): void;
  /** Writes the cells of the measured rows at the places `at`, `separator` behind each, and moves the places behind it. */
  write(rows: number, bytes: Uint8Array, at: Int32Array, separator: number): void;
}

/** `quoted`: makes the text of a label a cell. */
export function cellsOf(column: TableColumn, quoted: (label: string) => string): ColumnCells {
  if (column.kind === 'number') return new NumberCells(column);
  return column.kind === 'reading' ? new ReadingCells(column) : new LabelCells(column, quoted);
}

const POWERS = Float64Array.from({ length: 23 }, (_, digits) => 10 ** digits);
const TENS = Uint8Array.from({ length: 100 }, (_, pair) => ZERO + Math.floor(pair / 10));
const ONES = Uint8Array.from({ length: 100 }, (_, pair) => ZERO + (pair % 10));

class NumberCells implements ColumnCells {
  readonly #column: NumberColumn;
  /** The values of the chunk, and the digits behind the point of each. */
  readonly #chunk = new Float64Array(CHUNK_ROWS);
  readonly #digits = new Uint8Array(CHUNK_ROWS);

  constructor(column: NumberColumn) {
    this.#column = column;
    this.#digits.fill(column.digits[0] ?? 0);
  }

  measure(from: number, rows: number, lengths: Int32Array): void {
    const { values, digits, digitsAt, emptyAt } = this.#column;
    const chunk = this.#chunk;
    const own = this.#digits;
    chunk.set(values.subarray(from, from + rows));
    if (digitsAt !== null) for (let i = 0; i < rows; i++) own[i] = digits[digitsAt[from + i]!]!;
    for (let i = 0; i < rows; i++) {
      const value = chunk[i]!;
      if (value === emptyAt) chunk[i] = NaN;
      else if (value === value) lengths[i]! += lengthOf(value, own[i]!);
    }
  }

  write(rows: number, bytes: Uint8Array, at: Int32Array, separator: number): void {
    const chunk = this.#chunk;
    const digits = this.#digits;
    for (let i = 0; i < rows; i++) {
      const value = chunk[i]!;
      const end = value === value ? putNumber(bytes, at[i]!, value, digits[i]!) : at[i]!;
      bytes[end] = separator;
      at[i] = end + 1;
    }
  }
}

class LabelCells implements ColumnCells {
  readonly #values: ArrayLike<number>;
  /** The bytes of all labels, where each begins, and the end of all. */
  readonly #bytes: Uint8Array;
  readonly #begins: Int32Array;
  readonly #chunk = new Int32Array(CHUNK_ROWS);

  constructor({ values, labels }: LabelColumn, quoted: (label: string) => string) {
    const made = labels.map((label) => Buffer.from(quoted(label)));
    this.#values = values;
    this.#bytes = Buffer.concat(made);
    this.#begins = new Int32Array(made.length + 1);
    made.forEach(({ length }, label) => (this.#begins[label + 1] = this.#begins[label]! + length));
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

class ReadingCells implements ColumnCells {
  readonly #values: Float64Array;
  /** A reading of few digits as a whole number, and its digits behind the point. */
  readonly #whole = new Int32Array(CHUNK_ROWS);
  readonly #digits = new Uint8Array(CHUNK_ROWS);
  readonly #texts: string[] = Array.from({ length: CHUNK_ROWS }, () => '');

  constructor({ values }: ReadingColumn) {
    this.#values = values;
  }

  measure(from: number, rows: number, lengths: Int32Array): void {
    const values = this.#values;
    for (let i = 0; i < rows; i++) {
      const value = values[from + i]!;
      const whole = Math.round(value * FEW_SCALE) | 0;
      // Decimals of up to 15 digits are the shortest texts of their doubles.
      if (whole / FEW_SCALE === value) lengths[i]! += this.#shorten(i, whole);
      else {
        const text = plainReading(value);
        this.#digits[i] = AS_TEXT;
        this.#texts[i] = text;
        lengths[i]! += text.length;
      }
    }
  }

  write(rows: number, bytes: Uint8Array, at: Int32Array, separator: number): void {
    for (let i = 0; i < rows; i++) {
      const digits = this.#digits[i]!;
      const end = digits === AS_TEXT ? putText(bytes, at[i]!, this.#texts[i]!) : putNumber(bytes, at[i]!, this.#whole[i]!, digits);
      bytes[end] = separator;
      at[i] = end + 1;
    }
  }

  /** Keeps a whole number without the zeros at the end of its decimal. Returns the length of the cell. */
  #shorten(i: number, scaled: number): number {
    let [whole, digits] = [scaled, FEW_DIGITS];
    while (digits > 0 && whole % 10 === 0) {
      whole /= 10;
      digits--;
    }
    this.#whole[i] = whole;
    this.#digits[i] = digits;
    return lengthOf(whole, digits);
  }
}

/** Returns the bytes of a whole `value` with its last `digits` digits behind the decimal point. */
function lengthOf(value: number, digits: number): number {
  const count = digitCount(Math.abs(value));
  return (value < 0 ? 1 : 0) + (digits === 0 ? count : Math.max(count, digits + 1) + 1);
}

function digitCount(size: number): number {
  if (size < 10) return 1;
  if (size < 100) return 2;
  let count = 2;
  for (let limit = 100; size >= limit; limit *= 10) count++;
  return count;
}

/** Writes a whole `value` with its last `digits` digits behind the decimal point. Returns the end. */
function putNumber(bytes: Uint8Array, from: number, value: number, digits: number): number {
  let at = from;
  if (value < 0) bytes[at++] = MINUS;
  const size = Math.abs(value);
  if (digits === 0) return putDigits(bytes, at + digitCount(size), size, at);
  // The quotient of whole numbers below 2^53 rounds down exactly.
  const scale = POWERS[digits]!;
  const whole = Math.floor(size / scale);
  const point = putDigits(bytes, at + digitCount(whole), whole, at);
  bytes[point] = POINT;
  return putDigits(bytes, point + 1 + digits, size - whole * scale, point + 1);
}

/** Writes a whole number below 2^53 to [from, end), with zeros in front. Returns `end`. */
function putDigits(bytes: Uint8Array, end: number, size: number, from: number): number {
  if (end - from <= 9) putPairs(bytes, end, size | 0, from);
  else {
    const high = Math.floor(size / 1e9);
    putPairs(bytes, end, (size - high * 1e9) | 0, end - 9);
    putDigits(bytes, end - 9, high, from);
  }
  return end;
}

function putPairs(bytes: Uint8Array, end: number, small: number, from: number): void {
  let rest = small;
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

function putText(bytes: Uint8Array, from: number, text: string): number {
  for (let i = 0; i < text.length; i++) bytes[from + i] = text.charCodeAt(i);
  return from + text.length;
}
