// The bars of one feed as its chart draws them: at the interval of the feed or aggregated to a longer one, in integers.

import { closeOf, fixedLengthMs, openOf, typicalLengthMs, type Interval } from '../../model/interval.ts';
import type { FeedRecord } from '../../model/run/run.ts';
import { exactStep, quantize, sizeOf } from '../page/pack.ts';
import type { PackedStep } from '../page/wire.ts';
import { rowNumbers, type ChartLevel } from './page/rows/levels.ts';

/** No month is shorter. */
const MIN_MONTH_MS = 28 * 86_400_000;

export class ChartBars {
  readonly feed: FeedRecord;
  /** Value of one integer of a price. */
  readonly step: PackedStep;
  #level: ChartLevel | null = null;

  constructor(feed: FeedRecord) {
    const { bars, firstRow } = feed;
    this.feed = feed;
    this.step = exactStep(sizeOf(bars.high.subarray(firstRow, bars.length)), bars.instrument.priceDigits);
  }

  /** Returns the rows from `from` up to `end` at the interval of the feed. `lastRow` counts from `from`. */
  rows(from: number, end: number): ChartLevel {
    const { bars } = this.feed;
    const part = (column: Float64Array) => quantize(column.subarray(from, end), this.step).integers;
    const times = { length: end - from, openMs: bars.openMs.subarray(from, end), lastRow: rowNumbers(end - from) };
    return { interval: bars.interval, ...times, ...ofEach(bars, part), volume: bars.volume.subarray(from, end) };
  }

  /** Returns all bars of the run at `interval`. The last level is kept, because a page that was too large needs a coarser one. */
  level(interval: Interval): ChartLevel {
    const { bars, firstRow } = this.feed;
    const known = this.#level;
    if (known?.interval === interval) return known;
    // Weeks do not divide months.
    if (known !== null && known.length < bars.length && interval !== '1M') return (this.#level = coarser(known, interval));
    return (this.#level = interval === bars.interval ? this.rows(firstRow, bars.length) : this.#aggregate(interval));
  }

  /** Aggregates prices and converts those that remain: the largest of rounded prices is the rounded largest price. */
  #aggregate(interval: Interval): ChartLevel {
    const { bars, firstRow } = this.feed;
    const room = roomFor(bars.openMs, firstRow, bars.length, interval);
    const column = () => new Float64Array(room);
    const made = { open: column(), high: column(), low: column(), close: column(), volume: column() };
    const times = aggregate(bars, firstRow, interval, made);
    const part = (prices: Float64Array) => quantize(prices.subarray(0, times.length), this.step).integers;
    return { interval, ...times, ...ofEach(made, part), volume: made.volume.subarray(0, times.length) };
  }
}

/** Aggregates a level to a longer interval. */
export function coarser(fine: ChartLevel, interval: Interval): ChartLevel {
  const room = roomFor(fine.openMs, 0, fine.length, interval);
  const column = () => new Int32Array(room);
  const made = { open: column(), high: column(), low: column(), close: column(), volume: new Float64Array(room) };
  const times = aggregate(fine, 0, interval, made);
  const part = (prices: Int32Array) => prices.subarray(0, times.length);
  const volume = made.volume.subarray(0, times.length);
  return { interval, ...times, ...ofEach(made, part), volume, lastRow: times.lastRow.map((row) => fine.lastRow[row]!) };
}

interface Prices<Column> {
  readonly open: Column;
  readonly high: Column;
  readonly low: Column;
  readonly close: Column;
}

/** Returns the same of each column of prices. */
const ofEach = <From, To>({ open, high, low, close }: Prices<From>, part: (prices: From) => To): Prices<To> => {
  return { open: part(open), high: part(high), low: part(low), close: part(close) };
};

interface Volumes {
  readonly volume: Float64Array;
}

interface Aggregated {
  readonly length: number;
  readonly openMs: Float64Array;
  /** The last row inside each bar, counted from the first. */
  readonly lastRow: Int32Array;
}

/**
 * Aggregates the rows from `first` on into `out`: the first open, the extremes, the last close, all volume. A bar in which no row opened is absent, as
 * with `coarsen`, by which the page does the same.
 */
function aggregate<Column extends Float64Array | Int32Array>(
  rows: Prices<Column> & Volumes & Pick<ChartLevel, 'interval' | 'length' | 'openMs'>,
  first: number,
  interval: Interval,
  out: Prices<Column> & Volumes,
): Aggregated {
  const { length, openMs, open, high, low, close, volume } = rows;
  const perBar = Math.round(typicalLengthMs(interval) / typicalLengthMs(rows.interval));
  const room = out.open.length;
  const [times, lastRow] = [new Float64Array(room), new Int32Array(room)];
  let n = 0;
  for (let row = first; row < length; n++) {
    const startMs = openOf(interval, openMs[row]!);
    const end = rowFrom(openMs, Math.min(length, row + perBar), length, closeOf(interval, startMs));
    times[n] = startMs;
    out.open[n] = open[row]!;
    out.high[n] = highest(high, row, end);
    out.low[n] = lowest(low, row, end);
    out.close[n] = close[end - 1]!;
    out.volume[n] = sumOf(volume, row, end);
    lastRow[n] = end - 1 - first;
    row = end;
  }
  return { length: n, openMs: times.subarray(0, n), lastRow: lastRow.subarray(0, n) };
}

/** Returns the largest number of bars of `interval` that the rows from `first` up to `end` can make. */
function roomFor(openMs: Float64Array, first: number, end: number, interval: Interval): number {
  if (end <= first) return 0;
  const spanMs = openMs[end - 1]! - openMs[first]!;
  return Math.min(end - first, Math.floor(spanMs / (fixedLengthMs(interval) ?? MIN_MONTH_MS)) + 2);
}

/** Returns the first row that opens at or after `ms`. `near`: where it is if no bar is missing. */
function rowFrom(openMs: Float64Array, near: number, length: number, ms: number): number {
  let at = near;
  while (openMs[at - 1]! >= ms) at--;
  while (at < length && openMs[at]! < ms) at++;
  return at;
}

function highest(prices: Float64Array | Int32Array, from: number, end: number): number {
  let max = prices[from]!;
  for (let row = from + 1; row < end; row++) if (prices[row]! > max) max = prices[row]!;
  return max;
}

function sumOf(values: Float64Array, from: number, end: number): number {
  let sum = 0;
  for (let row = from; row < end; row++) sum += values[row]!;
  return sum;
}

function lowest(prices: Float64Array | Int32Array, from: number, end: number): number {
  let min = prices[from]!;
  for (let row = from + 1; row < end; row++) if (prices[row]! < min) min = prices[row]!;
  return min;
}
