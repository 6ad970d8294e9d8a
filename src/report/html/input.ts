// What a report is made from: the run's columns, its summary, its trades, and what a reader needs to make the run again.

import type { RunRecord } from '../../model/run.ts';

/** Closed trades as columns, in closing order. Money in units of the reporting asset, prices in the quote asset, fractions of the entry notional. */
export interface TradeInput {
  readonly length: number;
  /** Indexes into `RunRecord.instruments` and `RunRecord.strategies`. */
  readonly instrument: ArrayLike<number>;
  readonly strategy: ArrayLike<number>;
  /** 0 long, 1 short. */
  readonly side: ArrayLike<number>;
  readonly entryMs: ArrayLike<number>;
  readonly exitMs: ArrayLike<number>;
  readonly entryPrice: ArrayLike<number>;
  readonly exitPrice: ArrayLike<number>;
  readonly lots: ArrayLike<number>;
  readonly pnlUnits: ArrayLike<number>;
  readonly feeUnits: ArrayLike<number>;
  readonly returnFraction: ArrayLike<number>;
  /** NaN where no path was recorded. */
  readonly maeFraction: ArrayLike<number>;
  readonly mfeFraction: ArrayLike<number>;
}

/** How the run came to be, as text for its reader. */
export interface Provenance {
  /** The definition as it was run (YAML). */
  readonly definition: string;
  /** The command that reproduces the run. */
  readonly command: string;
  /** SHA-256 by what was hashed: definition, strategy, data, lock file. */
  readonly hashes: Readonly<Record<string, string>>;
  /** Version by name: isobar, node, platform. */
  readonly versions: Readonly<Record<string, string>>;
  /** When the report was written (ms UTC); null leaves it out. */
  readonly writtenMs: number | null;
}

export interface ReportInput {
  readonly run: RunRecord;
  /** The object that summary.json holds. */
  readonly summary: unknown;
  readonly trades: TradeInput;
  readonly provenance: Provenance;
}
