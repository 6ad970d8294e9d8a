// Shares time columns among the bars of instruments that open and close at the same times.

import type { BarColumns } from './bars.ts';

type Times = Pick<BarColumns, 'openMs' | 'closeMs'>;

/** The time columns that were seen. With hundreds of instruments, sharing them saves two of seven columns each. */
export class SharedTimes {
  readonly #seen = new Map<string, Times>();

  /** Returns the bars with the time columns of earlier bars of the same times. */
  of(bars: BarColumns): BarColumns {
    const { length, openMs, closeMs } = bars;
    // Columns that still grow are not shared, because each grows at its own time.
    if (length === 0 || openMs.length !== length) return bars;
    const key = [length, openMs[0], openMs[length - 1], closeMs[length - 1]].join(' ');
    const known = this.#seen.get(key);
    if (known === undefined) this.#seen.set(key, { openMs, closeMs });
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
