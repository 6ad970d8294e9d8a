// Packs what a run did at each bar: its orders with their codes, and its fills. The page shows them for a bar that is clicked.

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
/** Orders whose level a row may reach: their fill may lie inside it. */
const BY_LEVEL: ReadonlySet<string> = new Set(['stopLoss', 'trailing', 'condition', 'liquidation', 'takeProfit']);

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
    const isInside = insideOf(record);
    const none = (column: Float64Array): Float64Array => column.map((value) => (Number.isNaN(value) ? -1 : value));
    this.#orders = {
      instrument: packer.pack(orders.instrument.map((at) => placeOf[at]!), 0), // prettier-ignore
      createdMs: packer.pack(orders.createdMs, 1),
      isInside: packer.pack(isInside.orders, 0),
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
      isInside: packer.pack(isInside.fills, 0),
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
 * are taken at a close, market orders fill at an open, and resting orders and levels inside a row.
 */
function insideOf({ orders, fills, feeds, instruments }: RunRecord): { readonly orders: Uint8Array; readonly fills: Uint8Array } {
  const rows = instruments.map(({ id }) => feeds.find((feed) => feed.execution && feed.bars.instrument.id === id) ?? null);
  const ofOrders = new Uint8Array(orders.length).fill(1);
  const ofFills = new Uint8Array(fills.length);
  const first = orders.length > 0 ? orders.id[0]! : 1;
  for (let at = 0; at < fills.length; at++) {
    const order = fills.orderId[at]! - first;
    const isInside = fills.isMaker[at] === 1 || reaches(rows[fills.instrument[at]!] ?? null, fills.timeMs[at]!, order, orders);
    ofFills[at] = isInside ? 1 : 0;
    // A leg of a bracket is made with the fill that it follows, and a stop with its own.
    if (order >= 0 && orders.parent[order]! > 0 && orders.createdMs[order] === fills.timeMs[at] && !isInside) ofOrders[order] = 0;
  }
  const filledAt = new Map<string, number>();
  for (let at = 0; at < fills.length; at++) filledAt.set(`${fills.orderId[at]} ${fills.timeMs[at]}`, ofFills[at]!);
  for (let row = 0; row < orders.length; row++) {
    const known = orders.parent[row]! > 0 ? filledAt.get(`${orders.parent[row]} ${orders.createdMs[row]}`) : undefined;
    if (known !== undefined) ofOrders[row] = known;
  }
  return { orders: ofOrders, fills: ofFills };
}

/** True when the row that closes at a time reaches the level of an order. */
function reaches(feed: FeedRecord | null, timeMs: number, order: number, orders: RunRecord['orders']): boolean {
  if (feed === null || order < 0 || !BY_LEVEL.has(ROLES[orders.role[order]!]!)) return false;
  const { bars } = feed;
  const row = firstAfter(bars.closeMs, 0, bars.length, timeMs - 1);
  if (row >= bars.length || bars.closeMs[row] !== timeMs) return false;
  const level = orders.limit[order]! / 10 ** bars.instrument.priceDigits;
  // A leg that came with the open of the next row, or a liquidation without a level, is judged by its arrival.
  if (level === 0) return true;
  return (
    bars.low[row]! <= level &&
    level <= bars.high[row]! &&
    !(orders.createdMs[order]! > bars.openMs[row]! && orders.createdMs[order]! < timeMs)
  );
}
