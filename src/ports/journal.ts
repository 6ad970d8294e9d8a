// Port to the order journal. Each method writes one kind of record ahead of its effect (order-safety: write-ahead).

import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Order, OrderId, Side } from '../model/order.ts';
import type { Evidence } from './exchange.ts';

/** The orders that a draft waits for, and its purpose. */
export interface Waits {
  readonly ahead: readonly OrderId[];
  /** For a replacement: side, size and fills of the old order when the replacement was requested. Null for a reversal. */
  readonly replaced: {
    readonly side: Side;
    readonly lots: number;
    readonly quoteUnits: number;
    readonly filledLots: number;
    readonly filledUnits: number;
  } | null;
  /** For a reversal: the lots to hold, negative for short; NaN for a replacement. */
  readonly targetLots: number;
}

/** The journal of orders. Each method returns the sequence number of its record. */
export interface Journal {
  /** The newest durable sequence number; in a replay always the newest. */
  readonly durableSeq: number;
  /** Risk has denied the order. */
  denied(order: Order, code: string): number;
  /** The order waits as a draft until the orders `ahead` have ended. No request of it is sent before its own `submitted`. */
  drafted(order: Order, waits: Waits): number;
  /** Writes VERDICT, INTENT and SEND of an order that risk has approved. Returns the number of SEND. */
  submitted(order: Order): number;
  /**
   * Returns the time with which the request of a submitted order is signed, ms. The exchange accepts it only within the admission window
   * after that.
   */
  signMs(order: Order): number;
  /** The exchange has acknowledged the order. */
  ack(order: Order): number;
  /** The exchange has refused the order with this error code. */
  refused(order: Order, code: string): number;
  /** A list was read for an order whose outcome is unknown. */
  evidence(order: Order, evidence: Evidence): number;
  /** Writes a fill. The last fill of an order also ends it, and no STATE follows. */
  fill(order: Order, fill: Fill): number;
  /** The lifecycle state of the order has changed without another record that shows it. */
  state(order: Order): number;
  /** A cancel is sent. A replay writes no record, because the result of the cancel has one. */
  cancelSent(order: Order): number;
  /** The order is proven absent: the exchange never had it. */
  provenAbsent(order: Order): number;
  /** The stop of an order's bracket was moved to a price in ticks. The exchange does not know this stop. */
  stopMoved(id: OrderId, instrument: Instrument, stopTicks: number): number;
}
