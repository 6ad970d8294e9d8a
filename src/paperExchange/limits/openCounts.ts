// How many open orders each account has on each instrument, and the cap on them.

import type { Instrument } from '../../model/instrument.ts';
import type { OrderIntent } from '../../model/order.ts';
import { VENUE_CODES } from '../../model/venueCodes.ts';

/** Refusals that come after the cap in the order of checks: what may be closed, and funds. */
export const AFTER_CAP: ReadonlySet<number> = new Set([VENUE_CODES.closeVolumeExceeded.code, VENUE_CODES.balanceNotEnough.code]);

export class OpenCounts {
  readonly #max: number;
  /** By account. */
  readonly #counts = new Map<Instrument, number[]>();

  constructor(max: number) {
    this.#max = max;
  }

  add({ account, instrument }: { readonly account: number; readonly instrument: Instrument }, change: 1 | -1): void {
    let counts = this.#counts.get(instrument);
    if (counts === undefined) this.#counts.set(instrument, (counts = []));
    counts[account] = (counts[account] ?? 0) + change;
  }

  /** True when an order would be one too many. A MARKET order never rests: what closes a position is always let in. */
  isFull(account: number, { instrument, limit }: OrderIntent): boolean {
    return limit !== 0 && (this.#counts.get(instrument)?.[account] ?? 0) >= this.#max;
  }
}
