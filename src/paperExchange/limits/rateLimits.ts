// Rate limits of part 8 of the specification: one sliding window for each rate class and each key or address.

import type { Endpoint } from '../../protocol/endpoints/endpoint.ts';
import type { LimitConfig } from '../dialect/config.ts';
import { SlidingWindow } from './slidingWindow.ts';

/** Number of windows above which empty ones are dropped, because the addresses of clients change. */
const MAX_WINDOWS = 10_000;

/** The rate limits of an exchange and their windows. */
export class RateLimits {
  readonly #limits: Readonly<Record<string, LimitConfig | null>>;
  readonly #windows = new Map<string, SlidingWindow>();

  /** `limits`: by rate class, in place of the table's. */
  constructor(limits: Readonly<Record<string, LimitConfig | null>>) {
    this.#limits = limits;
  }

  /** Returns false if the rate class of a call has no limit. */
  isLimited({ limit }: Pick<Endpoint, 'limit'>): boolean {
    return this.#limitOf(limit) !== null;
  }

  /** Returns null if the call is admitted, else the ms after which it would be. `subject` is the key or address whose limit it uses. */
  admit({ limit }: Pick<Endpoint, 'limit'>, subject: string, weight: number, nowMs: number): number | null {
    const allowed = this.#limitOf(limit);
    if (allowed === null) return null;
    const name = `${limit.rateClass} ${subject}`;
    let window = this.#windows.get(name);
    if (window === undefined) {
      if (this.#windows.size >= MAX_WINDOWS) this.#prune(nowMs);
      window = new SlidingWindow(allowed.count, allowed.windowMs);
      this.#windows.set(name, window);
    }
    return window.admit(nowMs, weight) ? null : window.waitMs(nowMs, weight);
  }

  /**
   * Returns the limit of a rate class: published by the specification or by real services. A limit that only the client assumes does not
   * bind the exchange.
   */
  #limitOf(limit: Endpoint['limit']): LimitConfig | null {
    const configured = this.#limits[limit.rateClass];
    if (configured !== undefined) return configured;
    return limit.source === 'assumed' ? null : limit;
  }

  /** Drops the windows in which no admission counts any more. */
  #prune(nowMs: number): void {
    for (const [name, window] of this.#windows) if (window.lastMs <= nowMs - window.windowMs) this.#windows.delete(name);
  }
}
