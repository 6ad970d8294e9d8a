// Tests that comparing sums by cross-multiplication gives the same results as comparing their quotients.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyBars, syntheticBars } from '../../test/fixtures/syntheticBars.ts';
import { ticksOf, type BarColumns } from '../model/bars/bars.ts';
import { ema, sma, wma } from './averages.ts';
import { custom } from './custom.ts';
import { IndicatorSet } from './graph/indicatorSet.ts';
import type { FeedSeries, Series } from './graph/series.ts';
import { above, below, crossedDown, crossedUp } from './signals.ts';
import type { IndicatorSpec } from './graph/spec.ts';
import { crossMultipliers } from './sums.ts';

/** Returns prices with eight decimals, in waves around `height` ticks. */
const wavePrices = (height: number) => Array.from({ length: 200 }, (_, row) => (height + Math.round(50 * Math.sin(row / 5)) * 1e6) / 1e8);
const identity = () => (x: number) => x;

/** Returns bars with these closes. */
function barsOfCloses(prices: readonly number[], digits: number): BarColumns {
  const bars = emptyBars(prices.length, digits);
  bars.close.set(prices);
  return bars;
}

type MakeSpec = (feed: FeedSeries) => IndicatorSpec<Series>;
const divided =
  (makeSpec: MakeSpec): MakeSpec =>
  (feed) =>
    custom(makeSpec(feed), identity);

/** Returns value, prev and ago(3) of a series for each row. `others`: another indicator also reads its quotients. */
function read(makeSpec: (feed: FeedSeries) => IndicatorSpec<Series>, blockRows: number, hasOtherReader: boolean): Float64Array {
  const bars = syntheticBars(300, 4);
  const cursor = { row: -1 };
  const set = new IndicatorSet(bars, cursor, blockRows);
  const series = set.use(makeSpec(set.series), 3);
  const copy = hasOtherReader ? set.use(custom(series, identity), 3) : null;
  if (hasOtherReader) set.use(ema(series, 4));
  set.seal();
  // At most one more kernel divides, for any number of readers.
  expect(set.kernels).toHaveLength(hasOtherReader ? 4 : 1);
  const readValues: number[] = [];
  for (let from = 0; from < bars.length; from += blockRows) {
    const endRow = Math.min(from + blockRows, bars.length);
    for (const kernel of set.kernels) kernel.fill(from, endRow);
    for (cursor.row = from; cursor.row < endRow; cursor.row++) {
      const now = [series.value, series.prev, series.ago(3)];
      if (copy !== null) expect([copy.value, copy.prev, copy.ago(3)]).toEqual(now);
      readValues.push(...now);
    }
    cursor.row = endRow - 1;
  }
  expect(set.traceValues(series)).toEqual(Float64Array.from(readValues.filter((_, index) => index % 3 === 0)));
  return Float64Array.from(readValues);
}

/** Returns the rows at which each comparison of `a` and `b` is true, as the engine lists them, and the number of kernels. */
function rowsOf(bars: BarColumns, blockRows: number, a: MakeSpec, b: MakeSpec): { rows: number[][]; kernels: number } {
  const set = new IndicatorSet(bars, { row: -1 }, blockRows);
  const x = set.use(a(set.series));
  const y = set.use(b(set.series));
  const signals = [crossedUp, crossedDown, above, below].map((compare) => set.use(compare(x, y)));
  set.seal();
  const rows = signals.map((): number[] => []);
  const into = new Int32Array(blockRows);
  for (let from = 0; from < bars.length; from += blockRows) {
    const endRow = Math.min(from + blockRows, bars.length);
    for (const kernel of set.kernels) kernel.fill(from, endRow);
    for (const [index, signal] of signals.entries()) rows[index]!.push(...into.subarray(0, set.listRows(signal, from, endRow, into)));
  }
  return { rows, kernels: set.kernels.length };
}

const comparison = (x: number, y: number) => Number(x > y) - Number(x < y);

