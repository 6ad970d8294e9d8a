// Counts open orders by account and instrument, and enforces their maximum.

import type { Instrument } from '../../model/instrument.ts';
import type { OrderIntent } from '../../model/order.ts';
import { VENUE_CODES } from '../../model/venueCodes.ts';

/** Refusals that the order of checks places after the maximum: closable volume, and funds. */
export const CODES_AFTER_CAP: ReadonlySet<number> = new Set([VENUE_CODES.closeVolumeExceeded.code, VENUE_CODES.balanceNotEnough.code]);

/** The open orders of each account on each instrument, at most `max`. */
export class OpenCounts {
  readonly #max: number;
  /** Open orders by instrument, then by account. */
  readonly #counts = new Map<Instrument, number[]>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts an order that opens (1) or ends (-1). */
  add({ account, instrument }: { readonly account: number; readonly instrument: Instrument }, change: 1 | -1): void {
    let counts = this.#counts.get(instrument);
    if (counts === undefined) this.#counts.set(instrument, (counts = []));
    counts[account] = (counts[account] ?? 0) + change;
  }

  /** True when an order would exceed the maximum. MARKET orders never rest and always pass, so that a position can always be closed. */
  wouldExceed(accountIndex: number, { instrument, limit }: OrderIntent): boolean {
    return limit !== 0 && (this.#counts.get(instrument)?.[accountIndex] ?? 0) >= this.#max;
  }
}
