// Gives equal requests different signing times. A venue may treat two equal requests with one timestamp as duplicates.

import { timeMs, type TimeMs } from '../../../base/brand.ts';
import type { UnsignedRequest } from '../../../protocol/request.ts';

/** Signing times may run ahead of the clock by this, ms. After a larger step back of the clock, earlier signatures are forgotten. */
const AHEAD_MS = 1000;

/** The signing times of recent requests. */
export class UniqueTimestamps {
  /** The latest signing time of each request, by its signed content without the time. Covers times from `#sinceMs` on. */
  readonly #latest = new Map<string, number>();
  #sinceMs = -Infinity;
  #newestMs = -Infinity;

  /** Returns `nowMs`, or the next ms at which no equal request was signed. */
  uniqueMs({ method, signedPath, body }: Pick<UnsignedRequest, 'method' | 'signedPath' | 'body'>, nowMs: TimeMs): TimeMs {
    // Signatures before `#sinceMs` are forgotten. So if the clock was set back a little, continue at `#sinceMs`.
    const fromMs = nowMs < this.#sinceMs && this.#sinceMs < nowMs + AHEAD_MS ? this.#sinceMs : nowMs;
    if (fromMs > this.#newestMs || fromMs < this.#sinceMs) this.#restart(fromMs);
    const content = `${method}${signedPath}${body}`;
    const lastMs = this.#latest.get(content) ?? -Infinity;
    const signMs = lastMs >= fromMs && lastMs < nowMs + AHEAD_MS ? lastMs + 1 : fromMs;
    this.#latest.set(content, signMs);
    if (signMs > this.#newestMs) this.#newestMs = signMs;
    return timeMs(signMs);
  }

  /** Restarts the memory: nothing was signed at `fromMs` or later. */
  #restart(fromMs: number): void {
    this.#latest.clear();
    this.#sinceMs = this.#newestMs = fromMs;
  }
}
