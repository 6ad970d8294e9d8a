// Tests the indicators of the table: equal to the values of other libraries and plain formulas, and the same bits for any block size.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as isobar from '../index.ts';
import { CANDLE_PATTERNS, candle } from './candles/patterns.ts';
import { IndicatorSet } from './graph/indicatorSet.ts';
import type { FeedSeries, Series } from './graph/series.ts';
import type { IndicatorSpec } from './graph/spec.ts';
import { expectEqual } from '../../test/fixtures/quickExpect.ts';
import { docRow, FAMILIES } from '../../test/fixtures/indicatorTable.ts';
import { emptyBars, syntheticBars } from '../../test/fixtures/syntheticBars.ts';
import type { BarColumns } from '../model/bars/bars.ts';

/** The values of another library. */
interface Reference {
  /** Row of the first value. */
  readonly first: number;
  /** The values from row `first`. */
  readonly values: readonly (number | null)[];
  /** The last values of 300 rows. */
  readonly last: readonly (number | null)[];
}
interface Golden {
  readonly series: Readonly<Record<string, Readonly<Record<string, Reference>>>>;
  readonly candles: Readonly<Record<string, { readonly count: number; readonly rows: readonly (readonly [row: number, value: number])[] }>>;
}
const golden = JSON.parse(readFileSync(new URL('../../test/golden/indicators/indicators.json', import.meta.url), 'utf8')) as Golden;

/** Returns the bars of make.py, from the same generator, with prices in whole cents. A day of the day indicators is 72 bars of 20 minutes. */
function goldenBars(rows: number): BarColumns {
  let state = 12345;
  const drawBelow = (n: number) => {
    state = (Math.imul(1664525, state) + 1013904223) >>> 0;
    return (state >>> 8) % n;
  };
  const bars = emptyBars(rows);
  let close = 10000;
  for (let row = 0; row < rows; row++) {
    const open = close + (drawBelow(3) === 0 ? drawBelow(61) - 30 : 0);
    close = Math.max(1000, drawBelow(6) !== 0 ? open + drawBelow(201) - 100 : open + drawBelow(7) - 3);
    const high = Math.max(open, close) + (drawBelow(4) === 0 ? 0 : drawBelow(70));
    const low = Math.min(open, close) - (drawBelow(4) === 0 ? 0 : drawBelow(70));
    const volume = 1 + drawBelow(100_000);
    const fields = { open, high, low, close, volume };
    for (const [name, value] of Object.entries(fields)) bars[name as keyof typeof fields][row] = value / 100;
    bars.openMs[row] = 1_704_067_200_000 + row * 1_200_000;
  }
  return bars;
}

/** Returns the outputs of an indicator over `bars`, by name. The name of a single output is ''. */
function outputsOf(bars: BarColumns, makeSpec: (feed: FeedSeries) => IndicatorSpec<unknown>, blockRows = 64): Record<string, Float64Array> {
  const set = new IndicatorSet(bars, { row: -1 }, blockRows);
  const used = set.use(makeSpec(set.series)) as Series | Readonly<Record<string, Series>>;
  set.seal();
  const outputSeries: Readonly<Record<string, Series>> = 'ago' in used ? { '': used as Series } : used;
  return Object.fromEntries(Object.entries(outputSeries).map(([name, series]) => [name, set.traceValues(series)]));
}

/** Returns the bits of the values that a strategy reads, filled in blocks of `blockRows`. */
function readInBlocks(bars: BarColumns, makeSpec: (feed: FeedSeries) => IndicatorSpec<unknown>, blockRows: number): BigInt64Array {
  const cursor = { row: -1 };
  const set = new IndicatorSet(bars, cursor, blockRows);
  const used = set.use(makeSpec(set.series)) as Series | Readonly<Record<string, Series>>;
  set.seal();
  const views = 'ago' in used ? [used as Series] : Object.values(used);
  const readValues: number[] = [];
  for (let from = 0; from < bars.length; from += blockRows) {
    const endRow = Math.min(bars.length, from + blockRows);
    for (const kernel of set.kernels) kernel.fill(from, endRow);
    for (cursor.row = from; cursor.row < endRow; cursor.row++) for (const view of views) readValues.push(view.value);
  }
  return new BigInt64Array(Float64Array.from(readValues).buffer);
}

