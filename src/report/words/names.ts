// Names the instruments of a report: by symbol, plus the market when both markets have the same symbol.

/** Returns the name of each instrument of a report, by its id `<market>:<symbol>`. */
export function instrumentNames(ids: Iterable<string>): ReadonlyMap<string, string> {
  const instruments = [...new Set(ids)].map((id) => {
    const colon = id.indexOf(':');
    return { id, market: id.slice(0, colon), symbol: id.slice(colon + 1) };
  });
  const isInBothMarkets = (symbol: string) => instruments.filter((other) => other.symbol === symbol).length > 1;
  return new Map(instruments.map(({ id, market, symbol }) => [id, isInBothMarkets(symbol) ? `${symbol} (${market})` : symbol]));
}
