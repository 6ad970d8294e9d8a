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

/** The last usable reply to each request. An equal reply gives the same outcome object, which is safe, because outcomes never change. */
export class LastReplies {
  /** Replies by request, the oldest first. */
  readonly #kept = new Map<string, KeptReply>();

  /** Returns the outcome of a reply. `decode` is called unless the last reply to this request was the same. */
  outcomeOf<T>(
    request: string,
    { status, body }: { readonly status: number; readonly body: Uint8Array },
    decode: () => Outcome<T>,
  ): Outcome<T> {
    if (status !== 200 || body.length < MIN_BYTES || body.length > MAX_BYTES) return decode();
    const keptReply = this.#kept.get(request);
    // The type is right, because a request has one operation, and an operation has one type of outcome.
    if (keptReply !== undefined && Buffer.compare(keptReply.body, body) === 0) return keptReply.outcome as Outcome<T>;
    const outcome = decode();
    if (outcome.kind !== 'acked') return outcome;
    this.#kept.delete(request);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= MAX_KEPT) this.#kept.delete(oldest);
    this.#kept.set(request, { body: new Uint8Array(body), outcome });
    return outcome;
  }
}
