// The buffer of one indicator output: the rows of the current block and, in front of them, as many earlier ones as anyone looks back.

import { InvariantError } from '../base/errors.ts';

/** Numbers of rows from `base` on: row r stands at `values[r - base]`. */
export interface Column<A> {
  readonly values: A;
  readonly base: number;
}

/**
 * A window that slides over the rows of a feed. It replaces a full-length column also for outputs that are the source of another
 * indicator: its memory is bounded by block and look-back, and backtest (blocks) and live (one row at a time) use one structure.
 */
export class SlidingWindow<A extends Float64Array | Uint8Array> implements Column<A> {
  values: A;
  base = 0;
  readonly #make: (length: number) => A;
  #front = 0;
  #blockRows = 0;
  /** The row after the last one filled. */
  #end = 0;

  /** `make` returns an array whose every element says "not ready". */
  constructor(make: (length: number) => A) {
    this.#make = make;
    this.values = make(0);
  }

  /** A whole column as a window, so that feed columns and indicators are read by the same code on one shape of object. */
  static over<A extends Float64Array | Uint8Array>(column: A): SlidingWindow<A> {
    return new SlidingWindow(() => column);
  }

  /** Takes memory for `front` earlier rows and a block. Rows before the first read as not ready. */
  allocate(front: number, blockRows: number): void {
    // As much room again as is carried over makes the copying of one-row blocks cost a constant per row.
    this.values = this.#make(front + Math.max(blockRows, front, 64));
    this.base = -front;
    this.#front = front;
    this.#blockRows = blockRows;
    this.#end = 0;
  }

  /** Makes room for the rows [fromRow, toRow), which the caller fills next; the `front` rows before them stay. */
  reserve(fromRow: number, toRow: number): void {
    if (fromRow !== this.#end || toRow < fromRow || toRow - fromRow > this.#blockRows) throw this.#wrongRows(fromRow, toRow);
    this.#end = toRow;
    if (toRow - this.base <= this.values.length) return;
    const first = fromRow - this.#front;
    this.values.copyWithin(0, first - this.base, fromRow - this.base);
    this.base = first;
  }

  #wrongRows(fromRow: number, toRow: number): InvariantError {
    return new InvariantError(
      `rows [${fromRow}, ${toRow}) filled after row ${this.#end - 1}, in blocks of at most ${this.#blockRows} rows`,
    );
  }
}

export type NumberWindow = SlidingWindow<Float64Array>;
export type SignalWindow = SlidingWindow<Uint8Array>;
