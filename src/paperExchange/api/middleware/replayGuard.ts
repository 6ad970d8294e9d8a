// Signed requests that have been seen, for as long as any window could let them pass again.

/** A signature is kept for a day: `recvWindow` has no upper bound, but nobody waits longer for an answer. */
const RETENTION_MS = 86_400_000;
const MAX_SIGNATURES = 200_000;

export class ReplayGuard {
  /** By signature, the oldest first. */
  readonly #seen = new Map<string, number>();

  /** False for a signature that was seen before. */
  isNew(signature: string, nowMs: number): boolean {
    if (this.#seen.has(signature)) return false;
    for (const [oldest, timeMs] of this.#seen) {
      if (this.#seen.size < MAX_SIGNATURES && timeMs > nowMs - RETENTION_MS) break;
      this.#seen.delete(oldest);
    }
    this.#seen.set(signature, nowMs);
    return true;
  }
}
