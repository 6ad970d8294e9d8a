// The lowest and the highest tick of each piece of a column: many questions about rows are answered by them alone.

import type { TickColumn } from './bars.ts';

/** Binary logarithm of the rows of a piece: 16 rows. Shorter pieces are more work, longer ones answer fewer questions. */
export const PIECE_BITS = 4;
const PIECE_ROWS = 2 ** PIECE_BITS;

const made = new WeakMap<TickColumn, TickColumn>();

/**
 * Returns lowest and highest tick of each 16 rows in turn: those of rows [16 i, 16 i + 16) are the elements 2 i and 2 i + 1. Both are NaN
 * when one of the rows is NaN. Made at the first call and cached: for columns that do not change.
 */
export function pieceExtremes(ticks: TickColumn): TickColumn {
  let extremes = made.get(ticks);
  if (extremes === undefined) made.set(ticks, (extremes = extremesOf(ticks)));
  return extremes;
}

function extremesOf(ticks: TickColumn): TickColumn {
  const pieces = Math.ceil(ticks.length / PIECE_ROWS);
  const extremes = ticks instanceof Int32Array ? new Int32Array(2 * pieces) : new Float64Array(2 * pieces);
  for (let piece = 0, row = 0; piece < pieces; piece++) {
    const end = Math.min(row + PIECE_ROWS, ticks.length);
    let low = ticks[row]!;
    let high = low;
    for (row++; row < end; row++) {
      low = Math.min(low, ticks[row]!);
      high = Math.max(high, ticks[row]!);
    }
    extremes[2 * piece] = low;
    extremes[2 * piece + 1] = high;
  }
  return extremes;
}
