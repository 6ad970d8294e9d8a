// Collects the funding rates in a journal, so that a restarted process knows the rates that the earlier one knew.

import type { JournalRecord } from './records.ts';

/** Funding rates by contract and funding time. */
export class RateHistory {
  /** Rates by funding time, ms UTC; null if unknown. */
  readonly #bySymbol = new Map<string, Map<number, string | null>>();

  /** Adds the next record of the journal. */
  readonly add = (record: JournalRecord): void => {
    if (record.k !== 'RATES') return;
    let rates = this.#bySymbol.get(record.symbol);
    if (rates === undefined) this.#bySymbol.set(record.symbol, (rates = new Map()));
    for (const [index, timeMs] of record.times.entries()) rates.set(timeMs, record.rates[index] ?? null);
  };

  /** Returns the rates of a contract, by funding time. */
  ratesOf(id: string): ReadonlyMap<number, string | null> {
    return this.#bySymbol.get(id) ?? new Map();
  }
}
