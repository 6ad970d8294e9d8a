// Finds bars that no market makes: prices that jump and return, a change of level like a split, stretches in which nothing moves.

import type { BarColumns } from '../../model/bars/bars.ts';

/** Factor by which a high or a low lies outside its bar's open and close, or a close away from the one before, when it is a jump. */
const JUMP = 2;
/** Factor between a close and the next open, which on a market that never closes are one price. */
const OPEN_JUMP = 1.4;
/** Factor between two closes that is a change of level where it does not return. */
const LEVEL = 1.9;
/** Rows within which a jump returns; it has returned when this part of its size (as a logarithm) is left at most. */
const RETURN_ROWS = 100;
const RETURNED = 0.35;
/** After an outage of more than a day, and inside a bar of a day, a price may become another one. */
const DAY_MS = 86_400_000;
/** Rows in a row that repeat one price; quiet markets have up to 13 (bars of a minute, 2017). */
const DEAD_ROWS = 24;

/** What the scan looks at: of bars, or of klines of a mark price. */
export type PriceRows = Pick<BarColumns, 'length' | 'openMs' | 'closeMs' | 'open' | 'high' | 'low' | 'close'>;

/** Rows of one kind: how many there are, and the first one. */
export interface Found {
  readonly count: number;
  /** Opening time of the first; NaN without one. */
  readonly firstMs: number;
}

export interface BarFlaws {
  /** Bars that jump and return. */
  readonly jumps: Found;
  /** Changes of level that stay; `factor` is that of the largest, above 1 up and below 1 down. */
  readonly levels: Found & { readonly factor: number };
  /** Stretches of rows that repeat one price, and the rows of the longest. */
  readonly dead: Found & { readonly max: number };
}

/** Walks the rows once. */
export function scanBars(bars: PriceRows): BarFlaws {
  const { length, openMs, open, high, low, close } = bars;
  const jumps = new Tally(openMs);
  const levels = new Tally(openMs);
  const dead = new Tally(openMs);
  let [factor, max, deadFrom] = [1, 0, 1];
  for (let row = 0; row < length; row++) {
    // Not as a list: V8 walks an iterator for that, at each row.
    const o = open[row]!;
    const h = high[row]!;
    const l = low[row]!;
    const c = close[row]!;
    const before = row === 0 ? o : close[row - 1]!;
    if (row === 0 || c !== before || !isDead(bars, row)) {
      if (row - deadFrom >= DEAD_ROWS) dead.add(deadFrom);
      max = Math.max(max, row - deadFrom);
      deadFrom = row + 1;
    }
    if (isAway(o, before, OPEN_JUMP) || isAway(c, before, LEVEL)) {
      const back = returnRow(bars, row, before);
      if (back === null) {
        if (!isAfterOutage(bars, row) && !isMarketMove(bars, row, before)) {
          levels.add(row);
          const change = c / before;
          if (Math.abs(Math.log(change)) > Math.abs(Math.log(factor))) factor = change;
        }
      } else if (back > row || isAway(o, before, OPEN_JUMP)) {
        for (let at = row; at < Math.max(back, row + 1); at++) jumps.add(at);
        // The row that returns is as far from the one before it, and is sound.
        row = back;
        deadFrom = row + 1;
      }
    } else if (h > JUMP * Math.max(o, c) || l * JUMP < Math.min(o, c)) jumps.add(row);
  }
  if (length - deadFrom >= DEAD_ROWS) dead.add(deadFrom);
  max = Math.max(max, length - deadFrom);
  return { jumps: jumps.found(), levels: { ...levels.found(), factor }, dead: { ...dead.found(), max } };
}

class Tally {
  readonly #openMs: Float64Array;
  #count = 0;
  #firstMs = NaN;
  constructor(openMs: Float64Array) {
    this.#openMs = openMs;
  }
  add(row: number): void {
    if (this.#count++ === 0) this.#firstMs = this.#openMs[row]!;
  }
  found(): Found {
    return { count: this.#count, firstMs: this.#firstMs };
  }
}

function isAway(price: number, from: number, factor: number): boolean {
  return price > from * factor || price * factor < from;
}

/** Of a row that closes like the one before: it has one price throughout, or is a copy of that row. */
function isDead({ open, high, low }: PriceRows, row: number): boolean {
  if (high[row] === low[row]) return true;
  return open[row] === open[row - 1] && high[row] === high[row - 1] && low[row] === low[row - 1];
}

/**
 * The first row from `row` on whose close is back at the level before it; null where none of the next rows is, or where the price went back
 * by steps that a market makes.
 */
function returnRow({ length, open, close }: PriceRows, row: number, before: number): number | null {
  const size = Math.max(Math.abs(Math.log(close[row]! / before)), Math.abs(Math.log(open[row]! / before)));
  const end = Math.min(length, row + RETURN_ROWS);
  for (let at = row; at < end; at++) {
    if (Math.abs(Math.log(close[at]! / before)) > RETURNED * size) continue;
    const last = close[at - 1] ?? before;
    return at === row || isAway(close[at]!, last, LEVEL) || isAway(open[at]!, last, OPEN_JUMP) ? at : null;
  }
  return null;
}

/** A change that shows nowhere but inside a long bar may be a market's own. */
function isMarketMove({ openMs, closeMs, open }: PriceRows, row: number, before: number): boolean {
  return !isAway(open[row]!, before, OPEN_JUMP) && closeMs[row]! - openMs[row]! >= DAY_MS;
}

function isAfterOutage({ openMs, closeMs }: PriceRows, row: number): boolean {
  return row > 0 && openMs[row]! - closeMs[row - 1]! > DAY_MS;
}
