// The data of a contract besides its bars: mark prices, funding times, and the funding rates that strategies may read.

import type { TickColumn } from './bars.ts';
import type { FundingRates } from './fundingRates.ts';

/** Mark prices in ticks, by row of the traded bars. */
export interface MarkColumns {
  readonly open: TickColumn;
  readonly high: TickColumn;
  readonly low: TickColumn;
  readonly close: TickColumn;
  /** Origin of the prices, as text. */
  readonly source: string;
}

/** One funding of a contract. */
export interface FundingTime {
  readonly timeMs: number;
  /** Rate, a whole number of 10^-12. */
  readonly rate: number;
  /** Mark price to which the rate applies, in ticks. */
  readonly markTicks: number;
}

/** Mark prices and funding of a contract. */
export interface ContractData {
  /** Mark prices. Null when the prices of the bars are the mark prices. */
  readonly marks: MarkColumns | null;
  /** Funding times, oldest first. */
  readonly funding: readonly FundingTime[];
  /** The rates that strategies may read, including those before the run. */
  readonly rates?: FundingRates | null;
}
