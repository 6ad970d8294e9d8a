// Tests growing funding rates: readers see each new rate, the newest rate can be corrected, and earlier rates are rejected.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GrowingRates } from './growingRates.ts';

it('growing rates are those that were set, in order, with the corrected value of a rate that was set twice', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.float({ noNaN: false })), { maxLength: 300 }), (steps) => {
      const rates = new GrowingRates();
      const expected: [number, number][] = [];
      let timeMs = 1;
      for (const [step, rate] of steps) {
        timeMs += step;
        if (expected.at(-1)?.[0] === timeMs) expected.pop();
        expected.push([timeMs, rate]);
        rates.set(timeMs, rate);
      }
      expect(Array.from({ length: rates.length }, (_, index) => [rates.timeMs[index], rates.rate[index]])).toEqual(expected);
      expect(rates.lastMs).toBe(expected.at(-1)?.[0] ?? -Infinity);
    }),
  );
});

it('a funding rate before the newest one is rejected', () => {
  const rates = new GrowingRates();
  rates.set(10, 0.1);
  expect(() => rates.set(9, 0.1)).toThrow('a funding rate of 9 after that of 10');
});

it('removed funding rates can be set again, and earlier ones stay', () => {
  const rates = new GrowingRates();
  for (const timeMs of [10, 20, 30]) rates.set(timeMs, timeMs / 100);
  rates.removeFrom(20);
  expect([rates.length, rates.lastMs]).toEqual([1, 10]);
  rates.set(20, 0.5);
  expect(Array.from(rates.rate.subarray(0, rates.length))).toEqual([0.1, 0.5]);
});
