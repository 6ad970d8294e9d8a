// Buffers of indicator outputs, with the rows of the current block and the earlier rows that are still read.

import { InvariantError } from '../../base/errors.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;

/** Values of the rows from `base` on. The value of row r is `values[r - base]`. */
export interface IndicatorColumn<A> {
  readonly values: A;
  readonly base: number;
}

/**
 * A window that slides over the rows of a feed. Its memory depends only on block size and look-back. A backtest fills it block by block, and a
 * live bot row by row.
 */
abstract class ColumnWindow<A extends Float64Array | Uint8Array> implements IndicatorColumn<A> {
  values: A;
  base = 0;
  /** Number of earlier rows that the window keeps. */
  #front = 0;
  /** Maximum number of rows in a block. */
  protected blockRows = 0;
  /** The row after the last filled one. */
  protected end = 0;

  constructor(values: A) {
    this.values = values;
  }

  /** Returns an array in which all elements are not ready. */
  protected abstract make(length: number): A;

  /** Allocates memory for `front` earlier rows and a block. Rows before the first one are not ready. */
  allocate(front: number, blockRows: number): void {
    // The spare space is at least as long as the copied part. So copying has a constant cost per row, even for blocks of one row.
    this.values = this.make(front + Math.max(blockRows, front, 64));
    this.base = -front;
    this.#front = front;
    this.blockRows = blockRows;
    this.end = 0;
  }

  /** Provides space for the rows [fromRow, toRow), which the caller fills next. Keeps the `front` rows before them. */
  reserve(fromRow: number, toRow: number): void {
    if (fromRow !== this.end || toRow < fromRow || toRow - fromRow > this.blockRows) throw this.#wrongRows(fromRow, toRow);
    this.end = toRow;
    if (toRow - this.base <= this.values.length) return;
    const first = fromRow - this.#front;
    this.values.copyWithin(0, first - this.base, fromRow - this.base);
    this.base = first;
  }

  #wrongRows(fromRow: number, toRow: number): InvariantError {
    return new InvariantError(`rows [${fromRow}, ${toRow}) filled after row ${this.end - 1}, in blocks of at most ${this.blockRows} rows`);
  }
}

/**
 * Numbers as fractions with a common divisor: the value of row r is `values[r - base] / divisor`. Exact sums stay undivided until a read. All
 * other columns have the divisor 1. Each read divides the same operands, so each result has the same bits.
 */
export interface Fractions extends IndicatorColumn<Float64Array> {
  /** A whole number, at least 1. */
  readonly divisor: number;
  /** Upper bound of the absolute values, which are then whole numbers or NaN. Infinity for values without a bound, which may be fractions. */
  readonly max: number;
}

/** The window of a series. */
export class NumberWindow extends ColumnWindow<Float64Array> implements Fractions {
  divisor = 1;
  max = INFINITY;

  /** Makes a window of a whole column, so that columns of feeds and of indicators have the same class. Hot: docs/performance.md#one-shape. */
  constructor(column: Float64Array = new Float64Array(0)) {
    super(column);
  }

  protected make(length: number): Float64Array {
    return new Float64Array(length).fill(NAN);
  }

  /** Declares that the values are exact sums of at most `limit`, which each read divides by `divisor`. */
  holdSums(divisor: number, limit: number): void {
    this.divisor = divisor;
    this.max = limit;
  }

  /** Writes the divided values of the rows [fromRow, toRow) to `into`, from the element `start` on. */
  divideInto(into: Float64Array, start: number, fromRow: number, toRow: number): void {
    const { values, base, divisor } = this;
    const shift = start - fromRow;
    for (let row = fromRow; row < toRow; row++) into[row + shift] = values[row - base]! / divisor;
  }

  /**
   * Writes the divided values of single rows to `into`: those that `rows` lists from the element `next` on, up to the first one at or after
   * `toRow`. Returns the element of that one.
   */
  divideRows(into: Float64Array, rows: Int32Array, next: number, toRow: number): number {
    const { values, base, divisor } = this;
    let element = next;
    for (; element < rows.length && rows[element]! < toRow; element++) into[element] = values[rows[element]! - base]! / divisor;
    return element;
  }
}

/** Returns x, or NaN if x is infinite, because a series holds finite values and NaN only. Only a finite number minus itself is 0. */
export function finite(x: number): number {
  return x - x === 0 ? x : NAN;
}

/** Copies `count` values. Calls for few values are slower than a loop. */
export function copyValues(from: Float64Array, fromIndex: number, into: Float64Array, index: number, count: number): void {
  if (count < 64) for (let i = 0; i < count; i++) into[index + i] = from[fromIndex + i]!;
  else into.set(from.subarray(fromIndex, fromIndex + count), index);
}

/** State of a signal that is false. */
export const FALSE = 0;
/** State of a signal that is true. */
export const TRUE = 1;
/** State of a signal that is not ready. */
export const NOT_READY = 2;

/** The window of a signal. */
export class SignalWindow extends ColumnWindow<Uint8Array> {
  /** The first `listed` elements are the rows of the newest block at which the signal is true, ascending. Null if the kernel lists no rows. */
  rows: Int32Array | null = null;
  /** Number of rows that `rows` lists. */
  listed = 0;

  constructor(states: Uint8Array = new Uint8Array(0)) {
    super(states);
  }

  /** Returns the array for the true rows. A kernel that calls this must list the true rows of every block. */
  listRows(): Int32Array {
    return (this.rows = new Int32Array(this.blockRows));
  }

  /** Returns the first listed true row after `row`, or the end of the block. Returns `row` if the kernel lists no rows. */
  falseUntil(row: number): number {
    const { rows } = this;
    if (rows === null) return row;
    let low = 0;
    let high = this.listed;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle]! <= row) low = middle + 1;
      else high = middle;
    }
    return low < this.listed ? rows[low]! : this.end;
  }

  protected make(length: number): Uint8Array {
    return new Uint8Array(length).fill(NOT_READY);
  }
}
