// Estimates the venue's clock offset and its maximum error from several samples.

import { largestOf, smallestOf } from '../../../base/number/extremes.ts';

/** One sample: send and receive times of our clock, and the server's time; ms. */
export interface ClockSample {
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly serverMs: number;
}

/** The clock offset: the venue's clock minus this computer's clock, with its uncertainty. */
export interface Offset {
  /** Server time minus ours, ms. */
  readonly offsetMs: number;
  /** Maximum distance of the true offset from `offsetMs`, however the delay was split between request and reply. */
  readonly uncertaintyMs: number;
}

/** Rounding of both clocks, which are cut to whole ms. */
const ROUNDING_MS = 1;

/** Returns the offset from at least one sample. */
export function offsetOf(samples: readonly ClockSample[]): Offset {
  // The service reads its clock between request and reply. So each sample limits the error to half a round trip in either direction.
  const estimates = samples.map(({ sentMs, receivedMs, serverMs }) => {
    const halfMs = (receivedMs - sentMs) / 2 + ROUNDING_MS;
    return { offsetMs: serverMs - (sentMs + receivedMs) / 2, halfMs };
  });
  const median = medianOf(estimates.map(({ offsetMs }) => offsetMs));
  const from = largestOf(estimates.map(({ offsetMs, halfMs }) => offsetMs - halfMs));
  const to = smallestOf(estimates.map(({ offsetMs, halfMs }) => offsetMs + halfMs));
  if (from <= to) {
    const offsetMs = Math.min(Math.max(median, from), to);
    return { offsetMs, uncertaintyMs: Math.max(offsetMs - from, to - offsetMs) };
  }
  // The samples contradict each other: one of the clocks was set in between.
  return { offsetMs: median, uncertaintyMs: largestOf(estimates.map(({ offsetMs, halfMs }) => Math.abs(offsetMs - median) + halfMs)) };
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
