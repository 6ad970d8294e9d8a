// Trade ids of the booked fills: for each instrument the newest ones, more than one list of the exchange holds.

import { MAX_ROWS } from '../../../adapters/exchange/calls/venueCalls.ts';
import type { InstrumentId } from '../../../model/instrument.ts';

const MAX_TRADES = 2 * MAX_ROWS;

export class BookedTrades {
  /** Oldest first. */
  readonly #ids = new Map<string, Set<string>>();

  add(instrument: string, tradeId: string): void {
    const ids = this.#ids.get(instrument) ?? new Set();
    this.#ids.set(instrument, ids.add(tradeId));
    if (ids.size > MAX_TRADES) for (const oldest of ids) return void ids.delete(oldest);
  }
  /** Includes every trade that the exchange may still list. */
  of(instrument: InstrumentId): ReadonlySet<string> {
    return this.#ids.get(instrument) ?? new Set();
  }
}
