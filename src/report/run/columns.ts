// Packs the bars, indicators and equity of a run for its page.

import { pow10 } from '../../base/number/exact.ts';
import { TRADE_ROWS, typicalLengthMs } from '../../model/interval.ts';
import type { FeedRecord, IndicatorTrace, RunRecord } from '../../model/run/run.ts';
import { writeVolumeCodes } from '../page/volumeCode.ts';
import { contractFaceOf } from '../metrics/instrumentValue.ts';
import { coarser, type ChartBars } from './chartBars.ts';
import type { RunIndex } from './runIndex.ts';
import { decimals, drawnStep, exactStep, packedBytes, quantize, maxAbsoluteOf, type IntegerSource, type Pack } from '../page/pack.ts';
import { ladder, rowNumbers, type ChartLevel } from './page/rows/levels.ts';
import { type PageData, type PackedStep, type WireInstrument, type WireTrace } from '../page/wire.ts';

const MINUTE_MS = 60_000;
/** Number of bars in the first picture. The page draws it before it unpacks any column. */
const MAX_FIRST_BARS = 700;
/** Accuracy as a share of the largest value: a chart is about 2,000 pixels high, and zoomed in it shows a hundredth of the range. */
const DRAWN_SHARE = 4e-6;
/** The same share for indicators in a pane of their own, which is less high. */
const PANE_SHARE = 1e-4;
/** Most digits of such an indicator. */
const PANE_DIGITS = 10;
/** Accuracy of the lowest equity, as a share of it. */
const LOWEST_SHARE = 5e-4;
/** Number of rows on which `rowBytes` measures. */
const SAMPLE_ROWS = 16_384;

/** Returns the finest feed of each instrument, which its chart draws. Coarser bars are aggregated from it. */
export function chartFeeds({ feeds }: RunRecord): FeedRecord[] {
  const finest = new Map<string, FeedRecord>();
  for (const feed of feeds) {
    const finestSoFar = finest.get(feed.bars.instrument.id);
    // Rows of trades are not bars.
    if (feed.firstRow >= feed.bars.length || feed.bars.interval === TRADE_ROWS) continue;
    if (!finestSoFar || typicalLengthMs(feed.bars.interval) < typicalLengthMs(finestSoFar.bars.interval))
      finest.set(feed.bars.instrument.id, feed);
  }
  return [...finest.values()];
}

/**
 * Packs the bars and indicators of one instrument. `level` has the finest bars on the page. They are coarser than the feed when the page
 * would be too large.
 */
export function packInstrument(
  index: RunIndex,
  chart: ChartBars,
  { level, drawn }: FirstBars,
  pack: Pack,
): Omit<WireInstrument, 'fills' | 'brackets'> {
  const { feed, step } = chart;
  const { instrument } = feed.bars;
  return {
    name: index.nameOf(instrument.id) ?? instrument.wireName,
    base: instrument.base,
    quote: instrument.quote,
    isContract: instrument.contract !== undefined,
    quantityDigits: instrument.quantityDigits,
    baseDigits: instrument.baseDigits,
    priceDigits: instrument.priceDigits,
    ...contractFaceOf(instrument),
    digits: step.digits,
    interval: level.interval,
    ranOn: feed.bars.interval,
    execution: feed.execution,
    synthetic: feed.quality.synthetic,
    first: drawn,
    ...packLevel(level, pack),
    traces: index.tracesOf(feed).map((trace) => packTrace(index.record, trace, { feed, level }, pack)),
  };
}

/**
 * The bars of a chart: the finest on the page (`level`), the coarse ones of the first picture (`drawn`), and the length of `drawn` as JSON.
 */
export interface FirstBars {
  readonly level: ChartLevel;
  readonly drawn: WireInstrument['first'];
  readonly length: number;
}

/** Returns the bars of a chart at a level. Returns `previous`, from a page that was too large, when its level is the same. */
export function firstBars(level: ChartLevel, previous: FirstBars | undefined): FirstBars {
  if (previous?.level === level) return previous;
  const drawn = firstLevel(level);
  return { level, drawn, length: jsonLength(drawn.cells) };
}

/** Returns the length of `JSON.stringify(cells)`. */
function jsonLength(cells: readonly number[]): number {
  // The brackets and the commas.
  let length = 2 + Math.max(0, cells.length - 1);
  for (let index = 0; index < cells.length; index++) {
    const cell = cells[index]!;
    const isPlainInteger = cell >= 0 && cell < 1e15 && Math.floor(cell) === cell;
    if (isPlainInteger) {
      length++;
      for (let quotient = cell; quotient >= 10; quotient /= 10) length++;
    } else length += JSON.stringify(cell).length;
  }
  return length;
}

