// The values of an external series, such as open interest, with the time at which each became known.

/**
 * Values in the order in which they became known. Each value was the newest one at that time: a value that became known later but describes an
 * earlier time is left out. Arrays may be longer than `length`.
 */
export interface KnownValues {
  readonly length: number;
  /** Time at which the value became known, ms UTC. */
  readonly knownMs: Float64Array;
  /** Time that the value describes, ms UTC. */
  readonly timeMs: Float64Array;
  readonly value: Float64Array;
}

/** Returns the values that were the newest when they became known, up to `toMs`. Rows must be in the order in which they became known. */
export function newestValues(knownMs: Float64Array, timeMs: Float64Array, value: Float64Array, toMs = Infinity): KnownValues {
  const rows: number[] = [];
  let newestMs = -Infinity;
  for (let row = 0; row < knownMs.length && knownMs[row]! <= toMs; row++) {
    if (timeMs[row]! < newestMs) continue;
    newestMs = timeMs[row]!;
    // If several values became known at the same time, strategies see only the last one.
    if (rows.length > 0 && knownMs[rows.at(-1)!] === knownMs[row]) rows.pop();
    rows.push(row);
  }
  const selectRows = (column: Float64Array): Float64Array => Float64Array.from(rows, (row) => column[row]!);
  return { length: rows.length, knownMs: selectRows(knownMs), timeMs: selectRows(timeMs), value: selectRows(value) };
}

/** Returns the values that were known at `toMs`. */
export function knownUntil(values: KnownValues, toMs: number): KnownValues {
  let { length } = values;
  while (length > 0 && values.knownMs[length - 1]! > toMs) length--;
  return { ...values, length };
}
