// Remembers the trade ids of the newest booked fills of each instrument.

import { MAX_ROWS } from '../../../adapters/exchange/calls/venueCalls.ts';
import type { InstrumentId } from '../../../model/instrument.ts';

/** Trade ids that are kept for each instrument: twice the longest list that the exchange returns. */
const MAX_TRADES = 2 * MAX_ROWS;

/** The newest booked trades of one bot, by instrument. */
export class BookedTrades {
  /** Trade ids by instrument id, oldest first. */
  readonly #idsByInstrument = new Map<string, Set<string>>();

  /** Adds a trade. Beyond the maximum the oldest one is dropped. */
  add(instrument: string, tradeId: string): void {
    const ids = this.#idsByInstrument.get(instrument) ?? new Set();
    this.#idsByInstrument.set(instrument, ids.add(tradeId));
    const [oldestId] = ids;
    if (ids.size > MAX_TRADES && oldestId !== undefined) ids.delete(oldestId);
  }
  /** Returns trade ids of an instrument. They include every booked trade that the exchange may still list. */
  idsOf(instrumentId: InstrumentId): ReadonlySet<string> {
    return this.#idsByInstrument.get(instrumentId) ?? new Set();
  }
}
