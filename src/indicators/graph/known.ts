// Reads an external series at the rows of a feed. Each row gets the newest value that was known at its close.

import type { KnownValues } from '../../model/bars/knownValues.ts';
import type { Series } from './series.ts';
import { operand, seriesSpec, type IndicatorSpec, type Kernel, type RowTimes, type Wiring } from './spec.ts';
import type { NumberWindow } from './window.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Returns the spec of the external series `name` at the rows of a feed. `column` is any column of this feed. */
export function knownSeries(column: Series, name: string, values: KnownValues): IndicatorSpec<Series> {
  return seriesSpec({
    name: 'series',
    sources: [operand(column)],
    parameters: [name],
    shared: { key: `series(${name})`, output: '' },
    needs: { '': 1 },
    makeKernel: (wiring) => new KnownNumbers(wiring, values),
  });
}

/** Copies the known values to the rows of the feed. */
class KnownNumbers implements Kernel {
  readonly #times: RowTimes;
  readonly #values: KnownValues;
  readonly #out: NumberWindow;
  /** Index of the newest known value. -1 before the first. */
  #newest = -1;

  constructor(wiring: Wiring, values: KnownValues) {
    this.#times = wiring.times;
    this.#values = values;
    this.#out = wiring.out(0);
  }

  fill(fromRow: number, toRow: number): void {
    const { closeMs } = this.#times;
    const { knownMs, value, length } = this.#values;
    const { values: out, base } = this.#out;
    let newest = this.#newest;
    for (let row = fromRow; row < toRow; row++) {
      const ms = closeMs[row]!;
      while (newest + 1 < length && knownMs[newest + 1]! <= ms) newest++;
      out[row - base] = newest < 0 ? NAN : value[newest]!;
    }
    this.#newest = newest;
  }
}
