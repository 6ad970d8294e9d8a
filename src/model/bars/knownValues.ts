// The values of an external series, such as open interest, with the time at which each became known.

/**
 * Values in the sequence in which they became known. Each was the newest value when it became known, so later values of an earlier time are
 * left out. Arrays may be longer than `length`.
 */
export interface KnownValues {
  readonly length: number;
  /** When the value became known, ms UTC. */
  readonly knownMs: Float64Array;
  /** The time that the value describes, ms UTC. */
  readonly timeMs: Float64Array;
  readonly value: Float64Array;
}

/** Returns the values that were the newest when they became known. Rows must be in the sequence in which they became known. */
export function newestValues(knownMs: Float64Array, timeMs: Float64Array, value: Float64Array, toMs = Infinity): KnownValues {
  const rows: number[] = [];
  let newest = -Infinity;
  for (let row = 0; row < knownMs.length && knownMs[row]! <= toMs; row++) {
    if (timeMs[row]! < newest) continue;
    newest = timeMs[row]!;
    // If several values became known at one time, strategies see the last one only.
    if (rows.length > 0 && knownMs[rows.at(-1)!] === knownMs[row]) rows.pop();
    rows.push(row);
  }
  const selected = (column: Float64Array): Float64Array => Float64Array.from(rows, (row) => column[row]!);
  return { length: rows.length, knownMs: selected(knownMs), timeMs: selected(timeMs), value: selected(value) };
}

/** Returns the values that were known at `toMs`. */
export function knownUntil(values: KnownValues, toMs: number): KnownValues {
  let { length } = values;
  while (length > 0 && values.knownMs[length - 1]! > toMs) length--;
  return { ...values, length };
}
