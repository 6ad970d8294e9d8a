// The rank of a symbol among other symbols, by a series of each of their feeds.

import { ConfigError } from '../../base/errors.ts';
import { typicalLengthMs } from '../../model/interval.ts';
import { ClosedRows } from '../graph/asOf.ts';
import type { Series } from '../graph/series.ts';
import { operand, seriesSpec, type IndicatorSpec, type Kernel, type RowTimes, type Source, type Wiring } from '../graph/spec.ts';
import type { Fractions, NumberWindow } from '../graph/window.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/**
 * Returns the rank of `x` among the series of other symbols: 1 for the largest value. Equal values rank in the order of the list. NaN
 * while `x` has no value.
 * A symbol counts if it has a value, and if its newest bar closed less than two of its intervals ago. So symbols that are not listed yet
 * or are delisted do not count.
 */
export function rank(x: Source, among: readonly Source[]): IndicatorSpec<Series> {
  if (among.length === 0)
    throw new ConfigError('rank: expected the series of one symbol or more, got none', 'write them as rank(mine, all)');
  const rankedOperand = operand(x);
  return seriesSpec({
    name: 'rank',
    sources: [rankedOperand, ...among.map(operand)],
    // Equal lists have equal numbers, so that they share one column.
    parameters: [`${among.length} symbols`, `#${rankedOperand.home.numberOf(among)}`],
    lookBack: 1,
    needs: { '': 1 },
    isAsOf: true,
    makeKernel: (wiring) => new Rank(wiring, among.length),
  });
}

/** A series of another symbol, read at the rows of this feed. */
class Rival {
  readonly #window: Fractions;
  readonly #rows: ClosedRows;
  readonly #closeMs: Float64Array;
  readonly #maxAgeMs: number;
  readonly #ownCloseMs: Float64Array;

  constructor(window: Fractions, times: RowTimes, wiring: Wiring) {
    this.#window = window;
    this.#rows = new ClosedRows(wiring, times);
    this.#closeMs = times.closeMs;
    this.#ownCloseMs = wiring.times.closeMs;
    this.#maxAgeMs = 2 * typicalLengthMs(times.interval);
  }

  /**
   * Adds 1 to the rank of each row at which this symbol counts and ranks above `own`. `isBefore`: this symbol comes before `own` in the list, so it
   * also ranks above an equal value.
   */
  outrank(own: Fractions, out: NumberWindow, fromRow: number, toRow: number, isBefore: boolean): void {
    const rows = this.#rows;
    for (let row = fromRow; row < toRow;) {
      const otherRow = rows.newestRowAt(row);
      // Rows that close together with a row of the symbol are not too old.
      const end = otherRow < 0 ? row : rows.pairedUntil(row, toRow, otherRow);
      if (end > row) this.#compare(own, out, row, end, otherRow, isBefore);
      else if (otherRow >= 0 && this.#ownCloseMs[row]! - this.#closeMs[otherRow]! < this.#maxAgeMs)
        this.#compare(own, out, row, row + 1, otherRow, isBefore);
      row = Math.max(end, row + 1);
    }
  }

  /** Compares the rows [row, end) with as many rows of this symbol from `otherRow` on. */
  #compare(own: Fractions, out: NumberWindow, row: number, end: number, otherRow: number, isBefore: boolean): void {
    const { values, base, divisor } = this.#window;
    const { values: ownValues, base: ownBase, divisor: ownDivisor } = own;
    const { values: ranks, base: ranksBase } = out;
    const shift = otherRow - row - base;
    // A comparison as a number needs no branch, which no processor would predict.
    if (isBefore)
      for (let r = row; r < end; r++) ranks[r - ranksBase]! += Number(values[r + shift]! / divisor >= ownValues[r - ownBase]! / ownDivisor);
    else
      for (let r = row; r < end; r++) ranks[r - ranksBase]! += Number(values[r + shift]! / divisor > ownValues[r - ownBase]! / ownDivisor);
  }
}

/** Computes the rank of a series in each row. */
class Rank implements Kernel {
  readonly #own: Fractions;
  readonly #rivals: readonly Rival[];
  /** The position of the ranked series in the list; -1: not in the list. */
  readonly #ownIndex: number;
  readonly #out: NumberWindow;

  constructor(wiring: Wiring, count: number) {
    const windows = Array.from({ length: count }, (_, index) => wiring.fractions(index + 1));
    this.#own = wiring.fractions(0);
    this.#ownIndex = windows.indexOf(this.#own);
    this.#rivals = windows.map((window, index) => new Rival(window, wiring.timesOf(index + 1), wiring));
    this.#out = wiring.out(0);
  }

  fill(fromRow: number, toRow: number): void {
    const { values: own, base: ownBase } = this.#own;
    const { values, base } = this.#out;
    // NaN stays NaN.
    for (let row = fromRow; row < toRow; row++) {
      const ownValue = own[row - ownBase]!;
      values[row - base] = ownValue === ownValue ? 1 : NAN;
    }
    const rivals = this.#rivals;
    for (let i = 0; i < rivals.length; i++) {
      if (i !== this.#ownIndex) rivals[i]!.outrank(this.#own, this.#out, fromRow, toRow, i < this.#ownIndex);
    }
  }
}
