// Tests every kernel: the same bits for any block size, the first ready row by the warm-up, and textbook values on small series.

import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { emptyBars, syntheticBars } from '../../test/fixtures/syntheticBars.ts';
import type { BarColumns } from '../model/bars/bars.ts';
import { ema, sma, vwap, wma } from './averages.ts';
import { bollinger, highest, lowest } from './channels.ts';
import { custom } from './custom.ts';
import { IndicatorSet } from './graph/indicatorSet.ts';
import { cci, kst, roc, trix } from './momentum.ts';
import { macd, mfi, rsi, stochastic, stochasticRsi } from './oscillators.ts';
import type { FeedSeries, Series, Signal } from './graph/series.ts';
import { above, and, below, crossedDown, crossedUp, not, or } from './signals.ts';
import * as technical from './technicalAdapter.ts';
import { loadTechnicalLibrary, type TechnicalLibrary } from './graph/technicalLibrary.ts';
import { adx, atr } from './trend.ts';
import type { IndicatorSpec } from './graph/spec.ts';
import { expectEqual } from '../../test/fixtures/quickExpect.ts';

const KERNELS: Record<string, (feed: FeedSeries) => IndicatorSpec<unknown>> = {
  sma: (feed) => sma(feed.close, 10),
  'sma of volume': (feed) => sma(feed.volume, 7),
  'sma of an indicator': (feed) => sma(rsi(feed.close, 5), 9),
  ema: (feed) => ema(feed.close, 12),
  'ema of an indicator with holes': (feed) => ema(vwap(feed, 5), 4),
  'sma of an indicator with holes': (feed) => sma(vwap(feed, 5), 4),
  wma: (feed) => wma(feed.close, 9),
  'wma of an indicator': (feed) => wma(ema(feed.close, 3), 6),
  vwap: (feed) => vwap(feed, 14),
  rsi: (feed) => rsi(feed.close, 14),
  'rsi with holes': (feed) => rsi(vwap(feed, 3), 4),
  atr: (feed) => atr(feed, 14),
  adx: (feed) => adx(feed, 14),
  macd: (feed) => macd(feed.close, 12, 26, 9),
  'macd with holes': (feed) => macd(vwap(feed, 5), 3, 6, 4),
  bollinger: (feed) => bollinger(feed.close, 20, 2),
  'bollinger of an indicator': (feed) => bollinger(rsi(feed.close, 14), 20, 2),
  highest: (feed) => highest(feed.high, 20),
  lowest: (feed) => lowest(feed.low, 20),
  'highest with holes': (feed) => highest(vwap(feed, 5), 6),
  stochastic: (feed) => stochastic(feed, 14, 3, 3),
  stochasticRsi: (feed) => stochasticRsi(feed.close, 14, 14, 3, 3),
  mfi: (feed) => mfi(feed, 14),
  custom: (feed) =>
    custom(
      feed.close,
      () => {
        let sum = 0;
        return (x) => (sum += x);
      },
      3,
    ),
  'custom of three sources': (feed) =>
    custom(
      [feed.high, feed.low, vwap(feed, 3)],
      () => {
        let last = 0;
        return (high, low, price) => (last = 0.9 * last + (high - low) / price);
      },
      { warmupBars: 4, pure: true },
    ),
  'custom with two outputs': (feed) =>
    custom(
      [feed.high, feed.low],
      () => {
        let sum = 0;
        return (high, low) => ({ sum: (sum += high - low), middle: (high + low) / 2 });
      },
      { outputs: ['sum', 'middle'], warmupBars: 2 },
    ),
  cci: (feed) => cci(feed, 20),
  williamsR: (feed) => technical.williamsR(feed, 14),
  obv: (feed) => technical.obv(feed),
  psar: (feed) => technical.psar(feed),
  awesomeOscillator: (feed) => technical.awesomeOscillator(feed),
  forceIndex: (feed) => technical.forceIndex(feed),
  roc: (feed) => roc(feed.close, 12),
  trix: (feed) => trix(feed.close, 9),
  'trix of an indicator': (feed) => trix(rsi(feed.close, 14), 5),
  wilder: (feed) => technical.wilder(feed.close, 14),
  keltner: (feed) => technical.keltner(feed),
  chandelierExit: (feed) => technical.chandelierExit(feed),
  ichimoku: (feed) => technical.ichimoku(feed),
  kst: (feed) => kst(feed.close),
  crossedUp: (feed) => crossedUp(sma(feed.close, 3), sma(feed.close, 8)),
  crossedDown: (feed) => crossedDown(feed.close, 100),
  above: (feed) => above(rsi(feed.close, 14), 50),
  below: (feed) => below(feed.close, vwap(feed, 5)),
  'and, or, not': (feed) =>
    or(and(above(feed.close, sma(feed.close, 5)), not(above(rsi(feed.close, 14), 70))), crossedUp(feed.close, feed.open)),
};

let library: TechnicalLibrary;
beforeAll(async () => {
  library = await loadTechnicalLibrary();
});

