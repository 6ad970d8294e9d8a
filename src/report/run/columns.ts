// Converts the columns of a run to the packed columns of its page: bars, indicators, equity, fills, brackets and trades.

import { pow10 } from '../../base/number/exact.ts';
import { typicalLengthMs, type Interval } from '../../model/interval.ts';
import { ROLES, type FeedRecord, type IndicatorTrace, type RunRecord } from '../../model/run/run.ts';
import { instrumentNames } from '../words/names.ts';
import { contractFaceOf } from '../metrics/instrumentValue.ts';
import { tradesOf } from '../trades/trades.ts';
import { instrumentOf, positionChanges } from './overview.ts';
import { drawnStep, exactStep, packedBytes, quantized, type Pack } from '../page/pack.ts';
import { coarsen, ladder, rowNumbers, type ChartLevel } from './page/rows/levels.ts';
import {
  FRACTION_DIGITS,
  NOT_RECORDED,
  PRICE_EXTRA_DIGITS,
  type PageData,
  type PackedStep,
  type WireInstrument,
  type WireTrace,
  type WireTrades,
} from '../page/wire.ts';

const MINUTE = 60_000;
/** Number of bars in the first picture, which is drawn before anything is unpacked. */
const FIRST_BARS = 700;
/** A chart is at most about 2,000 pixels high, and zoomed in it shows a hundredth of the whole range. */
const DRAWN_SHARE = 4e-6;
const PANE_SHARE = 1e-4;
const PANE_DIGITS = 10;
const LOWEST_SHARE = 5e-4;
const SAMPLE_ROWS = 16_384;
const MAX_TRADES = 100_000;
const MAX_FILLS = 250_000;
const MAX_BRACKETS = 250_000;

/** Returns the finest feed of each instrument, which its chart draws. Coarser bars are aggregated from it. */
export function chartFeeds({ feeds }: RunRecord): FeedRecord[] {
  const finest = new Map<string, FeedRecord>();
  for (const feed of feeds) {
    const known = finest.get(feed.bars.instrument.id);
    if (feed.firstRow >= feed.bars.length) continue;
    if (!known || typicalLengthMs(feed.bars.interval) < typicalLengthMs(known.bars.interval)) finest.set(feed.bars.instrument.id, feed);
  }
  return [...finest.values()];
}

/**
 * Packs one instrument. `interval` is that of the finest bars on the page, coarser than the feed's interval when the page would be too
 * large.
 */
export function packInstrument(record: RunRecord, feed: FeedRecord, interval: Interval, pack: Pack): WireInstrument {
  const { bars } = feed;
  const { instrument } = bars;
  const step = exactStep(bars.high.subarray(feed.firstRow, bars.length), instrument.priceDigits);
  const own = levelOf(feed, feed.firstRow, bars.length, step);
  const level = interval === bars.interval ? own : coarsen(own, interval);
  return {
    name: instrumentNames(record.instruments.map(({ id }) => id)).get(instrument.id) ?? instrument.wireName,
    base: instrument.base,
    quote: instrument.quote,
    isContract: instrument.contract !== undefined,
    quantityDigits: instrument.quantityDigits,
    baseDigits: instrument.baseDigits,
    priceDigits: instrument.priceDigits,
    ...contractFaceOf(instrument),
    digits: step.digits,
    interval,
    ranOn: bars.interval,
    execution: feed.execution,
    synthetic: feed.quality.synthetic,
    first: firstLevel(level),
    ...packLevel(level, pack),
    traces: record.indicators
      .filter((trace) => record.feeds[trace.feed]!.bars.instrument.id === instrument.id)
      .map((trace) => packTrace(record, trace, feed, level, pack)),
    fills: packFills(record, instrumentOf(record, instrument.id), pack),
    brackets: packBrackets(record, instrumentOf(record, instrument.id), pack),
  };
}

/** Returns the rows of a feed from `from` up to `end`. */
function levelOf({ bars }: FeedRecord, from: number, end: number, step: PackedStep): ChartLevel {
  const part = (column: Float64Array) => quantized(column.subarray(from, end), step).integers;
  return {
    interval: bars.interval,
    length: end - from,
    openMs: bars.openMs.subarray(from, end),
    open: part(bars.open),
    high: part(bars.high),
    low: part(bars.low),
    close: part(bars.close),
    lastRow: rowNumbers(end - from),
  };
}

function firstLevel(level: ChartLevel): WireInstrument['first'] {
  let drawn = level;
  for (const interval of ladder(level.interval).slice(1))
    if (drawn.length > FIRST_BARS) drawn = coarsen(interval === '1M' ? level : drawn, interval);
  const cells: number[] = [];
  for (let i = 0; i < drawn.length; i++)
    cells.push(drawn.openMs[i]! / MINUTE, drawn.open[i]!, drawn.high[i]!, drawn.low[i]!, drawn.close[i]!);
  return { interval: drawn.interval, cells };
}

