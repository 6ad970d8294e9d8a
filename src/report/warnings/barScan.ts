// Finds bars that no real market produces: price jumps that return, level changes such as splits, and stretches with a constant price.

import type { BarColumns } from '../../model/bars/bars.ts';

/** Factor of a jump: a high or low this far outside the open and close of its bar. */
const JUMP_FACTOR = 2;
/** Factor of a jump between a close and the next open. In a market that never closes the two are nearly equal. */
const OPEN_JUMP_FACTOR = 1.4;
/** Factor between two closes of a level change, unless the price returns. */
const LEVEL_FACTOR = 1.9;
/** A jump must return within `RETURN_ROWS` rows. It has returned when at most the share `MAX_REMAINING` of its size (as a logarithm) remains. */
export const RETURN_ROWS = 100;
const MAX_REMAINING = 0.35;
/** After an outage of more than a day, and inside a bar of a day or longer, a real price can change by the factors above. */
const DAY_MS = 86_400_000;
/** Minimum number of successive rows with one price. Quiet markets have up to 13 (bars of a minute, 2017). */
const DEAD_ROWS = 24;

/** The columns that are scanned: of bars, or of klines of a mark price. */
export type PriceRows = Pick<BarColumns, 'length' | 'openMs' | 'closeMs' | 'open' | 'high' | 'low' | 'close'>;

/** The number of rows of one kind, and the first of them. */
export interface FlawRows {
  readonly count: number;
  /** Opening time of the first row. NaN when `count` is 0. */
  readonly firstMs: number;
}

/** All flaws of a set of bars. */
export interface BarFlaws {
  /** Bars that jump and return. */
  readonly jumps: FlawRows;
  /** Lasting level changes. `factor` is that of the largest: above 1 up, below 1 down. */
  readonly levels: FlawRows & { readonly factor: number };
  /** Stretches of rows with a constant price, and the length in rows of the longest. */
  readonly dead: FlawRows & { readonly max: number };
}

/** Returns the flaws of the bars, found in one pass. */
export function scanBars(bars: PriceRows): BarFlaws {
  const scan = new BarScan();
  scan.take(bars, 0, bars.length);
  return scan.flaws(bars);
}

/** Searches bars for flaws, in parts if they do not fit into memory. */
export class BarScan {
  private readonly jumps = new FlawCounter();
  private readonly levels = new FlawCounter();
  private readonly dead = new FlawCounter();
  /** Factor of the largest level change. */
  private factor = 1;
  /** Length in rows of the longest stretch with one price. */
  private max = 0;
  /** First row of the current stretch with one price. Once that row was dropped, its opening time (ms UTC) is kept instead. */
  private deadFrom = 1;
  private deadFromMs = NaN;

  /**
   * Scans the rows from `from` to `to` (exclusive). `bars` must also have the row before them and the next `RETURN_ROWS` rows after them,
   * if those rows exist. Returns the next row to scan, at most `RETURN_ROWS` rows after `to`.
   */
  take(bars: PriceRows, from: number, to: number): number {
    const { openMs, open, high, low, close } = bars;
    const { jumps, levels } = this;
    let { max, deadFrom } = this;
    let row = from;
    for (; row < to; row++) {
      // hot: docs/performance.md#index-loops
      const openPrice = open[row]!;
      const highPrice = high[row]!;
      const lowPrice = low[row]!;
      const closePrice = close[row]!;
      const lastClose = row === 0 ? openPrice : close[row - 1]!;
      if (row === 0 || closePrice !== lastClose || !isDead(bars, row)) {
        if (row - deadFrom >= DEAD_ROWS) this.addDead(openMs, deadFrom);
        max = Math.max(max, row - deadFrom);
        deadFrom = row + 1;
      }
      // Almost every row: all of its prices and the close before it are so near to each other that no test below can find anything.
      const maxNearLow = lowPrice * OPEN_JUMP_FACTOR;
      // Kept as one condition, because this loop reads every bar of a run.
      if (
        highPrice <= maxNearLow &&
        lastClose <= maxNearLow &&
        highPrice <= lastClose * OPEN_JUMP_FACTOR &&
        openPrice >= lowPrice &&
        closePrice >= lowPrice &&
        openPrice <= highPrice &&
        closePrice <= highPrice
      )
        continue;
      if (isAway(openPrice, lastClose, OPEN_JUMP_FACTOR) || isAway(closePrice, lastClose, LEVEL_FACTOR)) {
        const rowOfReturn = returnRow(bars, row, lastClose);
        if (rowOfReturn === null) {
          if (!isAfterOutage(bars, row) && !isMarketMove(bars, row, lastClose)) {
            levels.add(openMs[row]!);
            const change = closePrice / lastClose;
            if (Math.abs(Math.log(change)) > Math.abs(Math.log(this.factor))) this.factor = change;
          }
        } else if (rowOfReturn > row || isAway(openPrice, lastClose, OPEN_JUMP_FACTOR)) {
          for (let jumped = row; jumped < Math.max(rowOfReturn, row + 1); jumped++) jumps.add(openMs[jumped]!);
          // The bar that returns makes an equally large move, but it is correct.
          row = rowOfReturn;
          deadFrom = row + 1;
        }
      } else if (highPrice > JUMP_FACTOR * Math.max(openPrice, closePrice) || lowPrice * JUMP_FACTOR < Math.min(openPrice, closePrice))
        jumps.add(openMs[row]!);
    }
    this.max = max;
    this.deadFrom = deadFrom;
    return row;
  }

