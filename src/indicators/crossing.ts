// The kernel of crossings. It compares two series once per row and writes the signals of both directions.

import { ROW_MASK as MASK } from '../base/number/exact.ts';
import type { Kernel } from './graph/spec.ts';
import type { Comparable } from './sums.ts';
import { FALSE, NOT_READY, TRUE, type IndicatorColumn, type SignalWindow } from './graph/window.ts';

// hot: docs/performance.md#imported-constants
const ROW_MASK = MASK;

/** Relation of a to b in a row. UNKNOWN: a or b is not ready. */
const UNKNOWN = 0;
const ABOVE = 1;
const BELOW = 2;
const EQUAL = 3;
type Relation = typeof UNKNOWN | typeof ABOVE | typeof BELOW | typeof EQUAL;

/**
 * Writes the signals of both directions of a crossing. While a stays on one side of b, the loop writes nothing and its branches are
 * predictable. The kernel also lists the rows of crossings: there are few of them, and a later search would take longer.
 */
export class Crossing implements Kernel {
  readonly #pair: Comparable;
  readonly #up: SignalWindow;
  readonly #down: SignalWindow;
  readonly #upRows: Int32Array;
  readonly #downRows: Int32Array;
  /** Relation of a to b in the last filled row. */
  #lastRelation: Relation = UNKNOWN;

  constructor(pair: Comparable, up: SignalWindow, down: SignalWindow) {
    this.#pair = pair;
    this.#up = up;
    this.#down = down;
    this.#upRows = up.listRows();
    this.#downRows = down.listRows();
  }

  fill(fromRow: number, toRow: number): void {
    const { aTimes, bTimes } = this.#pair;
    // One index for both columns saves a quarter of the time. Windows with equal look-back already start at the same row.
    const base = Math.max(this.#pair.a.base, this.#pair.b.base);
    const a = valuesFrom(this.#pair.a, base);
    const b = valuesFrom(this.#pair.b, base);
    const end = toRow - base;
    this.#clear(fromRow, toRow);
    let relation = this.#lastRelation;
    for (let index = fromRow - base; index < end; index++) {
      if (relation === ABOVE) index = endOfRun(a, aTimes, b, bTimes, index, end);
      else if (relation === BELOW) index = endOfRun(b, bTimes, a, aTimes, index, end);
      if (index === end) break;
      const nextRelation = relationOf(a[index]! * aTimes, b[index]! * bTimes);
      if (nextRelation === UNKNOWN || relation === UNKNOWN) this.#writeNotReady(index + base);
      else if (nextRelation === ABOVE) this.#mark(this.#up, this.#upRows, index + base);
      else if (nextRelation === BELOW) this.#mark(this.#down, this.#downRows, index + base);
      relation = nextRelation;
    }
    this.#lastRelation = relation;
  }

  /** Writes both signals as false in the rows, and empties the lists of crossings. */
  #clear(fromRow: number, toRow: number): void {
    const up = this.#up;
    const down = this.#down;
    up.values.fill(FALSE, fromRow - up.base, toRow - up.base);
    down.values.fill(FALSE, fromRow - down.base, toRow - down.base);
    up.listed = down.listed = 0;
  }

  /** Writes both signals as not ready in a row. */
  #writeNotReady(row: number): void {
    this.#up.values[row - this.#up.base] = NOT_READY;
    this.#down.values[row - this.#down.base] = NOT_READY;
  }

  /** Writes a signal as true in a row, and adds the row to the list of its crossings. */
  #mark(signal: SignalWindow, rows: Int32Array, row: number): void {
    signal.values[row - signal.base] = TRUE;
    rows[signal.listed++] = row;
  }
}

/** Returns the relation of two values. A NaN has no relation to any value. */
function relationOf(a: number, b: number): Relation {
  if (a > b) return ABOVE;
  if (a < b) return BELOW;
  return a === b ? EQUAL : UNKNOWN;
}

/**
 * Returns the first index from `index` at which x is not above y, or `end`. A NaN counts as not above. Each turn compares four rows.
 * Hot: docs/performance.md#full-turns.
 */
function endOfRun(x: Float64Array, xTimes: number, y: Float64Array, yTimes: number, index: number, end: number): number {
  const lastTurn = Math.min(end, ROW_MASK) - 3;
  for (; index < lastTurn; index += 4) {
    const row = index & ROW_MASK;
    if (!(x[row]! * xTimes > y[row]! * yTimes)) break;
    if (!(x[row + 1]! * xTimes > y[row + 1]! * yTimes)) break;
    if (!(x[row + 2]! * xTimes > y[row + 2]! * yTimes)) break;
    if (!(x[row + 3]! * xTimes > y[row + 3]! * yTimes)) break;
  }
  while (index < end && x[index]! * xTimes > y[index]! * yTimes) index++;
  return index;
}

/** Returns the values of a column from row `base`. */
function valuesFrom(column: IndicatorColumn<Float64Array>, base: number): Float64Array {
  return column.base === base ? column.values : column.values.subarray(base - column.base);
}
