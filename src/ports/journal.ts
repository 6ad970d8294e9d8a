// Port to the order journal: one typed method for each record kind (order-safety: write-ahead). Each returns its sequence number.

import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Order, OrderId, Side } from '../model/order.ts';
import type { Evidence } from './exchange.ts';

/** What a draft waits for. */
export interface Waits {
  readonly ahead: readonly OrderId[];
  /** For a replacement: what the old order had filled when the replacement was requested, and its side and size. Null for a reversal. */
  readonly replaced: { readonly side: Side; readonly lots: number; readonly quoteUnits: number; readonly filledLots: number; readonly filledUnits: number } | null; // prettier-ignore
  /** For a reversal: the lots to hold, negative for short; NaN for a replacement. */
  readonly targetLots: number;
}

export interface Journal {
  /** The newest durable sequence number; in a replay always the newest. */
  readonly durableSeq: number;
  /** Risk has denied the order. */
  denied(order: Order, code: string): number;
  /** The order waits as a draft until the orders `ahead` have ended. No request of it is sent before its own `submitted`. */
  drafted(order: Order, waits: Waits): number;
  /** Writes VERDICT, INTENT and SEND of an order that risk has approved, in one call because it is one step. Returns the number of SEND. */
  submitted(order: Order): number;
  /**
   * Returns the time with which the request of a submitted order is signed, ms. The exchange accepts it only within the admission window
   * after that.
   */
  signMs(order: Order): number;
  ack(order: Order): number;
  refused(order: Order, code: string): number;
  evidence(order: Order, seen: Evidence): number;
  /** A fill after which nothing remains also ends its order: no STATE follows. */
  fill(order: Order, fill: Fill): number;
  state(order: Order): number;
  /** A cancel is sent. A replay keeps no record of it, because its result has one. */
  cancelSent(order: Order): number;
  provenAbsent(order: Order): number;
  /** The stop of what an order has bought, or will buy, is now at a price in ticks. The exchange does not know this stop. */
  stopMoved(id: OrderId, instrument: Instrument, stop: number): number;
}
