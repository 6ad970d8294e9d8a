// What the report of a sweep is made of.

import type { Findings } from './findings.ts';
import type { SweepRecord } from './figures/record.ts';

/** How the sweep came to be, as text for its reader. */
export interface SweepProvenance {
  /** SHA-256 over the results of all sets. */
  readonly sweepHash: string;
  /** The command that makes the sweep again. */
  readonly command: string;
  /** The command that makes one set as a backtest, without its parameters. */
  readonly setCommand: string;
  /** The definition as it was run (YAML). */
  readonly definition: string;
  /** What the sweep was made from: a name, and a hash or the value itself. */
  readonly parts: readonly { readonly name: string; readonly value: string }[];
  readonly ledger: string;
  readonly versions: Readonly<Record<string, string>>;
  /** ms UTC; null leaves it out. */
  readonly writtenMs: number | null;
}

export interface SweepReportInput {
  readonly record: SweepRecord;
  readonly findings: Findings;
  readonly provenance: SweepProvenance;
}
