// What a report is made from: the run's columns, its summary, and what a reader needs to make the run again.

import type { RunRecord } from '../../model/run/run.ts';
import type { Summary } from '../summary/summary.ts';

/** How the run came to be, as text for its reader. */
export interface Provenance {
  /** The definition as it was run (YAML). */
  readonly definition: string;
  /** The command that makes the run again. */
  readonly command: string;
  /** SHA-256 (lower-case hex) of what the run was made from, each with its name: definition, strategy, bars, lock file. */
  readonly hashes: readonly { readonly name: string; readonly sha256: string }[];
  /** When the report was written (ms UTC); null leaves it out. */
  readonly writtenMs: number | null;
}

export interface ReportInput {
  readonly record: RunRecord;
  readonly summary: Summary;
  readonly provenance: Provenance;
}
