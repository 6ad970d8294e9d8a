// What a contract has beside its bars: mark prices, funding times and the rates that strategies may know.

import type { TickColumn } from './bars.ts';
import type { FundingRates } from './fundingRates.ts';

/** Mark prices in ticks, row by row of the bars that trade. */
export interface MarkColumns {
  readonly open: TickColumn;
  readonly high: TickColumn;
  readonly low: TickColumn;
  readonly close: TickColumn;
  /** In words: where they come from. */
  readonly source: string;
}
/** A funding time: the rate, whole in 10^-12, and the mark price in ticks of which it is taken. */
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
  /** As strategies may know them, those before the run among them. */
  readonly rates?: FundingRates | null;
}