/** Returns the bars of the first picture: aggregated until there are at most about `MAX_FIRST_BARS`. */
function firstLevel(level: ChartLevel): WireInstrument['first'] {
  let drawn = level;
  for (const interval of ladder(level.interval).slice(1))
    if (drawn.length > MAX_FIRST_BARS) drawn = coarser(interval === '1M' ? level : drawn, interval);
  const cells: number[] = [];
  for (let i = 0; i < drawn.length; i++)
    cells.push(drawn.openMs[i]! / MINUTE_MS, drawn.open[i]!, drawn.high[i]!, drawn.low[i]!, drawn.close[i]!);
  return { interval: drawn.interval, cells };
}

/** Packs the times, prices and volumes of a level. */
function packLevel(level: ChartLevel, pack: Pack): Pick<WireInstrument, 'time' | 'open' | 'high' | 'low' | 'close' | 'volume'> {
  const { opens, above, below } = bodies(level);
  return {
    time: pack.add(new MinuteSource(level.openMs), 1),
    open: pack.add(opens, 0),
    high: pack.add(above, 0),
    low: pack.add(below, 0),
    close: pack.add(level.close, 1),
    volume: level.volume.some((volume) => volume > 0) ? pack.add(new VolumeSource(level.volume), 0) : null,
  };
}

/** Returns opens relative to the previous close, and extremes relative to the body. Most of these numbers are small or 0 and pack well. */
function bodies({ length, open, high, low, close }: ChartLevel): { opens: Int32Array; above: Int32Array; below: Int32Array } {
  const opens = new Int32Array(length);
  const above = new Int32Array(length);
  const below = new Int32Array(length);
  let lastClose = 0;
  for (let i = 0; i < length; i++) {
    const openTicks = open[i]!;
    const closeTicks = close[i]!;
    opens[i] = openTicks - lastClose;
    above[i] = high[i]! - (openTicks > closeTicks ? openTicks : closeTicks);
    below[i] = (openTicks < closeTicks ? openTicks : closeTicks) - low[i]!;
    lastClose = closeTicks;
  }
  return { opens, above, below };
}

/** Returns the bytes of HTML for one row of bars, of an indicator, or of equity. They are measured on sample rows from the middle. */
export const rowBytes = {
  bars(chart: ChartBars): number {
    const { bars, firstRow } = chart.feed;
    const { from, end } = sampleRows(firstRow, bars.length);
    const level = chart.rows(from, end);
    const { opens, above, below } = bodies(level);
    const volume = packedBytes(new VolumeSource(level.volume), 0);
    return packedBytes(opens, 0) + packedBytes(above, 0) + packedBytes(below, 0) + packedBytes(level.close, 1) + volume;
  },
  trace(record: RunRecord, trace: IndicatorTrace): number {
    const { bars, firstRow } = record.feeds[trace.feed]!;
    const { from, end } = sampleRows(firstRow, bars.length);
    const values = traceAt(
      trace,
      rowNumbers(end - from).map((place) => from + place),
    );
    return packedBytes(decimals(values, traceStep(trace, values, bars.instrument.priceDigits)), 2);
  },
  equity({ equity, reportingDigits }: RunRecord): number {
    const { from, end } = sampleRows(0, equity.length);
    const units = equity.units.subarray(from, end);
    const perUnit = pow10(reportingDigits);
    const values = units.map((value) => value / perUnit);
    return packedBytes(quantize(values, equityStep(units, reportingDigits)).integers, 1);
  },
};

/** Returns the middle rows of [from, end), at most `SAMPLE_ROWS`. */
function sampleRows(from: number, end: number): { from: number; end: number } {
  const start = Math.max(from, Math.floor((from + end - SAMPLE_ROWS) / 2));
  return { from: start, end: Math.min(end, start + SAMPLE_ROWS) };
}

/** Returns the step to which the values of an indicator are rounded: as fine as a chart can show. */
function traceStep({ pane }: IndicatorTrace, values: Float64Array, priceDigits: number): PackedStep {
  const size = maxAbsoluteOf(values);
  return pane === 'price' ? drawnStep(size, priceDigits + 1, DRAWN_SHARE) : drawnStep(size, PANE_DIGITS, PANE_SHARE);
}

/** The chart of an instrument: its feed, and the bars that it draws. */
interface DrawnChart {
  readonly feed: FeedRecord;
  readonly level: ChartLevel;
}

