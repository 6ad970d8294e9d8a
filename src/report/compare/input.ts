// The input of a comparison: two runs as read from their run folders.

import type { Summary } from '../summary/summary.ts';

/** A run as read from its folder. */
export interface ComparedRun {
  /** Name of the run folder. */
  readonly name: string;
  /** Path of the run folder as it is displayed. */
  readonly path: string;
  readonly summary: Summary;
  /** Instants in ms UTC, and equity in the reporting asset. */
  readonly timeMs: Float64Array;
  readonly equity: Float64Array;
  /** Cells of fills.csv: the header, then one row for each fill. */
  readonly fills: readonly (readonly string[])[];
  /** Keys of the run definition as dotted paths, with their values as text. */
  readonly definition: ReadonlyMap<string, string>;
  /** All inputs of the run: a name, and a value such as the hash of a file or a version. */
  readonly inputs: readonly ComparedInput[];
}

/** One input of a run, such as a file or a version. */
export interface ComparedInput {
  /** Kind of input: `strategy`, `data`, `lock file`, `version` ... */
  readonly use: string;
  readonly name: string;
  /** SHA-256 of the file, or the value itself. */
  readonly value: string;
}
