// Bans of addresses that keep sending after HTTP 429. Each ban lasts twice as long as the previous one.

/** Time span in which refusals are counted. */
const COUNT_WINDOW_MS = 60_000;
/** Number of addresses above which those without an offence for one hour are dropped. */
const MAX_ADDRESSES = 10_000;
const FORGIVEN_MS = 3_600_000;
/** The bounded number of doublings makes the end of a ban an exact number. */
const MAX_DOUBLINGS = 20;

/** The refusals and bans of one address. */
interface Offence {
  /** Times of refusals within the span, oldest first. */
  refusals: number[];
  /** End of the latest ban, ms UTC; 0: never banned. */
  bannedUntilMs: number;
  banCount: number;
}

/** Bans an address for `firstMs` once it has had `refusalsBeforeBan` refusals within a minute. */
export class Bans {
  readonly #refusalsBeforeBan: number;
  readonly #firstMs: number;
  readonly #offences = new Map<string, Offence>();

  constructor(refusalsBeforeBan: number, firstMs: number) {
    this.#refusalsBeforeBan = refusalsBeforeBan;
    this.#firstMs = firstMs;
  }

  /** Returns the ms that the ban of an address still lasts; 0: not banned. */
  remainingBanMs(ip: string, nowMs: number): number {
    return Math.max(0, (this.#offences.get(ip)?.bannedUntilMs ?? 0) - nowMs);
  }

  /** Counts a request that was answered with 429. */
  countRefusal(ip: string, nowMs: number): void {
    const offence = this.#offences.get(ip) ?? this.#addAddress(ip, nowMs);
    offence.refusals = offence.refusals.filter((timeMs) => timeMs > nowMs - COUNT_WINDOW_MS);
    offence.refusals.push(nowMs);
    if (offence.refusals.length < this.#refusalsBeforeBan) return;
    offence.refusals = [];
    offence.bannedUntilMs = nowMs + this.#firstMs * 2 ** Math.min(offence.banCount++, MAX_DOUBLINGS);
  }

  /** Adds an address. When there are too many, those without an offence for one hour are dropped. */
  #addAddress(ip: string, nowMs: number): Offence {
    if (this.#offences.size >= MAX_ADDRESSES) {
      for (const [address, { bannedUntilMs, refusals }] of this.#offences) {
        if (Math.max(bannedUntilMs, refusals.at(-1) ?? 0) < nowMs - FORGIVEN_MS) this.#offences.delete(address);
      }
    }
    const offence: Offence = { refusals: [], bannedUntilMs: 0, banCount: 0 };
    this.#offences.set(ip, offence);
    return offence;
  }
}
