// The chart library's own kinds of numbers, made in one place.

import type { Logical, UTCTimestamp } from 'lightweight-charts';

/** A place on the chart's grid of bars. */
export function logical(place: number): Logical {
  return place as Logical;
}

/** Seconds of UTC, from ms. */
export function chartTime(ms: number): UTCTimestamp {
  return (ms / 1000) as UTCTimestamp;
}
