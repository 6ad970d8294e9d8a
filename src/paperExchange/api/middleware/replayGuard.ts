// Remembers the signatures of requests, to detect a signed request that is sent twice.

/** A signature is kept for one day. `recvWindow` has no upper bound, but no client waits longer for a reply. */
const RETENTION_MS = 86_400_000;
const MAX_SIGNATURES = 200_000;

/** The signatures of the last day, at most `MAX_SIGNATURES` of them. */
export class ReplayGuard {
  /** Time of the request by signature, oldest first. Ms UTC. */
  readonly #signatures = new Map<string, number>();

  /** Records a signature. Returns false if it was seen before. */
  isNew(signature: string, nowMs: number): boolean {
    if (this.#signatures.has(signature)) return false;
    for (const [oldest, timeMs] of this.#signatures) {
      if (this.#signatures.size < MAX_SIGNATURES && timeMs > nowMs - RETENTION_MS) break;
      this.#signatures.delete(oldest);
    }
    this.#signatures.set(signature, nowMs);
    return true;
  }
}