const isView = (x: unknown): x is Series | Signal => typeof x === 'object' && x !== null && 'prev' in x;

function viewsOf(out: unknown): readonly (Series | Signal)[] {
  if (isView(out)) return [out];
  return Object.values(out ?? {}).filter(isView);
}

/** Returns the numbers that a strategy reads in each row (value, prev and ready of every output), filled in blocks of `blockRows`. */
function readInBlocks(bars: BarColumns, makeSpec: (feed: FeedSeries) => IndicatorSpec<unknown>, blockRows: number): Float64Array {
  const cursor = { row: -1 };
  const set = new IndicatorSet(bars, cursor, blockRows);
  const views = viewsOf(set.use(makeSpec(set.series)));
  set.seal(library);
  const readValues: number[] = [];
  for (let from = 0; from < bars.length; from += blockRows) {
    const endRow = Math.min(from + blockRows, bars.length);
    for (const kernel of set.kernels) kernel.fill(from, endRow);
    for (let row = from; row < endRow; row++) {
      cursor.row = row;
      for (const view of views) readValues.push(Number(view.value), Number(view.prev), Number(view.ready));
    }
  }
  return Float64Array.from(readValues);
}

/** Returns the closes, with NaN instead of the price 3. */
const withGaps = (feed: FeedSeries) => custom(feed.close, () => (x) => (x === 3 ? NaN : x));

/** Returns the values of a single series over the rows of `bars`. */
function values(bars: BarColumns, makeSpec: (feed: FeedSeries) => IndicatorSpec<Series>): number[] {
  const set = new IndicatorSet(bars, { row: -1 }, 8);
  const series = set.use(makeSpec(set.series));
  set.seal(library);
  return [...set.traceValues(series)];
}

/** Returns bars whose four prices are equal. */
function barsAt(prices: readonly number[]): BarColumns {
  const bars = emptyBars(prices.length);
  for (const column of [bars.open, bars.high, bars.low, bars.close]) column.set(prices);
  bars.volume.fill(1);
  return bars;
}

describe.each(Object.entries(KERNELS))('the kernel %s', (name, makeSpec) => {
  const bars = syntheticBars(1500, 11);

  it('an indicator has the same bits in blocks of 1, 7, 512 and 4096 rows', () => {
    const inOneBlock = new BigInt64Array(readInBlocks(bars, makeSpec, 4096).buffer);
    for (const blockRows of [1, 7, 512]) expectEqual(new BigInt64Array(readInBlocks(bars, makeSpec, blockRows).buffer), inOneBlock);
  });

  it('an indicator is first ready at the row that its warm-up names', () => {
    const cursor = { row: -1 };
    const set = new IndicatorSet(bars, cursor, bars.length);
    const views = viewsOf(set.use(makeSpec(set.series)));
    set.seal(library);
    for (const kernel of set.kernels) kernel.fill(0, bars.length);
    const ready = views.map((view) => {
      for (cursor.row = 0; cursor.row < bars.length && !view.ready; cursor.row++);
      return cursor.row;
    });
    // The synthetic bars start with 20 rows without volume or price changes. In these rows some indicators have no value after their warm-up.
    if (/holes|vwap|below|cci|williamsR|three sources/.test(name)) expect(Math.max(...ready)).toBeGreaterThanOrEqual(set.readyRow);
    else expect(Math.max(...ready)).toBe(set.readyRow);
  });
});

