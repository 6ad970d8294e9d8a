// Bars as columns of typed arrays, with prices also in whole ticks.

import { InvariantError } from '../../base/errors.ts';
import { pow10 } from '../../base/number/exact.ts';
import type { Instrument } from '../instrument.ts';
import type { Interval } from '../interval.ts';

/** The price columns of bars. */
export type PriceColumn = 'open' | 'high' | 'low' | 'close';

/** Trades, oldest first. Prices are in ticks, quantities in lots. */
export interface TradeTape {
  /** Index of the first trade of each row. One more element holds the end of the trades of the last row. */
  readonly first: Uint32Array;
  readonly price: Float64Array;
  readonly lots: Float64Array;
  /** The side of the taker: 1 a buyer, -1 a seller, 0 unknown. */
  readonly takerSide: Int32Array;
}

/**
 * Bars of one instrument and interval, oldest first. Times are ms UTC. `closeMs` is the end of a bar, exclusive. No two columns share memory.
 * Columns may be longer than `length`. Their content beyond it is not valid yet (growingBars.ts).
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
  /** The trades. Only for rows of trades. */
  readonly tape?: TradeTape;
  /** Only for bars that are read block by block. Their columns begin with the row `window.base`, while `length` counts all rows. */
  readonly window?: BarWindow;
}

/** The part of a set of bars that is in memory. It only moves forward, so earlier rows cannot be read again. */
export interface BarWindow {
  /** The row of the first element of every column. */
  readonly base: number;
  /** Maximum number of rows before a block that the window keeps. */
  readonly maxRowsBack: number;
  /** Reads rows until the window has those from `from` to `to` (exclusive) that exist. May drop the rows before `from`. */
  hold(from: number, to: number): void;
  /** Returns a price column in ticks, with the same rows as the other columns. */
  ticksOf(price: PriceColumn): TickColumn;
  /** Returns the first row that closes after `timeMs`, inside the window or outside. Returns the number of rows if no row closes after it. */
  firstAfter(timeMs: number): number;
  /** Returns the open time of a row inside the window or outside, ms UTC. */
  openMsOf(row: number): number;
  /** Returns the close time of a row inside the window or outside, ms UTC. */
  closeMsOf(row: number): number;
}

/** Returns the open time of a row, ms UTC, also for bars that are read block by block. NaN if the row does not exist. */
export function openMsOf({ openMs, length, window }: BarColumns, row: number): number {
  if (row < 0 || row >= length) return NaN;
  return window === undefined ? openMs[row]! : window.openMsOf(row);
}

/** Returns the close time of a row, ms UTC, also for bars that are read block by block. NaN if the row does not exist. */
export function closeMsOf({ closeMs, length, window }: BarColumns, row: number): number {
  if (row < 0 || row >= length) return NaN;
  return window === undefined ? closeMs[row]! : window.closeMsOf(row);
}

/** Returns the rows from `from` to `to` (exclusive) of bars. The result shares the memory of `bars`. */
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

/** A price column in whole ticks: int32 if all prices fit, otherwise float64. */
export type TickColumn = Int32Array | Float64Array;

/** Tick columns that were computed before, by their bars. A column is freed once nobody uses it, for example after a run. */
const tickColumnCache = new WeakMap<BarColumns, Partial<Record<PriceColumn, WeakRef<TickColumn>>>>();

/**
 * Returns a price column in whole ticks of 10^-priceDigits, as int32 if the prices fit, otherwise as float64. Caches the column while it is used. Throws
 * InvariantError for a price that is not a whole number of ticks, because the import rejects or rounds such prices.
 */
export function ticksOf(bars: BarColumns, price: PriceColumn): TickColumn {
  if (bars.window !== undefined) return bars.window.ticksOf(price);
  let columns = tickColumnCache.get(bars);
  if (!columns) tickColumnCache.set(bars, (columns = {}));
  const cached = columns[price]?.deref();
  if (cached !== undefined) return cached;
  const ticksColumn = toTicks(bars[price], bars, price);
  columns[price] = new WeakRef(ticksColumn);
  return ticksColumn;
}

/** Returns one price in whole ticks, as `ticksOf` has it at `row`. A caller that needs few rows saves the column. */
export function tickAt(bars: BarColumns, price: PriceColumn, row: number): number {
  if (bars.window !== undefined) return bars.window.ticksOf(price)[row]!;
  return Math.round(bars[price][row]! * pow10(bars.instrument.priceDigits));
}

const PRICES: readonly PriceColumn[] = ['open', 'high', 'low', 'close'];

/** Adds the rows from `from` on, which were appended to the bars, to the cached tick columns. */
export function extendTicks(bars: BarColumns, from: number): void {
  const columns = tickColumnCache.get(bars);
  if (!columns) return;
  for (const name of PRICES) {
    const column = columns[name]?.deref();
    if (column) writeTicks(bars, name, from, column);
  }
}

/** Returns a price column in ticks. */
function toTicks(prices: Float64Array, bars: BarColumns, name: PriceColumn): TickColumn {
  const { length } = bars;
  const scale = pow10(bars.instrument.priceDigits);
  let max = 0;
  for (let i = 0; i < length; i++) if (prices[i]! > max) max = prices[i]!;
  // In a column that still grows, later prices can be higher, so prices eight times as high must fit.
  const growthFactor = length < prices.length ? 8 : 1;
  const ticksColumn = max * scale * growthFactor < 2 ** 31 ? new Int32Array(prices.length) : new Float64Array(prices.length);
  writeTicks(bars, name, 0, ticksColumn);
  return ticksColumn;
}

/**
 * Writes the ticks of the rows from `from` on, up to the first price that is not a whole number of ticks from 0 to 2^31. Returns its row, or
 * `length`.
 */
function writeWholeTicks(
  prices: Float64Array,
  scale: number,
  { from, length }: { from: number; length: number },
  ticksColumn: Int32Array,
): number {
  let row = from;
  for (; row < length; row++) {
    const price = prices[row]!;
    // Faster than a rounding. A price of 2^31 ticks or more becomes another number, which differs from it.
    const ticks = (price * scale + 0.5) | 0;
    if (ticks / scale !== price) break;
    ticksColumn[row] = ticks;
  }
  return row;
}

/** Writes the ticks of the rows from `from` on. Throws InvariantError for a price that is finer than a tick or does not fit. */
function writeTicks(bars: BarColumns, name: PriceColumn, from: number, ticksColumn: TickColumn): void {
  const prices = bars[name];
  const { length } = bars;
  const scale = pow10(bars.instrument.priceDigits);
  for (let i = ticksColumn instanceof Int32Array ? writeWholeTicks(prices, scale, { from, length }, ticksColumn) : from; i < length; i++) {
    const ticks = Math.round(prices[i]! * scale);
    // A price of whole ticks equals its ticks divided by the scale. Any other price is finer than a tick.
    if (ticks / scale !== prices[i]!)
      throw new InvariantError(`${bars.instrument.id} ${name}[${i}] = ${prices[i]} is finer than 10^-${bars.instrument.priceDigits}`);
    ticksColumn[i] = ticks;
    if (ticksColumn[i] !== ticks)
      throw new InvariantError(`${bars.instrument.id} ${name}[${i}] = ${prices[i]} is beyond the range of its column`);
  }
}
