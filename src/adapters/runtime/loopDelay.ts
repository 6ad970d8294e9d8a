// How late the event loop of this process is: the 99th percentile of the last minute.

import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import { repeat } from '../clock/wallClock.ts';

/** A delay that is shorter than the period of the timer goes unseen. Every ms would take a bot that has nothing to do another 0.3 % of a core. */
const RESOLUTION_MS = 2;
const PERIOD_MS = 60_000;
const NS_PER_MS = 1e6;

export class LoopDelay {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #stop: () => void;
  #last: number | null = null;

  constructor() {
    this.#histogram.enable();
    this.#stop = repeat(PERIOD_MS, () => {
      this.#last = this.#now();
      this.#histogram.reset();
    });
  }

  /** Of the last whole minute, or of what there is of the first; null: nothing yet. */
  get p99Ms(): number | null {
    return this.#last ?? this.#now();
  }
  stop(): void {
    this.#stop();
    this.#histogram.disable();
  }

  /** What is measured lies between two calls of a timer: its period is no delay. */
  #now(): number | null {
    const ms = this.#histogram.percentile(99) / NS_PER_MS - RESOLUTION_MS;
    return Number.isFinite(ms) && this.#histogram.count > 0 ? Math.max(0, Math.round(ms * 10) / 10) : null;
  }
}
