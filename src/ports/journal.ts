// The order journal: one typed method a record kind (order-safety: write-ahead), each returns its sequence number.

import type { Fill } from '../model/fill.ts';
import type { Order, OrderId, Side } from '../model/order.ts';
import type { Evidence } from './exchange.ts';

/** What a draft waits for. */
export interface Waits {
  readonly ahead: readonly OrderId[];
  /** Of a replacement: what the old order had filled when it was asked for, and its side and size. Null for a reversal. */
  readonly replaced: { readonly side: Side; readonly lots: number; readonly quoteUnits: number; readonly filledLots: number; readonly filledUnits: number } | null; // prettier-ignore
  /** Of a reversal: what is to be held, in lots, below 0 short; NaN for a replacement. */
  readonly targetLots: number;
}

export interface Journal {
  /** The newest sequence number that is on disk; in a replay always the newest. */
  readonly durableSeq: number;
  /** Risk has refused the order. */
  denied(order: Order, code: string): number;
  /** The order waits as a draft until the orders `ahead` have ended. No request of it leaves before its own `submitted`. */
  drafted(order: Order, waits: Waits): number;
  /** VERDICT, INTENT and SEND of an order that risk has approved: one step, so one call. Returns the number of SEND. */
  submitted(order: Order): number;
  /** The time with which the request of a submitted order is signed, ms: the exchange takes it for a while after that, and never later. */
  signMs(order: Order): number;
  ack(order: Order): number;
  refused(order: Order, code: string): number;
  evidence(order: Order, seen: Evidence): number;
  /** The fill after which nothing remains is the end of its order too: no STATE follows. */
  fill(order: Order, fill: Fill): number;
  state(order: Order): number;
  /** A cancel goes out. A replay keeps no record of it: what comes of it has one. */
  cancelSent(order: Order): number;
  provenAbsent(order: Order): number;
}