describe('cross-multiplication', () => {
  const divisor = fc.oneof(
    fc.integer({ min: 1, max: 400 }),
    fc.tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 0, max: 8 })).map(([bars, digits]) => bars * 10 ** digits),
  );

  const share = fc.tuple(fc.integer({ min: 0, max: 1e6 }), fc.constantFrom(1e6, 1e3)).map(([part, of]) => part / of);
  const offsetArbitrary = fc.integer({ min: -3, max: 3 });

  it('cross-multiplication agrees with the rounded quotients whenever it is allowed, near ties and at ties', () => {
    let allowed = 0;
    let ties = 0;
    let near = 0;
    fc.assert(
      fc.property(divisor, divisor, share, offsetArbitrary, (divisorA, divisorB, part, offset) => {
        // Draw sums over a wide range, and for each one another sum whose quotient is nearly the same.
        const sumA = Math.floor(((2 ** 52 - 1) / divisorB) * part);
        const sumB = Math.max(0, Number((BigInt(sumA) * BigInt(divisorB)) / BigInt(divisorA)) + offset);
        const times = crossMultipliers({ divisor: divisorA, max: sumA }, { divisor: divisorB, max: sumB });
        if (times === null) return;
        allowed++;
        const exact = BigInt(sumA) * BigInt(divisorB) - BigInt(sumB) * BigInt(divisorA);
        if (exact === 0n) ties++;
        else if (exact > -10n && exact < 10n) near++;
        expect(comparison(sumA * times[0], sumB * times[1])).toBe(comparison(sumA / divisorA, sumB / divisorB));
        expect(comparison(sumA * times[0], sumB * times[1])).toBe(Number(exact > 0n) - Number(exact < 0n));
      }),
      { numRuns: 20_000 },
    );
    expect(allowed).toBeGreaterThan(5000);
    expect(ties).toBeGreaterThan(100);
    expect(near).toBeGreaterThan(100);
  });

  it('cross-multiplication is rejected if two fractions may round to one quotient, and for indicators other than sums', () => {
    // x / 2 is 1 / 6 above y / 3, but both round to 2^51 + 1/2. The values that are read are equal, so they must not cross.
    const x = 2 ** 52 + 1;
    const y = Number((3n * BigInt(x) - 1n) / 2n);
    expect([x / 2 === y / 3, 3n * BigInt(x) > 2n * BigInt(y)]).toEqual([true, true]);
    expect(crossMultipliers({ divisor: 2, max: x }, { divisor: 3, max: y })).toBeNull();
    expect(crossMultipliers({ divisor: 1, max: Infinity }, { divisor: 3, max: 5 })).toBeNull();
    expect(crossMultipliers({ divisor: 1, max: Infinity }, { divisor: 1, max: Infinity })).toBeNull();
  });

  it('cross-multiplication removes the common factor, so that the scale of prices does not reduce its range', () => {
    expect(crossMultipliers({ divisor: 10 * 1e8, max: 1e15 }, { divisor: 30 * 1e8, max: 3e15 })).toEqual([3, 1]);
    expect(crossMultipliers({ divisor: 7, max: 100 }, { divisor: 25, max: 100 })).toEqual([25, 7]);
  });
});

describe('windows of sums', () => {
  it('windows of sums show the same bits, divided on reading or in advance for another indicator', () => {
    const ticks = [...ticksOf(syntheticBars(300, 4), 'close')];
    for (const makeSpec of [(feed: FeedSeries) => sma(feed.close, 7), (feed: FeedSeries) => wma(feed.close, 7)]) {
      const inOneBlock = new BigInt64Array(read(makeSpec, 300, false).buffer);
      for (const blockRows of [1, 5, 64, 300]) {
        expect(new BigInt64Array(read(makeSpec, blockRows, true).buffer)).toEqual(inOneBlock);
        expect(new BigInt64Array(read(makeSpec, blockRows, false).buffer)).toEqual(inOneBlock);
      }
    }
    const readValues = read((feed) => sma(feed.close, 7), 64, false);
    for (let row = 6; row < 300; row++) {
      expect(readValues[3 * row]).toBe(ticks.slice(row - 6, row + 1).reduce((sum, tick) => sum + tick, 0) / 700);
    }
  });

  it('windows of sums cross and compare like their quotients, with many ties and any block size', () => {
    const kind = fc.constantFrom(sma, wma);
    const length = fc.integer({ min: 1, max: 9 });
    const prices = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 30, maxLength: 60 });
    fc.assert(
      fc.property(prices, kind, length, kind, length, fc.integer({ min: 1, max: 61 }), (ticks, one, bars, other, otherBars, blockRows) => {
        const feed = barsOfCloses(
          ticks.map((tick) => tick / 100),
          2,
        );
        const a: MakeSpec = (of) => one(of.close, bars);
        const b: MakeSpec = (of) => other(of.close, otherBars);
        const { rows } = rowsOf(feed, blockRows, a, b);
        expect(rows).toEqual(rowsOf(feed, blockRows, divided(a), divided(b)).rows);
        expect(rows).toEqual(rowsOf(feed, blockRows, a, divided(b)).rows);
      }),
      { numRuns: 150 },
    );
  });

  it('windows of sums that are too large to multiply are divided first, with the same rows', () => {
    const a: MakeSpec = (of) => sma(of.close, 7);
    const b: MakeSpec = (of) => sma(of.close, 25);
    // Two averages, a crossing and two comparisons. Large sums need two divisions more.
    expect(rowsOf(barsOfCloses(wavePrices(6e12), 8), 32, a, b).kernels).toBe(5);
    const large = barsOfCloses(wavePrices(2e14), 8);
    expect(rowsOf(large, 32, a, b).kernels).toBe(7);
    const { rows } = rowsOf(large, 32, a, b);
    expect(rows[0]!.length).toBeGreaterThan(3);
    expect(rows).toEqual(rowsOf(large, 32, divided(a), divided(b)).rows);
  });
});
