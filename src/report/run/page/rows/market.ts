// The data of one instrument of the page: bars at every interval, indicators, position changes and bracket levels, unpacked step by step.

import { closeOf, openOf, typicalLengthMs, type Interval } from '../../../../model/interval.ts';
import { volumeOf } from '../../../page/volumeCode.ts';
import { waitForPaint } from '../../../page/browser/dom.ts';
import type { PositionChanges } from './exposure.ts';
import { coarsen, ladder, rowAtOrAfter, rowNumbers, type ChartLevel } from './levels.ts';
import { unpackNarrow, unpackDecimals, unpackWide } from '../../../page/browser/unpack.ts';
import type { WireInstrument, WireTrace } from '../../../page/wire.ts';

const MINUTE_MS = 60_000;

/** The values of one indicator. */
export interface Trace {
  readonly name: string;
  readonly pane: string;
  readonly digits: number;
  readonly values: Float64Array;
  /** Closing times of the bars of the indicator's feed (ms). Null when its rows are those of the finest level. */
  readonly closeMs: Float64Array | null;
}

/** Stop-losses and take-profits, each with its start and end (ms UTC). */
export interface BracketLines {
  readonly from: Float64Array;
  readonly to: Float64Array;
  /** In the quote asset. */
  readonly price: Float64Array;
  readonly isTarget: Int32Array;
}

/** One instrument of the page. */
export class ChartMarket {
  /** The data of the instrument as the page holds them. */
  readonly wire: WireInstrument;
  /** By interval. A level is aggregated when it is first drawn. */
  readonly #levels = new Map<Interval, ChartLevel>();
  readonly #intervals: Interval[];
  /** False until the finest bars are unpacked. Until then only the coarse level of the first picture exists. */
  isWhole = false;
  /** Its indicators, the lines of its brackets and the changes of its position; unpacked when they are first drawn. */
  traces: readonly Trace[] = [];
  brackets: BracketLines | null = null;
  changes: PositionChanges | null = null;

  constructor(wire: WireInstrument) {
    this.wire = wire;
    this.#intervals = ladder(wire.interval);
    this.#levels.set(wire.first.interval, coarseLevelOf(wire));
  }

  /** Returns the finest available bars such that a window of `spanMs` holds at most `maxBars` of them. */
  levelFor(spanMs: number, maxBars: number): ChartLevel {
    const available = this.isWhole ? this.#intervals : [this.wire.first.interval];
    const interval =
      available.find((candidate) => spanMs / typicalLengthMs(candidate) <= maxBars) ?? available.at(-1) ?? this.wire.interval;
    return this.#level(interval);
  }

  /** Returns the bars at an interval, aggregated on first use. */
  #level(interval: Interval): ChartLevel {
    const cached = this.#levels.get(interval);
    if (cached) return cached;
    // Weeks do not divide months, so months are aggregated from days or finer bars.
    const finer = this.#intervals
      .filter((candidate) => typicalLengthMs(candidate) < typicalLengthMs(interval) && !(interval === '1M' && candidate === '1w'))
      .at(-1);
    const level = coarsen(this.#level(finer ?? this.wire.interval), interval);
    this.#levels.set(interval, level);
    return level;
  }

  /** Returns the last close at or before `timeMs`, in the quote asset. Before the first close, returns the first open. */
  closeAt(timeMs: number): number {
    const level = this.isWhole ? this.#level(this.wire.interval) : firstLevelIn(this.#levels);
    const row = rowAtOrAfter(level.openMs, timeMs, level.length) - 1;
    const scale = 10 ** this.wire.digits;
    return (row < 0 ? level.open[0]! : level.close[row]!) / scale;
  }

  /** Length of the finest bars in ms. */
  get barMs(): number {
    return typicalLengthMs(this.wire.interval);
  }

