// The calls that both markets of the service support, in one shape.

import type { Work } from '../../../base/task.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { errorCodeOf, type Outcome } from '../../../protocol/outcome.ts';
import type { TriggerOrder } from '../../../protocol/shapes/futures.ts';
import type { CallOptions } from '../client/restClient.ts';
import type { OrderRow, Page, PositionRow, TradeRow } from './venueRows.ts';
import type { OrderRequest } from './types.ts';

/** The reply to a create request: the venue order id, and the terms that the reply repeats. Null: the reply does not repeat it. */
export interface CreatedOrder {
  readonly venueId: string;
  readonly clientOrderId: string | null;
  readonly symbol: string | null;
  readonly side: 'buy' | 'sell' | null;
  readonly isMarket: boolean | null;
  readonly price: string | null;
  readonly qty: string | null;
  readonly timeMs: number | null;
}

/** What the account holds of an asset, free and locked together. */
export interface VenueHolding {
  readonly asset: string;
  readonly total: string;
}

/** Which trades to list: those around `fromId`, or the newest if it is null; at most `max`. */
export interface TradesFrom {
  readonly fromId: string | null;
  readonly max: number;
}

/** Maximum number of rows in a list. */
export const MAX_ROWS = 1000;

/** The endpoints that the REST exchange uses. A read returns null if no usable reply arrived. */
export interface VenueCalls {
  /** Sends a create request. */
  create(order: OrderRequest, clientOrderId: string, options: CallOptions): Work<Outcome<CreatedOrder>>;
  /** Sends a cancel request. */
  cancel(instrument: Instrument, venueId: string): Work<Outcome<unknown>>;
  /** Returns the time of the venue, ms; null if no usable reply arrived. */
  serverTime(): Work<number | null>;
  /** Returns the open orders of an instrument. */
  openOrders(instrument: Instrument, options: CallOptions): Work<Page<OrderRow> | null>;
  /** `none`: a reply without information, which proves nothing. */
  order(instrument: Instrument, venueId: string, options: CallOptions): Work<OrderRow | 'none' | null>;
  /** As `order`, but a reply that the order does not exist is `none`, too. It proves as little, because the reply may be old. */
  findOrder(instrument: Instrument, venueId: string, options: CallOptions): Work<OrderRow | 'none' | null>;
  /** At most `max` rows, up to 1000: the newest, or those around `fromId`. */
  trades(instrument: Instrument, from: TradesFrom, options: CallOptions): Work<Page<TradeRow> | null>;
  /** Futures only: orders with client order ids, newest first. Null on spot, which has no such list. */
  history(instrument: Instrument, fromId: string | null, options: CallOptions): Work<Page<OrderRow> | null>;
  /** Futures only: trigger orders, waiting and past; null if the list was incomplete. Empty on spot. */
  readTriggerOrders(instrument: Instrument, options: CallOptions): Work<readonly TriggerOrder[] | null>;
  /** Spot only; null on futures. */
  holdings(options: CallOptions): Work<readonly VenueHolding[] | null>;
  /** Futures only; null on spot. */
  positions(instrument: Instrument, options: CallOptions): Work<Page<PositionRow> | null>;
  /** Futures only; null on spot: the settings of the orders that are open, as far as the newest page of the order history has them. */
  openOrderSettings(instrument: Instrument, options: CallOptions): Work<readonly ShownSettings[] | null>;
}

/** Leverage and margin mode with which a row was placed; null if the row does not have them. */
export interface ShownSettings {
  readonly leverage: number | null;
  readonly positionType: number | null;
}

/** Returns the outcome with its value mapped, if it has one. */
export function mapOutcome<T, U>(outcome: Outcome<T>, map: (value: T) => U): Outcome<U> {
  return outcome.kind === 'acked' ? { kind: 'acked', value: map(outcome.value) } : outcome;
}

/** Codes of a reply that an order does not exist. */
const MISSING_ORDER: ReadonlySet<number | null> = new Set([-2013, -1112]);

/** Returns the row in the reply to a query of an order, as `VenueCalls.order` does. */
export function queriedRow<T>(outcome: Outcome<T | null>, rowOf: (order: T) => OrderRow): OrderRow | 'none' | null {
  if (outcome.kind !== 'acked') return null;
  return outcome.value === null ? 'none' : rowOf(outcome.value);
}

/** True for a reply that an order does not exist. */
export const isMissingOrder = (outcome: Outcome<unknown>): boolean => MISSING_ORDER.has(errorCodeOf(outcome));

/** Returns the row in the reply to a query of an order, as `VenueCalls.findOrder` does. */
export const foundRow = <T>(outcome: Outcome<T | null>, rowOf: (order: T) => OrderRow): OrderRow | 'none' | null =>
  isMissingOrder(outcome) ? 'none' : queriedRow(outcome, rowOf);
