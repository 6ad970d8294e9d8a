// Latency: the time from a decision to the arrival of its order at the replayed exchange.

import type { Order } from '../../model/order.ts';

export interface LatencyModel {
  /** Ms, at least 0, until the order, or the cancel of it, arrives. Asked once for each. The legs of a bracket arrive at once. */
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
