// Shares time columns among the bars of instruments that open and close at the same times.

import type { BarColumns } from './bars.ts';

type Times = Pick<BarColumns, 'openMs' | 'closeMs'>;

/** A pool of time columns. With hundreds of instruments, sharing them saves two of the seven columns of each. */
export class SharedTimes {
  readonly #pool = new Map<string, Times>();

  /** Returns the bars. Their time columns are those of earlier bars if the times are equal. */
  of(bars: BarColumns): BarColumns {
    const { length, openMs, closeMs } = bars;
    // Bars that still grow cannot share columns, because they do not grow together.
    if (length === 0 || openMs.length !== length) return bars;
    const key = [length, openMs[0], openMs[length - 1], closeMs[length - 1]].join(' ');
    const sharedColumn = this.#pool.get(key);
    if (sharedColumn === undefined) this.#pool.set(key, { openMs, closeMs });
    else if (areEqual(sharedColumn.openMs, openMs) && areEqual(sharedColumn.closeMs, closeMs))
      return { ...bars, openMs: sharedColumn.openMs, closeMs: sharedColumn.closeMs };
    return bars;
  }
}

function areEqual(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false;
  for (let row = 0; row < a.length; row++) if (a[row] !== b[row]) return false;
  return true;
}
