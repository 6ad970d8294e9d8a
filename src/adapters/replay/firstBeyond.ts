// The first row whose price reaches a level, found over the extremes of whole chunks of rows.

import type { TickColumn } from '../../model/bars.ts';

const CHUNK = 64;

/** Over two columns that do not change. The extremes of a chunk are reckoned when it is first passed. */
export class FirstBeyond {
  private readonly high: TickColumn;
  private readonly low: TickColumn;
  private readonly highest: Float64Array;
  private readonly lowest: Float64Array;

  constructor(high: TickColumn, low: TickColumn) {
    this.high = high;
    this.low = low;
    const chunks = Math.ceil(high.length / CHUNK);
    this.highest = new Float64Array(chunks).fill(NaN);
    this.lowest = new Float64Array(chunks).fill(NaN);
  }

  /** The first row of [from, to) with a low at or below `level`; -1: none. */
  firstLow(level: number, from: number, to: number): number {
    let row = from;
    while (row < to) {
      if (row % CHUNK === 0 && row + CHUNK <= to && this.lowestOf(row / CHUNK) > level) row += CHUNK;
      else if (this.low[row]! <= level) return row;
      else row++;
    }
    return -1;
  }

  /** The first row of [from, to) with a high at or above `level`; -1: none. */
  firstHigh(level: number, from: number, to: number): number {
    let row = from;
    while (row < to) {
      if (row % CHUNK === 0 && row + CHUNK <= to && this.highestOf(row / CHUNK) < level) row += CHUNK;
      else if (this.high[row]! >= level) return row;
      else row++;
    }
    return -1;
  }

  private lowestOf(chunk: number): number {
    const known = this.lowest[chunk]!;
    if (known === known) return known;
    const { low } = this;
    const end = Math.min((chunk + 1) * CHUNK, low.length);
    let lowest = low[chunk * CHUNK]!;
    // Without a branch, for whether a row is the lowest so far cannot be foretold.
    for (let row = chunk * CHUNK; row < end; row++) lowest = Math.min(lowest, low[row]!);
    return (this.lowest[chunk] = lowest);
  }

  private highestOf(chunk: number): number {
    const known = this.highest[chunk]!;
    if (known === known) return known;
    const { high } = this;
    const end = Math.min((chunk + 1) * CHUNK, high.length);
    let highest = high[chunk * CHUNK]!;
    for (let row = chunk * CHUNK; row < end; row++) highest = Math.max(highest, high[row]!);
    return (this.highest[chunk] = highest);
  }
}
