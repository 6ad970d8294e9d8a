// Growing funding rates: readers see each new rate, the newest rate may be corrected, and none is inserted before it.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GrowingRates } from './growingRates.ts';

it('growing rates have the values that were set, in order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.float({ noNaN: false })), { maxLength: 300 }), (steps) => {
      const rates = new GrowingRates();
      const expected: [number, number][] = [];
      let atMs = 1;
      for (const [step, rate] of steps) {
        atMs += step;
        if (expected.at(-1)?.[0] === atMs) expected.pop();
        expected.push([atMs, rate]);
        rates.set(atMs, rate);
      }
      expect(Array.from({ length: rates.length }, (_, at) => [rates.timeMs[at], rates.rate[at]])).toEqual(expected);
      expect(rates.lastMs).toBe(expected.at(-1)?.[0] ?? -Infinity);
    }),
  );
});

it('a rate before the newest one is rejected', () => {
  const rates = new GrowingRates();
  rates.set(10, 0.1);
  expect(() => rates.set(9, 0.1)).toThrow('a funding rate of 9 after that of 10');
});
