// Names the instruments of a report: by symbol, plus the market when both markets have the same symbol.

/** Returns the name of each instrument of a report, by its id `<market>:<symbol>`. */
export function instrumentNames(ids: Iterable<string>): ReadonlyMap<string, string> {
  const parts = [...new Set(ids)].map((id) => ({ id, market: id.slice(0, id.indexOf(':')), name: id.slice(id.indexOf(':') + 1) }));
  const isShared = (name: string) => parts.filter((other) => other.name === name).length > 1;
  return new Map(parts.map(({ id, market, name }) => [id, isShared(name) ? `${name} (${market})` : name]));
}
