// Writes the cells of one column as CSV bytes, a chunk of rows at a time. It first measures the cells, then writes each into its row.

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
/** Stands in `#digits` of a reading that is written from its string. */
const FROM_STRING = 255;

/**
 * The writer of one column. Work goes column by column, because a loop over one column is compiled for its kind of values. A loop over the
 * cells of a row would meet all kinds.
 */
export interface ColumnCells {
  /** Adds the lengths of the cells of the rows [from, from + rows) to `lengths`. */
  measure(from: number, rows: number, lengths: Int32Array): void;
  /** Writes the cells of the measured rows at `offsets`, each followed by `separator`. Moves the offsets past the separator. */
  write(rows: number, bytes: Uint8Array, offsets: Int32Array, separator: number): void;
}

/** Returns the writer of a column. `quoted` turns a label into the text of a cell. */
export function columnCellsOf(column: TableColumn, quoted: (label: string) => string): ColumnCells {
  if (column.kind === 'number') return new NumberCells(column);
  return column.kind === 'reading' ? new ReadingCells(column) : new LabelCells(column, quoted);
}

/** 10 to the power of the index. */
const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, digits) => 10 ** digits);

/** The ASCII codes of both digits of a number from 0 to 99. */
const TENS_DIGITS = Uint8Array.from({ length: 100 }, (_, pair) => ZERO + Math.floor(pair / 10));
const ONES_DIGITS = Uint8Array.from({ length: 100 }, (_, pair) => ZERO + (pair % 10));

/** Writes numbers with a fixed number of decimals. NaN is an empty cell. */
class NumberCells implements ColumnCells {
  readonly #column: NumberColumn;
  /** The values of the current chunk. In the same rows: the number of decimals, and the length of the cell. */
  readonly #chunk = new Float64Array(CHUNK_ROWS);
  readonly #digits = new Uint8Array(CHUNK_ROWS);
  readonly #cellLengths = new Uint8Array(CHUNK_ROWS);

  constructor(column: NumberColumn) {
    this.#column = column;
    this.#digits.fill(column.digits[0] ?? 0);
  }

  measure(from: number, rows: number, lengths: Int32Array): void {
    const { values, digits, digitsAt, emptyAt } = this.#column;
    const chunk = this.#chunk;
    const decimals = this.#digits;
    const cellLengths = this.#cellLengths;
    chunk.set(values.subarray(from, from + rows));
    if (digitsAt !== null) for (let row = 0; row < rows; row++) decimals[row] = digits[digitsAt[from + row]!]!;
    for (let row = 0; row < rows; row++) {
      const value = chunk[row]!;
      const size = value === emptyAt || value !== value ? 0 : lengthOf(value, decimals[row]!);
      cellLengths[row] = size;
      lengths[row]! += size;
    }
  }

  write(rows: number, bytes: Uint8Array, offsets: Int32Array, separator: number): void {
    const chunk = this.#chunk;
    const digits = this.#digits;
    const cellLengths = this.#cellLengths;
    for (let row = 0; row < rows; row++) {
      const from = offsets[row]!;
      const end = from + cellLengths[row]!;
      if (end > from) writeNumber(bytes, from, end, chunk[row]!, digits[row]!);
      bytes[end] = separator;
      offsets[row] = end + 1;
    }
  }
}

/** Writes labels. Each label is encoded once. */
class LabelCells implements ColumnCells {
  readonly #values: ArrayLike<number>;
  /** The bytes of all labels, one after another. */
  readonly #bytes: Uint8Array;
  /** The offset of each label in `#bytes`. The last offset is the end of all labels. */
  readonly #labelOffsets: Int32Array;
  readonly #chunk = new Int32Array(CHUNK_ROWS);

