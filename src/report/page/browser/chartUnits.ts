// Conversions to the number types of the chart library.

import type { Logical, UTCTimestamp } from 'lightweight-charts';

/** Returns a position on the chart's grid of bars. */
export function logical(place: number): Logical {
  return place as Logical;
}

/** Converts ms UTC to seconds UTC. */
export function chartTime(timeMs: number): UTCTimestamp {
  return (timeMs / 1000) as UTCTimestamp;
}