/** Packs an indicator. With the chart's own feed it has a value for each bar of its level, else one for each bar of its own feed. */
function packTrace(record: RunRecord, trace: IndicatorTrace, chart: DrawnChart, pack: Pack): WireTrace {
  const feed = record.feeds[trace.feed]!;
  const { bars, firstRow } = feed;
  const isOwn = feed === chart.feed;
  const values =
    isOwn && chart.level.interval !== bars.interval
      ? traceAt(trace, firstRow === 0 ? chart.level.lastRow : chart.level.lastRow.map((row) => firstRow + row))
      : trace.values.subarray(firstRow, bars.length);
  return {
    name: trace.name,
    pane: trace.pane,
    // Averages are smooth, so their first differences are similar too.
    values: pack.addDecimals(values, traceStep(trace, values, bars.instrument.priceDigits), 2),
    closes: isOwn ? null : pack.add(new MinuteSource(bars.closeMs.subarray(firstRow, bars.length)), 1),
  };
}

/** Returns the values of an indicator at ascending rows. */
const traceAt = (trace: IndicatorTrace, rows: Int32Array): Float64Array => trace.at?.(rows) ?? valuesAt(trace.values, rows);

/** Returns the values at some rows. Hot: docs/performance.md#index-loops. */
export function valuesAt(column: Float64Array, rows: ArrayLike<number>): Float64Array {
  const values = new Float64Array(rows.length);
  for (let i = 0; i < values.length; i++) values[i] = column[rows[i]!]!;
  return values;
}

/** Packs the equity. Keeps the last instant of each span of `stepMs`. 0 keeps all instants. */
export function packEquity({ equity, reportingDigits }: RunRecord, stepMs: number, pack: Pack): PageData['equity'] {
  const rows = stepMs === 0 ? null : lastRows(equity.timeMs, equity.length, stepMs);
  const keptValues = (column: Float64Array) => (rows === null ? column.subarray(0, equity.length) : valuesAt(column, rows));
  const units = keptValues(equity.units);
  return {
    minutes: pack.add(new MinuteSource(keptValues(equity.timeMs)), 1),
    values: pack.addDecimals(units, equityStep(units, reportingDigits), 1, pow10(reportingDigits)),
  };
}

/**
 * Returns the step to which equity is rounded. It has two digits, or more for small amounts. A low equity also needs more digits, because a
 * logarithmic axis magnifies it. `units` are whole units of the reporting asset.
 */
function equityStep(units: Float64Array, digits: number): PackedStep {
  let minUnits = Infinity;
  let maxUnits = 0;
  for (let i = 0; i < units.length; i++) {
    const value = units[i]!;
    if (value > 0 && value < minUnits) minUnits = value;
    if (Math.abs(value) > maxUnits) maxUnits = Math.abs(value);
  }
  const perUnit = pow10(digits);
  const min = minUnits / perUnit;
  const max = maxUnits / perUnit;
  const wantedDigits = Math.max(2, drawnStep(max, digits, DRAWN_SHARE).digits, drawnStep(min, digits, LOWEST_SHARE).digits);
  return exactStep(max, Math.min(wantedDigits, digits));
}

/** Returns the last row of each span of `stepMs`. */
function lastRows(timeMs: Float64Array, length: number, stepMs: number): number[] {
  const rows: number[] = [];
  let span = length === 0 ? 0 : Math.ceil(timeMs[0]! / stepMs);
  for (let i = 0; i < length; i++) {
    const nextSpan = i + 1 === length ? NaN : Math.ceil(timeMs[i + 1]! / stepMs);
    if (nextSpan !== span) rows.push(i);
    span = nextSpan;
  }
  return rows;
}

/** Volumes as the small integers of volumeCode.ts. */
class VolumeSource implements IntegerSource {
  readonly length: number;
  readonly #volume: Float64Array;

  constructor(volume: Float64Array) {
    this.length = volume.length;
    this.#volume = volume;
  }

  write(from: number, to: number, into: Int32Array): void {
    writeVolumeCodes(this.#volume, from, to, into);
  }
}

/** Times in whole minutes, rounded up. */
class MinuteSource implements IntegerSource {
  readonly length: number;
  readonly #timeMs: Float64Array;

  constructor(timeMs: Float64Array) {
    this.length = timeMs.length;
    this.#timeMs = timeMs;
  }

  write(from: number, to: number, into: Int32Array): void {
    const timeMs = this.#timeMs;
    for (let i = from; i < to; i++) into[i - from] = Math.ceil(timeMs[i]! / MINUTE_MS);
  }
}
