// Remembers the last replies to reads. A list that is read again and has not changed is not parsed again.

import type { Outcome } from '../../../protocol/outcome.ts';

/** Shorter bodies are parsed faster than they are looked up. */
const MIN_BYTES = 256;
const MAX_BYTES = 1 << 18;
const MAX_KEPT = 64;

interface KeptReply {
  readonly body: Uint8Array;
  readonly outcome: Outcome<unknown>;
}

/** A reply is the same if it answers the same request with the same bytes. Then its outcome is the same, too: outcomes are never changed. */
export class LastReplies {
  /** By request, the one that was kept longest first. */
  readonly #kept = new Map<string, KeptReply>();

  /** Returns the outcome of a reply. `decode` is called unless the last reply to this request was the same. */
  outcomeOf<T>(
    request: string,
    { status, body }: { readonly status: number; readonly body: Uint8Array },
    decode: () => Outcome<T>,
  ): Outcome<T> {
    if (status !== 200 || body.length < MIN_BYTES || body.length > MAX_BYTES) return decode();
    const kept = this.#kept.get(request);
    // Safe: a request has one operation, and that has one type of outcome.
    if (kept !== undefined && Buffer.compare(kept.body, body) === 0) return kept.outcome as Outcome<T>;
    const outcome = decode();
    if (outcome.kind !== 'acked') return outcome;
    this.#kept.delete(request);
    if (this.#kept.size >= MAX_KEPT) for (const oldest of this.#kept.keys()) if (this.#kept.delete(oldest)) break;
    this.#kept.set(request, { body: Uint8Array.from(body), outcome });
    return outcome;
  }
}
