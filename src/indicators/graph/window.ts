// The buffer of one indicator output: the rows of the current block and, in front of them, as many earlier ones as anyone looks back.

import { InvariantError } from '../../base/errors.ts';

/** Numbers of rows from `base` on: row r stands at `values[r - base]`. */
export interface IndicatorColumn<A> {
  readonly values: A;
  readonly base: number;
}

/**
 * A window that slides over the rows of a feed. It replaces a full-length column also for outputs that are the source of another
 * indicator: its memory is bounded by block and look-back, and backtest (blocks) and live (one row at a time) use one structure.
 */
abstract class ColumnWindow<A extends Float64Array | Uint8Array> implements IndicatorColumn<A> {
  values: A;
  base = 0;
  #front = 0;
  /** The most rows of a block. */
  protected blockRows = 0;
  /** The row after the last one filled. */
  protected end = 0;

  constructor(values: A) {
    this.values = values;
  }

  /** An array whose every element says "not ready". */
  protected abstract make(length: number): A;

  /** Takes memory for `front` earlier rows and a block. Rows before the first read as not ready. */
  allocate(front: number, blockRows: number): void {
    // As much room again as is carried over makes the copying of one-row blocks cost a constant per row.
    this.values = this.make(front + Math.max(blockRows, front, 64));
    this.base = -front;
    this.#front = front;
    this.blockRows = blockRows;
    this.end = 0;
  }

  /** Makes room for the rows [fromRow, toRow), which the caller fills next; the `front` rows before them stay. */
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
 * Numbers as fractions over one divisor: what row r shows is `values[r - base] / divisor`. An exact sum is kept as it is and divided only
 * where somebody reads it; every other column has the divisor 1. Same operands, same division: the same bits as divided beforehand.
 */
export interface Fractions extends IndicatorColumn<Float64Array> {
  /** A whole number from 1. */
  readonly divisor: number;
  /** No value is larger than this by amount, and every value is whole or NaN; Infinity where neither is promised. */
  readonly max: number;
}

export class NumberWindow extends ColumnWindow<Float64Array> implements Fractions {
  divisor = 1;
  max = Infinity;

  /** A whole column as a window, so that feed columns and indicators are read by the same code on one shape of object. */
  constructor(column: Float64Array = new Float64Array(0)) {
    super(column);
  }

  protected make(length: number): Float64Array {
    return new Float64Array(length).fill(NaN);
  }

  /** Declares the values to be exact sums, to be divided by `divisor` when they are read. */
  holdSums(divisor: number, limit: number): void {
    this.divisor = divisor;
    this.max = limit;
  }

  /** Writes what the rows [fromRow, toRow) show to `into` from `at` on. */
  divideInto(into: Float64Array, at: number, fromRow: number, toRow: number): void {
    const { values, base, divisor } = this;
    const shift = at - fromRow;
    for (let row = fromRow; row < toRow; row++) into[row + shift] = values[row - base]! / divisor;
  }
}

/** The states of a signal in its window. */
export const FALSE = 0;
export const TRUE = 1;
export const NOT_READY = 2;

export class SignalWindow extends ColumnWindow<Uint8Array> {
  /** The rows of the newest block at which the signal is true, ascending, the first `listed` of them; null where nobody lists them. */
  rows: Int32Array | null = null;
  listed = 0;

  constructor() {
    super(new Uint8Array(0));
  }

  /** For a kernel that comes by the true rows anyway: it promises to list those of every block that it fills. */
  keepRows(): Int32Array {
    return (this.rows = new Int32Array(this.blockRows));
  }

  /** Where true rows are listed: the first of them after `row`, the end of the block where there is none. Elsewhere `row` itself. */
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
