// A Scheduler on the wall clock that jumps on command: minutes between bars need no waiting, and what happens in them is real time.

import { DueQueue } from '../dist/ports/dueQueue.js';

/** A longer wait is cut. */
const MAX_TIMER_MS = 60_000;

export class JumpingTime {
  readonly #queue = new DueQueue();
  #aheadMs = 0;
  #timer: NodeJS.Timeout | null = null;
  /** What the timer waits for. */
  #armedMs = Infinity;
  #isOver = false;

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

  jump(ms: number): void {
    this.#aheadMs += ms;
    this.#disarm();
    this.#arm();
  }

  close(): void {
    this.#isOver = true;
    this.#disarm();
  }

  /** As a LiveScheduler does: a timer that is early enough is left as it is. */
  #arm(): void {
    const { nextMs } = this.#queue;
    if (this.#isOver || nextMs >= this.#armedMs) return;
    this.#disarm();
    this.#armedMs = nextMs;
    this.#timer = setTimeout(() => this.#wake(), Math.max(0, Math.min(nextMs - this.nowMs, MAX_TIMER_MS)));
  }

  #wake(): void {
    this.#armedMs = -Infinity;
    this.#queue.runDue(this.nowMs);
    this.#disarm();
    this.#arm();
  }

  #disarm(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#armedMs = Infinity;
  }
}
