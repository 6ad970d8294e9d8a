// Parts of candles. A part is long or short in comparison with an average of earlier candles, by the settings of TA-Lib.

import type { IndicatorColumn } from '../graph/window.ts';

type CandlePart = 'body' | 'range';

/**
 * For each comparison: the part that is averaged, the number of earlier candles, and a factor. With 0 candles, the part of the candle
 * itself is used.
 */
const COMPARISONS = {
  bodyLong: { part: 'body', bars: 10, factor: 1 },
  bodyShort: { part: 'body', bars: 10, factor: 1 },
  bodyDoji: { part: 'range', bars: 10, factor: 0.1 },
  shadowLong: { part: 'body', bars: 0, factor: 1 },
  shadowVeryShort: { part: 'range', bars: 10, factor: 0.1 },
  near: { part: 'range', bars: 5, factor: 0.2 },
  far: { part: 'range', bars: 5, factor: 0.6 },
} as const satisfies Readonly<Record<string, { readonly part: CandlePart; readonly bars: number; readonly factor: number }>>;

/** The candles of a feed by row, their parts, and the averages with which parts are compared. */
export class Candles {
  readonly #columns: readonly IndicatorColumn<Float64Array>[];

  constructor(columns: readonly IndicatorColumn<Float64Array>[]) {
    this.#columns = columns;
  }

  /** Returns a price of the candle at `row`. `columnIndex`: 0 open, 1 high, 2 low, 3 close. */
  #price(columnIndex: number, row: number): number {
    const { values, base } = this.#columns[columnIndex]!;
    return values[row - base]!;
  }

  /** Returns the open of a row. */
  open(row: number): number {
    return this.#price(0, row);
  }
  /** Returns the high of a row. */
  high(row: number): number {
    return this.#price(1, row);
  }
  /** Returns the low of a row. */
  low(row: number): number {
    return this.#price(2, row);
  }
  /** Returns the close of a row. */
  close(row: number): number {
    return this.#price(3, row);
  }
  /** Returns 1 for a rising or flat candle, -1 for a falling one. */
  direction(row: number): 1 | -1 {
    return this.close(row) >= this.open(row) ? 1 : -1;
  }
  /** Returns the length of the body. */
  body(row: number): number {
    return Math.abs(this.close(row) - this.open(row));
  }
  /** Returns the price of the upper end of the body. */
  top(row: number): number {
    return Math.max(this.open(row), this.close(row));
  }
  /** Returns the price of the lower end of the body. */
  bottom(row: number): number {
    return Math.min(this.open(row), this.close(row));
  }
  /** Returns the length of the upper shadow. */
  upperShadow(row: number): number {
    return this.high(row) - this.top(row);
  }
  /** Returns the length of the lower shadow. */
  lowerShadow(row: number): number {
    return this.bottom(row) - this.low(row);
  }

  /** Returns the average with which a part of the candle at `row` is compared. */
  average(comparison: keyof typeof COMPARISONS, row: number): number {
    const { part, bars, factor } = COMPARISONS[comparison];
    const lengthAt = (partRow: number) => (part === 'body' ? this.body(partRow) : this.high(partRow) - this.low(partRow));
    if (bars === 0) return factor * lengthAt(row);
    let sum = 0;
    for (let partRow = row - bars; partRow < row; partRow++) sum += lengthAt(partRow);
    return (factor * sum) / bars;
  }
}
