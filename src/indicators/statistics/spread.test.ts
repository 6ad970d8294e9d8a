// Tests variance, z-score, correlation, covariance and beta over hostile series, against sums of whole numbers over each window.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { emptyBars } from '../../../test/fixtures/syntheticBars.ts';
import { div, sub } from '../arithmetic/arithmetic.ts';
import { IndicatorSet } from '../graph/indicatorSet.ts';
import type { FeedSeries, Series } from '../graph/series.ts';
import type { IndicatorSpec } from '../graph/spec.ts';
import { beta, corr, covariance } from './pairs.ts';
import { stdDev, variance, zscore } from './statistics.ts';

const ROWS = 240;
const LONG_ROWS = 1500;
/** The largest error: of a variance its share, of a correlation or a z-score the difference. */
const MAX_ERROR = 1e-9;

type Column = readonly number[];

/** Returns the values of a spec over rows of two series, in blocks of `blockRows`. A NaN in one of them leaves both without a value there. */
function valuesOf(
  [a, b]: readonly [Column, Column],
  spec: (x: IndicatorSpec<Series>, y: IndicatorSpec<Series>) => IndicatorSpec<Series>,
  blockRows: number,
): Column {
  const bars = emptyBars(a.length);
  // A volume of 0 makes the hole: the series are divided by it.
  const isHole = (row: number) => Number.isNaN(a[row]) || Number.isNaN(b[row]);
  for (let row = 0; row < a.length; row++) {
    bars.open[row] = isHole(row) ? 1 : a[row]!;
    bars.close[row] = isHole(row) ? 1 : b[row]!;
    bars.volume[row] = isHole(row) ? 0 : 1;
  }
  const set = new IndicatorSet(bars, { row: -1 }, blockRows);
  const feed: FeedSeries = set.series;
  const used = set.use(spec(div(feed.open, feed.volume), div(feed.close, feed.volume)));
  set.seal();
  return [...set.traceValues(used)];
}

/** The smallest difference of two values: their multiples are exact as whole numbers. */
const PRICE_STEP = 2 ** -20;

/** The sums of squares and products of the distances from the means, from whole numbers. Null if a value of the window is missing. */
function exactSpread(a: Column, b: Column, row: number, bars: number) {
  const windows = [a, b].map((column) => column.slice(row - bars + 1, row + 1));
  if (row < bars - 1 || windows.flat().some((value) => Number.isNaN(value))) return null;
  const [x, y] = windows.map((values) => values.map((value) => BigInt(value / PRICE_STEP)));
  const sum = (of: (i: number) => bigint) => x!.reduce((total, _, i) => total + of(i), 0n);
  const count = BigInt(bars);
  const sumX = sum((i) => x![i]!);
  const sumY = sum((i) => y![i]!);
  const scaled = (timesCount: bigint, power: 1 | 2) => (Number(timesCount) / bars) * PRICE_STEP ** power;
  return {
    aa: scaled(count * sum((i) => x![i]! * x![i]!) - sumX * sumX, 2),
    bb: scaled(count * sum((i) => y![i]! * y![i]!) - sumY * sumY, 2),
    ab: scaled(count * sum((i) => x![i]! * y![i]!) - sumX * sumY, 2),
    newest: scaled(count * x!.at(-1)! - sumX, 1),
  };
}

/** One stretch of a series: calm, wild, without a move, a jump or a hole. */
const stretch = fc.record({
  kind: fc.constantFrom('calm', 'wild', 'constant', 'jump', 'trend', 'hole'),
  rows: fc.integer({ min: 1, max: 60 }),
  size: fc.double({ min: 1e-6, max: 1e5, noNaN: true }),
  seed: fc.integer({ min: 1, max: 1e6 }),
});

