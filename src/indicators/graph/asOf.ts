// Reads series and signals of another feed at the rows of this feed. Each row gets the newest value whose bar had closed.

import { largestOf } from '../../base/number/extremes.ts';
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
    usesTechnical: false,
    isAsOf: true,
    makeKernel: (wiring) => (kind === 'series' ? new AsOfNumbers(wiring) : new AsOfStates(wiring)),
  };
}

/**
 * Returns the first row of its feed at which a column is ready after its warm-up. Returns the number of rows if it is never ready. `knownRows` has
 * the rows that were computed before.
 */
export function firstReadyRow(output: GraphOutput, knownRows = new Map<GraphOutput, number>()): number {
  const { node, home } = output;
  if (node === null) return 0;
  let row = knownRows.get(output);
  if (row !== undefined) return row;
  const ownSource = node.inputs[0];
  if (node.design.isAsOf === true && ownSource !== undefined) {
    // The first source decides. Of a kernel that reads several feeds, it belongs to the kernel's own feed.
    row = firstReadyRow(ownSource, knownRows);
    if (ownSource.home !== home) row = rowAsOf(home.times, ownSource, row);
  } else {
    // The warm-up of a node counts from its longest source.
    const addedBars = output.warmupBars - Math.max(1, largestOf(node.inputs.map((input) => input.warmupBars)));
    row = addedBars + Math.max(0, largestOf(node.inputs.map((input) => firstReadyRow(input, knownRows))));
  }
  knownRows.set(output, row);
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
  newestRowAt(row: number): number {
    const { closeMs, length } = this.#otherTimes;
    const instantMs = this.#closeMs[row]!;
    let otherRow = this.#row;
    while (otherRow + 1 < length && closeMs[otherRow + 1]! <= instantMs) otherRow++;
    return (this.#row = otherRow);
  }

  /**
   * Returns the end of the rows from `row` on that close together with consecutive rows of the other feed, `otherRow` with `row` and so on. For such
   * rows `newestRowAt` need not be called.
   */
  pairedUntil(row: number, toRow: number, otherRow: number): number {
    const ownCloseMs = this.#closeMs;
    const { closeMs, length } = this.#otherTimes;
    const shift = otherRow - row;
    const lastRow = Math.min(toRow, length - shift) - 1;
    let instantMs = ownCloseMs[row]!;
    if (instantMs !== closeMs[otherRow]!) return row;
    let pairedRow = row;
    for (; pairedRow < lastRow; pairedRow++) {
      const nextCloseMs = ownCloseMs[pairedRow + 1]!;
      if (nextCloseMs !== closeMs[pairedRow + 1 + shift]! || nextCloseMs <= instantMs) break;
      instantMs = nextCloseMs;
    }
    // If a further row of the other feed closes at the same time, that row is the newest one.
    const afterPaired = pairedRow + 1 + shift;
    if (afterPaired < length && closeMs[afterPaired]! <= instantMs) return row;
    this.#row = pairedRow + shift;
    return pairedRow + 1;
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
    const { values: sourceValues, base: sourceBase, divisor } = this.#source;
    const { values, base } = this.#out;
    const rows = this.#rows;
    for (let row = fromRow; row < toRow;) {
      const otherRow = rows.newestRowAt(row);
      if (otherRow < 0) {
        values[row++ - base] = NAN;
        continue;
      }
      const end = Math.max(row + 1, rows.pairedUntil(row, toRow, otherRow));
      const shift = otherRow - row - sourceBase;
      if (divisor === 1) copyValues(sourceValues, row + shift, values, row - base, end - row);
      else for (let r = row; r < end; r++) values[r - base] = sourceValues[r + shift]! / divisor;
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
    const { values: sourceValues, base: sourceBase } = this.#source;
    const { values, base } = this.#out;
    for (let row = fromRow; row < toRow; row++) {
      const otherRow = this.#rows.newestRowAt(row);
      values[row - base] = otherRow < 0 ? NOT_READY : sourceValues[otherRow - sourceBase]!;
    }
  }
}
