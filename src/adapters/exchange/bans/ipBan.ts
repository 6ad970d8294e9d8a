// The ban of an address after HTTP 418: all traffic stops, and not even a restart takes it up again too soon.

import type { Ban, BanStore, UnreadableBan } from './banStore.ts';
import { RateStop, type Pass } from './rateStop.ts';

/** Services ban for two minutes up to three days; the shortest pause here is five minutes. */
export const BAN_MIN_MS = 300_000;
const MAX_BAN_MS = 259_200_000;
const FORGIVEN_MS = 86_400_000;

export type BanEvent =
  | { readonly kind: 'banned'; readonly ban: Ban }
  /** The ban holds, but would not survive a restart. */
  | { readonly kind: 'banNotSaved'; readonly ban: Ban; readonly cause: string };

export class IpBan {
  /** Set where it cannot be known whether there is a ban. */
  readonly unreadable: UnreadableBan | null = null;
  readonly #store: BanStore | null;
  readonly #notify: (event: BanEvent) => void;
  readonly #stop: RateStop;

  constructor(store: BanStore | null, minMs: number, nowMs: number, notify: (event: BanEvent) => void) {
    this.#store = store;
    this.#notify = notify;
    this.#stop = new RateStop({ firstMs: minMs, maxMs: Math.max(minMs, MAX_BAN_MS), forgivenMs: FORGIVEN_MS });
    const stored = store?.read() ?? null;
    if (stored === null) return;
    if ('unreadable' in stored) this.unreadable = stored;
    else this.#resume(stored, nowMs);
  }

  /** Infinity where a person has to look; null: no ban. */
  untilMs(nowMs: number): number | null {
    if (this.unreadable) return Infinity;
    return this.#stop.isOn(nowMs) ? this.#stop.untilMs : null;
  }

  mayPass(nowMs: number): boolean {
    return this.unreadable === null && this.#stop.mayPass(nowMs);
  }
  passed(): Pass {
    return this.#stop.passed();
  }
  /** Answers whether others may go now. */
  ended(pass: Pass, isFine: boolean): boolean {
    return this.#stop.ended(pass, isFine);
  }

  struck(pass: Pass, nowMs: number, retryAfterMs: number | null): void {
    if (this.#stop.struck(pass, nowMs, retryAfterMs) === 'same') return;
    try {
      this.#persist();
    } catch (error) {
      this.#notify({ kind: 'banNotSaved', ban: this.#ban, cause: error instanceof Error ? error.message : String(error) });
    }
    this.#notify({ kind: 'banned', ban: this.#ban });
  }

  /** A ban that begins in the future was written by a clock that has been set back since: how much of it is left is unknown, so all is. */
  #resume(ban: Ban, nowMs: number): void {
    const held = ban.sinceMs > nowMs ? { ...ban, sinceMs: nowMs, untilMs: nowMs + ban.untilMs - ban.sinceMs } : ban;
    if (nowMs < held.untilMs + FORGIVEN_MS) this.#stop.resume(held);
  }

  get #ban(): Ban {
    const { sinceMs, untilMs, strikes } = this.#stop;
    return { sinceMs, untilMs, strikes };
  }

  /** Other programs on the address write the same record: what they have learned meanwhile is kept, and kept to. */
  #persist(): void {
    const stored = this.#store?.read() ?? null;
    // Whoever starts next finds what nobody can read, and sends nothing.
    if (stored && 'unreadable' in stored) return;
    const { sinceMs, untilMs, strikes } = this.#ban;
    if (stored && stored.sinceMs <= sinceMs && stored.untilMs > untilMs) {
      this.#stop.resume({ sinceMs, untilMs: stored.untilMs, strikes: Math.max(strikes, stored.strikes) });
    }
    this.#store?.write(this.#ban);
  }
}
