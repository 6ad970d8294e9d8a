// Values of an external series, such as open interest, with the times from which on each was the newest one known.

/**
 * In the order in which they became known. A value that came later but is of an earlier time is not among them: a newer one was known
 * already. Arrays may be longer than `length`.
 */
export interface KnownValues {
  readonly length: number;
  /** From when on it was known, ms UTC. */
  readonly knownMs: Float64Array;
  /** The time that it is of, ms UTC. */
  readonly timeMs: Float64Array;
  readonly value: Float64Array;
}

/** Returns the values that were the newest one when they became known. Rows are in the order in which they became known. */
export function newestValues(knownMs: Float64Array, timeMs: Float64Array, value: Float64Array, toMs = Infinity): KnownValues {
  const rows: number[] = [];
  let newest = -Infinity;
  for (let row = 0; row < knownMs.length && knownMs[row]! <= toMs; row++) {
    if (timeMs[row]! < newest) continue;
    newest = timeMs[row]!;
    // If several values became known at one time, the last one counts: strategies never see the others.
    if (rows.length > 0 && knownMs[rows.at(-1)!] === knownMs[row]) rows.pop();
    rows.push(row);
  }
  const column = (of: Float64Array): Float64Array => Float64Array.from(rows, (row) => of[row]!);
  return { length: rows.length, knownMs: column(knownMs), timeMs: column(timeMs), value: column(value) };
}

/** Returns the values that were known at `toMs`. */
export function knownUntil(values: KnownValues, toMs: number): KnownValues {
  let { length } = values;
  while (length > 0 && values.knownMs[length - 1]! > toMs) length--;
  return { ...values, length };
}
