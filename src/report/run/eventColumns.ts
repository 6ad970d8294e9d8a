// Packs the events of a run for its page: fills, brackets and trades. These columns do not depend on the interval of the bars.

import { pow10 } from '../../base/number/exact.ts';
import { ROLES, type FeedRecord, type RunRecord } from '../../model/run/run.ts';
import { tradesOf } from '../trades/trades.ts';
import type { ChartBars } from './chartBars.ts';
import { valuesAt } from './columns.ts';
import { positionChanges } from './overview.ts';
import type { RunIndex } from './runIndex.ts';
import { Packer, type Pack, type ReadyColumn } from '../page/pack.ts';
import {
  FRACTION_DIGITS,
  NOT_RECORDED,
  PRICE_EXTRA_DIGITS,
  TRADE_COLUMNS,
  type PackedColumn,
  type TradeColumnName,
  type WireInstrument,
  type WireTrades,
} from '../page/wire.ts';

/** With more of them, the page would be too large. */
const MAX_TRADES = 100_000;
const MAX_FILLS = 250_000;
const MAX_BRACKETS = 250_000;

/** The packed events of one chart. */
interface InstrumentEvents {
  readonly fills: { readonly ms: ReadyColumn; readonly units: ReadyColumn } | null;
  readonly brackets: { readonly [name in keyof WireInstrument['brackets']]: ReadyColumn };
}
type ReadyTradeColumns = { readonly [name in TradeColumnName]: ReadyColumn };

/** The events of all charts and the trades. They are packed once and placed on each page that is tried. */
export class EventColumns {
  /** Packs the columns in the background. */
  readonly packer = new Packer();
  readonly #index: RunIndex;
  /** One for each chart. */
  readonly #instruments: InstrumentEvents[] = [];
  #trades: ReadyTradeColumns | null = null;

  constructor(index: RunIndex) {
    this.#index = index;
  }

  /** Packs the columns of the next chart. */
  packChart({ feed }: ChartBars): void {
    const instrument = this.#index.placeOf(feed.bars.instrument.id);
    this.#instruments.push({
      fills: packFills(this.#index, instrument, this.packer),
      brackets: packBrackets(this.#index, instrument, this.packer),
    });
  }
  /** Packs the trades of all charts. */
  packTrades(charts: readonly ChartBars[]): void {
    const feeds = charts.map(({ feed }) => feed);
    this.#trades = packTrades(this.#index.record, feeds, this.packer);
  }

