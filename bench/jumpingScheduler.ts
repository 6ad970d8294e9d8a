// A Scheduler on the wall clock that can jump ahead, so that a benchmark does not wait for the next bar.

import { DueQueue } from '../dist/ports/dueQueue.js';

/** Longest single timer; a longer wait is split. */
const MAX_TIMER_MS = 60_000;

/** A scheduler whose clock can be moved forward to the next due time. */
export class JumpingScheduler {
  readonly #queue = new DueQueue();
  /** How far the jumps have put this clock ahead of the wall clock. */
  #aheadMs = 0;
  #timer: NodeJS.Timeout | null = null;
  /** Due time of the timer; Infinity without a timer. */
  #timerDueMs = Infinity;
  #isClosed = false;

  get nowMs(): number {
    return Math.floor(performance.timeOrigin + performance.now() + this.#aheadMs);
  }

  at(timeMs: number, run: () => void): number {
    const handle = this.#queue.at(Math.max(timeMs, this.#queue.nowMs), run);
    this.#arm();
    return handle;
  }

  cancel(handle: number): void {
    this.#queue.cancel(handle);
  }

  /** Moves the clock ahead by `ms`. What has become due runs in the next timer. */
  jump(ms: number): void {
    this.#aheadMs += ms;
    this.#disarm();
    this.#arm();
  }

  close(): void {
    this.#isClosed = true;
    this.#disarm();
  }

  /** Sets the timer for the next due time. A timer that is due early enough stays. */
  #arm(): void {
    const { nextMs } = this.#queue;
    if (this.#isClosed || nextMs >= this.#timerDueMs) return;
    this.#disarm();
    this.#timerDueMs = nextMs;
    this.#timer = setTimeout(() => this.#wake(), Math.max(0, Math.min(nextMs - this.nowMs, MAX_TIMER_MS)));
  }

  /** Runs what is due, and sets the next timer. */
  #wake(): void {
    // Keeps `#arm` from setting a timer while due callbacks run.
    this.#timerDueMs = -Infinity;
    this.#queue.runDue(this.nowMs);
    this.#disarm();
    this.#arm();
  }

  /** Removes the timer. */
  #disarm(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#timerDueMs = Infinity;
  }
}