  /**
   * Adds to `target` the value of `startAmount`, invested at the first open, at each of `timesMs` (ascending). `conversion` is the
   * instrument that values the quote asset. Null for the reporting asset.
   */
  addGrowth(timesMs: Float64Array, startAmount: number, target: Float64Array, conversion: ChartMarket | null): void {
    const { interval, openMs, open, close, length } = this.#level(this.wire.interval);
    // Months differ in length.
    const isFixed = interval !== '1M';
    const barMs = typicalLengthMs(interval);
    const perOpen = startAmount / open[0]!;
    const closeMsOf = (bar: number) => (isFixed ? openMs[bar]! + barMs : closeOf(interval, openMs[bar]!));
    // The last bar that has closed. A close is known from the end of its bar.
    let row = -1;
    for (let instant = 0; instant < timesMs.length; instant++) {
      while (row + 1 < length && closeMsOf(row + 1) <= timesMs[instant]!) row++;
      const value = row < 0 ? startAmount : close[row]! * perOpen;
      target[instant]! += conversion === null ? value : (value * conversion.closeAt(timesMs[instant]!)) / conversion.closeAt(timesMs[0]!);
    }
  }

  /** Unpacks all columns. The browser can draw between them. */
  async unpack(): Promise<void> {
    if (this.isWhole) return;
    const { wire } = this;
    const openMs = Float64Array.from(await unpackNarrow(wire.time), (minute) => minute * MINUTE_MS);
    const close = await unpackNarrow(wire.close);
    await waitForPaint();
    const open = await unpackNarrow(wire.open);
    const high = await unpackNarrow(wire.high);
    const low = await unpackNarrow(wire.low);
    restorePrices(open, high, low, close);
    const length = close.length;
    const volume = wire.volume === null ? new Float64Array(length) : Float64Array.from(await unpackNarrow(wire.volume), volumeOf);
    const lastRow = rowNumbers(length);
    this.#levels.set(wire.interval, { interval: wire.interval, length, openMs, open, high, low, close, volume, lastRow });
    // The level of the first picture has no rows of the finest bars, so it is built again when needed.
    if (wire.first.interval !== wire.interval) this.#levels.delete(wire.first.interval);
    this.isWhole = true;
    await waitForPaint();
    const traces: Trace[] = [];
    for (const trace of wire.traces) traces.push(await unpackTrace(trace));
    this.traces = traces;
    await this.#unpackOrders();
  }

  /** Unpacks the brackets and the changes of the position. */
  async #unpackOrders(): Promise<void> {
    const { fills, brackets, baseDigits, priceDigits } = this.wire;
    const ticks = 10 ** priceDigits;
    this.brackets = {
      from: await unpackWide(brackets.from),
      to: await unpackWide(brackets.to),
      price: (await unpackWide(brackets.price)).map((priceTicks) => priceTicks / ticks),
      isTarget: await unpackNarrow(brackets.isTarget),
    };
    if (!fills) return;
    const perUnit = 10 ** baseDigits;
    const ms = await unpackWide(fills.ms);
    this.changes = { length: ms.length, ms, change: (await unpackWide(fills.units)).map((units) => units / perUnit) };
  }
}

/** Unpacks one indicator. */
async function unpackTrace({ name, pane, values, closes }: WireTrace): Promise<Trace> {
  const minutes = closes === null ? null : await unpackNarrow(closes);
  return {
    name,
    pane,
    // With a step of 2 or 5, the last digit would suggest more precision than the column has.
    digits: Math.max(0, values.step.digits - (values.step.times === 1 ? 0 : 1)),
    values: await unpackDecimals(values),
    closeMs: minutes === null ? null : Float64Array.from(minutes, (minute) => minute * MINUTE_MS),
  };
}

/**
 * Restores packed prices in place. An open is stored relative to the previous close, a high and a low relative to the body of the bar.
 */
function restorePrices(open: Int32Array, high: Int32Array, low: Int32Array, close: Int32Array): void {
  let lastClose = 0;
  for (let row = 0; row < close.length; row++) {
    const closeTicks = close[row]!;
    open[row]! += lastClose;
    const openTicks = open[row]!;
    high[row]! += Math.max(openTicks, closeTicks);
    low[row] = Math.min(openTicks, closeTicks) - low[row]!;
    lastClose = closeTicks;
  }
}

/** Returns the only level there is before the finest bars are unpacked. */
function firstLevelIn(levels: ReadonlyMap<Interval, ChartLevel>): ChartLevel {
  const [level] = levels.values();
  if (!level) throw new Error('an instrument without bars');
  return level;
}

