// A Scheduler on the wall clock that can be told to jump: minutes between bars need not be waited for, and what happens in them is real time.

import { DueQueue } from '../dist/scheduler/dueQueue.js';

export class JumpingTime {
  readonly #queue = new DueQueue();
  #aheadMs = 0;
  #timer: NodeJS.Timeout | null = null;
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
    this.#arm();
  }

  close(): void {
    this.#isOver = true;
    this.#disarm();
  }

  #arm(): void {
    this.#disarm();
    const { nextMs } = this.#queue;
    if (this.#isOver || nextMs === Infinity) return;
    this.#timer = setTimeout(
      () => {
        this.#queue.runDue(this.nowMs);
        this.#arm();
      },
      Math.max(0, Math.min(nextMs - this.nowMs, 60_000)),
    );
  }

  #disarm(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
