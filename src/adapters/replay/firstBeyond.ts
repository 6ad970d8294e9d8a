// Finds the first row whose price reaches a level, using precomputed extremes of row ranges.

import type { TickColumn } from '../../model/bars/bars.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

const CHUNK_ROWS = 64;
const CHUNKS_PER_SPAN = 32;
const SPAN_ROWS = CHUNK_ROWS * CHUNKS_PER_SPAN;

/** Searches the highs and lows of rows, which do not change. The extremes of a range of rows are computed at first use. */
export class FirstBeyond {
  private readonly low: Extremes;
  private readonly high: Extremes;

  constructor(high: TickColumn, low: TickColumn) {
    this.low = new Extremes(low, minOf);
    this.high = new Extremes(high, maxOf);
  }

  /** Returns the first row of [from, to) with a low at or below `level`, or -1. */
  firstLow(level: number, from: number, to: number): number {
    const { low } = this;
    for (let row = from; row < to;) {
      // The span and the chunk of a row may also have rows before `from` or after `to`. If none of its rows reaches the level, it is skipped.
      if (low.spanExtreme(row) > level) row = (Math.floor(row / SPAN_ROWS) + 1) * SPAN_ROWS;
      else if (low.chunkExtreme(row) > level) row = (Math.floor(row / CHUNK_ROWS) + 1) * CHUNK_ROWS;
      else if (low.ticks[row]! <= level) return row;
      else row++;
    }
    return -1;
  }

  /** Returns the first row of [from, to) with a high at or above `level`, or -1. */
  firstHigh(level: number, from: number, to: number): number {
    const { high } = this;
    for (let row = from; row < to;) {
      if (high.spanExtreme(row) < level) row = (Math.floor(row / SPAN_ROWS) + 1) * SPAN_ROWS;
      else if (high.chunkExtreme(row) < level) row = (Math.floor(row / CHUNK_ROWS) + 1) * CHUNK_ROWS;
      else if (high.ticks[row]! >= level) return row;
      else row++;
    }
    return -1;
  }
}

/** Returns the most extreme value of rows [from, to) of a column. */
type RangeExtreme = (ticks: TickColumn, from: number, to: number) => number;

/** The extreme tick of each chunk of rows and each span of chunks; NaN until computed. */
class Extremes {
  readonly ticks: TickColumn;
  private readonly extremeOf: RangeExtreme;
  private readonly chunks: Float64Array;
  private readonly spans: Float64Array;

  constructor(ticks: TickColumn, extremeOf: RangeExtreme) {
    this.ticks = ticks;
    this.extremeOf = extremeOf;
    this.chunks = new Float64Array(Math.ceil(ticks.length / CHUNK_ROWS)).fill(NAN);
    this.spans = new Float64Array(Math.ceil(ticks.length / SPAN_ROWS)).fill(NAN);
  }

  /** Returns the extreme tick of the chunk that contains the row. */
  chunkExtreme(row: number): number {
    const chunk = Math.floor(row / CHUNK_ROWS);
    const extreme = this.chunks[chunk]!;
    if (extreme === extreme) return extreme;
    return (this.chunks[chunk] = this.extremeOf(this.ticks, chunk * CHUNK_ROWS, Math.min((chunk + 1) * CHUNK_ROWS, this.ticks.length)));
  }

  /** Returns the extreme tick of the span that contains the row. */
  spanExtreme(row: number): number {
    const span = Math.floor(row / SPAN_ROWS);
    const extreme = this.spans[span]!;
    if (extreme === extreme) return extreme;
    return (this.spans[span] = this.extremeOf(this.ticks, span * SPAN_ROWS, Math.min((span + 1) * SPAN_ROWS, this.ticks.length)));
  }
}

/**
 * Returns the lowest tick of the rows. Four independent minima, so that no step waits for the last one. No branches, because which row is
 * lowest cannot be predicted.
 */
function minOf(ticks: TickColumn, from: number, to: number): number {
  let first = ticks[from]!;
  let [second, third, fourth] = [first, first, first];
  let row = from;
  for (; row < to - 3; row += 4) {
    first = Math.min(first, ticks[row]!);
    second = Math.min(second, ticks[row + 1]!);
    third = Math.min(third, ticks[row + 2]!);
    fourth = Math.min(fourth, ticks[row + 3]!);
  }
  for (; row < to; row++) first = Math.min(first, ticks[row]!);
  return Math.min(first, second, third, fourth);
}

/** Returns the maximum of the rows from `from` to `to` (exclusive). */
function maxOf(ticks: TickColumn, from: number, to: number): number {
  let first = ticks[from]!;
  let [second, third, fourth] = [first, first, first];
  let row = from;
  for (; row < to - 3; row += 4) {
    first = Math.max(first, ticks[row]!);
    second = Math.max(second, ticks[row + 1]!);
    third = Math.max(third, ticks[row + 2]!);
    fourth = Math.max(fourth, ticks[row + 3]!);
  }
  for (; row < to; row++) first = Math.max(first, ticks[row]!);
  return Math.max(first, second, third, fourth);
}
