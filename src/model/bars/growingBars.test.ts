// Tests growing bars: readers of a column see appended rows, and rows that cannot follow are rejected.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lots } from '../../base/brand.ts';
import { ticksOf, type BarColumns } from './bars.ts';
import { GrowingBars, type BarRow } from './growingBars.ts';
import { spotInstrument } from '../../../test/fixtures/drafts.ts';

const BTC = spotInstrument('BTC', { quantityDigits: 5, baseDigits: 8, minLots: lots(1) });
const MINUTE = 60_000;
const bar = (minute: number, cents: number): BarRow => {
  const price = cents / 100;
  return { openMs: minute * MINUTE, open: price, high: price, low: price, close: price, volume: 1 };
};

test('a tick column that was computed before a bar was appended includes the bar afterwards', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 10_000_000 }), { minLength: 2, maxLength: 40 }), fc.nat(39), (cents, cutIndex) => {
      const bars = new GrowingBars(BTC, '1m', 64);
      const firstCount = 1 + Math.min(cutIndex, cents.length - 2);
      cents.slice(0, firstCount).forEach((price, index) => bars.append(bar(index, price)));
      const earlyColumn = ticksOf(bars, 'close');
      const limit = earlyColumn instanceof Int32Array ? 2 ** 31 : Infinity;
      cents.slice(firstCount).forEach((price, index) => bars.append(bar(firstCount + index, price)));
      expect(ticksOf(bars, 'close')).toBe(earlyColumn);
      expect([...earlyColumn.subarray(0, bars.length)]).toEqual(cents);
      expect(Math.max(...cents)).toBeLessThan(limit);
      expect([...ticksOf(bars, 'open').subarray(0, bars.length)]).toEqual(cents);
    }),
  );
});

test('ticks are int32 if the prices of the column fit, and float64 otherwise', () => {
  const column = (...values: number[]) => Float64Array.from(values);
  const fixed: BarColumns = {
    instrument: BTC, interval: '1m', length: 2,
    openMs: column(0, MINUTE), closeMs: column(MINUTE, 2 * MINUTE),
    open: column(1.25, 2), high: column(1.25, 2), low: column(1.25, 2), close: column(1.25, 2), volume: column(1, 1),
  }; // prettier-ignore
  expect(ticksOf(fixed, 'close')).toEqual(Int32Array.of(125, 200));
  const high = { ...fixed, close: column(3e7, 2) };
  expect(ticksOf(high, 'close')).toEqual(Float64Array.of(3e9, 200));
});

test('a bar is rejected if it does not follow the last one, has a price finer than a tick, or exceeds the capacity', () => {
  const bars = new GrowingBars(BTC, '1m', 2);
  expect(bars.lastCloseMs).toBe(-Infinity);
  bars.append(bar(5, 100));
  expect(() => bars.append(bar(5, 100))).toThrow('a bar of 300000 after 360000');
  expect(() => bars.append(bar(4, 100))).toThrow('after');
  expect(bars.hasWholeTicks(bar(6, 100.5))).toBe(false);
  expect(() => bars.append(bar(6, 100.5))).toThrow('finer than a tick');
  bars.append(bar(9, 101));
  expect([bars.length, bars.lastCloseMs]).toEqual([2, 10 * MINUTE]);
  expect(() => bars.append(bar(10, 100))).toThrow('no room for more than 2 bars');
});