/** Returns a series of the stretches. */
function seriesOf(stretches: readonly { kind: string; rows: number; size: number; seed: number }[], length: number): Column {
  const values: number[] = [];
  let level = 1000;
  for (let turn = 0; values.length < length; turn++) {
    const { kind, rows, size, seed } = stretches[turn % stretches.length]!;
    let state = seed;
    const draw = () => (state = (Math.imul(1664525, state) + 1013904223) >>> 0) / 2 ** 32 - 0.5;
    if (kind === 'jump') level += size * 100;
    for (let row = 0; row < rows && values.length < length; row++) {
      if (kind === 'calm') level += draw() * 1e-4;
      else if (kind === 'wild') level += draw() * size;
      else if (kind === 'trend') level += size / 100;
      values.push(kind === 'hole' && row === 0 ? NaN : Math.round(level / PRICE_STEP) * PRICE_STEP);
    }
  }
  return values;
}

const input = (rows: number) => {
  const series = fc.array(stretch, { minLength: 1, maxLength: 8 }).map((stretches) => seriesOf(stretches, rows));
  return fc.record({ a: series, b: series, bars: fc.integer({ min: 2, max: 70 }), blockRows: fc.constantFrom(1, 2, 7, 64, 2048) });
};
type Input = typeof input extends (rows: number) => fc.Arbitrary<infer Of> ? Of : never;

/** Expects the exact spreads at each row. */
function expectExact({ a, b, bars, blockRows }: Input): void {
  const of = (spec: Parameters<typeof valuesOf>[1]) => valuesOf([a, b], spec, blockRows);
  const found = {
    variance: of((x, y) => sub(variance(x, bars), sub(y, y))),
    deviation: of((x, y) => sub(stdDev(x, bars), sub(y, y))),
    zscore: of((x, y) => sub(zscore(x, bars), sub(y, y))),
    corr: of((x, y) => corr(x, y, bars)),
    covariance: of((x, y) => covariance(x, y, bars)),
    beta: of((x, y) => beta(x, y, bars)),
  };
  for (let row = 0; row < a.length; row++) {
    const exact = exactSpread(a, b, row, bars);
    const at = (name: keyof typeof found) => found[name][row]!;
    if (exact === null) {
      expect(at('corr'), `row ${row}`).toBeNaN();
      continue;
    }
    const { aa, bb, ab, newest } = exact;
    const expectClose = (name: keyof typeof found, value: number, scale: number) => {
      const message = `${name} of ${bars} bars at row ${row}: ${at(name)}, exactly ${value}`;
      expect(Math.abs(at(name) - value) / scale, message).toBeLessThan(MAX_ERROR);
    };
    if (aa === 0) {
      expect(at('variance')).toBe(0);
      expect(at('zscore')).toBeNaN();
    } else {
      expectClose('variance', aa / bars, aa / bars);
      expectClose('deviation', Math.sqrt(aa / bars), Math.sqrt(aa / bars));
      expectClose('zscore', newest / Math.sqrt(aa / bars), 1);
    }
    if (aa === 0 || bb === 0) expect(at('corr')).toBeNaN();
    else {
      expectClose('corr', ab / Math.sqrt(aa * bb), 1);
      expectClose('covariance', ab / (bars - 1), Math.sqrt(aa * bb) / (bars - 1));
      expectClose('beta', ab / bb, Math.sqrt(aa / bb));
      expect(Math.abs(at('corr'))).toBeLessThanOrEqual(1);
    }
  }
}

it('spreads over windows equal those of whole numbers, after jumps, holes and stretches without a move', () => {
  fc.assert(fc.property(input(ROWS), expectExact), { numRuns: 60 });
}, 60_000);

it('spreads over windows equal those of whole numbers over more rows than lie between two full sums', () => {
  fc.assert(fc.property(input(LONG_ROWS), expectExact), { numRuns: 6 });
}, 60_000);

it('the bits of z-score and beta do not depend on the size of the blocks', () => {
  fc.assert(
    fc.property(input(ROWS), ({ a, b, bars }) => {
      for (const spec of [
        (x: IndicatorSpec<Series>) => zscore(x, bars),
        (x: IndicatorSpec<Series>, y: IndicatorSpec<Series>) => beta(x, y, bars),
      ])
        expect(new Float64Array(valuesOf([a, b], spec, 1))).toEqual(new Float64Array(valuesOf([a, b], spec, 2048)));
    }),
    { numRuns: 60 },
  );
});
