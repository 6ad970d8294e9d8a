// Computes the mean position in spans of time from position changes. The result is exact for spans of any length.

/** Position changes of one instrument: times (ms, ascending) and amounts (base asset, signed). */
export interface PositionChanges {
  readonly length: number;
  readonly ms: ArrayLike<number>;
  readonly change: ArrayLike<number>;
}

/**
 * Returns the time-weighted mean of the absolute position (base asset) in each span between adjacent `edges` (ms, ascending). The result
 * has one element less than `edges`.
 */
export function meanPosition(edges: ArrayLike<number>, changes: PositionChanges): Float64Array {
  const spans = Math.max(0, edges.length - 1);
  const mean = new Float64Array(spans);
  let held = 0;
  let next = 0;
  for (let span = 0; span < spans; span++) {
    const from = edges[span] ?? 0;
    const to = edges[span + 1] ?? from;
    let sinceMs = from;
    let area = 0;
    for (; next < changes.length && (changes.ms[next] ?? Infinity) < to; next++) {
      const ms = changes.ms[next] ?? to;
      if (ms > sinceMs) {
        area += Math.abs(held) * (ms - sinceMs);
        sinceMs = ms;
      }
      held += changes.change[next] ?? 0;
      // The remainder of a closed position is a rounding error, far below any lot.
      if (Math.abs(held) < 1e-12) held = 0;
    }
    area += Math.abs(held) * (to - sinceMs);
    mean[span] = to > from ? area / (to - from) : Math.abs(held);
  }
  return mean;
}
