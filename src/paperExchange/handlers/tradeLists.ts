// Keeps the bodies of lists of own trades. Bots read these lists again and again, and usually no trade has been added.

/** Limits of what is kept: the characters of a body, and the number of bodies. */
const MAX_BODY_LENGTH = 1 << 16;
const MAX_KEPT = 128;

/** A body, and the number of trades that it was made from. */
interface KeptBody {
  readonly tradeCount: number;
  readonly body: string;
}

/** Trades are only added, so a list is the same as long as the account has the same number of trades. */
export class TradeLists {
  /** Bodies by request, the oldest first. */
  readonly #kept = new Map<string, KeptBody>();

  /** Returns the body of a list. `tradeCount` is the number of trades of the account that reads show. */
  bodyOf(request: string, tradeCount: number, encode: () => string): string {
    const cached = this.#kept.get(request);
    if (cached?.tradeCount === tradeCount) return cached.body;
    const body = encode();
    this.#kept.delete(request);
    if (body.length > MAX_BODY_LENGTH) return body;
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= MAX_KEPT) this.#kept.delete(oldest);
    this.#kept.set(request, { tradeCount, body });
    return body;
  }
}
