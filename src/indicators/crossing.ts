// The kernel of crossings. It compares two series once per row, for both directions.

import { ROW_MASK as MASK } from '../base/number/exact.ts';
import type { Kernel } from './graph/spec.ts';
import type { Comparable } from './sums.ts';
import { FALSE, NOT_READY, TRUE, type IndicatorColumn, type SignalWindow } from './graph/window.ts';

// hot: docs/performance.md#imported-constants
const ROW_MASK = MASK;

/** Relation of a to b in a row. OPEN: one of them is not ready. */
const OPEN = 0;
const ABOVE = 1;
const BELOW = 2;
const EQUAL = 3;
type Place = typeof OPEN | typeof ABOVE | typeof BELOW | typeof EQUAL;

/**
 * Skips from crossing to crossing. While a stays on one side of b, the loop writes nothing and its branches are predictable. The rows of
 * crossings are listed here, because there are few of them and a later search would take longer.
 */
export class Crossing implements Kernel {
  readonly #pair: Comparable;
  readonly #up: SignalWindow;
  readonly #down: SignalWindow;
  readonly #upRows: Int32Array;
  readonly #downRows: Int32Array;
  /** Relation in the last filled row. */
  #place: Place = OPEN;

  constructor(pair: Comparable, up: SignalWindow, down: SignalWindow) {
    this.#pair = pair;
    this.#up = up;
    this.#down = down;
    this.#upRows = up.listRows();
    this.#downRows = down.listRows();
  }

  fill(fromRow: number, toRow: number): void {
    const { aTimes, bTimes } = this.#pair;
    // Gives both columns one index, which saves a quarter of the time. Windows with equal look-back already start at the same row.
    const base = Math.max(this.#pair.a.base, this.#pair.b.base);
    const a = valuesFrom(this.#pair.a, base);
    const b = valuesFrom(this.#pair.b, base);
    const end = toRow - base;
    this.#clear(fromRow, toRow);
    let place = this.#place;
    for (let at = fromRow - base; at < end; at++) {
      if (place === ABOVE) at = endOfRun(a, aTimes, b, bTimes, at, end);
      else if (place === BELOW) at = endOfRun(b, bTimes, a, aTimes, at, end);
      if (at === end) break;
      const x = a[at]! * aTimes;
      const y = b[at]! * bTimes;
      const next = x > y ? ABOVE : x < y ? BELOW : x === y ? EQUAL : OPEN;
      if (next === OPEN || place === OPEN) this.#leaveOpen(at + base);
      else if (next === ABOVE) this.#mark(this.#up, this.#upRows, at + base);
      else if (next === BELOW) this.#mark(this.#down, this.#downRows, at + base);
      place = next;
    }
    this.#place = place;
  }

  #clear(fromRow: number, toRow: number): void {
    const up = this.#up;
    const down = this.#down;
    up.values.fill(FALSE, fromRow - up.base, toRow - up.base);
    down.values.fill(FALSE, fromRow - down.base, toRow - down.base);
    up.listed = down.listed = 0;
  }

  #leaveOpen(row: number): void {
    this.#up.values[row - this.#up.base] = NOT_READY;
    this.#down.values[row - this.#down.base] = NOT_READY;
  }

  #mark(out: SignalWindow, rows: Int32Array, row: number): void {
    out.values[row - out.base] = TRUE;
    rows[out.listed++] = row;
  }
}

/**
 * Returns the first index from `at` on at which x is not above y, or `end`. A NaN counts as not above. Each turn compares four rows. Hot:
 * docs/performance.md#full-turns.
 */
function endOfRun(x: Float64Array, xTimes: number, y: Float64Array, yTimes: number, at: number, end: number): number {
  const lastTurn = Math.min(end, ROW_MASK) - 3;
  for (; at < lastTurn; at += 4) {
    const row = at & ROW_MASK;
    if (!(x[row]! * xTimes > y[row]! * yTimes)) break;
    if (!(x[row + 1]! * xTimes > y[row + 1]! * yTimes)) break;
    if (!(x[row + 2]! * xTimes > y[row + 2]! * yTimes)) break;
    if (!(x[row + 3]! * xTimes > y[row + 3]! * yTimes)) break;
  }
  while (at < end && x[at]! * xTimes > y[at]! * yTimes) at++;
  return at;
}

function valuesFrom(column: IndicatorColumn<Float64Array>, base: number): Float64Array {
  return column.base === base ? column.values : column.values.subarray(base - column.base);
}
