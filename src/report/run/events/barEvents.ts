// Packs the orders and fills of a run by bar. The page shows them when the reader clicks a bar.

import { pow10 } from '../../../base/number/exact.ts';
import { firstAfter } from '../../../base/number/search.ts';
import { ROLES, type FeedRecord, type RunRecord } from '../../../model/run/run.ts';
import type { Pack, Packer, ReadyColumn } from '../../page/pack.ts';
import {
  BAR_FILL_COLUMNS,
  BAR_ORDER_COLUMNS,
  type BarFillColumnName,
  type BarOrderColumnName,
  type PackedColumn,
  type WireBarEvents,
} from '../../page/wire.ts';
import { executionFeedById } from '../../series/daily.ts';

/** With more orders or fills the page would become too large. */
const MAX_ORDERS = 100_000;
const MAX_FILLS = 250_000;

type Ready<Name extends string> = { readonly [Column in Name]: ReadyColumn };

/** The packed orders and fills. They are packed once and placed on each page that is tried. Null when the run has too many. */
export class BarEvents {
  readonly #orders: Ready<BarOrderColumnName> | null = null;
  readonly #fills: Ready<BarFillColumnName> | null = null;
  readonly #texts: readonly string[];

  /** `feeds` are the feeds of the charts, in the order of the charts. */
  constructor(record: RunRecord, feeds: readonly FeedRecord[], packer: Packer) {
    const { orders, fills } = record;
    this.#texts = orders.texts;
    if (orders.length > MAX_ORDERS || fills.length > MAX_FILLS) return;
    const chartOfId = new Map(feeds.map(({ bars }, chart) => [bars.instrument.id, chart] as const));
    // An instrument without a chart gets the number after the last chart.
    const chartOfInstrument = record.instruments.map(({ id }) => chartOfId.get(id) ?? feeds.length);
    const isMidBar = midBarsOf(record);
    const missingAsMinus1 = (column: Float64Array): Float64Array => column.map((value) => (Number.isNaN(value) ? -1 : value));
    this.#orders = {
      instrument: packer.pack(
        orders.instrument.map((instrument) => chartOfInstrument[instrument]!),
        0,
      ),
      createdMs: packer.pack(orders.createdMs, 1),
      isMidBar: packer.pack(isMidBar.orders, 0),
      doneMs: packer.pack(missingAsMinus1(orders.doneMs), 1),
      side: packer.pack(orders.side, 0),
      role: packer.pack(orders.role, 0),
      ending: packer.pack(orders.ending, 0),
      lots: packer.pack(orders.lots, 0),
      quoteUnits: packer.pack(orders.quoteUnits, 0),
      price: packer.pack(orders.limit, 0),
      filledLots: packer.pack(orders.filledLots, 0),
      parent: packer.pack(orders.parent, 0),
      tag: packer.pack(Float64Array.from(orders.slot), 0),
      code: packer.pack(Float64Array.from(orders.code), 0),
      id: packer.pack(orders.id, 1),
    };
    this.#fills = {
      order: packer.pack(fills.orderId, 1),
      timeMs: packer.pack(fills.timeMs, 1),
      isMidBar: packer.pack(isMidBar.fills, 0),
      price: packer.pack(fills.price, 0),
      lots: packer.pack(fills.lots, 0),
      isMaker: packer.pack(fills.isMaker, 0),
    };
  }

  /** Places the columns on a page. Returns null when the run has too many orders or fills. */
  on(pack: Pack): WireBarEvents | null {
    const orders = this.#orders;
    const fills = this.#fills;
    if (orders === null || fills === null) return null;
    const columns = <Name extends string>(names: readonly Name[], ready: Ready<Name>) =>
      Object.fromEntries(names.map((name) => [name, pack.place(ready[name])])) as Record<Name, PackedColumn>;
    return { texts: this.#texts, orders: columns(BAR_ORDER_COLUMNS, orders), fills: columns(BAR_FILL_COLUMNS, fills) };
  }
}

/** For each order and each fill: 1 inside the bar that closes at its time, 0 in the bar that opens then. */
interface MidBars {
  readonly orders: Uint8Array;
  readonly fills: Uint8Array;
}

/**
 * Returns a number for each order and each fill. 1: it belongs to the bar that closes at its time. 0: it belongs to the bar that opens at
 * its time. Decisions are made at a close, market orders fill at an open, and resting orders and levels fill inside a bar. A run record has
 * only the times, so the prices of the bars decide for orders with a level.
 */
function midBarsOf(record: RunRecord): MidBars {
  const rows = new ExecutionRows(record);
  const fills = midBarFills(record, rows);
  const orders = midBarOrders(record, rows, fills);
  const firstId = record.orders.id[0] ?? 1;
  // A stop fills in the bar in which it fires.
  for (let fill = 0; fill < fills.length; fill++) {
    const order = record.fills.orderId[fill]! - firstId;
    if (isStop(record, order)) fills[fill] = orders[order]!;
  }
  return { orders, fills };
}