  constructor({ values, labels }: LabelColumn, quoted: (label: string) => string) {
    const cells = labels.map((label) => Buffer.from(quoted(label)));
    this.#values = values;
    this.#bytes = Buffer.concat(cells);
    this.#labelOffsets = new Int32Array(cells.length + 1);
    cells.forEach(({ length }, label) => (this.#labelOffsets[label + 1] = this.#labelOffsets[label]! + length));
  }

  measure(from: number, rows: number, lengths: Int32Array): void {
    const values = this.#values;
    const labelOffsets = this.#labelOffsets;
    const chunk = this.#chunk;
    for (let row = 0; row < rows; row++) {
      const label = values[from + row]!;
      chunk[row] = label;
      lengths[row]! += labelOffsets[label + 1]! - labelOffsets[label]!;
    }
  }

  write(rows: number, bytes: Uint8Array, offsets: Int32Array, separator: number): void {
    const labelOffsets = this.#labelOffsets;
    const labels = this.#bytes;
    const chunk = this.#chunk;
    for (let row = 0; row < rows; row++) {
      const label = chunk[row]!;
      let end = offsets[row]!;
      for (let from = labelOffsets[label]!; from < labelOffsets[label + 1]!; from++) bytes[end++] = labels[from]!;
      bytes[end] = separator;
      offsets[row] = end + 1;
    }
  }
}

/** Writes the readings of an indicator in the shortest form. */
class ReadingCells implements ColumnCells {
  readonly #values: Float64Array;
  /** For a reading that is written directly: the reading times a power of ten, and the number of decimals. */
  readonly #scaledValues = new Int32Array(CHUNK_ROWS);
  readonly #digits = new Uint8Array(CHUNK_ROWS);
  /** The text of a tiny number has more than 300 characters. */
  readonly #cellLengths = new Uint16Array(CHUNK_ROWS);
  readonly #texts: string[] = Array.from({ length: CHUNK_ROWS }, () => '');

  constructor({ values }: ReadingColumn) {
    this.#values = values;
  }

  measure(from: number, rows: number, lengths: Int32Array): void {
    const values = this.#values;
    for (let row = 0; row < rows; row++) {
      const value = values[from + row]!;
      const scaled = Math.round(value * DIRECT_SCALE) | 0;
      // A decimal of up to 15 digits is the shortest text of its double, so these digits are the text.
      if (scaled / DIRECT_SCALE === value) lengths[row]! += this.#shorten(row, scaled);
      else {
        const text = plainReading(value);
        this.#digits[row] = FROM_STRING;
        this.#texts[row] = text;
        this.#cellLengths[row] = text.length;
        lengths[row]! += text.length;
      }
    }
  }

  write(rows: number, bytes: Uint8Array, offsets: Int32Array, separator: number): void {
    for (let row = 0; row < rows; row++) {
      const digits = this.#digits[row]!;
      const end = offsets[row]! + this.#cellLengths[row]!;
      if (digits === FROM_STRING) writeText(bytes, offsets[row]!, this.#texts[row]!);
      else writeNumber(bytes, offsets[row]!, end, this.#scaledValues[row]!, digits);
      bytes[end] = separator;
      offsets[row] = end + 1;
    }
  }

  /** Stores a number without trailing zeros in its decimals. Returns the length of the cell. */
  #shorten(row: number, scaled: number): number {
    let shortened = scaled;
    let decimals = MAX_DIRECT_DIGITS;
    while (decimals > 0 && shortened % 10 === 0) {
      shortened /= 10;
      decimals--;
    }
    this.#scaledValues[row] = shortened;
    this.#digits[row] = decimals;
    return (this.#cellLengths[row] = lengthOf(shortened, decimals));
  }
}

/** Returns the length in bytes of a whole `value` that is written with `digits` decimals. */
function lengthOf(value: number, digits: number): number {
  const count = digitCount(Math.abs(value));
  return (value < 0 ? 1 : 0) + (digits === 0 ? count : Math.max(count, digits + 1) + 1);
}

/** Returns the number of decimal digits of a whole number from 0 to 2^53. */
function digitCount(magnitude: number): number {
  if (magnitude < 1e4) return countBelow(magnitude, 1, 10, 100, 1e3);
  if (magnitude < 1e8) return countBelow(magnitude, 5, 1e5, 1e6, 1e7);
  return magnitude < 1e12 ? countBelow(magnitude, 9, 1e9, 1e10, 1e11) : countBelow(magnitude, 13, 1e13, 1e14, 1e15);
}

/** Returns `min`, and one more for each of the bounds that `magnitude` reaches. The bounds ascend. */
function countBelow(magnitude: number, min: number, first: number, second: number, third: number): number {
  if (magnitude < second) return magnitude < first ? min : min + 1;
  return magnitude < third ? min + 2 : min + 3;
}

/** Writes a whole `value` to [from, end), with its last `decimals` digits behind the decimal point. The range must have the length that `lengthOf` returns. */
function writeNumber(bytes: Uint8Array, from: number, end: number, value: number, decimals: number): void {
  let offset = from;
  if (value < 0) bytes[offset++] = MINUS;
  const magnitude = Math.abs(value);
  if (decimals === 0) return writeDigits(bytes, end, magnitude, offset);
  // The quotient of whole numbers below 2^53 rounds down exactly.
  const scale = POWERS_OF_TEN[decimals]!;
  const integerPart = Math.floor(magnitude / scale);
  const pointOffset = end - decimals - 1;
  writeDigits(bytes, pointOffset, integerPart, offset);
  bytes[pointOffset] = POINT;
  writeDigits(bytes, end, magnitude - integerPart * scale, pointOffset + 1);
}

/** Writes a whole number below 2^53 to [from, end), with zeros in front. */
function writeDigits(bytes: Uint8Array, end: number, magnitude: number, from: number): void {
  if (end - from <= 9) return writeDigitPairs(bytes, end, magnitude | 0, from);
  const high = Math.floor(magnitude / 1e9);
  writeDigitPairs(bytes, end, (magnitude - high * 1e9) | 0, end - 9);
  writeDigits(bytes, end - 9, high, from);
}

/** Writes a whole number of at most 9 digits, two digits at a time, from the right. */
function writeDigitPairs(bytes: Uint8Array, end: number, value: number, from: number): void {
  let remaining = value;
  let offset = end;
  while (offset - from > 1) {
    const quotient = (remaining / 100) | 0;
    const pair = remaining - quotient * 100;
    bytes[--offset] = ONES_DIGITS[pair]!;
    bytes[--offset] = TENS_DIGITS[pair]!;
    remaining = quotient;
  }
  if (offset > from) bytes[offset - 1] = ZERO + remaining;
}

/** Writes an ASCII text. */
function writeText(bytes: Uint8Array, from: number, text: string): void {
  for (let row = 0; row < text.length; row++) bytes[from + row] = text.charCodeAt(row);
}
