// The price path during a trade as far as bars show it: the whole bars between fills, and the close of each fill's bar.

import type { BarColumns } from '../../model/bars/bars.ts';

/** The path of the price since the last fill. */
interface PathExtremes {
  /** Extremes of the whole bars since the last fill, and the close of its bar. 0 means absent, because prices are above 0. */
  high: number;
  low: number;
  close: number;
}

/** A fill of an order that waited for a price level. */
export interface TriggeredFill {
  readonly price: number;
  readonly level: number;
  readonly isBuy: boolean;
  /** True for a stop: the level was an unfavourable price. */
  readonly isStop: boolean;
  /** Time from which the order waited at this level (ms UTC). */
  readonly sinceMs: number;
}

/**
 * Reads the bars once for all trades of one strategy and instrument. Call `between` before each fill, and `moveTo` after it. Only the close
 * of a fill's bar counts, and only when the next fill is in a later bar. The order of prices inside a bar is unknown.
 */
export class BarPath {
  readonly #bars: BarColumns;
  readonly #extremes: PathExtremes = { high: 0, low: 0, close: 0 };
  /** Bar of the last fill. */
  #fillBar = 0;
  /** The rows at which the last searches by open and by close ended. Fills come in order of time. */
  #openRow = 0;
  #closeRow = 0;

  constructor(bars: BarColumns) {
    this.#bars = bars;
  }

  /** Returns the row of the bar that closes at `timeMs`. A fill inside a bar has the time of the bar's close. */
  barClosingAt(timeMs: number): number {
    const { closeMs, length } = this.#bars;
    while (this.#closeRow < length - 1 && closeMs[this.#closeRow]! < timeMs) this.#closeRow++;
    return this.#closeRow;
  }

  /** Returns the row of the bar that opens at `timeMs`. A fill at an open has the time of that open. */
  barOpeningAt(timeMs: number): number {
    const { openMs, length } = this.#bars;
    while (this.#openRow < length - 1 && openMs[this.#openRow + 1]! <= timeMs) this.#openRow++;
    return this.#openRow;
  }

  /**
   * Returns true when the fill was at the open of the bar that begins at `timeMs`. Returns false when it was at its level inside the bar
   * that closes at that time.
   */
  isAtOpen(timeMs: number, { price, level, isBuy, isStop, sinceMs }: TriggeredFill): boolean {
    const { openMs, closeMs, open, high, low } = this.#bars;
    const row = this.barOpeningAt(timeMs);
    if (openMs[row] !== timeMs) return false;
    const side = isBuy ? 1 : -1;
    // Slippage only worsens a price, and a stop triggers at an open only beyond its level.
    const isBetterThanOpen = (price - open[row]!) * side < 0;
    const isOpenBeforeLevel = (open[row]! - level) * side < 0;
    if (isBetterThanOpen || (isStop && isOpenBeforeLevel)) return false;
    const before = row - 1;
    const hasWaitedBefore = before >= 0 && closeMs[before] === timeMs && sinceMs <= openMs[before]!;
    const wasReachedBefore = isBuy ? high[before]! >= level : low[before]! <= level;
    if (isStop && hasWaitedBefore && wasReachedBefore) return false;
    return Math.abs(price - open[row]!) <= Math.abs(price - level);
  }

  /** Sets the bar of the last fill. */
  moveTo(row: number): void {
    this.#fillBar = row;
  }

  /** Returns the extreme prices after the last fill and before a fill in `bar`. The next call reuses the result object. */
  between(bar: number): Readonly<PathExtremes> {
    const { high, low, close } = this.#bars;
    const extremes = this.#extremes;
    extremes.high = 0;
    extremes.low = 0;
    extremes.close = bar > this.#fillBar ? close[this.#fillBar]! : 0;
    if (bar <= this.#fillBar + 1) return extremes;
    let max = 0;
    let min = Infinity;
    for (let row = this.#fillBar + 1; row < bar; row++) {
      if (high[row]! > max) max = high[row]!;
      if (low[row]! < min) min = low[row]!;
    }
    extremes.high = max;
    extremes.low = min;
    return extremes;
  }
}