const TRIGGERS: ReadonlySet<string> = new Set(['condition', 'stopLoss', 'takeProfit']);

/** Returns the fills inside a bar, without those of stops. */
function midBarFills(record: RunRecord, rows: ExecutionRows): Uint8Array {
  const { orders, fills } = record;
  const firstId = orders.id[0] ?? 1;
  const midBars = new Uint8Array(fills.length);
  for (let fill = 0; fill < fills.length; fill++) {
    const order = fills.orderId[fill]! - firstId;
    if (isStop(record, order)) continue;
    const role = roleOf(record, order);
    if (fills.isMaker[fill] === 1 || role === 'liquidation') midBars[fill] = 1;
    else if (TRIGGERS.has(role)) midBars[fill] = rows.reaches(order, fills.timeMs[fill]!, orders.arrivedMs[order]!) ? 1 : 0;
  }
  return midBars;
}

/** Returns the orders that were created inside a bar: stops that its prices reach, and orders that another fill inside it has caused. */
function midBarOrders(record: RunRecord, rows: ExecutionRows, midBarFillsOf: Uint8Array): Uint8Array {
  const { orders } = record;
  const midBarByFill = fillsByOrderAndTime(record, midBarFillsOf);
  const midBars = new Uint8Array(orders.length).fill(1);
  const firedStops = new Set<string>();
  for (let row = 0; row < orders.length; row++) {
    const createdMs = orders.createdMs[row]!;
    const parentFill = fillKey(orders.parent[row]!, createdMs);
    if (isStop(record, row)) {
      // A stop fires in the bar that reaches its level, after its entry has filled. The part that a cap leaves fires at the next open.
      const mayFire = midBarByFill.get(parentFill) !== 0 && !firedStops.has(parentFill);
      const isMidBar = mayFire && rows.reaches(row, createdMs, -Infinity);
      if (isMidBar) firedStops.add(parentFill);
      midBars[row] = isMidBar ? 1 : 0;
    } else {
      // A take-profit is created by the fill of its entry, and a liquidation order of the venue by its own fill.
      const isLiquidation = roleOf(record, row) === 'liquidation';
      const causingFill = isLiquidation ? fillKey(orders.id[row]!, createdMs) : parentFill;
      midBars[row] = midBarByFill.get(causingFill) ?? 1;
    }
  }
  return midBars;
}

/** Returns a key for the fills of an order at a time. */
const fillKey = (orderId: number, timeMs: number): string => `${orderId} ${timeMs}`;

/** Returns whether fills are inside a bar, by order and time. Those of stops are left out. */
function fillsByOrderAndTime(record: RunRecord, midBars: Uint8Array): ReadonlyMap<string, number> {
  const { orders, fills } = record;
  const firstId = orders.id[0] ?? 1;
  const midBarByFill = new Map<string, number>();
  for (let fill = 0; fill < fills.length; fill++) {
    const orderId = fills.orderId[fill]!;
    if (!isStop(record, orderId - firstId)) midBarByFill.set(fillKey(orderId, fills.timeMs[fill]!), midBars[fill]!);
  }
  return midBarByFill;
}

/** Returns the role of an order. */
const roleOf = ({ orders }: RunRecord, row: number): string => ROLES[orders.role[row] ?? 0]!;

const STOPS: ReadonlySet<string> = new Set(['stopLoss', 'trailing']);

/** True for a stop-loss or trailing stop of an entry. */
const isStop = (record: RunRecord, row: number): boolean => record.orders.parent[row]! > 0 && STOPS.has(roleOf(record, row));

/** The execution rows of a run, in which its orders filled. */
class ExecutionRows {
  readonly #orders: RunRecord['orders'];
  /** The execution feed of each instrument. Null without one. */
  readonly #feeds: readonly (FeedRecord | null)[];

  constructor({ orders, feeds, instruments }: RunRecord) {
    this.#orders = orders;
    const feedById = executionFeedById(feeds);
    this.#feeds = instruments.map(({ id }) => feedById.get(id) ?? null);
  }

  /** True when the row that closes at `timeMs` reaches the level of an order. The row must open at or after `sinceMs`. */
  reaches(order: number, timeMs: number, sinceMs: number): boolean {
    const feed = this.#feeds[this.#orders.instrument[order]!];
    if (feed === undefined || feed === null) return false;
    const { bars } = feed;
    const row = firstAfter(bars.closeMs, 0, bars.length, timeMs - 1);
    if (row >= bars.length || bars.closeMs[row] !== timeMs || bars.openMs[row]! < sinceMs) return false;
    const level = this.#orders.limit[order]! / pow10(bars.instrument.priceDigits);
    return bars.low[row]! <= level && level <= bars.high[row]!;
  }
}
