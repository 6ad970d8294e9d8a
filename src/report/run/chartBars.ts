// The bars of one feed as its chart draws them: at the interval of the feed or aggregated to a longer one, in integers.

import { closeOf, fixedLengthMs, openOf, typicalLengthMs, type Interval } from '../../model/interval.ts';
import type { FeedRecord } from '../../model/run/run.ts';
import { exactStep, quantize, maxAbsoluteOf } from '../page/pack.ts';
import type { PackedStep } from '../page/wire.ts';
import { rowNumbers, type ChartLevel } from './page/rows/levels.ts';

/** Length of the shortest month. */
const MIN_MONTH_MS = 28 * 86_400_000;

/** The bars of one chart. Prices are integers: multiples of `step`. */
export class ChartBars {
  /** The feed of the chart. */
  readonly feed: FeedRecord;
  /** The price that corresponds to the integer 1. */
  readonly step: PackedStep;
  #level: ChartLevel | null = null;

  constructor(feed: FeedRecord) {
    const { bars, firstRow } = feed;
    this.feed = feed;
    this.step = exactStep(maxAbsoluteOf(bars.high.subarray(firstRow, bars.length)), bars.instrument.priceDigits);
  }

  /** Returns the rows from `from` up to `end` at the interval of the feed. `lastRow` counts from `from`. */
  rows(from: number, end: number): ChartLevel {
    const { bars } = this.feed;
    const toIntegers = (prices: Float64Array) => quantize(prices.subarray(from, end), this.step).integers;
    const times = { length: end - from, openMs: bars.openMs.subarray(from, end), lastRow: rowNumbers(end - from) };
    return { interval: bars.interval, ...times, ...mapPrices(bars, toIntegers), volume: bars.volume.subarray(from, end) };
  }

  /** Returns all bars of the run at `interval`. The last level is kept, because a page that was too large needs a coarser one. */
  level(interval: Interval): ChartLevel {
    const { bars, firstRow } = this.feed;
    const cached = this.#level;
    if (cached?.interval === interval) return cached;
    // A level of weeks cannot be aggregated to months, because weeks do not divide months.
    if (cached !== null && cached.length < bars.length && interval !== '1M') this.#level = coarser(cached, interval);
    else this.#level = interval === bars.interval ? this.rows(firstRow, bars.length) : this.#aggregate(interval);
    return this.#level;
  }

  /** Aggregates the prices first, then rounds only the results: the largest rounded price is the rounded largest price. */
  #aggregate(interval: Interval): ChartLevel {
    const { bars, firstRow } = this.feed;
    const maxBars = maxBarsOf(bars.openMs, firstRow, bars.length, interval);
    const newColumn = () => new Float64Array(maxBars);
    const prices = { open: newColumn(), high: newColumn(), low: newColumn(), close: newColumn(), volume: newColumn() };
    const times = aggregate(bars, firstRow, interval, prices);
    const toIntegers = (values: Float64Array) => quantize(values.subarray(0, times.length), this.step).integers;
    return { interval, ...times, ...mapPrices(prices, toIntegers), volume: prices.volume.subarray(0, times.length) };
  }
}

/** Aggregates a level to a longer interval. */
export function coarser(fine: ChartLevel, interval: Interval): ChartLevel {
  const maxBars = maxBarsOf(fine.openMs, 0, fine.length, interval);
  const newColumn = () => new Int32Array(maxBars);
  const prices = { open: newColumn(), high: newColumn(), low: newColumn(), close: newColumn(), volume: new Float64Array(maxBars) };
  const times = aggregate(fine, 0, interval, prices);
  const filledRows = (values: Int32Array) => values.subarray(0, times.length);
  const volume = prices.volume.subarray(0, times.length);
  return { interval, ...times, ...mapPrices(prices, filledRows), volume, lastRow: times.lastRow.map((row) => fine.lastRow[row]!) };
}

/** The four prices of bars, each as a column. */
interface Prices<Column> {
  readonly open: Column;
  readonly high: Column;
  readonly low: Column;
  readonly close: Column;
}

/** Returns the four columns after applying `convert` to each. */
const mapPrices = <From, To>({ open, high, low, close }: Prices<From>, convert: (prices: From) => To): Prices<To> => {
  return { open: convert(open), high: convert(high), low: convert(low), close: convert(close) };
};

/** The volumes of bars. */
interface Volumes {
  readonly volume: Float64Array;
}

/** The times of aggregated bars. */
interface AggregatedTimes {
  readonly length: number;
  readonly openMs: Float64Array;
  /** The last row inside each bar, counted from the first aggregated row. */
  readonly lastRow: Int32Array;
}

/**
 * Aggregates the rows from `first` on into `target`: the first open, the extremes, the last close, and the sum of the volume. A bar without a
 * row is left out, as in `coarsen`, with which the page aggregates further.
 */
function aggregate<Column extends Float64Array | Int32Array>(
  rows: Prices<Column> & Volumes & Pick<ChartLevel, 'interval' | 'length' | 'openMs'>,
  first: number,
  interval: Interval,
  target: Prices<Column> & Volumes,
): AggregatedTimes {
  const { length, openMs, open, high, low, close, volume } = rows;
  const rowsPerBar = Math.round(typicalLengthMs(interval) / typicalLengthMs(rows.interval));
  const maxBars = target.open.length;
  const times = new Float64Array(maxBars);
  const lastRow = new Int32Array(maxBars);
  let barCount = 0;
  for (let row = first; row < length; barCount++) {
    const startMs = openOf(interval, openMs[row]!);
    const end = rowFrom(openMs, Math.min(length, row + rowsPerBar), length, closeOf(interval, startMs));
    times[barCount] = startMs;
    target.open[barCount] = open[row]!;
    target.high[barCount] = highest(high, row, end);
    target.low[barCount] = lowest(low, row, end);
    target.close[barCount] = close[end - 1]!;
    target.volume[barCount] = sumOf(volume, row, end);
    lastRow[barCount] = end - 1 - first;
    row = end;
  }
  return { length: barCount, openMs: times.subarray(0, barCount), lastRow: lastRow.subarray(0, barCount) };
}

/** Returns the largest number of bars of `interval` that the rows from `first` up to `end` can make. */
function maxBarsOf(openMs: Float64Array, first: number, end: number, interval: Interval): number {
  if (end <= first) return 0;
  const spanMs = openMs[end - 1]! - openMs[first]!;
  return Math.min(end - first, Math.floor(spanMs / (fixedLengthMs(interval) ?? MIN_MONTH_MS)) + 2);
}

/** Returns the first row that opens at or after `timeMs`. The search starts at `near`, the result when no bar is missing. */
function rowFrom(openMs: Float64Array, near: number, length: number, timeMs: number): number {
  let row = near;
  while (openMs[row - 1]! >= timeMs) row--;
  while (row < length && openMs[row]! < timeMs) row++;
  return row;
}

/** Returns the highest of the prices [from, end). */
function highest(prices: Float64Array | Int32Array, from: number, end: number): number {
  let max = prices[from]!;
  for (let row = from + 1; row < end; row++) if (prices[row]! > max) max = prices[row]!;
  return max;
}

/** Returns the sum of the values [from, end). */
function sumOf(values: Float64Array, from: number, end: number): number {
  let sum = 0;
  for (let row = from; row < end; row++) sum += values[row]!;
  return sum;
}

/** Returns the lowest of the prices [from, end). */
function lowest(prices: Float64Array | Int32Array, from: number, end: number): number {
  let min = prices[from]!;
  for (let row = from + 1; row < end; row++) if (prices[row]! < min) min = prices[row]!;
  return min;
}