/** Returns the coarse bars of the first picture. */
function coarseLevelOf({ first }: WireInstrument): ChartLevel {
  const length = first.cells.length / 5;
  const column = (cell: number) => Int32Array.from({ length }, (_, row) => first.cells[row * 5 + cell]!);
  return {
    interval: first.interval,
    length,
    openMs: Float64Array.from({ length }, (_, row) => first.cells[row * 5]! * MINUTE_MS),
    open: column(1),
    high: column(2),
    low: column(3),
    close: column(4),
    volume: new Float64Array(length),
    lastRow: rowNumbers(length),
  };
}

/** The bars that the price chart holds at one time: those around the window, on a regular grid of times. */
export interface ChartSlice {
  readonly level: ChartLevel;
  /** Opening times of the grid, and for each the row of the level that opens then. -1 without such a row. */
  readonly times: readonly number[];
  readonly rows: readonly number[];
  /** End time of the grid. */
  readonly endMs: number;
}

/** Returns the bars of a level between two times on a regular grid. */
export function sliceOf(level: ChartLevel, from: number, to: number): ChartSlice {
  const { interval, openMs, length } = level;
  const times: number[] = [];
  const rows: number[] = [];
  let row = rowAtOrAfter(openMs, openOf(interval, from), length);
  let gridMs = openOf(interval, from);
  for (; gridMs < to; gridMs = closeOf(interval, gridMs)) {
    const hasBar = row < length && openMs[row] === gridMs;
    times.push(gridMs);
    rows.push(hasBar ? row++ : -1);
  }
  return { level, times, rows, endMs: gridMs };
}

/** Returns the position of a time on the grid. Bar k covers k - 0.5 to k + 0.5. */
export function placeOf({ times, endMs, level }: ChartSlice, timeMs: number): number {
  const length = typicalLengthMs(level.interval);
  const start = times[0] ?? 0;
  if (level.interval !== '1M') return (timeMs - start) / length - 0.5;
  if (timeMs < start) return (timeMs - start) / length - 0.5;
  if (timeMs >= endMs) return times.length + (timeMs - endMs) / length - 0.5;
  const bar = rowAtOrAfter(times, timeMs + 1) - 1;
  const openMs = times[bar] ?? start;
  const nextMs = times[bar + 1] ?? endMs;
  return bar + (timeMs - openMs) / (nextMs - openMs) - 0.5;
}

/** A smaller share of a bar is a rounding error. */
const MIN_PART = 1e-6;

/** The members of a `TimeWindow` that decide which bars it shows, ms UTC. */
interface WindowBounds {
  readonly fromMs: number;
  readonly toMs: number;
  readonly runStartMs: number;
  readonly runEndMs: number;
}

/** Returns both ends of a window on the grid. At the edge of the data, a bar that reaches beyond it is shown whole. */
export function edgesOf(slice: ChartSlice, { fromMs, toMs, runStartMs, runEndMs }: WindowBounds): readonly [left: number, right: number] {
  const left = placeOf(slice, fromMs);
  const right = placeOf(slice, toMs);
  const wholeLeft = Math.floor(left + 0.5 + MIN_PART) - 0.5;
  const wholeRight = Math.ceil(right + 0.5 - MIN_PART) - 0.5;
  return [fromMs > runStartMs ? left : wholeLeft, toMs < runEndMs ? right : wholeRight];
}

/** Returns the values of an indicator that were known at the close of each bar of a slice. NaN before the first value. */
export function traceOn(slice: ChartSlice, { values, closeMs }: Trace): Float64Array {
  const { level, rows } = slice;
  const knownValues = new Float64Array(rows.length).fill(Number.NaN);
  rows.forEach((row, place) => {
    if (row < 0) return;
    if (closeMs === null) knownValues[place] = values[level.lastRow[row]!]!;
    else {
      const lastClosed = rowAtOrAfter(closeMs, closeOf(level.interval, slice.times[place]!) + 1) - 1;
      if (lastClosed >= 0) knownValues[place] = values[lastClosed]!;
    }
  });
  return knownValues;
}
