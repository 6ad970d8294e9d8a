// The price path during a trade, as far as bars show it: whole bars between fills, and the close of the bar of a fill.

import type { BarColumns } from '../../model/bars/bars.ts';

interface PathExtremes {
  /** Extremes of the whole bars since the last fill, and the close of its bar. 0 means absent, because prices are above 0. */
  high: number;
  low: number;
  close: number;
}

/** A fill of an order that waited for a price level. */
export interface Triggered {
  readonly price: number;
  readonly level: number;
  readonly isBuy: boolean;
  /** True for a stop: the level was an unfavourable price. */
  readonly isStop: boolean;
  readonly sinceMs: number;
}

/**
 * Reads the bars once for any number of trades. Call `moveTo` after each fill of one strategy and instrument, and `between` before it.
 * Of the bar of a fill only the close counts, and only when the next fill is in a later bar: the order of prices inside the bar is unknown.
 */
export class BarPath {
  readonly #bars: BarColumns;
  readonly #extremes: PathExtremes = { high: 0, low: 0, close: 0 };
  /** Bar of the last fill. */
  #at = 0;
  #openRow = 0;
  #closeRow = 0;

  constructor(bars: BarColumns) {
    this.#bars = bars;
  }

  /**
   * Returns the bar of a fill at `timeMs`: the bar that opens then, or for a fill inside a bar the bar that closes then, because such a
   * fill has the time of the close.
   */
  barOf(timeMs: number, isInside: boolean): number {
    const { openMs, closeMs, length } = this.#bars;
    if (isInside) {
      while (this.#closeRow < length - 1 && closeMs[this.#closeRow]! < timeMs) this.#closeRow++;
      return this.#closeRow;
    }
    while (this.#openRow < length - 1 && openMs[this.#openRow + 1]! <= timeMs) this.#openRow++;
    return this.#openRow;
  }

  /**
   * Returns true when the fill was at the open of the bar that begins at `timeMs`, false when it was at its level inside the bar that
   * closes then.
   */
  isAtOpen(timeMs: number, { price, level, isBuy, isStop, sinceMs }: Triggered): boolean {
    const { openMs, closeMs, open, high, low } = this.#bars;
    const row = this.barOf(timeMs, false);
    if (openMs[row] !== timeMs) return false;
    const side = isBuy ? 1 : -1;
    // Slippage only worsens a price, and a stop triggers at an open only beyond its level.
    if ((price - open[row]!) * side < 0 || (isStop && (open[row]! - level) * side < 0)) return false;
    const before = row - 1;
    const stoodBefore = before >= 0 && closeMs[before] === timeMs && sinceMs <= openMs[before]!;
    if (isStop && stoodBefore && (isBuy ? high[before]! >= level : low[before]! <= level)) return false;
    return Math.abs(price - open[row]!) <= Math.abs(price - level);
  }

  moveTo(bar: number): void {
    this.#at = bar;
  }

  /** Returns what was seen after the last fill and before a fill in `bar`. The next call reuses the result object. */
  between(bar: number): Readonly<PathExtremes> {
    const { high, low, close } = this.#bars;
    const seen = this.#extremes;
    seen.high = 0;
    seen.low = 0;
    seen.close = bar > this.#at ? close[this.#at]! : 0;
    if (bar <= this.#at + 1) return seen;
    let max = 0;
    let min = Infinity;
    for (let row = this.#at + 1; row < bar; row++) {
      if (high[row]! > max) max = high[row]!;
      if (low[row]! < min) min = low[row]!;
    }
    seen.high = max;
    seen.low = min;
    return seen;
  }
}
