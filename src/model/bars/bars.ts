// Bars as columns of typed arrays, with prices also in whole ticks.

import { InvariantError } from '../../base/errors.ts';
import { pow10 } from '../../base/number/exact.ts';
import type { Instrument } from '../instrument.ts';
import type { Interval } from '../interval.ts';

export type PriceColumn = 'open' | 'high' | 'low' | 'close';

/** Trades in the sequence in which they happened: prices in ticks, quantities in lots. */
export interface TradeTape {
  /** Index of the first trade of each row, and one more element: the end of the last row's trades. */
  readonly first: Uint32Array;
  readonly price: Float64Array;
  readonly lots: Float64Array;
  /** The side of the taker: 1 a buyer, -1 a seller, 0 unknown. */
  readonly takerSide: Int32Array;
}

/**
 * Bars of one instrument and interval, oldest first. Times are ms UTC; `closeMs` is the end of a bar, exclusive. No two columns share
 * memory. Columns may be longer than `length`; their content beyond it is not valid yet (growingBars.ts).
 */
export interface BarColumns {
  readonly instrument: Instrument;
  readonly interval: Interval;
  readonly length: number;
  readonly openMs: Float64Array;
  readonly closeMs: Float64Array;
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  /** Volume in the base asset. */
  readonly volume: Float64Array;
  /** The trades, if the rows are rows of trades. */
  readonly tape?: TradeTape;
  /** Only for bars that are read block by block: their columns hold the rows from `window.base` on, while `length` counts all rows. */
  readonly window?: BarWindow;
}

/** The part of a set of bars that is in memory. It moves forward; rows before it cannot be read again. */
export interface BarWindow {
  /** The row of the first element of every column. */
  readonly base: number;
  /** The largest number of rows that can be kept before a block. */
  readonly maxRowsBack: number;
  /** Reads on until the window has the rows from `from` to `to` (exclusive), as far as there are any. May drop the rows before `from`. */
  hold(from: number, to: number): void;
  /** Returns a price column in ticks, over the same rows as the other columns. */
  ticksOf(price: PriceColumn): TickColumn;
  /** Returns the first row, inside the window or not, that closes after `ms`; the number of rows if no row does. */
  firstAfter(ms: number): number;
  /** Returns the times of a row, inside the window or not. */
  openMsOf(row: number): number;
  closeMsOf(row: number): number;
}

/** Returns when a row opens, also for bars that are read block by block. NaN if there is no such row. */
export function openMsOf({ openMs, length, window }: BarColumns, row: number): number {
  return row < 0 || row >= length ? NaN : window === undefined ? openMs[row]! : window.openMsOf(row);
}

/** Returns when a row closes; see `openMsOf`. */
export function closeMsOf({ closeMs, length, window }: BarColumns, row: number): number {
  return row < 0 || row >= length ? NaN : window === undefined ? closeMs[row]! : window.closeMsOf(row);
}

/** Returns rows [from, to) of bars, in the same memory. */
export function rowsOf(bars: BarColumns, from: number, to: number): BarColumns {
  const { openMs, closeMs, open, high, low, close, volume, tape } = bars;
  const rows = (column: Float64Array): Float64Array => column.subarray(from, to);
  return {
    ...bars,
    length: to - from,
    openMs: rows(openMs),
    closeMs: rows(closeMs),
    open: rows(open),
    high: rows(high),
    low: rows(low),
    close: rows(close),
    volume: rows(volume),
    ...(tape === undefined ? {} : { tape: { ...tape, first: tape.first.subarray(from, to + 1) } }),
  };
}

export type TickColumn = Int32Array | Float64Array;
/** Tick columns that were computed, by bars. */
const cached = new WeakMap<BarColumns, Partial<Record<PriceColumn, TickColumn>>>();

/**
 * Returns a price column in whole ticks of 10^-priceDigits: Int32 if the prices fit, otherwise float64. It is computed once and cached.
 * Throws InvariantError for a price that is not a whole number of ticks, because the import rejects or rounds such prices.
 */
export function ticksOf(bars: BarColumns, price: PriceColumn): TickColumn {
  if (bars.window !== undefined) return bars.window.ticksOf(price);
  let columns = cached.get(bars);
  if (!columns) cached.set(bars, (columns = {}));
  return (columns[price] ??= toTicks(bars[price], bars, price));
}

/** Extends the cached tick columns by the rows from `from` on, which were appended to the bars. */
export function extendTicks(bars: BarColumns, from: number): void {
  const columns = cached.get(bars);
  if (!columns) return;
  for (const name of PRICES) {
    const column = columns[name];
    if (column) writeTicks(bars, name, from, column);
  }
}

const PRICES: readonly PriceColumn[] = ['open', 'high', 'low', 'close'];

function toTicks(prices: Float64Array, bars: BarColumns, name: PriceColumn): TickColumn {
  const { length } = bars;
  const scale = pow10(bars.instrument.priceDigits);
  let max = 0;
  for (let i = 0; i < length; i++) if (prices[i]! > max) max = prices[i]!;
  // For columns that still grow, allow for prices eight times as high.
  const headroom = length < prices.length ? 8 : 1;
  const out = max * scale * headroom < 2 ** 31 ? new Int32Array(prices.length) : new Float64Array(prices.length);
  writeTicks(bars, name, 0, out);
  return out;
}

function writeTicks(bars: BarColumns, name: PriceColumn, from: number, out: TickColumn): void {
  const prices = bars[name];
  const { length } = bars;
  const scale = pow10(bars.instrument.priceDigits);
  for (let i = from; i < length; i++) {
    const whole = Math.round(prices[i]! * scale);
    // A decimal price is equal to its whole ticks divided by the scale. Any other price is finer than a tick.
    if (whole / scale !== prices[i]!)
      throw new InvariantError(`${bars.instrument.id} ${name}[${i}] = ${prices[i]} is finer than 10^-${bars.instrument.priceDigits}`);
    out[i] = whole;
    if (out[i] !== whole) throw new InvariantError(`${bars.instrument.id} ${name}[${i}] = ${prices[i]} is beyond the range of its column`);
  }
}
