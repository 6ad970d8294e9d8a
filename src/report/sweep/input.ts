// The input of the report of a sweep.

import type { Findings } from './findings.ts';
import type { SweepRecord } from './figures/record.ts';

/** Origin of the sweep, as text for the reader. */
export interface SweepProvenance {
  /** SHA-256 over the results of all sets. */
  readonly sweepHash: string;
  /** The command that repeats the sweep. */
  readonly command: string;
  /** The command that runs one set as a backtest, without its parameters. */
  readonly setCommand: string;
  /** The run definition that was used (YAML). */
  readonly definition: string;
  /** The inputs of the sweep: a name, and a hash or the value itself. */
  readonly parts: readonly { readonly name: string; readonly value: string }[];
  /** Path of the trial ledger. */
  readonly ledger: string;
  readonly versions: Readonly<Record<string, string>>;
  /** Writing time in ms UTC. Null omits it. */
  readonly writtenMs: number | null;
}

/** Everything that the report shows. */
export interface SweepReportInput {
  readonly record: SweepRecord;
  readonly findings: Findings;
  readonly provenance: SweepProvenance;
}
