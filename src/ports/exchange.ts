// Port to an exchange: orders are sent through it, and reports return. A replay of klines and the REST client implement it.

import type { Fill } from '../model/fill.ts';
import type { ApprovedOrder, Order, OrderId, VenueOrderId } from '../model/order.ts';

/** A read that can prove where an order is. */
export type Channel = 'openOrders' | 'orderHistory' | 'myTrades' | 'balances' | 'positions';

/** What one read shows about one order. */
export interface Evidence {
  readonly channel: Channel;
  /** Venue time: a lower bound of when the snapshot was taken. */
  readonly venueMs: number;
  /** False when rows may be missing: then it proves nothing. */
  readonly complete: boolean;
  /** openOrders, orderHistory, myTrades: the order was seen. balances, positions: what is held differs from the ledger. */
  readonly found: boolean;
  /** The id of the order that was seen, if the list has it. */
  readonly venueId?: VenueOrderId;
}

/** Where the bot sends its commands. They return nothing: each outcome arrives later, or in the same call, through the ExchangeSink. */
export interface OrderGateway {
  /** True when the exchange supports trigger orders. Absent: it does not, and the bot denies them. */
  readonly supportsTriggerOrders?: boolean;
  /** Sends the order once its SEND record `seq` is durable; at once if the journal needs no disk. */
  submit(order: ApprovedOrder, seq: number): void;
  cancel(order: Order): void;
  /** Replay: makes a leg's cancel in flight act now, because the stop of its bracket has triggered. Live: absent. */
  recall?(order: Order): void;
  read(order: Order, channel: Channel): void;
  /**
   * The order manager has ended the order, for `order.reason`. Live: the gateway has no opinion of its own, so only this ends an order
   * there. Replay: absent.
   */
  orderEnded?(order: Order): void;
}

/** The market of a replay: rows of bars that the engine asks it to match. A live exchange matches by itself, so a live bot has none. */
export interface BarMarket {
  /** Returns the number of an instrument's orders that a row may fill. */
  workingOrders(instrument: number): number;
  /**
   * Passes over rows from `from`, which is visited next, to the first one that `matchRow` must match. Returns that one, or `to`. Unless the
   * strategy acts, rows in between change nothing. May return an earlier row. A market without it matches each row while an order is working.
   */
  passRows?(instrument: number, from: number, to: number): number;
  /** Matches row `row` of the instrument's execution feed. */
  matchRow(instrument: number, row: number): void;
  /** The engine has opened a block: the market looks ahead for what marks may do to positions in it. */
  blockOpened(): void;
  /** Everything of the current instant is matched: positions are marked, and those without their margin are liquidated. */
  settleMarks(): void;
}

/**
 * All reports of an exchange to the engine. Methods with plain arguments instead of event objects. Hot:
 * docs/performance.md#plain-arguments.
 */
export interface ExchangeSink {
  /** `timeMs`: when the venue had it. For a bracket leg this may lie inside the row that is being matched. */
  acked(order: OrderId, venueId: VenueOrderId, timeMs: number): void;
  refused(order: OrderId, code: string): void;
  notSent(order: OrderId, cause: string): void;
  /** `isContested`: the exchange has given the order's id to another order too. No effect on an order that has ended. */
  outcomeUnknown(order: OrderId, cause: string, isContested?: boolean): void;
  /** The exchange owns the record `fill`, which is valid only during the call. */
  filled(order: OrderId, fill: Fill): void;
  /**
   * Reports a terminal status without further fills. `filled` is used for an order by amount, because its fills alone do not show its end.
   */
  ended(order: OrderId, how: 'filled' | 'canceled' | 'rejected' | 'expired', timeMs: number): void;
  evidence(order: OrderId, seen: Evidence): void;
  /** An order that was proven absent, or refused, is at the exchange after all. */
  arrivedLate(order: OrderId, venueId: VenueOrderId, timeMs: number): void;
  /** Halts new risk on an instrument (null: on the account) until `clearHalt` or the operator clears it. `code` is stable. */
  raiseHalt(code: string, instrument: number | null, why: string): void;
  /** The cause with that code has ended. A cause that only the operator clears stays. */
  clearHalt(code: string, instrument: number | null): void;
  /** Funding of a position: units of money received, negative if paid. */
  funded(instrument: number, isLong: boolean, units: number, timeMs: number): void;
  /** The exchange has closed a position whose margin was used up. `fill.fee` is its fee. The exchange owns the record `fill`. */
  liquidated(instrument: number, wasLong: boolean, fill: Fill): void;
}
