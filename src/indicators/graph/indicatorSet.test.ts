// Tests the indicator set: registration, shared kernels, sealing and depth, and that a series shows no row after its cursor.

import { describe, expect, it } from 'vitest';
import { syntheticBars } from '../../../test/fixtures/syntheticBars.ts';
import { ConfigError, InvariantError, StrategyError } from '../../base/errors.ts';
import { ema, sma } from '../averages.ts';
import { bollinger, highest } from '../channels.ts';
import { custom } from '../custom.ts';
import { IndicatorSet } from './indicatorSet.ts';
import { macd, rsi, stochastic } from '../oscillators.ts';
import { above, crossedUp } from '../signals.ts';
import { ownerOf } from './spec.ts';
import { williamsR } from '../technicalAdapter.ts';
import { atr } from '../trend.ts';

const bars = syntheticBars(400, 3);

const identity = () => (x: number) => x;

function newSet(blockRows = 16) {
  const cursor = { row: -1 };
  return { cursor, set: new IndicatorSet(bars, cursor, blockRows) };
}

/** Returns message and remedy of a ConfigError. */
function message(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return `${error.message} | ${error.remedy}`;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('registration', () => {
  it('the key of a spec names its kind, sources and parameters, and its warm-up counts that of its sources', () => {
    const { set } = newSet();
    const { close } = set.series;
    const band = set.use(bollinger(close, 20, 2));
    expect(sma(close, 10)).toMatchObject({ key: 'sma(close, 10)', warmupBars: 10 });
    expect(ema(rsi(close, 14), 9)).toMatchObject({ key: 'ema(rsi(close, 14), 9)', warmupBars: 23 });
    expect(crossedUp(close, band.lower)).toMatchObject({ key: 'crossedUp(close, bollinger(close, 20, 2).lower)', warmupBars: 21 });
    expect(above(rsi(close, 14), 70)).toMatchObject({ key: 'above(rsi(close, 14), 70)', warmupBars: 15 });
    expect(macd(close)).toMatchObject({ key: 'macd(close, 12, 26, 9)', warmupBars: 34 });
    expect(stochastic(set.series, 14, 3, 3)).toMatchObject({ warmupBars: 18 });
    expect(atr(set.series, 14)).toMatchObject({ key: 'atr(high, low, close, 14)', warmupBars: 15 });
  });

  it('equal keys share one kernel and one series, also as sources of other indicators', () => {
    const { set } = newSet();
    const { close } = set.series;
    const average = set.use(sma(close, 10));
    expect(set.use(sma(close, 10))).toBe(average);
    set.use(crossedUp(sma(close, 10), sma(close, 30)));
    set.use(crossedUp(average, sma(close, 30)));
    expect(set.use(custom(close, identity))).toBe(set.use(custom(close, identity)));
    expect(set.use(custom(close, () => (x) => x))).not.toBe(set.use(custom(close, identity)));
    set.seal();
    expect(set.kernels).toHaveLength(5);
    expect(set.keyOf(average)).toBe('sma(close, 10)');
  });

  it('the set is the owner of its specs and series, and readyRow is the first row at which all of them are ready', () => {
    const { set } = newSet();
    const spec = sma(set.series.close, 30);
    expect(ownerOf(spec)).toBe(set);
    expect(ownerOf(set.series.close)).toBe(set);
    expect(set.readyRow).toBe(0);
    expect(ownerOf(set.use(spec))).toBe(set);
    expect(set.readyRow).toBe(29);
    set.use(sma(set.series.close, 10));
    expect(set.readyRow).toBe(29);
  });

  it('composed indicators over two feeds, foreign objects and invalid parameters are rejected', () => {
    const { set } = newSet();
    const otherSet = newSet().set;
    const mixed = { ...set.series, close: otherSet.series.close };
    expect(message(() => stochastic(mixed))).toMatch(/^stochastic\(.*: expected sources of one feed/);
    expect(crossedUp(set.series.close, otherSet.series.close).key).toBe(`crossedUp(close, of(${otherSet.label}, close))`);
    expect(() => set.use(sma(otherSet.series.close, 3))).toThrow(InvariantError);
    const foreign = { value: 1, prev: 1, ready: true, ago: () => 1 };
    expect(message(() => sma(foreign, 3))).toMatch(/not a series/);
    expect(message(() => sma(set.series.close, 0))).toBe(
      'sma: bars: expected a whole number from 1 to 10000000, got 0 | correct the bars of sma',
    );
    expect(message(() => sma(set.series.close, 2.5))).toMatch(/got 2.5/);
    expect(message(() => bollinger(set.series.close, 20, NaN))).toMatch(/widths: expected a number above 0, got NaN/);
    expect(message(() => macd(set.series.close, 26, 12))).toMatch(/slowBars: expected a whole number from 27/);
    expect(message(() => above(set.series.close, Infinity))).toMatch(/finite/);
  });

  it('after seal, registrations and new specs are rejected, because `if (crossedUp(a, b))` would be true on every bar', () => {
    const { set } = newSet();
    const spec = sma(set.series.close, 10);
    const average = set.use(spec);
    set.seal();
    expect(message(() => set.use(spec))).toMatch(/^sma\(close, 10\): .*while the strategy is constructed.*make it a field/);
    expect(message(() => crossedUp(average, set.series.close))).toMatch(
      /^crossedUp\(sma\(close, 10\), close\): .*while the strategy is constructed/,
    );
    expect(message(() => set.use(set.series.close, 5))).toMatch(/while the strategy is constructed/);
  });

  it('window sums that exceed the exact range of doubles are rejected with a remedy', () => {
    const { set } = newSet();
    set.use(sma(set.series.close, 10_000_000));
    const fine = { ...syntheticBars(50, 1), instrument: { ...bars.instrument, priceDigits: 11 } };
    const tooFine = new IndicatorSet(fine, { row: -1 }, 16);
    tooFine.use(sma(tooFine.series.close, 5000));
    expect(() => set.seal()).not.toThrow();
    expect(message(() => tooFine.seal())).toMatch(/^sma over 5000 bars: expected window sums below 2\^53 ticks.*fewer/);
  });

  it('seal requires technicalindicators if a registered indicator needs the package', () => {
    const { set } = newSet();
    set.use(sma(set.series.close, 3));
    expect(set.needsTechnical).toBe(false);
    set.use(ema(williamsR(set.series, 5), 3));
    expect(set.needsTechnical).toBe(true);
    expect(() => set.seal()).toThrow(InvariantError);
  });
});

describe('reading', () => {
  it('ago returns earlier values up to the registered depth, also of earlier blocks, and rejects a greater depth', () => {
    const { cursor, set } = newSet(16);
    const average = set.use(sma(set.series.close, 3), 40);
    const close = set.use(set.series.close, 2);
    const extreme = set.use(highest(set.series.high, 5));
    set.seal();
    for (let from = 0; from < bars.length; from += 16) {
      for (const kernel of set.kernels) kernel.fill(from, Math.min(from + 16, bars.length));
      cursor.row = Math.min(from + 15, bars.length - 1);
    }
    const trace = set.traceValues(average);
    for (const back of [0, 1, 2, 17, 39, 40]) expect(average.ago(back)).toBe(trace[cursor.row - back]);
    expect([close.value, close.prev, close.ago(2)]).toEqual([0, 1, 2].map((back) => bars.close[cursor.row - back]));
    expect(message(() => average.ago(41))).toBe(
      'sma(close, 3): ago(41): expected a whole number from 0 to 40, its registered depth, got 41 | register the depth: use(series, { depth: 41 })',
    );
    expect(message(() => close.ago(3))).toMatch(/use\(series, \{ depth: 3 \}\)/);
    expect(message(() => extreme.ago(2))).toMatch(/depth, got 2/);
    for (const invalidDepth of [-1, 0.5, NaN, Infinity, 2 ** 32]) expect(() => average.ago(invalidDepth)).toThrow(ConfigError);
  });

  it('traces after freeBlocks have the values from before it', () => {
    const { set } = newSet(16);
    const average = set.use(ema(sma(set.series.close, 7), 5));
    set.seal();
    const tracesOfSet = () => [average, set.series.close].map((series) => set.traceValues(series));
    const before = tracesOfSet();
    set.freeBlocks();
    expect(tracesOfSet()).toEqual(before);
  });

  it('traceAt has the values of traceValues at its rows, and reads no row after the last of them', () => {
    const { set } = newSet(16);
    const average = set.use(sma(set.series.close, 3), 4);
    const smooth = set.use(ema(sma(set.series.close, 7), 5));
    let calls = 0;
    const counted = set.use(custom(set.series.close, () => (x) => (calls++, x)));
    set.seal();
    const rows = Int32Array.from([0, 2, 3, 150, 151, 299]);
    for (const series of [average, smooth, set.series.close]) {
      const all = set.traceValues(series);
      expect(set.traceAt(series, rows)).toEqual(Float64Array.from(rows, (row) => all[row]!));
    }
    expect(set.traceAt(average, rows)[1]).toBe((bars.close[0]! + bars.close[1]! + bars.close[2]!) / 3);
    expect(set.traceAt(average, new Int32Array(0))).toHaveLength(0);
    const last = Int32Array.of(bars.length - 1);
    expect(set.traceAt(average, last)[0]).toBe(set.traceValues(average)[bars.length - 1]);
    calls = 0;
    set.traceAt(counted, Int32Array.of(9));
    expect(calls).toBe(10);
  });

  it('a series has no value before the first row, and only values up to its cursor', () => {
    const { cursor, set } = newSet(400);
    const average = set.use(sma(set.series.close, 2), 3);
    const isAbove = set.use(above(set.series.close, average));
    set.seal();
    expect([average.value, average.prev, average.ago(3), set.series.close.value, set.series.close.prev]).toEqual([NaN, NaN, NaN, NaN, NaN]);
    expect([average.ready, isAbove.value, isAbove.prev, isAbove.ready]).toEqual([false, false, false, false]);
    for (const kernel of set.kernels) kernel.fill(0, 400);
    cursor.row = 0;
    expect([average.value, isAbove.ready, set.series.close.prev]).toEqual([NaN, false, NaN]);
    cursor.row = 1;
    expect(average.value).toBe((Math.round(bars.close[0]! * 100) + Math.round(bars.close[1]! * 100)) / 200);
    const ownKeys = [...Reflect.ownKeys(average), ...Reflect.ownKeys(isAbove)];
    expect(ownKeys).toEqual([]);
    expect(new Set(Reflect.ownKeys(Object.getPrototypeOf(average)))).toEqual(new Set(['ago', 'constructor', 'prev', 'ready', 'value']));
  });

  it('a custom function gets ready values one at a time, and must return a number', () => {
    const { set } = newSet();
    const receivedValues: number[] = [];
    set.use(custom(sma(set.series.close, 3), () => (x) => (receivedValues.push(x), x)));
    set.seal();
    for (const kernel of set.kernels) kernel.fill(0, 5);
    expect(receivedValues).toHaveLength(3);
    const broken = newSet().set;
    // @ts-expect-error the compiler rejects a function that returns nothing, but plain JavaScript can pass one
    broken.use(custom(broken.series.close, () => () => undefined));
    broken.seal();
    expect(() => broken.kernels[0]!.fill(0, 1)).toThrow(StrategyError);
  });

  it('kernels reject blocks with gaps, overlaps or too many rows', () => {
    const { set } = newSet(16);
    set.use(sma(set.series.close, 3));
    set.seal();
    const kernel = set.kernels[0]!;
    expect(() => kernel.fill(1, 2)).toThrow(InvariantError);
    expect(() => kernel.fill(0, 17)).toThrow(InvariantError);
    kernel.fill(0, 16);
    kernel.fill(16, 16);
    expect(() => kernel.fill(15, 20)).toThrow(InvariantError);
  });
});

describe('traces', () => {
  it('a trace has the values of the run, does not change the run, and starts custom functions with new state', () => {
    const { cursor, set } = newSet(16);
    const total = set.use(
      custom(set.series.close, () => {
        let sum = 0;
        return (x) => (sum += x);
      }),
    );
    const smooth = set.use(ema(total, 5));
    set.seal();
    for (const kernel of set.kernels) kernel.fill(0, 16);
    cursor.row = 15;
    const before = [total.value, smooth.value];
    const trace = set.traceValues(smooth);
    expect(trace).toHaveLength(bars.length);
    expect(trace[15]).toBe(smooth.value);
    expect([total.value, smooth.value]).toEqual(before);
    for (const kernel of set.kernels) kernel.fill(16, 32);
    cursor.row = 31;
    expect(smooth.value).toBe(trace[31]);
    expect(set.traceValues(set.series.close)).toEqual(bars.close);
  });
});
