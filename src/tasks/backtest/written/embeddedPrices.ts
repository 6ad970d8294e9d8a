// Finds prices of the run's own data in the files of a strategy: a table of them shows data from after a bar.

import { readFileSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import type { PriceColumn } from '../../../model/bars/bars.ts';
import { formatTime } from '../../../model/time.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { TABLE_TEXTS, type Proof } from '../../../model/run/proof.ts';
import { chosenPricesIn } from './chosenPrices.ts';

const COLUMNS: readonly PriceColumn[] = ['close', 'open', 'high', 'low'];
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Prices in a row that no table has by accident, and how many of them must differ: a price can stand still. */
const ENOUGH = 10;
const DIFFERENT = 5;
/** Numbers between two prices of a table: its other columns. */
const MAX_TABLE_COLUMNS = 12;
/** Rows with one price that are looked at. */
const MAX_ROWS = 16;
/** Size of the largest file that is searched, in bytes. */
export const MAX_BYTES = 64_000_000;

/**
 * Returns the proof of purity that a table of prices refutes; null: no file has one. `files`: the files of the strategies, absolute; larger
 * ones than `maxBytes` are not searched. `all`: the plan with all rows, among which single prices were chosen.
 */
export function embeddedPrices(plan: RunPlan, files: readonly string[], maxBytes = MAX_BYTES, all = plan): Proof | null {
  for (const file of files) {
    const text = textOf(file, maxBytes);
    const numbers = [...text.matchAll(NUMBER)];
    if (numbers.length < ENOUGH) continue;
    const values = Float64Array.from(numbers, ([each]) => Number(each));
    const match = tableIn(plan, values) ?? chosenIn(all, values);
    if (match === null) continue;
    const { index, row, column, feed } = match;
    const { bars } = plan.feeds[feed]!;
    const description = `a table of prices: ${column} from ${values[index]} on`;
    return {
      name: 'purity',
      verdict: 'refuted',
      text: TABLE_TEXTS.prices,
      first: {
        time: formatTime(bars.closeMs[row]!),
        feed: `${bars.instrument.wireName} ${bars.interval}`,
        what: description,
        expected: 'prices from the bars alone',
        actual: description,
      },
      file: relative(process.cwd(), file),
      line: text.slice(0, numbers[index]!.index).split('\n').length,
    };
  }
  return null;
}

/** Returns the text of a file; empty where it is larger than `maxBytes`, or no file. */
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
    for (const column of COLUMNS) {
      const prices = bars[column].subarray(0, bars.length);
      const rowsOf = new Map<number, number[]>();
      for (let row = 0; row < prices.length; row++) {
        const price = prices[row]!;
        if (!searchedValues.has(price)) continue;
        const rows = rowsOf.get(price);
        if (rows === undefined) rowsOf.set(price, [row]);
        else if (rows.length < MAX_ROWS) rows.push(row);
      }
      if (rowsOf.size < DIFFERENT) continue;
      for (let index = 0; index < values.length; index++) {
        const row = rowsOf.get(values[index]!)?.find((each) => isTable(values, index, prices, each));
        if (row !== undefined) return { index, row, column, feed };
      }
    }
  }
  return null;
}

/** Returns the first feed whose data contain the values as chosen prices, such as the close of each day; null without such a feed. */
function chosenIn({ feeds }: RunPlan, values: Float64Array): MatchStart | null {
  for (const [feed, { bars }] of feeds.entries()) {
    const chosenPrices = chosenPricesIn(bars, values);
    if (chosenPrices !== null) return { ...chosenPrices, column: 'close', feed };
  }
  return null;
}

/** Returns true when the numbers from `position` on, at some distance from each other, are the prices from `row` on, forwards or backwards. */
function isTable(values: Float64Array, position: number, prices: Float64Array, row: number): boolean {
  return isTableTowards(1, values, position, prices, row) || isTableTowards(-1, values, position, prices, row);
}

/** `direction`: 1 where later numbers are later prices, -1 where the newest price comes first. */
function isTableTowards(direction: 1 | -1, values: Float64Array, position: number, prices: Float64Array, row: number): boolean {
  const end = row + direction * (ENOUGH - 1);
  if (end < 0 || end >= prices.length) return false;
  for (let step = 1; step <= MAX_TABLE_COLUMNS; step++) {
    let count = 1;
    while (count < ENOUGH && values[position + count * step] === prices[row + direction * count]) count++;
    if (count === ENOUGH && new Set(prices.subarray(Math.min(row, end), Math.max(row, end) + 1)).size >= DIFFERENT) return true;
  }
  return false;
}
