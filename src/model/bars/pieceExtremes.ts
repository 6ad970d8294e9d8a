// Finds the lowest and the highest tick of each piece of 16 rows, which often decide about all rows of the piece.

import type { TickColumn } from './bars.ts';

/** Binary logarithm of the number of rows of a piece. Shorter pieces take more steps, and longer ones decide less often. */
export const PIECE_BITS = 4;
const PIECE_ROWS = 2 ** PIECE_BITS;

/** Extremes that were computed before, by their column. */
const extremesCache = new WeakMap<TickColumn, TickColumn>();

/**
 * Returns the lowest and the highest tick of each piece: elements 2 i and 2 i + 1 belong to the rows [16 i, 16 i + 16). Both are NaN if one of
 * the rows is NaN. Caches the result, so the column must not change.
 */
export function pieceExtremes(ticks: TickColumn): TickColumn {
  let extremes = extremesCache.get(ticks);
  if (extremes === undefined) extremesCache.set(ticks, (extremes = extremesOf(ticks)));
  return extremes;
}

/** Computes the extremes of a column. */
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
