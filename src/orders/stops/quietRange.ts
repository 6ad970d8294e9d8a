// The prices between which the brackets of an instrument neither trigger nor trail: a row inside them changes nothing.

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** Number of rows that a search checks at first, and at most. */
const FIRST_ROWS = 8;
const MAX_ROWS = 2048;
/** Prices of rows are compared before they are rounded to ticks, so each limit lies half a tick from the price at which a bracket acts. */
const HALF_TICK = 0.5;

/** The limits of the quiet prices, in ticks. Hot: docs/performance.md#quiet-rows. */
export class QuietRange {
  // hot: docs/performance.md#double-fields
  /** A row changes nothing if its low is at or above `low` and its high below `high`. */
  low = 0.5;
  high = 0.5;
  /** A row triggers no stop if its low is at or above `stopsBelow` and its high below `stopsAbove`. It may still make a stop trail. */
  stopsBelow = 0.5;
  stopsAbove = 0.5;
  /** False once a bracket may have changed: the limits must then be computed again. */
  isKnown = false;
  /** Rows before this one are known to be quiet. */
  private quietTo = 0;
  /** Number of rows that the next search checks. It doubles each time a search has found no other row. */
  private searchRows = FIRST_ROWS;

  /** Forgets the limits, because a bracket was added, removed or moved. More changes may follow, so the next search checks few rows. */
  invalidate(): void {
    this.isKnown = false;
    this.searchRows = FIRST_ROWS;
  }
  /** Sets the range to all prices, for an instrument without brackets. */
  allowAllPrices(): void {
    this.low = this.stopsBelow = -INFINITY;
    this.high = this.stopsAbove = INFINITY;
    this.isKnown = true;
    this.forgetQuietRows();
  }
  /** Forgets which rows are quiet. */
  forgetQuietRows(): void {
    this.quietTo = 0;
  }
  /**
   * Excludes the prices at which a bracket acts. It triggers at `level` (ticks; 0 or Infinity: at no price). `bestTicks`: the price that it
   * trails; NaN if it does not trail.
   */
  excludeBracket(isLong: boolean, level: number, bestTicks: number): void {
    if (isLong) {
      if (level + HALF_TICK > this.stopsBelow) this.stopsBelow = level + HALF_TICK;
      if (bestTicks + HALF_TICK < this.high) this.high = bestTicks + HALF_TICK;
    } else {
      if (level - HALF_TICK < this.stopsAbove) this.stopsAbove = level - HALF_TICK;
      if (bestTicks - HALF_TICK > this.low) this.low = bestTicks - HALF_TICK;
    }
    if (this.stopsBelow > this.low) this.low = this.stopsBelow;
    if (this.stopsAbove < this.high) this.high = this.stopsAbove;
  }

  /**
   * Returns a row from `from` to `to`, before which all rows from `from` are quiet. It may be quiet itself. Prices are doubles; one is worth
   * `ticksPerPrice` ticks.
   */
  firstChangingRow(highs: Float64Array, lows: Float64Array, ticksPerPrice: number, from: number, to: number): number {
    const { low, high } = this;
    let row = this.quietTo > from ? this.quietTo : from;
    const end = Math.min(to, row + this.searchRows);
    while (row < end && lows[row]! * ticksPerPrice >= low && highs[row]! * ticksPerPrice < high) row++;
    if (row === end && this.searchRows < MAX_ROWS) this.searchRows *= 2;
    this.quietTo = row;
    return Math.min(row, to);
  }
}
