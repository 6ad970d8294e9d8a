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

/** The equity at consecutive instants, in units of the reporting asset. */
export interface EquityPart {
  readonly timeMs: Float64Array;
  readonly units: Float64Array;
}

/**
 * Figures over every row, which were computed while the rows were read. The bars and the equity of the record have only some rows: rows at and
 * beside orders and fills, one row at the end of each day, and between these, rows that merge all others.
 */
export interface StreamedFigures {
  /** Number of instants of equity. */
  readonly equityRows: number;
  /** Deepest drawdown over every instant, as a fraction (at most 0) and in units of money (at least 0). */
  readonly drawdown: { readonly fraction: number; readonly units: number };
  readonly exposure: ExposureSums;
  /** The warnings about the prices of all bars. */
  readonly priceWarnings: readonly Warning[];
  /** Reads the equity again, oldest first, in parts of `rows` instants. Each part reuses the arrays of the part before. */
  equityParts(rows: number): Iterator<EquityPart, undefined> & Iterable<EquityPart>;
  /** Reads the equity at one instant again. */
  unitsAt(row: number): number;
}