  /** Call this before the first `rows` rows of `bars` are dropped. */
  drop({ openMs }: PriceRows, rows: number): void {
    if (this.deadFrom >= 0 && this.deadFrom < rows) this.deadFromMs = openMs[this.deadFrom]!;
    this.deadFrom -= rows;
  }

  /** Returns the flaws after the last row of `bars` was scanned. */
  flaws({ length, openMs }: PriceRows): BarFlaws {
    const { jumps, levels, dead, factor, deadFrom } = this;
    if (length - deadFrom >= DEAD_ROWS) this.addDead(openMs, deadFrom);
    const max = Math.max(this.max, length - deadFrom);
    return { jumps: jumps.result(), levels: { ...levels.result(), factor }, dead: { ...dead.result(), max } };
  }

  /** Counts a stretch with one price that begins at `row`. */
  private addDead(openMs: Float64Array, row: number): void {
    this.dead.add(row < 0 ? this.deadFromMs : openMs[row]!);
  }
}

/** Counts rows, and keeps the opening time of the first one. */
class FlawCounter {
  #count = 0;
  #firstMs = NaN;
  add(openMs: number): void {
    if (this.#count++ === 0) this.#firstMs = openMs;
  }
  /** Returns the count and the first time. */
  result(): FlawRows {
    return { count: this.#count, firstMs: this.#firstMs };
  }
}

/** True when a price differs from another one by more than a factor, up or down. */
function isAway(price: number, from: number, factor: number): boolean {
  return price > from * factor || price * factor < from;
}

/** Returns true when a row with the same close as the previous one has one price throughout, or equals that row. */
function isDead({ open, high, low }: PriceRows, row: number): boolean {
  if (high[row] === low[row]) return true;
  return open[row] === open[row - 1] && high[row] === high[row - 1] && low[row] === low[row - 1];
}

/**
 * Returns the first row from `row` on whose close is back at the level before it. Null when none of the next rows returns, or when the
 * price returned in steps that a market makes.
 */
function returnRow({ length, open, close }: PriceRows, row: number, before: number): number | null {
  const jumpSize = Math.max(Math.abs(Math.log(close[row]! / before)), Math.abs(Math.log(open[row]! / before)));
  const end = Math.min(length, row + RETURN_ROWS);
  for (let next = row; next < end; next++) {
    if (Math.abs(Math.log(close[next]! / before)) > MAX_REMAINING * jumpSize) continue;
    const last = close[next - 1] ?? before;
    const isSudden = next === row || isAway(close[next]!, last, LEVEL_FACTOR) || isAway(open[next]!, last, OPEN_JUMP_FACTOR);
    return isSudden ? next : null;
  }
  return null;
}

/** Returns true when the change is visible only inside a bar of a day or longer: a market can move that far in a day. */
function isMarketMove({ openMs, closeMs, open }: PriceRows, row: number, before: number): boolean {
  return !isAway(open[row]!, before, OPEN_JUMP_FACTOR) && closeMs[row]! - openMs[row]! >= DAY_MS;
}

/** True when the row follows an outage of more than a day. */
function isAfterOutage({ openMs, closeMs }: PriceRows, row: number): boolean {
  return row > 0 && openMs[row]! - closeMs[row - 1]! > DAY_MS;
}
