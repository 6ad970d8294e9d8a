// The input of a report: the columns of the run, its summary, and the command and inputs that repeat it.

import type { RunRecord } from '../../../model/run/run.ts';
import type { Summary } from '../../summary/summary.ts';

/** Origin of the run, as text for the reader. */
export interface Provenance {
  /** The run definition that was used (YAML). */
  readonly definition: string;
  /** The command that repeats the run. */
  readonly command: string;
  /** SHA-256 (lower-case hex) and name of each input of the run: definition, strategy, bars, lock file. */
  readonly hashes: readonly { readonly name: string; readonly sha256: string }[];
  /** Writing time of the report (ms UTC). Null omits it. */
  readonly writtenMs: number | null;
}

/** Everything that a report shows. */
export interface ReportInput {
  readonly record: RunRecord;
  readonly summary: Summary;
  readonly provenance: Provenance;
}
