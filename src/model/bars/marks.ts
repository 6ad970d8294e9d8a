// The data of a contract besides its bars: mark prices, funding times, and the funding rates that strategies may know.

import type { TickColumn } from './bars.ts';
import type { FundingRates } from './fundingRates.ts';

/** Mark prices in ticks, by row of the traded bars. */
export interface MarkColumns {
  readonly open: TickColumn;
  readonly high: TickColumn;
  readonly low: TickColumn;
  readonly close: TickColumn;
  /** Origin of the prices, in words. */
  readonly source: string;
}
/** A funding time: its rate as a whole number of 10^-12, and the mark price in ticks to which the rate applies. */
export interface FundingTime {
  readonly timeMs: number;
  readonly rate: number;
  readonly markTicks: number;
}
/** Mark prices and funding of a contract. */
export interface ContractData {
  /** Mark prices; null: the prices of the bars are the mark prices. */
  readonly marks: MarkColumns | null;
  /** Funding times, oldest first. */
  readonly funding: readonly FundingTime[];
  /** The rates that strategies may know, including those before the run. */
  readonly rates?: FundingRates | null;
}
