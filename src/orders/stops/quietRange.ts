// The prices between which the brackets of an instrument neither trigger nor trail: a row inside them changes nothing.

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** Rows that are looked at ahead at first, and at most. */
const FIRST_ROWS = 8;
const MAX_ROWS = 2048;

/**
 * Limits in ticks, half a tick off the prices that act: prices of rows are compared before they are rounded to ticks. Hot:
 * docs/performance.md#quiet-rows.
 */
export class QuietRange {
  // hot: docs/performance.md#double-fields
  /** A row changes nothing if its low is at or above `low` and its high below `high`. */
  low = 0.5;
  high = 0.5;
  /** The same for stops alone: a row between these two triggers none, but may make one trail. */
  stopsBelow = 0.5;
  stopsAbove = 0.5;
  /** False once a bracket may have changed: the limits must then be computed again. */
  isKnown = false;
  /** Rows before this one, from the one that was asked for, are quiet. */
  private quietTo = 0;
  /** How far a search looks: twice as far each time it has found nothing. */
  private ahead = FIRST_ROWS;

  /** A bracket was added, removed or moved. What was looked at ahead may be wasted, so the next search looks less far. */
  change(): void {
    this.isKnown = false;
    this.ahead = FIRST_ROWS;
  }
  /** Sets the range to all prices, for an instrument without brackets. */
  clear(): void {
    this.low = this.stopsBelow = -INFINITY;
    this.high = this.stopsAbove = INFINITY;
    this.isKnown = true;
    this.restart();
  }
  /** Forgets which rows are quiet. */
  restart(): void {
    this.quietTo = 0;
  }
  /** Adds a bracket that triggers at `level` (ticks; 0 or Infinity: at no price) and trails `best`; NaN if it does not trail. */
  add(isLong: boolean, level: number, best: number): void {
    if (isLong) {
      if (level + 0.5 > this.stopsBelow) this.stopsBelow = level + 0.5;
      if (best + 0.5 < this.high) this.high = best + 0.5;
    } else {
      if (level - 0.5 < this.stopsAbove) this.stopsAbove = level - 0.5;
      if (best - 0.5 > this.low) this.low = best - 0.5;
    }
    if (this.stopsBelow > this.low) this.low = this.stopsBelow;
    if (this.stopsAbove < this.high) this.high = this.stopsAbove;
  }

  /** Returns a row of [from, to]; those from `from` before it are quiet. Prices are doubles, `scale` ticks each. */
  firstOther(highs: Float64Array, lows: Float64Array, scale: number, from: number, to: number): number {
    const { low, high } = this;
    let row = this.quietTo > from ? this.quietTo : from;
    const end = Math.min(to, row + this.ahead);
    while (row < end && lows[row]! * scale >= low && highs[row]! * scale < high) row++;
    if (row === end && this.ahead < MAX_ROWS) this.ahead *= 2;
    this.quietTo = row;
    return Math.min(row, to);
  }
}
