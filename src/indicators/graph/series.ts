// Series and signals as strategies read them: the newest delivered value and a fixed number of earlier values, but no later one.

import { ConfigError } from '../../base/errors.ts';
import { allowOnlyMembers } from '../../base/number/onlyMembers.ts';
import { NOT_READY, TRUE, type NumberWindow, type SignalWindow } from './window.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** A series of numbers with one value for each bar of a feed. A strategy reads it at the newest delivered bar. */
export interface Series {
  /** Value at the newest delivered bar. NaN while not ready. */
  readonly value: number;
  /** Value one bar before `value`. NaN while not ready. */
  readonly prev: number;
  /** False during warm-up, and at bars at which the indicator is undefined. `value` is then NaN. */
  readonly ready: boolean;
  /**
   * Returns the value `bars` bars ago. `bars` is a whole number from 0, which returns `value`, to the registered depth. The depth is 1 unless
   * `use(series, { depth })` sets more. Throws ConfigError for a greater number.
   */
  ago(bars: number): number;
}

/** A boolean series. While it is not ready, it is false. */
export interface Signal {
  /** State at the newest delivered bar. */
  readonly value: boolean;
  /** State one bar before `value`. */
  readonly prev: boolean;
  readonly ready: boolean;
}

/** The columns of one feed as series. */
export interface FeedSeries {
  readonly open: Series;
  readonly high: Series;
  readonly low: Series;
  readonly close: Series;
  /** Volume in the base asset. */
  readonly volume: Series;
}

/** The newest delivered row of a feed, -1 before the first. The engine moves it, and all series of the feed read at this row. */
export interface RowCursor {
  row: number;
}

/** Name and depth of a series, for the error when `ago` looks back too far. */
export interface SeriesLabel {
  readonly key: string;
  readonly depth: number;
}

/**
 * A column of numbers that is read at the cursor. The window also contains the future rows of the block. It is a #private field, so that no code
 * can read a future row through a series, even at run time.
 */
export class ColumnSeries implements Series {
  readonly #window: NumberWindow;
  readonly #cursor: RowCursor;
  readonly #label: SeriesLabel;

  constructor(window: NumberWindow, cursor: RowCursor, label: SeriesLabel) {
    this.#window = window;
    this.#cursor = cursor;
    this.#label = label;
    Object.freeze(this);
  }

  get value(): number {
    const window = this.#window;
    const index = this.#cursor.row - window.base;
    return index < 0 ? NAN : window.values[index]! / window.divisor;
  }

  get prev(): number {
    const window = this.#window;
    const index = this.#cursor.row - window.base - 1;
    return index < 0 ? NAN : window.values[index]! / window.divisor;
  }

  get ready(): boolean {
    const value = this.value;
    return value === value;
  }

  ago(bars: number): number {
    // The first condition rejects negative and fractional numbers. A negative number would read a future bar.
    if (bars >>> 0 !== bars || bars > this.#label.depth) throw tooDeep(this.#label, bars);
    const window = this.#window;
    const index = this.#cursor.row - window.base - bars;
    return index < 0 ? NAN : window.values[index]! / window.divisor;
  }
}

/** A column of signal states that is read at the cursor. The window has space for rows -2 and -1, so `value` and `prev` always have an index. */
export class ColumnSignal implements Signal {
  readonly #window: SignalWindow;
  readonly #cursor: RowCursor;
  /** The signal is known to be false in the rows [from, until), so `value` needs no look-up between two crossings. */
  #from = 0;
  #until = 0;

  constructor(window: SignalWindow, cursor: RowCursor) {
    this.#window = window;
    this.#cursor = cursor;
    Object.freeze(this);
  }

  get value(): boolean {
    const { row } = this.#cursor;
    if (row < this.#until && row >= this.#from) return false;
    return this.#look(row);
  }

  /** Returns the state at a row, and notes until which row the signal stays false. */
  #look(row: number): boolean {
    const window = this.#window;
    if (window.values[row - window.base] === TRUE) return true;
    this.#from = row;
    this.#until = window.falseUntil(row);
    return false;
  }

  get prev(): boolean {
    const index = this.#cursor.row - this.#window.base - 1;
    return this.#window.values[index] === TRUE;
  }

  get ready(): boolean {
    const index = this.#cursor.row - this.#window.base;
    return index >= 0 && this.#window.values[index] !== NOT_READY;
  }
}

allowOnlyMembers(ColumnSeries.prototype, 'the series');
allowOnlyMembers(ColumnSignal.prototype, 'the signal');
Object.freeze(ColumnSeries.prototype);
Object.freeze(ColumnSignal.prototype);

/** Returns the error of an `ago` with an invalid number of bars. */
function tooDeep(label: SeriesLabel, bars: number): ConfigError {
  return new ConfigError(
    `${label.key}: ago(${bars}): expected a whole number from 0 to ${label.depth}, its registered depth, got ${bars}`,
    bars > label.depth
      ? `register the depth: use(series, { depth: ${Math.ceil(bars)} })`
      : 'count bars back from the newest one: ago(1) is prev',
  );
}
