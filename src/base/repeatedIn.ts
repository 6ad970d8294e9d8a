// The values that a list has more than once.

/** Returns the values that are in `values` at least twice. */
export function repeatedIn<Value>(values: Iterable<Value>): ReadonlySet<Value> {
  const seen = new Set<Value>();
  const repeated = new Set<Value>();
  for (const value of values) {
    if (seen.has(value)) repeated.add(value);
    seen.add(value);
  }
  return repeated;
}
