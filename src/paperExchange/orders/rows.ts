// The stored form of orders and trades: text rows with JSON lists. The first member gives the kind, the second the market.

import { lots, ticks, units } from '../../base/brand.ts';
import { InvariantError } from '../../base/errors.ts';
import type { Instrument, Market } from '../../model/instrument.ts';
import type { OrderIntent, OrderRole, Side, TimeInForce } from '../../model/order.ts';
import type { OrderImage, VenueStatus } from '../../venue/venueOrder.ts';
import type { OrderStart, OwnTrade, VisibleState, UserOrder } from './userOrder.ts';

/** Rows name accounts by uid and instruments by wire name, because the order of the config may change. */
export interface IdMaps {
  readonly market: Market;
  readonly uidOf: (account: number) => string;
  readonly accountOf: (uid: string) => number;
  readonly instrumentOf: (wireName: string) => Instrument;
}

/** The venue's part of an order that can still fill. `rested`: its position in the sequence of resting orders; 0: it has not rested. */
export type LiveRow = readonly [
  lockedUnits: number,
  offsetLots: number,
  rests: number,
  makerPpm: number,
  takerPpm: number,
  admittedMs: number,
  rested: number,
];
/** `averageTicks`: from format 3 on. */
export type TermsRow = readonly [leverage: number, isCross: number, isLiquidation: number, averageTicks?: number];
export type StoredOrderRow = readonly [
  kind: 'o',
  market: Market,
  number: number,
  uid: string,
  clientOrderId: string | null,
  symbol: string,
  side: Side,
  role: OrderRole,
  lots: number,
  quoteUnits: number,
  limit: number,
  reduceOnly: number,
  timeInForce: TimeInForce | null,
  placedMs: number,
  status: VenueStatus,
  isAdmitted: number,
  filledLots: number,
  filledUnits: number,
  feeUnits: number,
  profitUnits: number,
  terms: TermsRow | null,
  live: LiveRow | null,
];
export type ValueRow = readonly [valueUnits: number, bidUid: string, askUid: string];
export type StoredTradeRow = readonly [
  kind: 't',
  market: Market,
  uid: string,
  symbol: string,
  tradeId: number,
  bidId: string,
  askId: string,
  price: number,
  lots: number,
  timeMs: number,
  isBuyer: number,
  isMaker: number,
  fee: number,
  feeInBase: number,
  value: ValueRow | null,
];

/** Returns JSON in printable ASCII. */
export function rowText(row: readonly unknown[]): string {
  const json = JSON.stringify(row);
  return /^[\x20-\x7e]*$/.test(json) ? json : json.replace(/[^\x20-\x7e]/g, escaped);
}
const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Parses a row that must be of the given kind. Throws InvariantError otherwise. */
export function readRow<Row extends readonly [string, ...unknown[]]>(text: string, kind: Row[0]): Row {
  const row: unknown = JSON.parse(text);
  if (!Array.isArray(row) || row[0] !== kind) throw new InvariantError(`expected a row ${kind}, got ${text.slice(0, 80)}`);
  return row as unknown as Row;
}

const bit = (is: boolean): number => (is ? 1 : 0);

export function orderRow(order: UserOrder, number: number, terms: TermsRow | null, { market, uidOf }: IdMaps): string {
  const { intent, live } = order;
  const shown = order.ended ?? live;
  if (shown === null) throw new InvariantError(`order ${order.id} is neither open nor over`);
  const row: StoredOrderRow = [
    'o',
    market,
    number,
    uidOf(order.account),
    order.clientOrderId,
    intent.instrument.wireName,
    intent.side,
    intent.role,
    intent.lots,
    intent.quoteUnits,
    intent.limit,
    bit(intent.reduceOnly),
    intent.timeInForce,
    order.placedMs,
    shown.status,
    bit(order.isAdmitted),
    shown.filledLots,
    shown.filledUnits,
    (order.ended ?? order).feeUnits,
    (order.ended ?? order).profitUnits,
    terms,
    order.ended === null && live !== null
      ? [live.lockedUnits, live.offsetLots, bit(live.rests), live.makerPpm, live.takerPpm, live.admittedMs, order.rested]
      : null,
  ];
  return rowText(row);
}

/** Returns the order as it was placed. `id`: its id on the wire. */
export function startOf(row: StoredOrderRow, id: string, { accountOf, instrumentOf }: IdMaps): Omit<OrderStart, 'live'> {
  const intent: OrderIntent = {
    instrument: instrumentOf(row[5]),
    side: row[6],
    role: row[7],
    lots: lots(row[8]),
    quoteUnits: units(row[9]),
    limit: ticks(row[10]),
    reduceOnly: row[11] === 1,
    timeInForce: row[12],
    slot: '',
  };
  return { id, account: accountOf(row[3]), clientOrderId: row[4], intent, placedMs: row[13] };
}

/** `averageTicks` computes the average price if the row does not have it. */
export const visibleStateInRow = (row: StoredOrderRow, averageTicks: (lots: number, units: number) => number): VisibleState => ({
  status: row[14],
  isAdmitted: row[15] === 1,
  filledLots: row[16],
  filledUnits: row[17],
  feeUnits: row[18],
  profitUnits: row[19],
  averageTicks: row[20]?.[3] ?? averageTicks(row[16], row[17]),
});

/** Returns the venue's record of an open order. */
export function imageOf(row: StoredOrderRow, live: LiveRow, account: number): OrderImage {
  return {
    ref: row[2],
    account,
    side: row[6],
    limit: row[10],
    lots: row[8],
    quoteUnits: row[9],
    closes: row[11] === 1,
    offsetLots: live[1],
    timeInForce: row[12],
    rests: live[2] === 1,
    status: row[14],
    filledLots: row[16],
    filledUnits: row[17],
    lockedUnits: live[0],
    makerPpm: live[3],
    takerPpm: live[4],
    admittedMs: live[5],
  };
}

export function tradeRow(account: number, trade: OwnTrade, value: ValueRow | null, { market, uidOf }: IdMaps): string {
  const row: StoredTradeRow = [
    't',
    market,
    uidOf(account),
    trade.instrument.wireName,
    trade.tradeId,
    trade.bidId,
    trade.askId,
    trade.price,
    trade.lots,
    trade.timeMs,
    bit(trade.isBuyer),
    bit(trade.isMaker),
    trade.fee,
    bit(trade.feeInBase),
    value,
  ];
  return rowText(row);
}

export const tradeIn = (row: StoredTradeRow, { instrumentOf }: IdMaps): OwnTrade => ({
  instrument: instrumentOf(row[3]),
  tradeId: row[4],
  bidId: row[5],
  askId: row[6],
  price: row[7],
  lots: row[8],
  timeMs: row[9],
  isBuyer: row[10] === 1,
  isMaker: row[11] === 1,
  fee: row[12],
  feeInBase: row[13] === 1,
});
