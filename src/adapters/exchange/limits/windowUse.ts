// Counts the weight that the venue may have counted in its sliding window. The count is never too low, although arrival times are unknown.

import type { Priority } from './priorityShares.ts';
import { ExpiringSum } from './expiringSum.ts';

// The venue counts a request at the time r of its arrival, on its own clock, which may be off by an hour. We know only that r lies between
// s, when the request was sent, and a, when its reply arrived. So a request counts here from s until a + window.
//
// That suffices. Take any window of the venue, (t - window, t], the set S of our requests that arrived in it, and its member m that was
// sent last. Every other i in S had r(i) > t - window, and m had s(m) <= r(m) <= t. Hence a(i) >= r(i) > s(m) - window: when m was sent, i
// had been sent, and its reply was younger than a window or still missing, so i was counted. All of S was counted when m was sent, and m
// was sent only because the sum stayed within the limit. Only differences of our own clock occur. Counting less would be wrong: with i
// arriving as late and m as early as possible, both fall into one window. Limits on fixed windows and refilling buckets are kept as well.
//
// Three things differ from this ideal. Our clock has whole ms, and clocks run at slightly different rates: the guard covers both. A request
// without a reply has no a: it may wait in a buffer for an unknown time. It counts for as long as the venue would admit it (recvWindow,
// 5000 ms) after we stopped waiting, plus a window.

/** Both clocks together may drift by this fraction of the elapsed time. Quartz: 1e-4; a clock that is being slewed: 1e-3. */
const DRIFT = 4e-3;
/** Our time is cut to whole ms. The venue's rounding costs nothing, because windows are whole ms too. */
const CUT_MS = 1;
/** How long after we stopped waiting a request may still arrive, ms. */
const LOST_MS = 5000;

/** A request without a reply yet. */
export interface Flight {
  readonly weight: number;
  /** The sum after it was added. */
  readonly usedWeight: number;
}

/** The use of one sliding window. */
export class WindowUse {
  readonly #windowMs: number;
  readonly #holdMs: number;
  /** Weight of requests without a reply. */
  #withoutReply = 0;
  readonly #answered = new ExpiringSum();
  /** Shares are our own rule, so they count from the time of sending. */
  readonly #sent = { order: new ExpiringSum(), steady: new ExpiringSum() };

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
    this.#holdMs = windowMs + Math.ceil(windowMs * DRIFT) + CUT_MS;
  }

  /** How long after its reply a request counts, ms. */
  get holdMs(): number {
    return this.#holdMs;
  }
  /** Weight that the venue may have counted in the current window. */
  get all(): number {
    return this.#withoutReply + this.#answered.sum;
  }
  /** Returns the weight sent within the last window at a priority with a limited share. */
  sentBy(priority: Priority): number {
    return priority === 'order' || priority === 'steady' ? this.#sent[priority].sum : 0;
  }
  /** The next known time at which a weight expires; Infinity if none is known. */
  get nextMs(): number {
    return Math.min(this.#answered.nextMs, this.#sent.order.nextMs, this.#sent.steady.nextMs);
  }

  /** Counts a request that is sent now. End the returned flight once its reply is here or lost. */
  addFlight(priority: Priority, weight: number, nowMs: number): Flight {
    this.#withoutReply += weight;
    if (priority === 'order' || priority === 'steady') this.#sent[priority].add(weight, nowMs + this.#windowMs);
    return { weight, usedWeight: this.all };
  }

  /** Ends a flight; must be called once for each. `isLost`: no reply came and none is expected. */
  endFlight({ weight }: Flight, isLost: boolean, nowMs: number): void {
    this.#withoutReply -= weight;
    this.#answered.add(weight, nowMs + this.#holdMs + (isLost ? LOST_MS : 0));
  }

  /** Removes weights that have expired by `nowMs`. */
  removeExpired(nowMs: number): void {
    this.#answered.removeExpired(nowMs);
    this.#sent.order.removeExpired(nowMs);
    this.#sent.steady.removeExpired(nowMs);
  }
}
