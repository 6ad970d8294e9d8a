// The Scheduler of live trading: the queue of a backtest, woken by timers and run on a clock that no one can set back.

import type { Scheduler } from '../../ports/scheduler.ts';
import { DueQueue } from '../../ports/dueQueue.ts';
import { monotonicMs, nowMs } from './wallClock.ts';

/** Node's timers take no longer wait than 2^31 - 1 ms; one that is longer is cut and armed anew. */
const MAX_TIMER_MS = 2 ** 30;

export interface LiveSchedulerOptions {
  /**
   * How many ms pass in one of the wall clock; default 1. Above that for paper trading alone, where exchange and bot agree to hurry: every
   * wait shortens alike.
   */
  readonly speed?: number;
}

/**
 * Unix time in whole ms: the wall clock's at the start, from then on counted by the monotonic clock. So it neither jumps nor goes back
 * when someone sets the wall clock; how far it is from an exchange's clock is for those to measure who deal with one.
 */
export class LiveScheduler implements Scheduler {
  readonly #speed: number;
  readonly #startMs = nowMs();
  readonly #startedMs = monotonicMs();
  readonly #queue = new DueQueue();
  /** Handles of what is to run. The queue keeps what was cancelled until its time; a process does not live on for that. */
  readonly #waiting = new Set<number>();
  #timer: NodeJS.Timeout | null = null;
  /** What the timer waits for. */
  #armedMs = Infinity;
  #isClosed = false;

  constructor({ speed = 1 }: LiveSchedulerOptions = {}) {
    this.#speed = speed;
  }

  get nowMs(): number {
    return this.#startMs + Math.floor((monotonicMs() - this.#startedMs) * this.#speed);
  }

  /** A time that is over is due at once, though never within this call. */
  at(timeMs: number, run: () => void): number {
    // What the queue has run is over: nothing can be due before that.
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

  /** Nothing runs any more, and nothing keeps the process alive. */
  close(): void {
    this.#isClosed = true;
    this.#disarm();
  }

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

  #wake(): void {
    // Until all that is due has run there is nothing to be woken for.
    this.#armedMs = -Infinity;
    try {
      this.#queue.runDue(this.nowMs);
    } finally {
      this.#disarm();
      this.#arm();
    }
  }
}