/** Expects a relative error of at most 1e-9. Null: expects NaN. */
function expectNear(actual: number, expected: number | null, where: string): void {
  if (expected === null) return expect(actual, where).toBeNaN();
  const error = Math.abs(actual - expected) / Math.max(1e-9, Math.abs(expected));
  if (!(error <= 1e-9)) expect.fail(`${where}: ${actual}, the reference has ${expected}, relative error ${error}`);
}

/** The indicators that have no entry in the table of families. */
const INDICATORS_NOT_IN_TABLE = 27;
const ENTRIES = FAMILIES.flatMap(({ entries }) => entries);
const short = goldenBars(300);
const ragged = syntheticBars(900, 23);

describe.each(ENTRIES.map((entry) => [entry.name, entry] as const))('%s', (name, { make: makeSpec }) => {
  it('an indicator equals its reference from its first value', () => {
    const expected = golden.series[name]!;
    const outputs = outputsOf(short, makeSpec);
    expect(Object.keys(outputs)).toEqual(Object.keys(expected));
    for (const [output, { first, values, last }] of Object.entries(expected)) {
      const actual = outputs[output]!;
      const where = output === '' ? name : `${name}.${output}`;
      if (first > 0) expect(actual[first - 1], `${where} before its first row ${first}`).toBeNaN();
      const lastRow = 300 - last.length;
      values.forEach((value, index) => expectNear(actual[first + index]!, value, `${where} row ${first + index}`));
      last.forEach((value, index) => expectNear(actual[lastRow + index]!, value, `${where} row ${lastRow + index}`));
    }
  });

  it('an indicator has the same bits in blocks of 1, 7 and 512 rows, also without trades or price changes', () => {
    const inOneBlock = readInBlocks(ragged, makeSpec, 900);
    for (const blockRows of [1, 7, 512])
      expectEqual(readInBlocks(ragged, makeSpec, blockRows), inOneBlock, `${name} in blocks of ${blockRows}`);
  });

  it('all outputs of an indicator are ready after its warm-up', () => {
    const set = new IndicatorSet(short, { row: -1 }, 300);
    const spec = makeSpec(set.series);
    const firsts = Object.values(outputsOf(short, makeSpec)).map((values) => values.findIndex((value) => value === value));
    // For pivots and fractals, the data decide the first row with a value.
    if (/pivots|fractals/.test(name)) expect(Math.max(...firsts)).toBeGreaterThanOrEqual(spec.warmupBars - 1);
    else expect(Math.max(...firsts)).toBe(spec.warmupBars - 1);
  });
});

describe('candle patterns', () => {
  const bars = goldenBars(20_000);

  it.each(CANDLE_PATTERNS)('the candle pattern %s occurs on the same bars as in TA-Lib', (pattern) => {
    const { count, rows } = golden.candles[pattern]!;
    const values = outputsOf(bars, (feed) => candle(feed, pattern))['']!;
    const matches = [...values].flatMap((value, row) => (value !== 0 && value === value ? [[row, value] as const] : []));
    expect(matches.length).toBe(count);
    expect([...matches.slice(0, 40), ...matches.slice(40).slice(-20)]).toEqual(rows);
  });

  it('an unknown pattern is an error', () => {
    const { series } = new IndicatorSet(bars, { row: -1 }, 8);
    // @ts-expect-error: a JavaScript author can write any name
    expect(() => candle(series, 'engulf')).toThrow('engulf');
  });
});

