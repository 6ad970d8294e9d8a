// What a run records whose bars were read block by block, in the place of columns over all rows.

import type { Warning } from '../warning.ts';

/** Sums over the equity of a run of what was in the market: integrals over ms, and extremes, as fractions of equity. */
export interface ExposureSums {
  readonly gross: number;
  readonly net: number;
  readonly grossMax: number;
  /** The net exposure that is furthest from 0. */
  readonly netExtreme: number;
  readonly isRuined: boolean;
}

/** Some instants of equity, in units of the reporting asset. */
export interface EquityPart {
  readonly timeMs: Float64Array;
  readonly units: Float64Array;
}

/**
 * Figures over every row, found while the rows were read. The bars and the equity of the record itself have only some rows: those at which
 * an order was placed or filled and those beside them, one at the end of each day, and between them rows that join all others.
 */
export interface StreamedFigures {
  /** Number of instants of equity. */
  readonly equityRows: number;
  /** Deepest falls over every instant: a fraction (at most 0) and units of money (at least 0). */
  readonly drawdown: { readonly fraction: number; readonly units: number };
  readonly exposure: ExposureSums;
  /** The warnings about the prices of all bars. */
  readonly priceWarnings: readonly Warning[];
  /** Reads the equity again, in order, in parts of `rows` instants. The arrays are used again for the next part. */
  equityParts(rows: number): Iterator<EquityPart, undefined> & Iterable<EquityPart>;
  /** Reads the equity of one instant again. */
  unitsAt(row: number): number;
}
