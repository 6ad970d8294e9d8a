// How readers of a report know an instrument: by its name on the wire, and by its market where both markets have one of that name.

/** Names by id, `<market>:<name on the wire>`, for the instruments that one report is about. */
export function instrumentNames(ids: Iterable<string>): ReadonlyMap<string, string> {
  const parts = [...new Set(ids)].map((id) => ({ id, market: id.slice(0, id.indexOf(':')), name: id.slice(id.indexOf(':') + 1) }));
  const isShared = (name: string) => parts.filter((other) => other.name === name).length > 1;
  return new Map(parts.map(({ id, market, name }) => [id, isShared(name) ? `${name} (${market})` : name]));
}
