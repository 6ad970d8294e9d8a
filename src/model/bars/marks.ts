// Data of a contract besides its bars: mark prices, funding times, and the rates that strategies may know.

import type { TickColumn } from './bars.ts';
import type { FundingRates } from './fundingRates.ts';

/** Mark prices in ticks, by row of the traded bars. */
export interface MarkColumns {
  readonly open: TickColumn;
  readonly high: TickColumn;
  readonly low: TickColumn;
  readonly close: TickColumn;
  /** In words: where they come from. */
  readonly source: string;
}
/** A funding time: its rate as a whole number of 10^-12, and the mark price in ticks to which the rate applies. */
export interface FundingTime {
  readonly timeMs: number;
  readonly rate: number;
  readonly markTicks: number;
}
export interface ContractData {
  /** null: the bars' own prices. */
  readonly marks: MarkColumns | null;
  /** In order of time. */
  readonly funding: readonly FundingTime[];
  /** As strategies may know them, including those before the run. */
  readonly rates?: FundingRates | null;
}
