// Trade ids of booked fills: the newest of each instrument, more than the exchange lists at once.

import { MAX_ROWS } from '../../../adapters/exchange/calls/venueCalls.ts';
import type { InstrumentId } from '../../../model/instrument.ts';

const MAX_TRADES = 2 * MAX_ROWS;

/** The booked trades of one bot. */
export class BookedTrades {
  /** Oldest first. */
  readonly #ids = new Map<string, Set<string>>();

  /** Adds a trade. Beyond the maximum the oldest one is dropped. */
  add(instrument: string, tradeId: string): void {
    const ids = this.#ids.get(instrument) ?? new Set();
    this.#ids.set(instrument, ids.add(tradeId));
    if (ids.size > MAX_TRADES) for (const oldest of ids) return void ids.delete(oldest);
  }
  /** Returns trade ids of an instrument. They include every booked trade that the exchange may still list. */
  idsOf(instrument: InstrumentId): ReadonlySet<string> {
    return this.#ids.get(instrument) ?? new Set();
  }
}
