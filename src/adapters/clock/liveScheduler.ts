// The Scheduler of live trading: the event queue of a backtest, driven by timers and a clock that cannot be set back.

import type { Scheduler } from '../../ports/scheduler.ts';
import { DueQueue } from '../../ports/dueQueue.ts';
import { monotonicMs, nowMs } from './wallClock.ts';

/** Node's timers wait at most 2^31 - 1 ms. A longer wait is cut and armed again. */
const MAX_TIMER_MS = 2 ** 30;

/** What a caller may choose. */
export interface LiveSchedulerOptions {
  /**
   * Scheduler ms per ms of the wall clock; default 1. Larger values are for paper trading only, where exchange and bot use the same speed:
   * all waits shorten alike.
   */
  readonly speed?: number;
}

/**
 * Unix time in whole ms: the wall clock at the start, advanced by the monotonic clock. So it neither jumps nor runs back when the wall
 * clock is set. Its offset from a venue's clock is measured elsewhere.
 */
export class LiveScheduler implements Scheduler {
  readonly #speed: number;
  readonly #wallStartMs = nowMs();
  readonly #monotonicStartMs = monotonicMs();
  readonly #queue = new DueQueue();
  /** Handles still to run. The queue keeps cancelled entries until their time, but they must not keep the process alive. */
  readonly #waiting = new Set<number>();
  #timer: NodeJS.Timeout | null = null;
  /** Time for which the timer is set. */
  #armedMs = Infinity;
  #isClosed = false;

  constructor({ speed = 1 }: LiveSchedulerOptions = {}) {
    this.#speed = speed;
  }

  get nowMs(): number {
    return this.#wallStartMs + Math.floor((monotonicMs() - this.#monotonicStartMs) * this.#speed);
  }

  /** Schedules `run`. A time in the past is due at once, but never runs before this returns. */
  at(timeMs: number, run: () => void): number {
    // Nothing can be due before the time that the queue has reached.
    const handle = this.#queue.at(Math.max(timeMs, this.#queue.nowMs), () => {
      this.#waiting.delete(handle);
      run();
    });
    this.#waiting.add(handle);
    this.#arm();
    return handle;
  }

  cancel(handle: number): void {
    this.#queue.cancel(handle);
    if (this.#waiting.delete(handle) && this.#waiting.size === 0) this.#disarm();
  }

  /** Stops all timers. Nothing runs afterwards, and nothing keeps the process alive. */
  close(): void {
    this.#isClosed = true;
    this.#disarm();
  }

  /** Sets the timer for the next event, unless one is set that ends no later. Very long waits are split. */
  #arm(): void {
    const { nextMs } = this.#queue;
    if (this.#isClosed || this.#waiting.size === 0 || nextMs >= this.#armedMs) return;
    this.#disarm();
    this.#armedMs = nextMs;
    const waitMs = Math.max(0, nextMs - this.nowMs) / this.#speed;
    this.#timer = setTimeout(() => this.#wake(), Math.min(MAX_TIMER_MS, Math.ceil(waitMs)));
  }

  #disarm(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#armedMs = Infinity;
  }

  /** Runs all due events, and sets the timer for the next one. */
  #wake(): void {
    // No timer is needed until everything due has run.
    this.#armedMs = -Infinity;
    try {
      this.#queue.runDue(this.nowMs);
    } finally {
      this.#disarm();
      this.#arm();
    }
  }
}
