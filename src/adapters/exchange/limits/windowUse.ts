// What the exchange may have counted: the sliding window of a limit, exact although nobody knows when a request arrives.

import type { Priority } from './shares.ts';
import { ExpiringSum } from './expiringSum.ts';

// The exchange counts a request at the moment r at which it receives it, on its own clock, which may be off by an hour. Of r we know only
// that it lies between s, when the request left, and a, when its answer was here. So a request counts here from s until a + window.
//
// That suffices. Take any window of the exchange, (t - window, t], the set S of our requests that it received in it, and the one of them,
// m, that was sent last. Each other i of S had r(i) > t - window, and m had s(m) <= r(m) <= t, hence a(i) >= r(i) > s(m) - window: when m
// was sent, i had left and its answer was younger than a window or not here yet, so i was counted. All of S was counted when m was sent,
// and m was sent only because the sum stayed within the limit. Only differences of our own clock occur. Less would not do: i received as
// late as it can be and m as early would be two of one window. A limit on fixed windows or on a bucket that refills is kept to as well.
//
// Three things differ from this ideal. Our clock tells whole ms, and clocks do not run at quite the same rate: the guard makes up for
// both. And a request without an answer has no a: it may lie in a buffer between us, for a while that nobody knows; it counts for
// as long as the exchange would take it (recvWindow, 5000 ms) after we stopped waiting, and a window on top.

/** Both clocks together may differ by this share of the time that passes. Quartz: 1e-4; a clock that is being slewed: 1e-3. */
const DRIFT = 4e-3;
/** Our time is cut to whole ms. That the exchange's is costs nothing: windows are whole ms too. */
const CUT_MS = 1;
/** How much later than we gave it up a request may still arrive. */
const LOST_MS = 5000;

/** A request on its way. */
export interface Flight {
  readonly weight: number;
  /** The sum when it had been added. */
  readonly level: number;
}

export class WindowUse {
  readonly #windowMs: number;
  readonly #holdMs: number;
  /** Weights without an answer. */
  #flying = 0;
  readonly #answered = new ExpiringSum();
  /** A share is our own affair: it is counted from the time of sending. */
  readonly #sent = { order: new ExpiringSum(), steady: new ExpiringSum() };

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
    this.#holdMs = windowMs + Math.ceil(windowMs * DRIFT) + CUT_MS;
  }

  get all(): number {
    return this.#flying + this.#answered.sum;
  }
  /** Weights sent within the last window at a priority whose share is bounded. */
  sentBy(priority: Priority): number {
    return priority === 'order' || priority === 'steady' ? this.#sent[priority].sum : 0;
  }
  /** When something stops to count, as far as that is known; Infinity: it is not. */
  get nextMs(): number {
    return Math.min(this.#answered.nextMs, this.#sent.order.nextMs, this.#sent.steady.nextMs);
  }

  sent(priority: Priority, weight: number, nowMs: number): Flight {
    this.#flying += weight;
    if (priority === 'order' || priority === 'steady') this.#sent[priority].add(weight, nowMs + this.#windowMs);
    return { weight, level: this.all };
  }

  /** `isLost`: no answer came, and none is waited for any more. Once for each flight. */
  ended({ weight }: Flight, isLost: boolean, nowMs: number): void {
    this.#flying -= weight;
    this.#answered.add(weight, nowMs + this.#holdMs + (isLost ? LOST_MS : 0));
  }

  settle(nowMs: number): void {
    this.#answered.settle(nowMs);
    this.#sent.order.settle(nowMs);
    this.#sent.steady.settle(nowMs);
  }
}
