// Tests the conversion of decimal text to whole units.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Decimal, nearestScaled, toScaled } from './decimal.ts';

it.each([
  // 1.005 as a double times 100 is below 100.5.
  ['1.005', 2, 101],
  ['0.000000000115', 13, 1150],
  ['-0.0001', 12, -100_000_000],
  ['2.4', 0, 2],
])('%s in units of %i digits is the nearest whole number', (text, digits, units) => {
  expect(nearestScaled(text, digits)).toBe(units);
});

it('decimal text in whole units equals decimal.js, or null if it is finer', () => {
  const text = fc.oneof(
    fc.stringMatching(/^-?\d{1,12}(\.\d{1,12})?$/),
    fc.stringMatching(/^[0-9]{1,8}\.[0-9]{1,4}0{0,6}$/),
    fc.constantFrom('0', '-0', '0.0', '007.50', '1e3', '1.5e-3', '.5', '5.', '+1'),
  );
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 12 }), (value, digits) => {
      const scaled = new Decimal(value).times(new Decimal(10).pow(digits));
      fc.pre(scaled.abs().lt(2 ** 53));
      expect(toScaled(value, digits)).toBe(scaled.isInteger() ? scaled.toNumber() : null);
    }),
    { numRuns: 1000 },
  );
  for (const value of ['', '.', '-', 'x', '1.2.3', '1,5']) expect(() => toScaled(value, 2), value).toThrow();
});
