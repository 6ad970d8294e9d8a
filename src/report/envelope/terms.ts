// What the envelope of a run needs besides its record: how its venue filled orders.

import type { FundingTime } from '../../model/bars/marks.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import type { Instrument } from '../../model/instrument.ts';

/** The terms on which a run's orders were filled. */
export interface EnvelopeTerms {
  readonly makerPpm: number;
  readonly takerPpm: number;
  readonly feesIn: 'received' | 'quote';
  readonly fillsAtTouch: boolean;
  readonly slippageTicks: number;
  readonly slippagePpm: number;
  readonly collarPpm: number;
  /** From a decision to its arrival. */
  readonly latencyMs: number;
  /** Futures: leverage of the account, and the funding of an instrument. */
  readonly leverage: number;
  readonly fundingOf: (instrument: Instrument) => readonly FundingTime[];
  /** Why no statement about this run is a bound, in words, as far as its settings show: latency, a cap, models. */
  readonly reasons: readonly string[];
  /** The same, if a fill was left open: risk limits on what is held. */
  readonly reasonsIfOpen: readonly string[];
}

/** Finer rows of an instrument, read only where a row leaves something open. */
export interface FinerRows {
  /** Their interval, as named. */
  readonly interval: string;
  /** Returns the next finer rows from `fromMs` on and before `toMs`; none of them: the end. Null without finer bars, or after too many rows. */
  next(instrument: Instrument, fromMs: number, toMs: number): BarColumns | null;
  /** Rows read until now, and rows that there are over the run. */
  readonly read: number;
  readonly all: number;
}
