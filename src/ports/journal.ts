// The order journal: one typed method a record kind (order-safety: write-ahead), each returns its sequence number.

import type { Order } from '../model/order.ts';
import type { Evidence } from './exchange.ts';

export interface Journal {
  /** The newest sequence number that is on disk; in a replay always the newest. */
  readonly durableSeq: number;
  verdict(order: Order, code: string | null): number;
  intent(order: Order): number;
  send(order: Order, atMs: number): number;
  ack(order: Order): number;
  refused(order: Order, code: string): number;
  evidence(order: Order, seen: Evidence): number;
  fill(order: Order, tradeId: number, price: number, lots: number, fee: number): number;
  state(order: Order): number;
  tomb(order: Order): number;
}
