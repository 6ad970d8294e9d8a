// Funding rates of a contract as they became known.

/** In order of time. Arrays are at least `length` long, and may grow while a bot lives. */
export interface FundingRates {
  readonly length: number;
  /** When each was charged, ms UTC. */
  readonly timeMs: Float64Array;
  /** As a fraction of the position's value; longs pay a positive one. */
  readonly rate: Float64Array;
}
