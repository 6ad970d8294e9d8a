// Lets bars of several instruments that open and close at the same times have these columns in common.

import type { BarColumns } from './bars.ts';

type Times = Pick<BarColumns, 'openMs' | 'closeMs'>;

/** Two of the seven columns of hundreds of instruments are mostly the same, and so is their memory. */
export class SharedTimes {
  readonly #known = new Map<string, Times>();

  /** Returns the bars with the time columns of earlier bars of the same times. */
  of(bars: BarColumns): BarColumns {
    const { length, openMs, closeMs } = bars;
    // Columns that grow are written at their own times.
    if (length === 0 || openMs.length !== length) return bars;
    const key = [length, openMs[0], openMs[length - 1], closeMs[length - 1]].join(' ');
    const known = this.#known.get(key);
    if (known === undefined) this.#known.set(key, { openMs, closeMs });
    else if (areEqual(known.openMs, openMs) && areEqual(known.closeMs, closeMs))
      return { ...bars, openMs: known.openMs, closeMs: known.closeMs };
    return bars;
  }
}

function areEqual(one: Float64Array, other: Float64Array): boolean {
  if (one.length !== other.length) return false;
  for (let row = 0; row < one.length; row++) if (one[row] !== other[row]) return false;
  return true;
}
