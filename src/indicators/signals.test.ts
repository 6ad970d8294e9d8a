// Tests signals: their truth tables, their readiness, and the rows that are listed for handlers.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyBars, syntheticBars } from '../../test/fixtures/syntheticBars.ts';
import { ConfigError } from '../base/errors.ts';
import { sma } from './averages.ts';
import { custom } from './custom.ts';
import { IndicatorSet } from './graph/indicatorSet.ts';
import type { Series, Signal } from './graph/series.ts';
import { above, and, below, crossedDown, crossedUp, not, or } from './signals.ts';
import type { IndicatorSpec, SignalSource } from './graph/spec.ts';

/** The state of a signal in a row: 1 true, 0 false, null not ready. */
type State = 1 | 0 | null;

const zeroToNaN = () => (x: number) => (x === 0 ? NaN : x);

type Source = IndicatorSpec<Series>;

/** Returns the states of a signal over a feed with the closes `a` and the opens `b`. A 0 in them is a value that is not ready. */
function statesOf(
  a: readonly number[],
  b: readonly number[],
  makeSpec: (a: Source, b: Source) => IndicatorSpec<Signal>,
  blockRows = 3,
): State[] {
  const bars = emptyBars(a.length);
  bars.close.set(a);
  bars.open.set(b);
  const cursor = { row: -1 };
  const set = new IndicatorSet(bars, cursor, blockRows);
  const signal = set.use(makeSpec(custom(set.series.close, zeroToNaN), custom(set.series.open, zeroToNaN)));
  set.seal();
  const states: State[] = [];
  const listed = new Int32Array(blockRows);
  const rows: number[] = [];
  for (let from = 0; from < a.length; from += blockRows) {
    const endRow = Math.min(from + blockRows, a.length);
    for (const kernel of set.kernels) kernel.fill(from, endRow);
    rows.push(...listed.subarray(0, set.listRows(signal, from, endRow, listed)));
    for (let row = from; row < endRow; row++) {
      cursor.row = row;
      const previous = states.at(-1) === 1;
      const value = signal.value ? 1 : 0;
      states.push(signal.ready ? value : null);
      expect(signal.prev).toBe(previous);
      if (!signal.ready) expect(signal.value).toBe(false);
    }
  }
  expect(rows).toEqual([...states.keys()].filter((row) => states[row] === 1));
  return states;
}

describe('comparisons', () => {
  it('above and below are strict, and not ready when a side is not ready', () => {
    expect(statesOf([1, 2, 3, 0, 5], [2, 2, 2, 2, 0], above)).toEqual([0, 0, 1, null, null]);
    expect(statesOf([1, 2, 3, 0, 5], [2, 2, 2, 2, 0], below)).toEqual([1, 0, 0, null, null]);
    expect(statesOf([1, 2, 3, 0, 5], [0, 0, 0, 0, 0], (a) => above(a, 2))).toEqual([0, 0, 1, null, 1]);
  });

  it('crossedUp is true when a is above b now and was not above it one bar ago, and both were ready', () => {
    const b = [5, 5, 5, 5, 5, 5, 5, 5, 5];
    expect(statesOf([4, 6, 6, 5, 6, 4, 0, 6, 7], b, crossedUp)).toEqual([null, 1, 0, 0, 1, 0, null, null, 0]);
    expect(statesOf([6, 4, 4, 5, 4, 6, 0, 4, 3], b, crossedDown)).toEqual([null, 1, 0, 0, 1, 0, null, null, 0]);
    expect(statesOf([4, 6, 6, 5, 6, 4, 0, 6, 7], b, (a) => crossedUp(a, 5))).toEqual([null, 1, 0, 0, 1, 0, null, null, 0]);
  });

  it('crossings equal their definition for any series and any block size', () => {
    const side = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(side, side, fc.integer({ min: 1, max: 41 }), (a, b, blockRows) => {
        const isReady = (row: number) => row >= 0 && a[row] !== 0 && b[row] !== 0;
        const state = (row: number, isCrossing: boolean): State => {
          if (!isReady(row) || !isReady(row - 1)) return null;
          return isCrossing ? 1 : 0;
        };
        const crossingsUp = a.map((x, row) => state(row, x > b[row]! && a[row - 1]! <= b[row - 1]!));
        const crossingsDown = a.map((x, row) => state(row, x < b[row]! && a[row - 1]! >= b[row - 1]!));
        expect(statesOf(a, b, crossedUp, blockRows)).toEqual(crossingsUp);
        expect(statesOf(a, b, crossedDown, blockRows)).toEqual(crossingsDown);
      }),
      { numRuns: 100 },
    );
  });
});

