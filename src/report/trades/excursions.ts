// The path of prices that a trade lived through, as far as bars tell it: whole bars between fills, and the close of the bar of a fill.

import type { BarColumns } from '../../model/bars/bars.ts';

interface PathExtremes {
  /** Extremes of the whole bars since the last fill, and the close of its bar; 0 where there is none. Prices are above 0. */
  high: number;
  low: number;
  close: number;
}

/** A fill of an order that waited for a level, and since when the venue had it. */
export interface Triggered {
  readonly price: number;
  readonly level: number;
  readonly isBuy: boolean;
  /** It waited for a price against it. */
  readonly isStop: boolean;
  readonly sinceMs: number;
}

/**
 * Walks the bars once, whatever the number of trades: call `stand` after each fill of one strategy and instrument, `between` before it.
 * The bar of a fill counts with its close alone, and only when the next fill is in a later bar: what came before the fill within it is
 * not known.
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

  /** The bar of a fill at `timeMs`: the one that opens then, or of a fill inside a bar (such bear its end) the one that ends then. */
  barOf(timeMs: number, isInside: boolean): number {
    const { openMs, closeMs, length } = this.#bars;
    if (isInside) {
      while (this.#closeRow < length - 1 && closeMs[this.#closeRow]! < timeMs) this.#closeRow++;
      return this.#closeRow;
    }
    while (this.#openRow < length - 1 && openMs[this.#openRow + 1]! <= timeMs) this.#openRow++;
    return this.#openRow;
  }

  /** Was it at the open of the bar that begins at `timeMs`, rather than at its level inside the bar that ends then? */
  isAtOpen(timeMs: number, { price, level, isBuy, isStop, sinceMs }: Triggered): boolean {
    const { openMs, closeMs, open, high, low } = this.#bars;
    const row = this.barOf(timeMs, false);
    if (openMs[row] !== timeMs) return false;
    const side = isBuy ? 1 : -1;
    // Slippage only worsens a price, and a stop goes off at an open beyond its level.
    if ((price - open[row]!) * side < 0 || (isStop && (open[row]! - level) * side < 0)) return false;
    const before = row - 1;
    const stoodBefore = before >= 0 && closeMs[before] === timeMs && sinceMs <= openMs[before]!;
    if (isStop && stoodBefore && (isBuy ? high[before]! >= level : low[before]! <= level)) return false;
    return Math.abs(price - open[row]!) <= Math.abs(price - level);
  }

  stand(bar: number): void {
    this.#at = bar;
  }

  /** What was seen after the last fill and before one in `bar`. The result is reused by the next call. */
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
