// The times that requests are signed with: never the same for two that are equal, which an exchange may take for one sent twice.

import { timeMs, type TimeMs } from '../../../base/brand.ts';
import type { UnsignedRequest } from '../../../protocol/request.ts';

/** A clock that is set back by more than this is believed: what was signed before is of another time. */
const AHEAD_MS = 1000;

export class UniqueTimestamps {
  /** The latest time of each request, by all that is signed of it but that: of those that were given times from `#sinceMs` on. */
  readonly #latest = new Map<string, number>();
  #sinceMs = -Infinity;
  #newestMs = -Infinity;

  /** `nowMs`, or the first later ms at which no equal request was signed. */
  next({ method, signedPath, body }: Pick<UnsignedRequest, 'method' | 'signedPath' | 'body'>, nowMs: TimeMs): TimeMs {
    // A clock that is set back a little goes on where it was: what was signed there is forgotten.
    const fromMs = nowMs < this.#sinceMs && this.#sinceMs < nowMs + AHEAD_MS ? this.#sinceMs : nowMs;
    if (fromMs > this.#newestMs || fromMs < this.#sinceMs) this.#begin(fromMs);
    const text = `${method}${signedPath}${body}`;
    const lastMs = this.#latest.get(text) ?? -Infinity;
    const next = lastMs >= fromMs && lastMs < nowMs + AHEAD_MS ? lastMs + 1 : fromMs;
    this.#latest.set(text, next);
    if (next > this.#newestMs) this.#newestMs = next;
    return timeMs(next);
  }

  /** Nothing was signed at this time or later. */
  #begin(fromMs: number): void {
    this.#latest.clear();
    this.#sinceMs = this.#newestMs = fromMs;
  }
}
