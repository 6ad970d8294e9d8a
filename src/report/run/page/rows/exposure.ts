// Computes the mean position in spans of time from position changes. The result is exact for spans of any length.

/** Position changes of one instrument: times (ms, ascending) and amounts (base asset, signed). */
export interface PositionChanges {
  readonly length: number;
  readonly ms: ArrayLike<number>;
  readonly change: ArrayLike<number>;
}

/** The remainder of a closed position is a rounding error, far below any lot. */
const MAX_ROUNDING_ERROR = 1e-12;

/**
 * Returns the time-weighted mean of the absolute position (base asset) in each span between adjacent `edges` (ms, ascending). The result
 * has one element less than `edges`.
 */
export function meanPosition(edges: ArrayLike<number>, changes: PositionChanges): Float64Array {
  const spanCount = Math.max(0, edges.length - 1);
  const means = new Float64Array(spanCount);
  let position = 0;
  let nextChange = 0;
  for (let span = 0; span < spanCount; span++) {
    const fromMs = edges[span] ?? 0;
    const toMs = edges[span + 1] ?? fromMs;
    let sinceMs = fromMs;
    // The sum of position times time, from the start of the span up to `sinceMs`.
    let area = 0;
    for (; nextChange < changes.length && (changes.ms[nextChange] ?? Infinity) < toMs; nextChange++) {
      const changeMs = changes.ms[nextChange] ?? toMs;
      if (changeMs > sinceMs) {
        area += Math.abs(position) * (changeMs - sinceMs);
        sinceMs = changeMs;
      }
      position += changes.change[nextChange] ?? 0;
      if (Math.abs(position) < MAX_ROUNDING_ERROR) position = 0;
    }
    area += Math.abs(position) * (toMs - sinceMs);
    means[span] = toMs > fromMs ? area / (toMs - fromMs) : Math.abs(position);
  }
  return means;
}
