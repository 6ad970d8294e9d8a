// Unique signing times for equal requests. A venue may treat two equal requests with one timestamp as duplicates.

import { timeMs, type TimeMs } from '../../../base/brand.ts';
import type { UnsignedRequest } from '../../../protocol/request.ts';

/** If the clock is set back by more than this, the new time is accepted and earlier signatures are forgotten. */
const AHEAD_MS = 1000;

export class UniqueTimestamps {
  /** The latest signing time of each request, by its signed content without the time. Covers times from `#sinceMs` on. */
  readonly #latest = new Map<string, number>();
  #sinceMs = -Infinity;
  #newestMs = -Infinity;

  /** Returns `nowMs`, or the next ms at which no equal request was signed. */
  next({ method, signedPath, body }: Pick<UnsignedRequest, 'method' | 'signedPath' | 'body'>, nowMs: TimeMs): TimeMs {
    // If the clock is set back a little, continue at `#sinceMs`, because earlier signatures are forgotten.
    const fromMs = nowMs < this.#sinceMs && this.#sinceMs < nowMs + AHEAD_MS ? this.#sinceMs : nowMs;
    if (fromMs > this.#newestMs || fromMs < this.#sinceMs) this.#begin(fromMs);
    const text = `${method}${signedPath}${body}`;
    const lastMs = this.#latest.get(text) ?? -Infinity;
    const next = lastMs >= fromMs && lastMs < nowMs + AHEAD_MS ? lastMs + 1 : fromMs;
    this.#latest.set(text, next);
    if (next > this.#newestMs) this.#newestMs = next;
    return timeMs(next);
  }

  /** Restarts the memory: nothing was signed at `fromMs` or later. */
  #begin(fromMs: number): void {
    this.#latest.clear();
    this.#sinceMs = this.#newestMs = fromMs;
  }
}
