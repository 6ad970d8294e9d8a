// The input of an envelope besides the run record: how the venue filled orders, and finer bars.

import type { FundingTime } from '../../model/bars/contractData.ts';
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
  /** Time from a decision to the arrival of its order, in ms. */
  readonly latencyMs: number;
  /** Leverage of the account (1 on spot), and the funding payments of an instrument. */
  readonly leverage: number;
  readonly fundingOf: (instrument: Instrument) => readonly FundingTime[];
  /** Reasons in words, from the settings of the run, why its envelope is not a bound: latency, a cap, models. */
  readonly reasons: readonly string[];
  /** Reasons that apply only if a fill was ambiguous: risk limits on positions. */
  readonly reasonsIfAmbiguous: readonly string[];
}

/** Finer rows of an instrument. They are read only inside rows that leave the outcome open. */
export interface FinerRows {
  /** Interval of the finer rows, such as `1m`. */
  readonly interval: string;
  /** Returns the next finer rows in [fromMs, toMs), empty at the end. Null without finer bars, or after too many rows. */
  next(instrument: Instrument, fromMs: number, toMs: number): BarColumns | null;
  /** Notes that the row that ends at `toMs` stays as it is, because its finer rows do not decide it. */
  reject(instrument: Instrument, toMs: number): void;
  /**
   * Returns the rows for a run that matches them. Such a run cannot undo half a row, so it gets all finer rows of a row, or none. With
   * `isBound` only rows that some entry needed have any: in the others the run does what it did before.
   */
  forRefinedRun(isBound: boolean): RefinedRunRows;
  /** Number of rows read up to now, and number of rows over the whole run. */
  readonly read: number;
  readonly all: number;
}

/** The finer rows that a run over them matches. */
export interface RefinedRunRows extends Pick<FinerRows, 'next'> {
  /** True once a row that some entry needed could not be read to its end. With `isBound` the figures of the run then mean nothing. */
  readonly isCutOff: boolean;
}
