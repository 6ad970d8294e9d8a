// Remembers the last replies without a credential. A list that is read again and has not changed is not searched again.

/** Shorter bodies are searched faster than they are looked up. Bodies above MAX_BYTES would take too much memory. */
const MIN_BYTES = 256;
const MAX_BYTES = 1 << 18;
const MAX_BODIES = 64;

/** The last replies by request, as far as they contained no credential. Keeps at most `MAX_BODIES` of them. */
export class CleanBodies {
  /** Bodies by request, the oldest first. */
  readonly #bodies = new Map<string, Uint8Array>();

  /** Returns the masked body. `mask` is called unless the last reply to this request had the same bytes and nothing in it was masked. */
  bodyOf(request: string, body: Uint8Array, mask: () => Uint8Array): Uint8Array {
    if (body.length < MIN_BYTES || body.length > MAX_BYTES) return mask();
    const cachedBody = this.#bodies.get(request);
    if (cachedBody !== undefined && Buffer.compare(cachedBody, body) === 0) return body;
    const masked = mask();
    this.#bodies.delete(request);
    if (masked !== body) return masked;
    const [oldest] = this.#bodies.keys();
    if (oldest !== undefined && this.#bodies.size >= MAX_BODIES) this.#bodies.delete(oldest);
    // A copy, because the caller may change the bytes.
    this.#bodies.set(request, new Uint8Array(body));
    return masked;
  }
}
