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
  const own = operand(x);
  return seriesSpec({
    name: 'rank',
    sources: [own, ...among.map(operand)],
    // Equal lists have equal numbers, so that they share one column.
    parameters: [`${among.length} symbols`, `#${own.home.numberOf(among)}`],
    lookBack: 1,
    needs: { '': 1 },
    isAsOf: true,
    make: (wiring) => new Rank(wiring, among.length),
  });
}

/** A series of another symbol, read at the rows of this feed. */
class Rival {
  readonly #window: Fractions;
  readonly #rows: ClosedRows;
  readonly #closeMs: Float64Array;
  readonly #maxAgeMs: number;

  constructor(window: Fractions, times: RowTimes, wiring: Wiring) {
    this.#window = window;
    this.#rows = new ClosedRows(wiring, times);
    this.#closeMs = times.closeMs;
    this.#maxAgeMs = 2 * typicalLengthMs(times.interval);
  }

  /** Returns the newest value at the close of `row`. `ms`: the time of this close, ms UTC. NaN while the symbol has no value. */
  valueAt(row: number, ms: number): number {
    const found = this.#rows.at(row);
    if (found < 0 || ms - this.#closeMs[found]! >= this.#maxAgeMs) return NAN;
    const { values, base, divisor } = this.#window;
    return values[found - base]! / divisor;
  }
}

/** Computes the rank of a series in each row. */
class Rank implements Kernel {
  readonly #own: Fractions;
  readonly #closeMs: Float64Array;
  readonly #rivals: readonly Rival[];
  /** The position of the ranked series in the list; -1: not in the list. */
  readonly #ownIndex: number;
  readonly #out: NumberWindow;

  constructor(wiring: Wiring, count: number) {
    const windows = Array.from({ length: count }, (_, index) => wiring.fractions(index + 1));
    this.#own = wiring.fractions(0);
    this.#closeMs = wiring.times.closeMs;
    this.#ownIndex = windows.indexOf(this.#own);
    this.#rivals = windows.map((window, index) => new Rival(window, wiring.timesOf(index + 1), wiring));
    this.#out = wiring.out(0);
  }

  fill(fromRow: number, toRow: number): void {
    const { values: own, base: ownBase, divisor } = this.#own;
    const { values, base } = this.#out;
    for (let row = fromRow; row < toRow; row++) values[row - base] = this.#rankOf(own[row - ownBase]! / divisor, row);
  }

  #rankOf(x: number, row: number): number {
    if (x !== x) return NAN;
    const rivals = this.#rivals;
    const ms = this.#closeMs[row]!;
    let higherCount = 0;
    for (let i = 0; i < rivals.length; i++) {
      if (i === this.#ownIndex) continue;
      const value = rivals[i]!.valueAt(row, ms);
      if (value > x || (value === x && i < this.#ownIndex)) higherCount++;
    }
    return higherCount + 1;
  }
}
