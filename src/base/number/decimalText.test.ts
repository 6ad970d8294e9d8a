// Tests decimal text as scaled whole numbers against exact arithmetic.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRatio, scaleDown } from './decimalText.ts';
import { Decimal, fromScaled } from './decimal.ts';
import { MAX_EXACT } from './exact.ts';

const digits = (maxLength: number) =>
  fc.array(fc.constantFrom(...'0123456789'.split('')), { minLength: 1, maxLength: maxLength }).map((characters) => characters.join(''));
const decimalText = fc.oneof(
  digits(9),
  fc.tuple(digits(7), digits(12)).map(([whole, fraction]) => `${whole}.${fraction}`),
);

test('scaleDown returns the floor of the scaled decimal', () => {
  fc.assert(
    fc.property(decimalText, fc.nat({ max: 12 }), (value, scale) => {
      const floor = new Decimal(value).times(Decimal.pow(10, scale)).floor();
      expect(scaleDown(value, scale)).toBe(floor.gt(MAX_EXACT) ? MAX_EXACT : floor.toNumber());
    }),
  );
});

test('parseRatio returns the exact decimal, or null for too many digits', () => {
  fc.assert(
    fc.property(decimalText, (value) => {
      const ratio = parseRatio(value);
      if (ratio === null) expect(new Decimal(value).decimalPlaces() > 9 || new Decimal(value).precision(true) > 6).toBe(true);
      else expect(new Decimal(ratio.numerator).div(ratio.denominator).eq(value)).toBe(true);
    }),
  );
});

test.each(['', '-1', '+1', '1e3', ' 1', '1 ', '1.', '.5', '0x10', 'NaN', '1,5', '1_000'])('%j is not a plain decimal', (value) => {
  expect(scaleDown(value, 2)).toBeNull();
  expect(parseRatio(value)).toBeNull();
});

test('the text of a scaled integer is its shortest plain decimal', () => {
  const integer = fc.oneof(
    fc.maxSafeInteger(),
    fc.integer({ min: -1000, max: 1000 }),
    fc.nat({ max: 99 }).map((n) => n * 1e6),
  );
  fc.assert(
    fc.property(integer, fc.nat({ max: 12 }), (value, scale) => {
      expect(fromScaled(value, scale)).toBe(new Decimal(value).div(Decimal.pow(10, scale)).toFixed());
    }),
  );
});