describe('arithmetic', () => {
  const bars = goldenBars(200);
  const valuesOf = (makeSpec: (feed: FeedSeries) => IndicatorSpec<Series>) => outputsOf(bars, makeSpec)['']!;

  it('arithmetic equals the same arithmetic on plain numbers, bit by bit', () => {
    const { open, high, low, close } = bars;
    const columnOf = (valueAt: (row: number) => number) => Float64Array.from(close, (_, row) => valueAt(row));
    const cases: readonly [(feed: FeedSeries) => IndicatorSpec<Series>, (row: number) => number][] = [
      [(f) => isobar.add(f.close, f.open), (r) => close[r]! + open[r]!],
      [(f) => isobar.sub(f.close, f.open), (r) => close[r]! - open[r]!],
      [(f) => isobar.sub(f.close, 5), (r) => close[r]! - 5],
      [(f) => isobar.sub(5, f.close), (r) => 5 - close[r]!],
      [(f) => isobar.mul(f.close, f.low), (r) => close[r]! * low[r]!],
      [(f) => isobar.div(f.close, f.high), (r) => close[r]! / high[r]!],
      [(f) => isobar.div(1, f.high), (r) => 1 / high[r]!],
      [
        (f) => isobar.div(f.close, isobar.sub(f.close, f.open)),
        (r) => (Object.is(close[r], open[r]) ? NaN : close[r]! / (close[r]! - open[r]!)),
      ],
      [(f) => isobar.log(isobar.sub(f.close, 100)), (r) => (close[r]! - 100 > 0 ? Math.log(close[r]! - 100) : NaN)],
      [(f) => isobar.exp(isobar.div(f.close, 100)), (r) => Math.exp(close[r]! / 100)],
      [(f) => isobar.sqrt(f.close), (r) => Math.sqrt(close[r]!)],
      [(f) => isobar.abs(isobar.sub(f.close, f.open)), (r) => Math.abs(close[r]! - open[r]!)],
      [(f) => isobar.signOf(isobar.sub(f.close, f.open)), (r) => Math.sign(close[r]! - open[r]!)],
      [(f) => isobar.maxOf(f.close, f.open), (r) => Math.max(close[r]!, open[r]!)],
      [(f) => isobar.minOf(f.close, 100), (r) => Math.min(close[r]!, 100)],
      [(f) => isobar.lag(f.close, 3), (r) => (r < 3 ? NaN : close[r - 3]!)],
      [(f) => isobar.where(isobar.above(f.close, f.open), f.high, 1), (r) => (close[r]! > open[r]! ? high[r]! : 1)],
      [(f) => isobar.where(isobar.above(f.close, f.open), -1, f.low), (r) => (close[r]! > open[r]! ? -1 : low[r]!)],
    ];
    for (const [makeSpec, valueAt] of cases) expect(valuesOf(makeSpec), makeSpec.toString()).toEqual(columnOf(valueAt));
  });

  it('arithmetic has the same bits in blocks of any size', () => {
    const spread = (f: FeedSeries) => isobar.zscore(isobar.sub(isobar.log(f.close), isobar.lag(isobar.log(f.open), 4)), 20);
    const inOneBlock = readInBlocks(ragged, spread, 900);
    for (const blockRows of [1, 7, 64]) expectEqual(readInBlocks(ragged, spread, blockRows), inOneBlock);
  });

  it('a number on the left and on the right are two indicators, and two numbers are an error', () => {
    const set = new IndicatorSet(bars, { row: -1 }, 8);
    const { close } = set.series;
    expect(isobar.sub(close, 1).key).not.toBe(isobar.sub(1, close).key);
    expect(() => isobar.add(1, 2)).toThrow('two numbers');
    expect(() => isobar.add(close, Infinity)).toThrow('finite number');
  });
});

it('at least 90 indicators exist, and each indicator of the table has a row in the documents', () => {
  const documents = readFileSync(new URL('../../docs/indicators.md', import.meta.url), 'utf8');
  for (const entry of ENTRIES) expect(documents, `docs/indicators.md, ${entry.name}`).toContain(docRow(entry));
  const named = [...documents.matchAll(/^\| `(\w+)\(/gm)].map(([, name]) => name);
  for (const name of named) expect(Object.keys(isobar)).toContain(name);
  expect(ENTRIES.length + INDICATORS_NOT_IN_TABLE).toBeGreaterThanOrEqual(90);
});
