// Latency: the time from a decision until its order arrives at the replayed exchange.

import type { Order } from '../../model/order.ts';

/** How long orders and cancels travel. */
export interface LatencyModel {
  /** Returns ms, at least 0, until the order or its cancel arrives. Called once for each. Bracket legs arrive at once. */
  ms(order: Order, isCancel: boolean): number;
}

/** The same latency for every order. */
export class FixedLatency implements LatencyModel {
  readonly fixedMs: number;

  constructor(fixedMs: number) {
    this.fixedMs = fixedMs;
  }
  ms(): number {
    return this.fixedMs;
  }
}
