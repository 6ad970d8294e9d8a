// The funding rates of a contract, as they became known.

/** Funding rates, oldest first. The arrays have at least `length` elements, and a live bot may add rates. */
export interface FundingRates {
  readonly length: number;
  /** Funding time, ms UTC. */
  readonly timeMs: Float64Array;
  /** Rate as a fraction of the position's value. Longs pay a positive rate. */
  readonly rate: Float64Array;
}
