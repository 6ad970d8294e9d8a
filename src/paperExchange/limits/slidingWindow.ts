// An exact count over a sliding window: it keeps the times of the latest admissions, in ms.

/** Admits at most `count` within any `windowMs`. At time t, admissions at t - windowMs or earlier no longer count. */
export class SlidingWindow {
  /** Maximum number of admissions within the window. */
  readonly count: number;
  /** Length of the window. */
  readonly windowMs: number;
  /** A ring buffer; the oldest time is at `#next`. */
  readonly #times: Float64Array;
  #next = 0;
  /** Time of the latest admission. */
  lastMs = -Infinity;

  constructor(count: number, windowMs: number) {
    this.count = count;
    this.windowMs = windowMs;
    this.#times = new Float64Array(count).fill(-Infinity);
  }

  /** Admits `weight` as a whole, or returns false. A weight above `count` never fits. */
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

  /** Returns the ms until `weight` fits; 0 if it fits now. */
  waitMs(nowMs: number, weight: number): number {
    const newest = (this.#next + Math.min(weight, this.count) - 1) % this.count;
    return Math.max(0, this.#times[newest]! + this.windowMs - nowMs);
  }
}