  /** Places the columns of a chart on a page. */
  on(pack: Pack, chart: number): Pick<WireInstrument, 'fills' | 'brackets'> {
    const { fills, brackets } = this.#instruments[chart]!;
    return {
      fills: fills === null ? null : { ms: pack.place(fills.ms), units: pack.place(fills.units) },
      brackets: {
        from: pack.place(brackets.from),
        to: pack.place(brackets.to),
        price: pack.place(brackets.price),
        isTarget: pack.place(brackets.isTarget),
      },
    };
  }
  /** Places the trades on a page. */
  tradesOn(pack: Pack): WireTrades {
    const { record } = this.#index;
    const { closed, tags } = tradesOf(record);
    const columns = Object.fromEntries(TRADE_COLUMNS.map((name) => [name, pack.place(this.#trades![name])]));
    return { length: tradeCount(record), all: closed.length, tags, columns: columns as Record<TradeColumnName, PackedColumn> };
  }
}

/** Returns the number of trades on the page. */
function tradeCount(record: RunRecord): number {
  return Math.min(tradesOf(record).closed.length, MAX_TRADES);
}

/** Packs the changes of a holding. Null when the page would become too large. */
function packFills(index: RunIndex, instrumentIndex: number, packer: Packer): InstrumentEvents['fills'] {
  const { ms, units, length } = positionChanges(index, instrumentIndex);
  return length > MAX_FILLS ? null : { ms: packer.pack(ms, 1), units: packer.pack(units, 0) };
}

/** Packs the stop-losses and take-profits that worked at the venue. Trailing stops are left out, because they have no fixed level. */
function packBrackets(index: RunIndex, instrumentIndex: number, packer: Packer): InstrumentEvents['brackets'] {
  const { orders, toMs } = index.record;
  const takeProfit = ROLES.indexOf('takeProfit');
  const stopLoss = ROLES.indexOf('stopLoss');
  const ownOrders = index.ordersOf(instrumentIndex);
  const rows: number[] = [];
  for (let position = 0; position < ownOrders.length && rows.length < MAX_BRACKETS; position++) {
    const row = ownOrders[position]!;
    if (orders.role[row] !== takeProfit && orders.role[row] !== stopLoss) continue;
    if (orders.limit[row]! > 0 && !Number.isNaN(orders.arrivedMs[row]!)) rows.push(row);
  }
  const doneMs = valuesAt(orders.doneMs, rows);
  for (let i = 0; i < doneMs.length; i++) if (Number.isNaN(doneMs[i]!)) doneMs[i] = toMs;
  return {
    from: packer.pack(valuesAt(orders.arrivedMs, rows), 1),
    to: packer.pack(doneMs, 1),
    price: packer.pack(valuesAt(orders.limit, rows), 1),
    isTarget: packer.pack(
      Uint8Array.from(rows, (row) => (orders.role[row] === takeProfit ? 1 : 0)),
      0,
    ),
  };
}

/** Packs the trades. On the page, instruments have the order of `feeds`, which differs from their order in the run record. */
function packTrades(record: RunRecord, feeds: readonly FeedRecord[], packer: Packer): ReadyTradeColumns {
  const { closed } = tradesOf(record);
  const length = tradeCount(record);
  const scaledColumn = (column: Float64Array, scale: number | ((row: number) => number)) => {
    const integers = new Float64Array(length);
    for (let i = 0; i < length; i++) {
      const factor = typeof scale === 'number' ? scale : scale(i);
      integers[i] = Number.isFinite(column[i]!) ? Math.round(column[i]! * factor) : NOT_RECORDED;
    }
    return integers;
  };
  const wholeColumn = (column: Float64Array) => column.subarray(0, length);
  const fractionScale = pow10(FRACTION_DIGITS);
  const chartById = new Map(feeds.map(({ bars }, chart) => [bars.instrument.id, chart] as const));
  const chartOf = record.instruments.map(({ id }) => chartById.get(id) ?? -1);
  const priceScale = (row: number) => pow10(record.instruments[closed.instrument[row]!]!.priceDigits + PRICE_EXTRA_DIGITS);
  return {
    instrument: packer.pack(
      closed.instrument.subarray(0, length).map((instrument) => chartOf[instrument]!),
      0,
    ),
    strategy: packer.pack(closed.strategy.subarray(0, length), 0),
    side: packer.pack(closed.side.subarray(0, length), 0),
    entryMs: packer.pack(wholeColumn(closed.entryMs), 1),
    exitMs: packer.pack(wholeColumn(closed.exitMs), 1),
    entryPrice: packer.pack(scaledColumn(closed.entryPrice, priceScale), 1),
    exitPrice: packer.pack(scaledColumn(closed.exitPrice, priceScale), 1),
    lots: packer.pack(wholeColumn(closed.lots), 0),
    pnl: packer.pack(wholeColumn(closed.pnlUnits), 0),
    fees: packer.pack(wholeColumn(closed.feeUnits), 0),
    return: packer.pack(scaledColumn(closed.returnFraction, fractionScale), 0),
    mae: packer.pack(scaledColumn(closed.maeFraction, fractionScale), 0),
    mfe: packer.pack(scaledColumn(closed.mfeFraction, fractionScale), 0),
    entryTag: packer.pack(wholeColumn(closed.entryTag), 0),
    exitTag: packer.pack(wholeColumn(closed.exitTag), 0),
    exitReason: packer.pack(closed.exitReason.subarray(0, length), 0),
  };
}
