// Names the instruments of a report: by symbol, plus the market when both markets have the same symbol.

import { repeatedIn } from '../../base/repeatedIn.ts';

/** Returns the name of each instrument of a report, by its id `<market>:<symbol>`. */
export function instrumentNames(ids: Iterable<string>): ReadonlyMap<string, string> {
  const instruments = [...new Set(ids)].map((id) => {
    const colon = id.indexOf(':');
    return { id, market: id.slice(0, colon), symbol: id.slice(colon + 1) };
  });
  const symbolsOfBothMarkets = repeatedIn(instruments.map(({ symbol }) => symbol));
  return new Map(instruments.map(({ id, market, symbol }) => [id, symbolsOfBothMarkets.has(symbol) ? `${symbol} (${market})` : symbol]));
}

/** Returns the instruments of feeds, each with the intervals of its feeds: `BTCUSDT 1m 1h`. */
export function namesWithIntervals(feeds: readonly { readonly id: string; readonly interval: string }[]): readonly string[] {
  const intervalsById = new Map<string, Set<string>>();
  for (const { id, interval } of feeds) {
    const intervals = intervalsById.get(id) ?? new Set();
    intervalsById.set(id, intervals.add(interval));
  }
  return Array.from(instrumentNames(intervalsById.keys()), ([id, name]) => `${name} ${[...intervalsById.get(id)!].join(' ')}`);
}
