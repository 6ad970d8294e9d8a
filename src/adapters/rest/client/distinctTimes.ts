// The times that requests are signed with: never the same for two that are equal, which an exchange may take for one sent twice.

import { timeMs, type TimeMs } from '../../../base/brand.ts';
import type { UnsignedRequest } from '../../../protocol/request.ts';

const MOST = 1000;
/** A time that lies further ahead was of a clock that has been set back since; what was signed longer ago is forgotten when room is short. */
const AHEAD_MS = 1000;

export class DistinctTimes {
  /** The latest time of each request, by all that is signed of it but that; the one that was signed last stands last. */
  readonly #latest = new Map<string, number>();

  /** `nowMs`, or the first later ms at which no equal request was signed. */
  next({ method, signedPath, body }: Pick<UnsignedRequest, 'method' | 'signedPath' | 'body'>, nowMs: TimeMs): TimeMs {
    const text = `${method}${signedPath}${body}`;
    const lastMs = this.#latest.get(text) ?? -Infinity;
    const next = lastMs >= nowMs && lastMs < nowMs + AHEAD_MS ? lastMs + 1 : nowMs;
    if (this.#latest.size >= MOST) this.#forget(nowMs);
    this.#latest.delete(text);
    this.#latest.set(text, next);
    return timeMs(next);
  }

  /** From the oldest on: each is looked at about once, however many there are. */
  #forget(nowMs: number): void {
    for (const [text, lastMs] of this.#latest) {
      if (lastMs >= nowMs - AHEAD_MS) return;
      this.#latest.delete(text);
    }
  }
}