/** Returns two averages of a market with many crossings. */
function twoAverages() {
  const cursor = { row: -1 };
  const set = new IndicatorSet(syntheticBars(200, 2), cursor, 50);
  return { cursor, set, fast: set.use(sma(set.series.close, 3)), slow: set.use(sma(set.series.close, 12)) };
}

describe('crossings of a pair', () => {
  it('crossings of a pair share one kernel for both orders of the series and both directions', () => {
    const { set, fast, slow } = twoAverages();
    const crossingsUp = set.use(crossedUp(fast, slow));
    const crossingsDown = set.use(crossedDown(fast, slow));
    expect(crossingsDown).not.toBe(crossingsUp);
    expect(set.use(crossedDown(slow, fast))).toBe(crossingsUp);
    expect(set.use(crossedUp(slow, fast))).toBe(crossingsDown);
    expect(set.use(not(crossedDown(slow, fast)))).toBe(set.use(not(crossingsUp)));
    expect(crossedDown(slow, fast).key).toBe('crossedDown(sma(close, 12), sma(close, 3))');
    set.seal();
    // Two averages, the crossing, the negation.
    expect(set.kernels).toHaveLength(4);
  });

  it('crossings of a pair are true at their rows when the cursor moves back and forth in the newest block', () => {
    const { cursor, set, fast, slow } = twoAverages();
    const crossingsUp = set.use(crossedUp(fast, slow));
    expect(crossingsUp.value).toBe(false);
    set.seal();
    expect(crossingsUp.value).toBe(false);
    const into = new Int32Array(50);
    let foundRows = 0;
    for (let from = 0; from < 200; from += 50) {
      for (const kernel of set.kernels) kernel.fill(from, from + 50);
      const rows = new Set(into.subarray(0, set.listRows(crossingsUp, from, from + 50, into)));
      foundRows += rows.size;
      // 7 and 50 have no common factor, so these steps reach every row, in both directions. Then the cursor reads every row twice in order.
      const steps = Array.from({ length: 50 }, (_, i) => (i * 7) % 50);
      const inOrder = Array.from({ length: 50 }, (_, i) => i);
      const visits = [...steps, ...inOrder, ...inOrder.toReversed()].map((offset) => from + offset);
      for (cursor.row of visits) expect([cursor.row, crossingsUp.value]).toEqual([cursor.row, rows.has(cursor.row)]);
      cursor.row = from + 49;
    }
    expect(foundRows).toBeGreaterThan(5);
  });

  it('crossings of a pair list the rows of any part of the newest block', () => {
    const { set, fast, slow } = twoAverages();
    const signals = [crossedUp(fast, slow), crossedDown(fast, slow), above(fast, slow)].map((spec) => set.use(spec));
    set.seal();
    for (let from = 0; from < 200; from += 50) for (const kernel of set.kernels) kernel.fill(from, from + 50);
    const list = (signal: Signal, from: number, endRow: number) => {
      const into = new Int32Array(50);
      return [...into.subarray(0, set.listRows(signal, from, endRow, into))];
    };
    for (const signal of signals) {
      const allRows = list(signal, 150, 200);
      expect(allRows.length).toBeGreaterThan(2);
      const second = allRows[1]!;
      const lastRow = allRows.at(-1)!;
      expect(list(signal, second, lastRow)).toEqual(allRows.slice(1, -1));
      expect(list(signal, lastRow, lastRow + 1)).toEqual([lastRow]);
      expect(list(signal, 150, 150)).toEqual([]);
    }
  });
});

describe('combinations', () => {
  // All nine pairs of {true, false, not ready}: a > 1 and b > 1.
  const a = [2, 2, 2, 1, 1, 1, 0, 0, 0];
  const b = [2, 1, 0, 2, 1, 0, 2, 1, 0];
  const both = (of: (x: SignalSource, y: SignalSource) => IndicatorSpec<Signal>) => statesOf(a, b, (x, y) => of(above(x, 1), above(y, 1)));

  it('and, or, not follow their truth tables, and are not ready when a side is not ready', () => {
    expect(both((x, y) => and(x, y))).toEqual([1, 0, null, 0, 0, null, null, null, null]);
    expect(both((x, y) => or(x, y))).toEqual([1, 1, null, 1, 0, null, null, null, null]);
    expect(both((x) => not(x))).toEqual([0, 0, 0, 1, 1, 1, null, null, null]);
    expect(both((x, y) => and(x, not(y), or(x, y)))).toEqual([0, 1, null, 0, 0, null, null, null, null]);
  });

  it('and() and or() without operands are rejected', () => {
    expect(() => and()).toThrow(ConfigError);
    expect(() => or()).toThrow(ConfigError);
  });
});