function packLevel(level: ChartLevel, pack: Pack): Pick<WireInstrument, 'time' | 'open' | 'high' | 'low' | 'close'> {
  const { opens, above, below } = bodies(level);
  return {
    time: pack.add(minutesOf(level.openMs), 1),
    open: pack.add(opens, 0),
    high: pack.add(above, 0),
    low: pack.add(below, 0),
    close: pack.add(level.close, 1),
  };
}

/** Returns opens relative to the previous close, and extremes relative to the body: most of these numbers are small or 0 and pack well. */
function bodies({ length, open, high, low, close }: ChartLevel): { opens: Int32Array; above: Int32Array; below: Int32Array } {
  const [opens, above, below] = [new Int32Array(length), new Int32Array(length), new Int32Array(length)];
  let last = 0;
  for (let i = 0; i < length; i++) {
    const [o, c] = [open[i]!, close[i]!];
    opens[i] = o - last;
    above[i] = high[i]! - (o > c ? o : c);
    below[i] = (o < c ? o : c) - low[i]!;
    last = c;
  }
  return { opens, above, below };
}

/** Bytes of HTML for one row of bars, of an indicator and of equity, measured on sample rows from the middle. */
export const rowBytes = {
  bars(feed: FeedRecord): number {
    const { from, end } = middle(feed.firstRow, feed.bars.length);
    const level = levelOf(
      feed,
      from,
      end,
      exactStep(feed.bars.high.subarray(feed.firstRow, feed.bars.length), feed.bars.instrument.priceDigits),
    );
    const { opens, above, below } = bodies(level);
    return packedBytes(opens, 0) + packedBytes(above, 0) + packedBytes(below, 0) + packedBytes(level.close, 1);
  },
  trace(record: RunRecord, trace: IndicatorTrace): number {
    const { bars, firstRow } = record.feeds[trace.feed]!;
    const { from, end } = middle(firstRow, bars.length);
    const values = trace.values.subarray(from, end);
    return packedBytes(quantized(values, traceStep(trace, values, bars.instrument.priceDigits)).integers, 2);
  },
  equity({ equity, reportingDigits }: RunRecord): number {
    const { from, end } = middle(0, equity.length);
    const perUnit = pow10(reportingDigits);
    const values = equity.units.subarray(from, end).map((units) => units / perUnit);
    return packedBytes(quantized(values, equityStep(values, reportingDigits)).integers, 1);
  },
};

function middle(from: number, end: number): { from: number; end: number } {
  const start = Math.max(from, Math.floor((from + end - SAMPLE_ROWS) / 2));
  return { from: start, end: Math.min(end, start + SAMPLE_ROWS) };
}

function traceStep({ pane }: IndicatorTrace, values: Float64Array, priceDigits: number): PackedStep {
  return pane === 'price' ? drawnStep(values, priceDigits + 1, DRAWN_SHARE) : drawnStep(values, PANE_DIGITS, PANE_SHARE);
}

function packTrace(record: RunRecord, trace: IndicatorTrace, chart: FeedRecord, level: ChartLevel, pack: Pack): WireTrace {
  const feed = record.feeds[trace.feed]!;
  const { bars, firstRow } = feed;
  const inRun = trace.values.subarray(firstRow, bars.length);
  const isOwn = feed === chart;
  const values = isOwn && level.interval !== bars.interval ? Float64Array.from(level.lastRow, (row) => inRun[row]!) : inRun;
  return {
    name: trace.name,
    pane: trace.pane,
    // Averages are smooth, so their first differences are similar too.
    values: pack.addDecimals(values, traceStep(trace, values, bars.instrument.priceDigits), 2),
    closes: isOwn ? null : pack.add(minutesOf(bars.closeMs.subarray(firstRow, bars.length)), 1),
  };
}

/** Packs the equity. Keeps at most one instant, the last, of each span of `stepMs`. 0 keeps all. */
export function packEquity({ equity, reportingDigits }: RunRecord, stepMs: number, pack: Pack): PageData['equity'] {
  const rows = stepMs === 0 ? null : lastRows(equity.timeMs, equity.length, stepMs);
  const part = (column: Float64Array) =>
    rows === null ? column.subarray(0, equity.length) : Float64Array.from(rows, (row) => column[row]!);
  const perUnit = pow10(reportingDigits);
  const values = part(equity.units).map((units) => units / perUnit);
  return { minutes: pack.add(minutesOf(part(equity.timeMs)), 1), values: pack.addDecimals(values, equityStep(values, reportingDigits), 1) };
}

/**
 * Returns a step with two digits, or more for small amounts and for a low equity, which a logarithmic axis shows as large as the highest.
 */
