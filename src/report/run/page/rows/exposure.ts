// Exposure from position changes: exact within any span of time, at any resolution.

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
  for (let s = 0; s < spans; s++) {
    const from = edges[s] ?? 0;
    const to = edges[s + 1] ?? from;
    let at = from;
    let area = 0;
    for (; next < changes.length && (changes.ms[next] ?? Infinity) < to; next++) {
      const ms = changes.ms[next] ?? to;
      if (ms > at) {
        area += Math.abs(held) * (ms - at);
        at = ms;
      }
      held += changes.change[next] ?? 0;
      // The remainder of a closed position is rounding, far below any lot.
      if (Math.abs(held) < 1e-12) held = 0;
    }
    area += Math.abs(held) * (to - at);
    mean[s] = to > from ? area / (to - from) : Math.abs(held);
  }
  return mean;
}
