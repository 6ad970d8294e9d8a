// Rows of the venue's lists, in one shape for both markets.

import type { Side } from '../../../model/order.ts';
import type { OrderStatus, CodeReading } from '../../../protocol/shapes/codes.ts';
import type { FuturesFill, FuturesOrder, OrderHistoryRow } from '../../../protocol/shapes/futures.ts';
import { ownOrder, type SpotFill, type SpotOrder } from '../../../protocol/shapes/spot.ts';
import type { PositionAction } from '../../../protocol/shapes/value.ts';

/** An order as a list or a query shows it. Decimals are the venue's text. */
export interface OrderRow {
  readonly venueId: string;
  /** Client order id; null if the row does not have it. */
  readonly cid: string | null;
  readonly side: Side;
  /** Null on spot. */
  readonly action: PositionAction | null;
  /** Null if the row does not have it. */
  readonly isMarket: boolean | null;
  readonly isLiquidation: boolean;
  readonly price: string | null;
  /** Ordered quantity. A market buy on spot may have an amount of the quote asset here. */
  readonly qty: string;
  /** Filled quantity. */
  readonly executed: string;
  readonly status: CodeReading<OrderStatus>;
  readonly timeMs: number | null;
}

/**
 * Returns the rows of a list from the oldest order to the newest. The times decide, and the ids if times are equal or missing. Of two
 * copies of one order the older one counts as the order, so its row must come first.
 */
export function oldestFirst(rows: readonly OrderRow[]): readonly OrderRow[] {
  return rows.toSorted(
    (a, b) => (a.timeMs ?? 0) - (b.timeMs ?? 0) || a.venueId.length - b.venueId.length || (a.venueId < b.venueId ? -1 : 1),
  );
}

/** One fill of the account. */
export interface TradeRow {
  readonly tradeId: string;
  /** The venue order id of our order, and that of the counterparty if reported. */
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

/** Rows of one reply, and whether rows may be missing. */
export interface Page<T> {
  readonly rows: readonly T[];
  /** True if the list is as long as it can get, so that rows may be missing. */
  readonly isCut: boolean;
  /** False if a row could not be parsed. */
  readonly isReadable: boolean;
  /** True if no row is missing or unreadable, as far as the list shows. */
  readonly isComplete: boolean;
}

/** A position of a contract as the venue reports it. */
export interface PositionRow {
  readonly side: Side;
  readonly volume: string;
  /** The part that no open order closes; null if not reported. */
  readonly closableVolume: string | null;
  /** Running total of funding, above 0 is received; null if not reported. */
  readonly funding: string | null;
  /** Opening time, ms; null if not reported. */
  readonly openedMs: number | null;
  readonly leverage: number;
  readonly positionType: number;
}

/** An empty client order id or `0` means that there is no client order id. */
const clientOrderIdIn = (text: string | null): string | null => (text === null || text === '' || text === '0' ? null : text);

/** Returns a spot order in the form that both markets share. */
export const spotOrderRow = (row: SpotOrder): OrderRow => ({
  venueId: row.orderId,
  cid: clientOrderIdIn(row.clientOrderId),
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

/** Returns a futures order in the form that both markets share. */
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

/** Returns a row of the order history in the form that both markets share. */
export const historyRow = (row: OrderHistoryRow): OrderRow => ({
  venueId: row.orderId,
  cid: clientOrderIdIn(row.clientId),
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

/** Returns a spot trade in the form that both markets share. */
export function spotTradeRow(row: SpotFill): TradeRow {
  const { orderId, side } = ownOrder(row);
  const otherId = row.isBuyer ? row.askId : row.bidId;
  const { tradeId, price, quantity: qty, fee, feeCoin, isMaker, timeMs } = row;
  return { tradeId, venueId: orderId, otherId, side, price, qty, fee, feeCoin, isMaker, timeMs };
}

/** Returns a futures trade in the form that both markets share. */
export function futuresTradeRow(row: FuturesFill): TradeRow {
  const { orderId, side } = ownOrder(row);
  const otherId = row.isBuyer ? row.askId : row.bidId;
  const { tradeId, price, quantity: qty, fee, isMaker, timeMs } = row;
  return { tradeId, venueId: orderId, otherId, side, price, qty, fee, feeCoin: null, isMaker, timeMs };
}
