// What both markets of the service can be asked for, in one shape.

import type { Instrument } from '../../../model/instrument.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { TriggerOrder } from '../../../protocol/shapes/futures.ts';
import type { CallOptions } from '../client/restClient.ts';
import type { OrderRow, Page, PositionRow, TradeRow } from './rows.ts';
import type { OrderRequest } from './types.ts';

/** The answer to a create: an id, and of its echo what was said. Null: not said. */
export interface CreatedOrder {
  readonly venueId: string;
  readonly cid: string | null;
  readonly symbol: string | null;
  readonly side: 'buy' | 'sell' | null;
  readonly isMarket: boolean | null;
  readonly price: string | null;
  readonly qty: string | null;
  readonly timeMs: number | null;
}

/** What the account holds of each asset: free and locked together. */
export interface VenueHolding {
  readonly asset: string;
  readonly total: string;
}

/** Rows in a list at most. */
export const MAX_ROWS = 1000;

/** Each calls `done` once; null: there is no answer. */
export interface VenueCalls {
  create(order: OrderRequest, cid: string, done: (outcome: Outcome<CreatedOrder>) => void, options: CallOptions): void;
  cancel(instrument: Instrument, venueId: string, done: (outcome: Outcome<unknown>) => void): void;
  serverTime(done: (ms: number | null) => void): void;
  openOrders(instrument: Instrument, options: CallOptions, done: (page: Page<OrderRow> | null) => void): void;
  /** `none`: an answer without information, which proves nothing. */
  order(instrument: Instrument, venueId: string, options: CallOptions, done: (row: OrderRow | 'none' | null) => void): void;
  /** `most` rows, 1000 or fewer: the newest, or those around `fromId`. */
  trades(
    instrument: Instrument,
    from: { readonly fromId: string | null; readonly max: number },
    options: CallOptions,
    done: (page: Page<TradeRow> | null) => void,
  ): void;
  /** Futures alone: orders with their client ids, newest first; spot has no such list and answers null. */
  history(instrument: Instrument, fromId: string | null, options: CallOptions, done: (page: Page<OrderRow> | null) => void): void;
  /** Futures alone: orders that wait for a price, and those that did; null where not all of them came. On spot there are none. */
  waiting(instrument: Instrument, options: CallOptions, done: (rows: readonly TriggerOrder[] | null) => void): void;
  /** Spot alone; null on futures. */
  holdings(options: CallOptions, done: (held: readonly VenueHolding[] | null) => void): void;
  /** Futures alone; null on spot. */
  positions(instrument: Instrument, options: CallOptions, done: (page: Page<PositionRow> | null) => void): void;
}

/** The same outcome with another value. */
export function mapOutcome<T, U>(outcome: Outcome<T>, map: (value: T) => U): Outcome<U> {
  return outcome.kind === 'acked' ? { kind: 'acked', value: map(outcome.value) } : outcome;
}
