// How far an exchange's clock is from ours, from several questions for its time: the median, and what it can be wrong by.

/** One question: times of our clock, and the time that the answer said; ms. */
export interface ClockSample {
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly serverMs: number;
}

export interface Offset {
  /** Server time minus ours, ms. */
  readonly offsetMs: number;
  /** The true difference is no further than this from `offsetMs`, wherever on its way each question and answer was slow. */
  readonly uncertaintyMs: number;
}

/** What both clocks round off: whole ms, downward. */
const ROUNDING_MS = 1;

/** The offset that the samples, of which there is at least one, show. */
export function offsetOf(samples: readonly ClockSample[]): Offset {
  // A service reads its clock somewhere between question and answer: each sample proves an interval of half a round trip to either side.
  const seen = samples.map(({ sentMs, receivedMs, serverMs }) => {
    const halfMs = (receivedMs - sentMs) / 2 + ROUNDING_MS;
    return { offsetMs: serverMs - (sentMs + receivedMs) / 2, halfMs };
  });
  const median = medianOf(seen.map(({ offsetMs }) => offsetMs));
  const from = Math.max(...seen.map(({ offsetMs, halfMs }) => offsetMs - halfMs));
  const to = Math.min(...seen.map(({ offsetMs, halfMs }) => offsetMs + halfMs));
  if (from <= to) {
    const offsetMs = Math.min(Math.max(median, from), to);
    return { offsetMs, uncertaintyMs: Math.max(offsetMs - from, to - offsetMs) };
  }
  // The samples contradict each other: one of the clocks was set meanwhile.
  return { offsetMs: median, uncertaintyMs: Math.max(...seen.map(({ offsetMs, halfMs }) => Math.abs(offsetMs - median) + halfMs)) };
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
