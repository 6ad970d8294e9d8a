// Rules about how often orders may be sent.

import type { OrderRule } from './rule.ts';

const WINDOW_MS = 60_000;

/** The times of the newest orders, as many as the limit: the oldest of them says whether one more may go. */
export class SentTimes {
  readonly #times: Float64Array;
  #next = 0;

  /** `most`: orders in any 60 s; Infinity keeps no times. */
  constructor(most: number) {
    this.#times = new Float64Array(most < Infinity ? most : 0).fill(-Infinity);
  }

  /** True while fewer than the limit were sent after `nowMs` - 60 s. False for a time that is no number. */
  mayPass(nowMs: number): boolean {
    return this.#times.length === 0 || this.#times[this.#next]! <= nowMs - WINDOW_MS;
  }
  record(nowMs: number): void {
    if (this.#times.length === 0) return;
    this.#times[this.#next] = nowMs;
    this.#next = this.#next + 1 === this.#times.length ? 0 : this.#next + 1;
  }
}

export const messageRate: OrderRule = {
  kind: 'order',
  code: 'MESSAGE_RATE',
  keys: ['maxOrdersPerMinute'],
  needs: [],
  check: (_order, { sent, nowMs }) => sent.mayPass(nowMs),
  detail: (_order, { limits }) => `${limits.ordersPerMinute} orders were sent in the last 60 s`,
};
