// What a comparison is made from: two runs as their folders hold them.

import type { Summary } from '../summary/summary.ts';

export interface ComparedRun {
  /** The name of its folder. */
  readonly name: string;
  /** Path of its folder as it is to be shown. */
  readonly path: string;
  readonly summary: Summary;
  /** Ms UTC, and equity in the reporting asset. */
  readonly timeMs: Float64Array;
  readonly equity: Float64Array;
  /** Cells of fills.csv: its header, then a row a fill. */
  readonly fills: readonly (readonly string[])[];
  /** Keys of its definition as dotted paths, with their values as text. */
  readonly definition: ReadonlyMap<string, string>;
  /** Everything that went in: a name, and what it was (a hash of a file, a version). */
  readonly inputs: readonly ComparedInput[];
}

export interface ComparedInput {
  /** `strategy`, `data`, `lock file`, `version` ... */
  readonly use: string;
  readonly name: string;
  /** SHA-256 of a file, or the value itself. */
  readonly value: string;
}