function equityStep(values: Float64Array, digits: number): PackedStep {
  let low = Infinity;
  for (let i = 0; i < values.length; i++) if (values[i]! > 0 && values[i]! < low) low = values[i]!;
  const wanted = Math.max(2, drawnStep(values, digits, DRAWN_SHARE).digits, drawnStep(Float64Array.of(low), digits, LOWEST_SHARE).digits);
  return exactStep(values, Math.min(wanted, digits));
}

function lastRows(timeMs: Float64Array, length: number, stepMs: number): number[] {
  const rows: number[] = [];
  for (let i = 0; i < length; i++)
    if (i + 1 === length || Math.ceil(timeMs[i + 1]! / stepMs) !== Math.ceil(timeMs[i]! / stepMs)) rows.push(i);
  return rows;
}

/** Converts ms to whole minutes, at which bars open and close. */
function minutesOf(timeMs: Float64Array): Int32Array {
  const minutes = new Int32Array(timeMs.length);
  for (let i = 0; i < minutes.length; i++) minutes[i] = Math.round(timeMs[i]! / MINUTE);
  return minutes;
}

function packFills(record: RunRecord, instrument: number, pack: Pack): WireInstrument['fills'] {
  const { ms, units, length } = positionChanges(record, instrument);
  return length > MAX_FILLS ? null : { ms: pack.add(ms, 1), units: pack.add(units, 0) };
}

/** Packs the stop-losses and take-profits that were working at the venue. A trailing stop has no fixed level, so it is left out. */
function packBrackets(record: RunRecord, instrument: number, pack: Pack): WireInstrument['brackets'] {
  const { orders } = record;
  const target = ROLES.indexOf('takeProfit');
  const stop = ROLES.indexOf('stopLoss');
  const rows: number[] = [];
  for (let row = 0; row < orders.length && rows.length < MAX_BRACKETS; row++) {
    if (orders.instrument[row] !== instrument || !(orders.limit[row]! > 0) || Number.isNaN(orders.arrivedMs[row]!)) continue;
    if (orders.role[row] === target || orders.role[row] === stop) rows.push(row);
  }
  const of = (value: (row: number) => number) => Float64Array.from(rows, value);
  return {
    from: pack.add(
      of((row) => orders.arrivedMs[row]!),
      1,
    ),
    to: pack.add(
      of((row) => (Number.isNaN(orders.doneMs[row]!) ? record.toMs : orders.doneMs[row]!)),
      1,
    ),
    price: pack.add(
      of((row) => orders.limit[row]!),
      1,
    ),
    isTarget: pack.add(
      Uint8Array.from(rows, (row) => (orders.role[row] === target ? 1 : 0)),
      0,
    ),
  };
}

/** Packs the trades. The page orders instruments as `feeds`, the run record has an order of its own. */
export function packTrades(record: RunRecord, feeds: readonly FeedRecord[], pack: Pack): WireTrades {
  const { closed, tags } = tradesOf(record);
  const length = Math.min(closed.length, MAX_TRADES);
  const scaled = (column: Float64Array, scale: number | ((row: number) => number)) => {
    const out = new Float64Array(length);
    for (let i = 0; i < length; i++)
      out[i] = Number.isFinite(column[i]!) ? Math.round(column[i]! * (typeof scale === 'number' ? scale : scale(i))) : NOT_RECORDED;
    return out;
  };
  const whole = (column: Float64Array) => column.subarray(0, length);
  const fraction = pow10(FRACTION_DIGITS);
  const placeOf = record.instruments.map(({ id }) => feeds.findIndex(({ bars }) => bars.instrument.id === id));
  const price = (row: number) => pow10(record.instruments[closed.instrument[row]!]!.priceDigits + PRICE_EXTRA_DIGITS);
  return {
    length,
    all: closed.length,
    tags,
    columns: {
      instrument: pack.add(
        closed.instrument.subarray(0, length).map((at) => placeOf[at]!),
        0,
      ),
      strategy: pack.add(closed.strategy.subarray(0, length), 0),
      side: pack.add(closed.side.subarray(0, length), 0),
      entryMs: pack.add(whole(closed.entryMs), 1),
      exitMs: pack.add(whole(closed.exitMs), 1),
      entryPrice: pack.add(scaled(closed.entryPrice, price), 1),
      exitPrice: pack.add(scaled(closed.exitPrice, price), 1),
      lots: pack.add(whole(closed.lots), 0),
      pnl: pack.add(whole(closed.pnlUnits), 0),
      fees: pack.add(whole(closed.feeUnits), 0),
      return: pack.add(scaled(closed.returnFraction, fraction), 0),
      mae: pack.add(scaled(closed.maeFraction, fraction), 0),
      mfe: pack.add(scaled(closed.mfeFraction, fraction), 0),
      entryTag: pack.add(whole(closed.entryTag), 0),
      exitTag: pack.add(whole(closed.exitTag), 0),
    },
  };
}
