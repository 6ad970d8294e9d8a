// Finds prices that were chosen from the run's own data, such as one of each day, in the numbers of a strategy's file.

import type { BarColumns, PriceColumn } from '../../../model/bars/bars.ts';

const COLUMNS: readonly PriceColumn[] = ['close', 'open', 'high', 'low'];
/** Length of a chain of prices, each later in the data than the one before, that no table has by chance. */
const MIN_CHAIN = 12;
/** Minimum number of steps up, and of steps down, in a chain. A ladder of levels rises or falls only. */
const MIN_EACH_WAY = 3;
/** A price that occurs in more rows is common, so it proves nothing. */
const MAX_ROWS = 3;
/** Maximum number of columns of a table, counting each part of a date as one. */
const MAX_TABLE_COLUMNS = 12;
/** Maximum ratio of a number to the first price, in either direction. Other numbers are not prices. */
const MAX_PRICE_RATIO = 50;
/** Maximum number of rows that are searched. */
const MAX_SEARCHED_ROWS = 50_000;

/** Written values that follow the prices of a feed. */
export interface ChosenPrices {
  /** Index of the first number. */
  readonly index: number;
  /** Row of the data with that price. */
  readonly row: number;
}

/** Returns where a table of prices begins in the numbers; null without one. */
export function chosenPricesIn(bars: BarColumns, values: Float64Array): ChosenPrices | null {
  const rowsByPrice = rowsOfPrices(bars, values);
  if (rowsByPrice.size < MIN_CHAIN) return null;
  for (let step = 1; step <= MAX_TABLE_COLUMNS; step++) {
    for (let from = 0; from < step; from++) {
      const chain = chainIn(rowsByPrice, values, from, step);
      if (chain !== null) return chain;
    }
  }
  return null;
}

/** Returns the rows of the numbers that are rare prices. */
function rowsOfPrices(bars: BarColumns, values: Float64Array): ReadonlyMap<number, readonly number[]> {
  const firstPrice = bars.close[0] ?? NaN;
  const near = values.filter((value) => value > firstPrice / MAX_PRICE_RATIO && value < firstPrice * MAX_PRICE_RATIO);
  const rowsByPrice = new Map<number, number[]>(Array.from(new Set(near), (value) => [value, []]));
  if (rowsByPrice.size < MIN_CHAIN) return rowsByPrice;
  const columns = COLUMNS.map((name) => bars[name]);
  const length = Math.min(bars.length, MAX_SEARCHED_ROWS);
  for (let row = 0; row < length; row++) {
    for (const prices of columns) {
      const rows = rowsByPrice.get(prices[row]!);
      if (rows !== undefined && rows.length <= MAX_ROWS && rows.at(-1) !== row) rows.push(row);
    }
  }
  for (const [value, rows] of rowsByPrice) if (rows.length === 0 || rows.length > MAX_ROWS) rowsByPrice.delete(value);
  return rowsByPrice;
}

/** Returns the first chain of values that are prices of rising rows, every `step` values from `from`; null if none is long enough. */
function chainIn(
  rowsByPrice: ReadonlyMap<number, readonly number[]>,
  values: Float64Array,
  from: number,
  step: number,
): ChosenPrices | null {
  // The current chain: its first value, the row of its last value, its length, and its steps up and down.
  let begin = from;
  let row = -1;
  let count = 0;
  let ups = 0;
  let downs = 0;
  for (let index = from; index < values.length; index += step) {
    const rows = rowsByPrice.get(values[index]!);
    const next = rows?.find((each) => each > row);
    if (next === undefined) {
      begin = index;
      row = rows?.[0] ?? -1;
      count = rows === undefined ? 0 : 1;
      ups = 0;
      downs = 0;
      continue;
    }
    if (count === 0) begin = index;
    else if (values[index]! > values[index - step]!) ups++;
    else downs++;
    row = next;
    count++;
    if (count >= MIN_CHAIN && ups >= MIN_EACH_WAY && downs >= MIN_EACH_WAY)
      return { index: begin, row: rowsByPrice.get(values[begin]!)![0]! };
  }
  return null;
}
