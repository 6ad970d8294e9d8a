// Reads series and signals of another feed at the rows of this feed. Each row gets the newest value whose bar had closed.

import { firstAfter } from '../../base/number/search.ts';
import type { GraphOutput } from './graph.ts';
import type { Design, Kernel, RowTimes, Wiring } from './spec.ts';
import { copyValues, NOT_READY, type Fractions, type IndicatorColumn, type NumberWindow, type SignalWindow } from './window.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Returns the design of a column that reads a series or a signal of another feed. */
export function asOfDesign(kind: 'series' | 'signal'): Design {
  return {
    sources: [],
    lookBack: 1,
    kind,
    outputs: [{ suffix: '', warmupBars: 1 }],
    technical: false,
    isAsOf: true,
    make: (wiring) => (kind === 'series' ? new AsOfNumbers(wiring) : new AsOfStates(wiring)),
  };
}

/**
 * Returns the first row of its feed at which a column is ready after its warm-up. Returns the number of rows if it is never ready. `known` has
 * the rows that were computed before.
 */
export function firstReadyRow(output: GraphOutput, known = new Map<GraphOutput, number>()): number {
  const { node, home } = output;
  if (node === null) return 0;
  let row = known.get(output);
  if (row !== undefined) return row;
  const first = node.inputs[0];
  if (node.design.isAsOf === true && first !== undefined) {
    // The first source decides. Of a kernel that reads several feeds, it belongs to the kernel's own feed.
    row = firstReadyRow(first, known);
    if (first.home !== home) row = rowAsOf(home.times, first, row);
  } else {
    // The warm-up of a node counts from its longest source.
    const addedBars = output.warmupBars - Math.max(1, ...node.inputs.map((input) => input.warmupBars));
    row = addedBars + Math.max(0, ...node.inputs.map((input) => firstReadyRow(input, known)));
  }
  known.set(output, row);
  return row;
}

/** Returns the first row of a feed that closes when `row` of the other feed has closed. Returns the number of rows if none does. */
function rowAsOf(times: RowTimes, { home }: GraphOutput, row: number): number {
  if (row >= home.times.length) return times.length;
  return firstAfter(times.closeMs, 0, times.length, home.times.closeMs[row]! - 1);
}

/**
 * Finds, for each row of this feed, the newest row of another feed that has closed. Both feeds are filled up to the same instant, so the found
 * row is filled. It can be the last row before the block, which the window of the other feed keeps.
 */
export class ClosedRows {
  readonly #closeMs: Float64Array;
  readonly #otherTimes: RowTimes;
  #row = -1;

  constructor({ times }: Wiring, otherTimes: RowTimes) {
    this.#closeMs = times.closeMs;
    this.#otherTimes = otherTimes;
  }

  /** Returns the newest row of the other feed that closes at or before the close of `row`. -1 before its first row. `row` must not decrease. */
  at(row: number): number {
    const { closeMs, length } = this.#otherTimes;
    const ms = this.#closeMs[row]!;
    let found = this.#row;
    while (found + 1 < length && closeMs[found + 1]! <= ms) found++;
    return (this.#row = found);
  }

  /**
   * Returns the end of the rows from `row` on that close together with consecutive rows of the other feed, `found` with `row` and so on. For such
   * rows `at` need not be called.
   */
  pairedUntil(row: number, toRow: number, found: number): number {
    const own = this.#closeMs;
    const { closeMs, length } = this.#otherTimes;
    const shift = found - row;
    const lastRow = Math.min(toRow, length - shift) - 1;
    let ms = own[row]!;
    if (ms !== closeMs[found]!) return row;
    let paired = row;
    for (; paired < lastRow; paired++) {
      const next = own[paired + 1]!;
      if (next !== closeMs[paired + 1 + shift]! || next <= ms) break;
      ms = next;
    }
    // If a further row of the other feed closes at the same time, that row is the newest one.
    const after = paired + 1 + shift;
    if (after < length && closeMs[after]! <= ms) return row;
    this.#row = paired + shift;
    return paired + 1;
  }
}

/** Copies the values of a series of another feed. */
class AsOfNumbers implements Kernel {
  readonly #rows: ClosedRows;
  readonly #source: Fractions;
  readonly #out: NumberWindow;

  constructor(wiring: Wiring) {
    this.#rows = new ClosedRows(wiring, wiring.timesOf(0));
    this.#source = wiring.fractions(0);
    this.#out = wiring.out(0);
  }

  fill(fromRow: number, toRow: number): void {
    const { values: from, base: fromBase, divisor } = this.#source;
    const { values, base } = this.#out;
    const rows = this.#rows;
    for (let row = fromRow; row < toRow;) {
      const found = rows.at(row);
      if (found < 0) {
        values[row++ - base] = NAN;
        continue;
      }
      const end = Math.max(row + 1, rows.pairedUntil(row, toRow, found));
      const shift = found - row - fromBase;
      if (divisor === 1) copyValues(from, row + shift, values, row - base, end - row);
      else for (let r = row; r < end; r++) values[r - base] = from[r + shift]! / divisor;
      row = end;
    }
  }
}

/** Copies the states of a signal of another feed. */
class AsOfStates implements Kernel {
  readonly #rows: ClosedRows;
  readonly #source: IndicatorColumn<Uint8Array>;
  readonly #out: SignalWindow;

  constructor(wiring: Wiring) {
    this.#rows = new ClosedRows(wiring, wiring.timesOf(0));
    this.#source = wiring.signals(0);
    this.#out = wiring.outSignal(0);
  }

  fill(fromRow: number, toRow: number): void {
    const { values: from, base: fromBase } = this.#source;
    const { values, base } = this.#out;
    for (let row = fromRow; row < toRow; row++) {
      const found = this.#rows.at(row);
      values[row - base] = found < 0 ? NOT_READY : from[found - fromBase]!;
    }
  }
}
