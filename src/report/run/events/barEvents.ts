// Packs what a run did at each bar: its orders with their codes, and its fills. The page shows them for a bar that is clicked.

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

/** With more of them the page would become too large. */
const MAX_ORDERS = 100_000;
const MAX_FILLS = 250_000;

type Ready<Name extends string> = { readonly [Column in Name]: ReadyColumn };

/** Packed once, and placed on each page that is tried. Null columns: the run has too many orders or fills. */
export class BarEvents {
  readonly #orders: Ready<BarOrderColumnName> | null = null;
  readonly #fills: Ready<BarFillColumnName> | null = null;
  readonly #texts: readonly string[];

  /** `feeds`: those of the charts, in their order. */
  constructor(record: RunRecord, feeds: readonly FeedRecord[], packer: Packer) {
    const { orders, fills } = record;
    this.#texts = orders.texts;
    if (orders.length > MAX_ORDERS || fills.length > MAX_FILLS) return;
    const places = new Map(feeds.map(({ bars }, at) => [bars.instrument.id, at] as const));
    const placeOf = record.instruments.map(({ id }) => places.get(id) ?? feeds.length);
    const isMidBar = midBarsOf(record);
    const none = (column: Float64Array): Float64Array => column.map((value) => (Number.isNaN(value) ? -1 : value));
    this.#orders = {
      instrument: packer.pack(orders.instrument.map((at) => placeOf[at]!), 0), // prettier-ignore
      createdMs: packer.pack(orders.createdMs, 1),
      isMidBar: packer.pack(isMidBar.orders, 0),
      doneMs: packer.pack(none(orders.doneMs), 1),
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

  /** Places the columns on a page; null: there are too many. */
  on(pack: Pack): WireBarEvents | null {
    const [orders, fills] = [this.#orders, this.#fills];
    if (orders === null || fills === null) return null;
    const columns = <Name extends string>(names: readonly Name[], ready: Ready<Name>) =>
      Object.fromEntries(names.map((name) => [name, pack.place(ready[name])])) as Record<Name, PackedColumn>;
    return { texts: this.#texts, orders: columns(BAR_ORDER_COLUMNS, orders), fills: columns(BAR_FILL_COLUMNS, fills) };
  }
}

/**
 * Returns for each order and each fill whether it belongs to the bar that closes at its time (1) or to the one that opens then (0). Decisions
 * are taken at a close, market orders fill at an open, and resting orders and levels inside a row. A run keeps no more than the times, so what
 * happened at a level is judged by the rows around it.
 */
function midBarsOf(record: RunRecord): { readonly orders: Uint8Array; readonly fills: Uint8Array } {
  const { orders, fills } = record;
  const rows = new ExecutionRows(record);
  const ofFills = new Uint8Array(fills.length);
  const first = orders.id[0] ?? 1;
  const roleOf = (row: number): string => ROLES[orders.role[row] ?? 0]!;
  const isStop = (row: number): boolean => orders.parent[row]! > 0 && STOPS.has(roleOf(row));
  /** By order and time. */
  const filled = new Map<string, number>();
  for (let at = 0; at < fills.length; at++) {
    const order = fills.orderId[at]! - first;
    if (isStop(order)) continue;
    if (fills.isMaker[at] === 1 || roleOf(order) === 'liquidation') ofFills[at] = 1;
    else if (TRIGGERS.has(roleOf(order))) ofFills[at] = rows.reaches(order, fills.timeMs[at]!, orders.arrivedMs[order]!) ? 1 : 0;
    filled.set(`${fills.orderId[at]} ${fills.timeMs[at]}`, ofFills[at]!);
  }
  const ofOrders = new Uint8Array(orders.length).fill(1);
  const fired = new Set<string>();
  for (let row = 0; row < orders.length; row++) {
    const key = `${orders.parent[row]} ${orders.createdMs[row]}`;
    if (isStop(row)) {
      // A stop fires in the row that reaches its level, but not before its entry has filled; what a cap has left of it, at the next open.
      const isMidBar = filled.get(key) !== 0 && !fired.has(key) && rows.reaches(row, orders.createdMs[row]!, -Infinity);
      if (isMidBar) fired.add(key);
      ofOrders[row] = isMidBar ? 1 : 0;
    } else {
      // A take-profit is made with the fill of its entry, and an order of the venue with its own.
      const cause = roleOf(row) === 'liquidation' ? `${orders.id[row]} ${orders.createdMs[row]}` : key;
      ofOrders[row] = filled.get(cause) ?? 1;
    }
  }
  for (let at = 0; at < fills.length; at++) if (isStop(fills.orderId[at]! - first)) ofFills[at] = ofOrders[fills.orderId[at]! - first]!;
  return { orders: ofOrders, fills: ofFills };
}

const STOPS: ReadonlySet<string> = new Set(['stopLoss', 'trailing']);
const TRIGGERS: ReadonlySet<string> = new Set(['condition', 'stopLoss', 'takeProfit']);

/** The rows in which the orders of a run matched. */
class ExecutionRows {
  readonly #orders: RunRecord['orders'];
  /** By instrument. */
  readonly #feeds: readonly (FeedRecord | null)[];

  constructor({ orders, feeds, instruments }: RunRecord) {
    this.#orders = orders;
    this.#feeds = instruments.map(({ id }) => feeds.find((feed) => feed.execution && feed.bars.instrument.id === id) ?? null);
  }

  /** True when the row that closes at a time, and opens at or after `sinceMs`, reaches the level of an order. */
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
