// Finds prices of the run's own data in the files of a strategy. A strategy with such a table knows prices that come after a bar.

import { readFileSync, statSync } from 'node:fs';
import type { PriceColumn } from '../../../model/bars/bars.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { TABLE_TEXTS, type Proof } from '../../../model/run/proof.ts';
import { chosenPricesIn } from './chosenPrices.ts';
import { tableProof } from './tableProof.ts';

/** The columns of bars that are compared. */
const PRICE_COLUMNS: readonly PriceColumn[] = ['close', 'open', 'high', 'low'];
/** Matches a decimal number. */
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Number of equal prices in a row that no table has by accident, and the minimum of different ones among them, because a price may not move. */
const MIN_PRICES = 10;
const MIN_DIFFERENT = 5;
/** Maximum number of columns of a table: the distance between two prices in the list of numbers. */
const MAX_TABLE_COLUMNS = 12;
/** Maximum number of rows with one price that are compared. */
const MAX_ROWS = 16;
/** Size of the largest file that is searched, in bytes. */
export const MAX_BYTES = 64_000_000;

/**
 * Returns a refuted proof of purity if a file contains a table of prices; null if none does. `files`: absolute paths of the strategy files. Files
 * larger than `maxBytes` are not searched. `all`: the plan with all rows, from which single prices may have been chosen.
 */
export function embeddedPrices(plan: RunPlan, files: readonly string[], maxBytes = MAX_BYTES, all = plan): Proof | null {
  for (const file of files) {
    const text = textOf(file, maxBytes);
    const numbers = [...text.matchAll(NUMBER)];
    if (numbers.length < MIN_PRICES) continue;
    const values = Float64Array.from(numbers, ([digits]) => Number(digits));
    const table = tableIn(plan, values);
    const match = table ?? chosenIn(all, values);
    if (match === null) continue;
    const { index, row, column, feed } = match;
    const { bars } = (table === null ? all : plan).feeds[feed]!;
    return tableProof({
      text: TABLE_TEXTS.prices,
      description: `a table of prices: ${column} from ${values[index]} on`,
      expected: 'prices from the bars alone',
      bars,
      timeMs: bars.closeMs[row]!,
      file,
      fileText: text,
      position: numbers[index]!.index,
    });
  }
  return null;
}

/** Returns the text of a file; empty if it is larger than `maxBytes` or cannot be read. */
export function textOf(file: string, maxBytes: number): string {
  try {
    return statSync(file).size > maxBytes ? '' : readFileSync(file, 'utf8');
  } catch {
    // For example a module that a bundler's plugin has made.
    return '';
  }
}

/** The start of a list of numbers that fits prices of the data. */
interface MatchStart {
  /** Index of the first number. */
  readonly index: number;
  /** Row of the data with that price. */
  readonly row: number;
  readonly column: PriceColumn;
  readonly feed: number;
}

/** Returns the feed and column in which the values occur as prices; null without such a column. */
function tableIn({ feeds }: RunPlan, values: Float64Array): MatchStart | null {
  const searchedValues = new Set(values);
  for (const [feed, { bars }] of feeds.entries()) {
    for (const column of PRICE_COLUMNS) {
      const prices = bars[column].subarray(0, bars.length);
      const rowsByPrice = rowsOfPrices(prices, searchedValues);
      if (rowsByPrice.size < MIN_DIFFERENT) continue;
      for (let index = 0; index < values.length; index++) {
        const row = rowsByPrice.get(values[index]!)?.find((firstRow) => isTable(values, index, prices, firstRow));
        if (row !== undefined) return { index, row, column, feed };
      }
    }
  }
  return null;
}

/** Returns the first MAX_ROWS rows of each price that is one of `searchedValues`. */
function rowsOfPrices(prices: Float64Array, searchedValues: ReadonlySet<number>): ReadonlyMap<number, readonly number[]> {
  const rowsByPrice = new Map<number, number[]>();
  for (let row = 0; row < prices.length; row++) {
    const price = prices[row]!;
    if (!searchedValues.has(price)) continue;
    const rows = rowsByPrice.get(price);
    if (rows === undefined) rowsByPrice.set(price, [row]);
    else if (rows.length < MAX_ROWS) rows.push(row);
  }
  return rowsByPrice;
}

/** Returns the first feed whose data contain the values as chosen prices, such as the close of each day; null without such a feed. */
function chosenIn({ feeds }: RunPlan, values: Float64Array): MatchStart | null {
  for (const [feed, { bars }] of feeds.entries()) {
    const chosenPrices = chosenPricesIn(bars, values);
    if (chosenPrices !== null) return { ...chosenPrices, column: 'close', feed };
  }
  return null;
}

/** True when every n-th number from `position` on equals the prices from `row` on, forwards or backwards, for some n. */
function isTable(values: Float64Array, position: number, prices: Float64Array, row: number): boolean {
  return isTableInDirection(1, values, position, prices, row) || isTableInDirection(-1, values, position, prices, row);
}

/** As `isTable` for one direction: 1 if later numbers are later prices, -1 if the newest price is the first number. */
function isTableInDirection(direction: 1 | -1, values: Float64Array, position: number, prices: Float64Array, row: number): boolean {
  const end = row + direction * (MIN_PRICES - 1);
  if (end < 0 || end >= prices.length) return false;
  for (let step = 1; step <= MAX_TABLE_COLUMNS; step++) {
    let count = 1;
    while (count < MIN_PRICES && values[position + count * step] === prices[row + direction * count]) count++;
    if (count < MIN_PRICES) continue;
    const matchedPrices = prices.subarray(Math.min(row, end), Math.max(row, end) + 1);
    if (new Set(matchedPrices).size >= MIN_DIFFERENT) return true;
  }
  return false;
}
