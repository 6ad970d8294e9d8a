// The funding rates in a journal, by contract, so that a later process knows what an earlier one knew.

import type { JournalRecord } from './records.ts';

export class RateHistory {
  /** Rates by funding time, ms UTC; null if unknown. */
  readonly #bySymbol = new Map<string, Map<number, string | null>>();

  /** Takes the next record. */
  readonly add = (record: JournalRecord): void => {
    if (record.k !== 'RATES') return;
    let rates = this.#bySymbol.get(record.symbol);
    if (rates === undefined) this.#bySymbol.set(record.symbol, (rates = new Map()));
    for (const [at, timeMs] of record.times.entries()) rates.set(timeMs, record.rates[at] ?? null);
  };

  of(id: string): ReadonlyMap<number, string | null> {
    return this.#bySymbol.get(id) ?? new Map();
  }
}
