// Finds prices that were chosen from the run's own data, such as one of each day, in the numbers of a strategy's file.

import type { BarColumns, PriceColumn } from '../../../model/bars/bars.ts';

const COLUMNS: readonly PriceColumn[] = ['close', 'open', 'high', 'low'];
/** Prices in a row, each later in the data than the one before, that no table has by accident. */
const ENOUGH = 12;
/** At least this number of their steps goes each way: the levels of a ladder are reached in turn. */
const MIN_EACH_WAY = 3;
/** A price at more rows is one that the market has often, and says nothing. */
const MAX_ROWS = 3;
/** Numbers between two prices of a table: its other columns, or the parts of a date. */
const MAX_TABLE_COLUMNS = 12;
/** Numbers that are this many times the first price, or a part of it, are none. */
const MAX_TIMES = 50;
/** Rows of the data that are looked at. */
const MAX_SEARCHED = 50_000;

/** Written values that follow the prices of a feed. */
export interface ChosenPrices {
  /** Index of the first number, and the row of the data with that price. */
  readonly at: number;
  readonly row: number;
}

/** Returns where the table begins; null: the numbers hold none. */
export function chosenPricesIn(bars: BarColumns, values: Float64Array): ChosenPrices | null {
  const rowsOf = rowsOfPrices(bars, values);
  if (rowsOf.size < ENOUGH) return null;
  for (let step = 1; step <= MAX_TABLE_COLUMNS; step++) {
    for (let from = 0; from < step; from++) {
      const found = chainIn(rowsOf, values, from, step);
      if (found !== null) return found;
    }
  }
  return null;
}

/** Returns the rows of the numbers that are rare prices. */
function rowsOfPrices(bars: BarColumns, values: Float64Array): ReadonlyMap<number, readonly number[]> {
  const usual = bars.close[0] ?? NaN;
  const near = values.filter((value) => value > usual / MAX_TIMES && value < usual * MAX_TIMES);
  const rowsOf = new Map<number, number[]>(Array.from(new Set(near), (value) => [value, []]));
  if (rowsOf.size < ENOUGH) return rowsOf;
  const columns = COLUMNS.map((name) => bars[name]);
  const length = Math.min(bars.length, MAX_SEARCHED);
  for (let row = 0; row < length; row++) {
    for (const prices of columns) {
      const rows = rowsOf.get(prices[row]!);
      if (rows !== undefined && rows.length <= MAX_ROWS && rows.at(-1) !== row) rows.push(row);
    }
  }
  for (const [value, rows] of rowsOf) if (rows.length === 0 || rows.length > MAX_ROWS) rowsOf.delete(value);
  return rowsOf;
}

/** Returns the first chain of values that are prices of rising rows, every `step` values from `from`; null if none is long enough. */
function chainIn(rowsOf: ReadonlyMap<number, readonly number[]>, values: Float64Array, from: number, step: number): ChosenPrices | null {
  let [begin, row, count, ups, downs] = [from, -1, 0, 0, 0];
  for (let index = from; index < values.length; index += step) {
    const rows = rowsOf.get(values[index]!);
    const next = rows?.find((each) => each > row);
    if (next === undefined) {
      [begin, row, count, ups, downs] = [index, rows?.[0] ?? -1, rows === undefined ? 0 : 1, 0, 0];
      continue;
    }
    if (count === 0) begin = index;
    else if (values[index]! > values[index - step]!) ups++;
    else downs++;
    row = next;
    count++;
    if (count >= ENOUGH && ups >= MIN_EACH_WAY && downs >= MIN_EACH_WAY) return { at: begin, row: rowsOf.get(values[begin]!)![0]! };
  }
  return null;
}
