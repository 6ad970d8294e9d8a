// Statistics of the last values of a series in the order of their size: each row replaces one value of the row before it.

import type { Series } from '../graph/series.ts';
import { checkWhole, operand, seriesSpec, type IndicatorSpec, type Kernel, type Source } from '../graph/spec.ts';
import { finite, type IndicatorColumn, type NumberWindow } from '../graph/window.ts';
import { MAX_BARS } from './spread.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Returns a statistic of values in ascending order. */
type SortedStatistic = (sorted: Float64Array) => number;

/** Returns the spec of a statistic of the last `bars` values in ascending order. */
export function sortedStatistic(
  name: string,
  value: Source,
  { bars, parameters }: { readonly bars: number; readonly parameters: readonly number[] },
  statistic: SortedStatistic,
): IndicatorSpec<Series> {
  checkWhole(name, 'bars', bars, 1, MAX_BARS);
  return seriesSpec({
    name,
    sources: [operand(value)],
    parameters,
    lookBack: bars,
    needs: { '': bars },
    makeKernel: (wiring) => new SortedKernel(statistic, wiring.numbers(0), wiring.out(0), bars),
  });
}

/** Keeps the last values in ascending order. */
class SortedKernel implements Kernel {
  readonly #of: SortedStatistic;
  readonly #column: IndicatorColumn<Float64Array>;
  readonly #out: NumberWindow;
  /** The last values in ascending order: the first `#count` elements. */
  readonly #sorted: Float64Array;
  /** Number of consecutive rows with a value, counted up to the length of the window. */
  #count = 0;

  constructor(statistic: SortedStatistic, column: IndicatorColumn<Float64Array>, out: NumberWindow, bars: number) {
    this.#of = statistic;
    this.#column = column;
    this.#out = out;
    this.#sorted = new Float64Array(bars);
  }

  fill(fromRow: number, toRow: number): void {
    const { values, base } = this.#column;
    const { values: out, base: outBase } = this.#out;
    const sorted = this.#sorted;
    const bars = sorted.length;
    for (let row = fromRow; row < toRow; row++) {
      // Adding 0 makes -0 to 0. Two zeros would otherwise stand in an order that depends on earlier rows.
      const value = values[row - base]! + 0;
      if (value !== value) this.#count = 0;
      else if (this.#count === bars) this.#replaceAt(this.#indexOf(values[row - bars - base]!), value);
      else {
        sorted[this.#count] = value;
        this.#replaceAt(this.#count++, value);
      }
      out[row - outBase] = this.#count === bars ? finite(this.#of(sorted)) : NAN;
    }
  }

  /** Returns the first index of a value of the window. */
  #indexOf(value: number): number {
    const sorted = this.#sorted;
    let low = 0;
    let high = this.#count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle]! < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Puts `value` into the window in place of the value at `index`, and keeps the order. */
  #replaceAt(index: number, value: number): void {
    const sorted = this.#sorted;
    const last = this.#count - 1;
    let i = index;
    for (; i < last && sorted[i + 1]! < value; i++) sorted[i] = sorted[i + 1]!;
    for (; i > 0 && sorted[i - 1]! > value; i--) sorted[i] = sorted[i - 1]!;
    sorted[i] = value;
  }
}