describe('indicators of a few bars', () => {
  it('sma, wma and ema have the values that were computed by hand', () => {
    const bars = barsAt([1, 2, 3, 4, 6]);
    expect(values(bars, (feed) => sma(feed.close, 3))).toEqual([NaN, NaN, 2, 3, 13 / 3]);
    expect(values(bars, (feed) => wma(feed.close, 3))).toEqual([NaN, NaN, 14 / 6, 20 / 6, 29 / 6]);
    expect(values(bars, (feed) => ema(feed.close, 3))).toEqual([NaN, NaN, 2, 3, 4.5]);
    expect(values(bars, (feed) => sma(feed.close, 1))).toEqual([1, 2, 3, 4, 6]);
  });

  it('rsi of a flat market is 50, of a rising one 100, of a falling one 0', () => {
    expect(values(barsAt([5, 5, 5, 5]), (feed) => rsi(feed.close, 2))).toEqual([NaN, NaN, 50, 50]);
    expect(values(barsAt([5, 6, 7, 8]), (feed) => rsi(feed.close, 2))).toEqual([NaN, NaN, 100, 100]);
    expect(values(barsAt([8, 7, 6, 5]), (feed) => rsi(feed.close, 2))).toEqual([NaN, NaN, 0, 0]);
  });

  it('adx of a flat market is 0, stochastic and mfi are 50', () => {
    const flat = barsAt(Array.from({ length: 8 }, () => 5));
    const set = new IndicatorSet(flat, { row: -1 }, 8);
    const trend = set.use(adx(set.series, 2));
    const position = set.use(stochastic(set.series, 2));
    const flow = set.use(mfi(set.series, 2));
    set.seal();
    expect(set.traceValues(trend.adx)[7]).toBe(0);
    expect(set.traceValues(position.d)[7]).toBe(50);
    expect(set.traceValues(flow)[7]).toBe(50);
  });

  it('the highest includes the newest bar, and its prev only the bars before it', () => {
    const bars = barsAt([3, 1, 2, 9, 4]);
    expect(values(bars, (feed) => highest(feed.high, 3))).toEqual([NaN, NaN, 3, 9, 9]);
    expect(values(bars, (feed) => lowest(feed.low, 3))).toEqual([NaN, NaN, 1, 1, 2]);
  });

  it('a custom indicator gets its sources in order and gives its outputs by name', () => {
    const bars = barsAt([1, 2, 3]);
    bars.high.set([2, 4, 6]);
    const set = new IndicatorSet(bars, { row: -1 }, 8);
    const outputs = set.use(
      custom([set.series.high, set.series.close], () => (high, close) => ({ spread: high - close, ratio: high / close }), {
        outputs: ['spread', 'ratio'],
      }),
    );
    set.seal();
    expect([...set.traceValues(outputs.spread)]).toEqual([1, 2, 3]);
    expect([...set.traceValues(outputs.ratio)]).toEqual([2, 2, 2]);
    const { series } = new IndicatorSet(bars, { row: -1 }, 8);
    expect(() => custom([], () => () => 1)).toThrow('at least one source');
    expect(() => custom(series.close, () => () => ({ a: 1 }), { outputs: ['a', 'a'] })).toThrow('different names');
    const missingOutput = new IndicatorSet(bars, { row: -1 }, 8);
    // @ts-expect-error: an output is missing
    missingOutput.use(custom(missingOutput.series.close, () => () => ({ a: 1 }), { outputs: ['a', 'b'] }));
    missingOutput.seal();
    expect(() => missingOutput.kernels[0]!.fill(0, 3)).toThrow('returned undefined for b');
  });

  it('vwap has no value on rows without volume', () => {
    const bars = barsAt([10, 20, 30, 40]);
    bars.volume.set([0, 0, 1, 3]);
    expect(values(bars, (feed) => vwap(feed, 2))).toEqual([NaN, NaN, 30, 37.5]);
  });

  it('the middle Bollinger band and the simple average are the same number', () => {
    const bars = syntheticBars(2000, 5);
    const set = new IndicatorSet(bars, { row: -1 }, 64);
    const middle = set.use(bollinger(set.series.close, 20, 2)).middle;
    const average = set.use(sma(set.series.close, 20));
    set.seal();
    expect(set.traceValues(middle)).toEqual(set.traceValues(average));
  });

  it('a hole in the source of an indicator restarts its warm-up and clears its state', () => {
    const bars = barsAt([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(values(bars, (feed) => sma(withGaps(feed), 2))).toEqual([NaN, 1.5, NaN, NaN, 4.5, 5.5, 6.5, 7.5]);
    expect(values(bars, (feed) => ema(withGaps(feed), 2)).slice(2, 5)).toEqual([NaN, NaN, 4.5]);
    expect(values(bars, (feed) => wma(withGaps(feed), 2)).slice(2, 4)).toEqual([NaN, NaN]);
    expect(values(bars, (feed) => highest(withGaps(feed), 2))).toEqual([NaN, 2, NaN, NaN, 5, 6, 7, 8]);
    expect(values(bars, (feed) => rsi(withGaps(feed), 2)).slice(2)).toEqual([NaN, NaN, NaN, 100, 100, 100]);
  });
});

describe('exact indicators', () => {
  it('highest and lowest equal the extremes of the window for any series', () => {
    const price = fc.integer({ min: 1, max: 12 });
    fc.assert(
      fc.property(fc.array(price, { minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 9 }), (prices, bars) => {
        const window = (row: number) => prices.slice(row - bars + 1, row + 1);
        const expected = (pick: (...of: number[]) => number) => prices.map((_, row) => (row < bars - 1 ? NaN : pick(...window(row))));
        expect(values(barsAt(prices), (feed) => highest(feed.close, bars))).toEqual(expected(Math.max));
        expect(values(barsAt(prices), (feed) => lowest(feed.close, bars))).toEqual(expected(Math.min));
      }),
      { numRuns: 60 },
    );
  });

  it('equal averages are equal numbers, so that a tie is not a crossing', () => {
    // The floats 0.1 + 0.2 + 0.3 and 0.2 * 3 differ in the last bit, and so would the two averages of this series.
    const bars = barsAt([0.2, 0.2, 0.2, 0.1, 0.2, 0.3, 0.1, 0.2, 0.3]);
    const short = values(bars, (feed) => sma(feed.close, 3));
    const long = values(bars, (feed) => sma(feed.close, 6));
    expect(short.slice(5)).toEqual([0.2, 0.2, 0.2, 0.2]);
    expect(long[5]).toBe(short[5]);
    expect(long[8]).toBe(short[8]);
  });
});
