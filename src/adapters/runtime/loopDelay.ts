// Measures the delay of this process's event loop: the 99th percentile of the last minute.

import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import { repeatEvery } from '../clock/wallClock.ts';

/** Delays shorter than the timer period are not seen. A period of 1 ms would cost an idle bot another 0.3 % of a core. */
const RESOLUTION_MS = 2;
const PERIOD_MS = 60_000;
const NS_PER_MS = 1e6;

/** The measurement. It runs until `stop`. */
export class LoopDelay {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #stop: () => void;
  #lastMinuteMs: number | null = null;

  constructor() {
    this.#histogram.enable();
    this.#stop = repeatEvery(PERIOD_MS, () => {
      this.#lastMinuteMs = this.#measure();
      this.#histogram.reset();
    });
  }

  /** The 99th percentile of the last whole minute, or of the first minute until now; null before any measurement. */
  get p99Ms(): number | null {
    return this.#lastMinuteMs ?? this.#measure();
  }
  /** Ends the measurement. */
  stop(): void {
    this.#stop();
    this.#histogram.disable();
  }

  /** The measurement spans two calls of a timer. The timer period is subtracted, because it is not a delay. */
  #measure(): number | null {
    const ms = this.#histogram.percentile(99) / NS_PER_MS - RESOLUTION_MS;
    return Number.isFinite(ms) && this.#histogram.count > 0 ? Math.max(0, Math.round(ms * 10) / 10) : null;
  }
}
