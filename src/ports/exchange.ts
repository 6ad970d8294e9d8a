// The hole through which orders leave and their fate comes back: replayed klines and the REST client stand behind it.

import type { Fill } from '../model/fill.ts';
import type { ApprovedOrder, Order, OrderId, VenueOrderId } from '../model/order.ts';

/** A read that can prove where an order is. */
export type Channel = 'openOrders' | 'orderHistory' | 'myTrades' | 'balances' | 'positions';

/** What one read said about one order. */
export interface Evidence {
  readonly channel: Channel;
  /** Venue time: a lower bound of when the snapshot was taken. */
  readonly venueMs: number;
  /** False when rows may be missing: then it proves nothing. */
  readonly complete: boolean;
  /** openOrders, orderHistory, myTrades: the order was seen. balances, positions: what is held differs from the ledger. */
  readonly found: boolean;
  /** Of the order that was seen, where the list says it. */
  readonly venueId?: VenueOrderId;
}

/** Commands return nothing: each outcome arrives later, or in the same call, through the ExchangeSink. */
export interface ExchangePort {
  /** Orders may wait for a price there. Absent: they may not, and the bot denies them. */
  readonly supportsTriggerOrders?: boolean;
  /** Sends the order once its SEND record `seq` is durable; at once where the journal needs no disk. */
  submit(order: ApprovedOrder, seq: number): void;
  cancel(order: Order): void;
  /** Replay: a cancel of a leg that is on its way acts now, because the stop of its bracket has gone off. Live: absent. */
  recall?(order: Order): void;
  read(order: Order, channel: Channel): void;
  /** Orders of an instrument that a replayed row may fill; 0 where the exchange itself matches. */
  workingOrders(instrument: number): number;
  /** Replay: matches row `row` of the instrument's execution feed. Live: nothing. */
  matchRow(instrument: number, row: number): void;
  /** The engine has opened a block. Replay: looks ahead for what marks may do to positions in it. Live and spot: nothing. */
  blockOpened(): void;
  /** Everything of the present instant is matched. Replay: marks positions, and liquidates what has lost its margin. Live and spot: nothing. */
  settleMarks(): void;
}

/**
 * All that an exchange tells the engine. Methods with plain arguments instead of event objects: an order has some five
 * events, and an object for each cost 3,900 ns an order against 50-150 (measured on a prototype).
 */
export interface ExchangeSink {
  /** `timeMs`: when it stood at the venue, which for the leg of a bracket may lie inside the row that is being matched. */
  acked(order: OrderId, venueId: VenueOrderId, timeMs: number): void;
  refused(order: OrderId, code: string): void;
  notSent(order: OrderId, cause: string): void;
  /** `isContested`: the exchange has given the order's id to another order too. No effect on an order that is over. */
  outcomeUnknown(order: OrderId, cause: string, isContested?: boolean): void;
  /** The record is the exchange's, for the length of the call. */
  filled(order: OrderId, fill: Fill): void;
  /** A terminal status without further fills; `filled` for an order by amount, whose fills alone do not tell that nothing remains. */
  ended(order: OrderId, how: 'filled' | 'canceled' | 'rejected' | 'expired', timeMs: number): void;
  evidence(order: OrderId, seen: Evidence): void;
  /** An order that was proved without effect, or refused, stands at the exchange after all. */
  arrivedLate(order: OrderId, venueId: VenueOrderId, timeMs: number): void;
  /** Something that stops new risk on an instrument (null: on the account) until `over` or a person clears it. `code` is stable. */
  raiseHalt(code: string, instrument: number | null, why: string): void;
  /** The trouble of that code is gone. One that only a person clears stays. */
  clearHalt(code: string, instrument: number | null): void;
  /** Funding of a position: units of money received, below 0 paid. */
  funded(instrument: number, isLong: boolean, units: number, timeMs: number): void;
  /** The exchange has closed a position whose margin was used up. `fill.fee` is what it took for it. The record is the exchange's. */
  liquidated(instrument: number, wasLong: boolean, fill: Fill): void;
}
