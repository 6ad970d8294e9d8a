// A count over a sliding window, exact to the ms: the times of what was let in, as many as may be let in.

/** At most `count` in any `windowMs`: at t, what was let in at t - windowMs or before counts no more. */
export class SlidingWindow {
  readonly count: number;
  readonly windowMs: number;
  /** A ring, the oldest at `#next`. */
  readonly #times: Float64Array;
  #next = 0;
  /** Of the latest that was let in. */
  lastMs = -Infinity;

  constructor(count: number, windowMs: number) {
    this.count = count;
    this.windowMs = windowMs;
    this.#times = new Float64Array(count).fill(-Infinity);
  }

  /** Lets `weight` in, or nothing of it and answers false. More than `count` at once never fits. */
  admit(nowMs: number, weight: number): boolean {
    if (weight > this.count) return false;
    const newest = (this.#next + weight - 1) % this.count;
    if (this.#times[newest]! > nowMs - this.windowMs) return false;
    for (let i = 0; i < weight; i++) {
      this.#times[this.#next] = nowMs;
      this.#next = (this.#next + 1) % this.count;
    }
    this.lastMs = nowMs;
    return true;
  }

  /** Ms until `weight` will fit; 0 where it does now. */
  waitMs(nowMs: number, weight: number): number {
    const newest = (this.#next + Math.min(weight, this.count) - 1) % this.count;
    return Math.max(0, this.#times[newest]! + this.windowMs - nowMs);
  }
}
