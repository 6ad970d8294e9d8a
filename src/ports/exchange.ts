// Port to an exchange: takes orders and reports their outcomes. The replay of bars and the REST client implement it.

import type { Fill } from '../model/fill.ts';
import type { ApprovedOrder, Order, OrderId, VenueOrderId } from '../model/order.ts';

/** A list of the exchange that is read as evidence about an order. */
export type Channel = 'openOrders' | 'orderHistory' | 'myTrades' | 'balances' | 'positions';

/** The result of one read about one order. */
export interface Evidence {
  readonly channel: Channel;
  /** A lower bound of the venue time of the snapshot. */
  readonly venueMs: number;
  /** False when rows may be missing. Then the read proves nothing. */
  readonly complete: boolean;
  /** openOrders, orderHistory, myTrades: true if the order was seen. balances, positions: true if the holdings differ from the ledger. */
  readonly found: boolean;
  /** The id of the order that was seen, if the list has it. */
  readonly venueId?: VenueOrderId;
}

/** Takes the bot's commands. Each outcome arrives through the ExchangeSink, within the call or later. */
export interface OrderGateway {
  /** True when the exchange supports trigger orders. Absent: it does not, and the bot denies them. */
  readonly supportsTriggerOrders?: boolean;
  /** Sends the order once its SEND record `seq` is durable; at once if the journal needs no disk. */
  submit(order: ApprovedOrder, seq: number): void;
  /** Asks the exchange to cancel the order. The end of the order arrives as an outcome. */
  cancel(order: Order): void;
  /** Replay only: makes the cancel of a leg, which is on its way, take effect now, because the stop of its bracket has triggered. */
  recall?(order: Order): void;
  /** Reads one list for an order whose outcome is unknown. The result arrives as `evidence`. */
  read(order: Order, channel: Channel): void;
  /**
   * Live only: the order manager has ended the order, for `order.reason`. The gateway does not decide that itself.
   */
  orderEnded?(order: Order): void;
}

/** The market of a replay, which matches orders in rows of bars when the engine says so. A live bot has none. */
export interface BarMarket {
  /** Returns the number of an instrument's orders that a row may fill. */
  workingOrders(instrumentIndex: number): number;
  /**
   * Passes over rows from `from`, which is visited next, to the first one that `matchRow` must match. Returns that one, or `to`. Unless the
   * strategy acts, rows in between change nothing. May return an earlier row, and looks at none from `to` on, even if `from` is `to`. A market
   * without it matches each row while an order is working.
   */
  passRows?(instrumentIndex: number, from: number, to: number): number;
  /** Matches row `row` of the instrument's execution feed. */
  matchRow(instrumentIndex: number, row: number): void;
  /** Called when the engine has opened a block. The market finds the rows in which marks may liquidate positions. */
  blockOpened(): void;
  /** Called when all orders of the current instant are matched. Marks positions, and liquidates those with too little margin. */
  settleMarks(): void;
}

/**
 * Receives all reports of an exchange. Its methods have plain arguments instead of event objects. Hot: docs/performance.md#plain-arguments.
 */
export interface ExchangeSink {
  /** The venue has the order since `timeMs`. For a leg of a bracket, this may lie inside the row that is being matched. */
  acked(orderId: OrderId, venueId: VenueOrderId, timeMs: number): void;
  /** The exchange has answered the create request with this error code, so the order does not exist. */
  refused(orderId: OrderId, code: string): void;
  /** No byte of the create request has left this process. */
  notSent(orderId: OrderId, cause: string): void;
  /** The outcome is unknown. `isContested`: the exchange has given its id to another order too. Has no effect on an ended order. */
  outcomeUnknown(orderId: OrderId, cause: string, isContested?: boolean): void;
  /** The order has filled. The exchange owns the record `fill`, which is valid only during the call. */
  filled(orderId: OrderId, fill: Fill): void;
  /**
   * Reports a terminal status without further fills. `filled` is used for an order by amount, because its fills alone do not show its end.
   */
  ended(orderId: OrderId, endReason: 'filled' | 'canceled' | 'rejected' | 'expired', timeMs: number): void;
  /** A list was read for an order whose outcome is unknown. */
  evidence(orderId: OrderId, evidence: Evidence): void;
  /** An order that was proven absent, or refused, has appeared at the exchange. */
  arrivedLate(orderId: OrderId, venueId: VenueOrderId, timeMs: number): void;
  /** Halts new risk on an instrument (null: on the account) until `clearHalt` or the operator clears it. `code` is stable. */
  raiseHalt(code: string, instrument: number | null, reason: string): void;
  /**
   * Clears the cause with that code, because it has ended. A cause that only the operator clears stays, unless `mistake` says why it should not
   * have been raised.
   */
  clearHalt(code: string, instrument: number | null, mistake?: string): void;
  /** Funding of a position: units of money received, negative if paid. */
  funded(instrumentIndex: number, isLong: boolean, units: number, timeMs: number): void;
  /** The exchange has liquidated a position. `fill.fee` is its fee. The exchange owns the record `fill`. */
  liquidated(instrumentIndex: number, wasLong: boolean, fill: Fill): void;
}
