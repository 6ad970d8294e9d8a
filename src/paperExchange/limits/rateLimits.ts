// Rate limits of part 8 of the specification: a sliding window for each class of calls and each key or address.

import type { Endpoint } from '../../protocol/endpoints/endpoint.ts';
import type { LimitConfig } from '../dialect/config.ts';
import { SlidingWindow } from './slidingWindow.ts';

/** Windows kept before those that are empty again are dropped: addresses come and go. */
const MAX_WINDOWS = 10_000;

export class RateLimits {
  readonly #limits: Readonly<Record<string, LimitConfig | null>>;
  readonly #windows = new Map<string, SlidingWindow>();

  /** `limits`: by rate class, over those of the table. */
  constructor(limits: Readonly<Record<string, LimitConfig | null>>) {
    this.#limits = limits;
  }

  /** False: calls of this class are let in however many there are. */
  isLimited({ limit }: Pick<Endpoint, 'limit'>): boolean {
    return this.#limitOf(limit) !== null;
  }

  /** Null: let in. Else the ms after which the call would be. `subject` is the key or the address that it counts on. */
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

  /** What the specification or real services publish; what the client merely assumes is no limit of the exchange. */
  #limitOf(limit: Endpoint['limit']): LimitConfig | null {
    const own = this.#limits[limit.rateClass];
    if (own !== undefined) return own;
    return limit.source === 'assumed' ? null : limit;
  }

  #prune(nowMs: number): void {
    for (const [name, window] of this.#windows) if (window.lastMs <= nowMs - window.windowMs) this.#windows.delete(name);
  }
}
