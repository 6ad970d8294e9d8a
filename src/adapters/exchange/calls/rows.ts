// Rows of both markets in one shape: what audits, evidence and fills are made from.

import type { Side } from '../../../model/order.ts';
import type { OrderStatus, CodeReading } from '../../../protocol/shapes/codes.ts';
import type { FuturesFill, FuturesOrder, OrderHistoryRow } from '../../../protocol/shapes/futures.ts';
import { ownOrder, type SpotFill, type SpotOrder } from '../../../protocol/shapes/spot.ts';
import type { PositionAction } from '../../../protocol/shapes/value.ts';

/** An order as a list or a query shows it. Decimals are text, as they came. */
export interface OrderRow {
  readonly venueId: string;
  /** Null: the row does not carry it. */
  readonly cid: string | null;
  readonly side: Side;
  /** Null on spot. */
  readonly action: PositionAction | null;
  /** Null where the row does not say it. */
  readonly isMarket: boolean | null;
  readonly isLiquidation: boolean;
  readonly price: string | null;
  /** Of a MARKET BUY perhaps an amount. */
  readonly qty: string;
  readonly executed: string;
  readonly status: CodeReading<OrderStatus>;
  readonly timeMs: number | null;
}

/** A fill of ours. */
export interface TradeRow {
  readonly tradeId: string;
  /** Our order's id, and the other side's where it is told. */
  readonly venueId: string;
  readonly otherId: string | null;
  readonly side: Side;
  readonly price: string;
  readonly qty: string;
  readonly fee: string;
  /** Null: the settlement asset. */
  readonly feeCoin: string | null;
  readonly isMaker: boolean;
  readonly timeMs: number;
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** As many rows as a list holds: others may be missing. */
  readonly isCut: boolean;
  /** False where a row could not be read. */
  readonly isReadable: boolean;
  /** No row is missing or unreadable, as far as the list can tell. */
  readonly isWhole: boolean;
}

export interface PositionRow {
  readonly side: Side;
  readonly volume: string;
  /** Funding so far, received above 0; null where it is not told. */
  readonly funding: string | null;
  /** When it was opened, ms; null where it is not told. */
  readonly openedMs: number | null;
  readonly leverage: number;
  readonly positionType: number;
}

/** A client order id of `0` or nothing is none. */
const cidIn = (text: string | null): string | null => (text === null || text === '' || text === '0' ? null : text);

export const spotOrderRow = (row: SpotOrder): OrderRow => ({
  venueId: row.orderId,
  cid: cidIn(row.clientOrderId),
  side: row.side,
  action: null,
  isMarket: row.type === null ? null : row.type.word === 'MARKET',
  isLiquidation: false,
  price: row.price,
  qty: row.origQty,
  executed: row.executedQty,
  status: row.status,
  timeMs: row.timeMs,
});

export const futuresOrderRow = (row: FuturesOrder): OrderRow => ({
  venueId: row.orderId,
  cid: null,
  side: row.side,
  action: row.action,
  isMarket: row.type === null ? null : row.type.word === 'MARKET',
  isLiquidation: row.type?.word === 'LIQUIDATION',
  price: row.price,
  qty: row.origQty,
  executed: row.executedQty,
  status: row.status,
  timeMs: row.timeMs,
});

export const historyRow = (row: OrderHistoryRow): OrderRow => ({
  venueId: row.orderId,
  cid: cidIn(row.clientId),
  side: row.side,
  action: row.openOrClose,
  isMarket: row.type.word === 'MARKET',
  isLiquidation: row.type.word === 'LIQUIDATION',
  price: row.price,
  qty: row.volume,
  executed: row.dealVolume,
  status: row.status,
  timeMs: row.ctimeMs,
});

export function spotTradeRow(row: SpotFill): TradeRow {
  const { orderId, side } = ownOrder(row);
  const otherId = row.isBuyer ? row.askId : row.bidId;
  const { tradeId, price, quantity: qty, fee, feeCoin, isMaker, timeMs } = row;
  return { tradeId, venueId: orderId, otherId, side, price, qty, fee, feeCoin, isMaker, timeMs };
}

export function futuresTradeRow(row: FuturesFill): TradeRow {
  const { orderId, side } = ownOrder(row);
  const otherId = row.isBuyer ? row.askId : row.bidId;
  const { tradeId, price, quantity: qty, fee, isMaker, timeMs } = row;
  return { tradeId, venueId: orderId, otherId, side, price, qty, fee, feeCoin: null, isMaker, timeMs };
}
