// The record of a run whose bars were read block by block, in place of columns over all rows.

import type { Warning } from '../warning.ts';

/** The exposure of a run, as fractions of equity. */
export interface ExposureSums {
  /** Integral of the gross exposure over time in ms. */
  readonly gross: number;
  /** Integral of the net exposure over time in ms. */
  readonly net: number;
  /** Largest gross exposure. */
  readonly grossMax: number;
  /** Net exposure that is furthest from 0. */
  readonly netExtreme: number;
  /** True if equity was 0 or less at some instant. */
  readonly isRuined: boolean;
}

/**
 * Figures over every row, which were computed while the rows were read. The bars and the equity of the record have only some rows: those at and
 * beside orders and fills, and one at the end of each day. All other rows are merged into rows between these.
 */
export interface StreamedFigures {
  /** Number of instants of equity. */
  readonly equityRows: number;
  /** Deepest drawdown over every instant, as a fraction (at most 0) and in units of money (at least 0). */
  readonly drawdown: { readonly fraction: number; readonly units: number };
  readonly exposure: ExposureSums;
  /** The warnings about the prices of all bars. */
  readonly priceWarnings: readonly Warning[];
  /** Reads the times of all instants again, oldest first, in parts of `rows` instants. Each part reuses the array of the part before. */
  timeParts(rows: number): Iterable<Float64Array>;
  /** Reads the equity of all instants again in the same way, in the reporting asset. */
  equityParts(rows: number): Iterable<Float64Array>;
  /** Reads the equity at one instant again, in units of money. */
  unitsAt(row: number): number;
  /** Moves the file of equity, which is complete, to `path`. Call it last, with the hash of the result. Throws ConfigError if it fails. */
  moveEquity(path: string, resultHash: string): void;
}
