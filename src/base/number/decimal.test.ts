// Tests the conversion of decimal text to whole units.

import { expect, it } from 'vitest';
import { nearestScaled } from './decimal.ts';

it.each([
  // 1.005 as a double times 100 is below 100.5.
  ['1.005', 2, 101],
  ['0.000000000115', 13, 1150],
  ['-0.0001', 12, -100_000_000],
  ['2.4', 0, 2],
])('%s in units of %i digits is the nearest whole number', (text, digits, units) => {
  expect(nearestScaled(text, digits)).toBe(units);
});
