// Tests that decimals written digit by digit equal the quotients of decimal.js in every member.

import { expect, test } from 'vitest';
import { Decimal } from './decimal.ts';
import { seededRng } from './rng.ts';
import { decimalOf } from './scaledDecimal.ts';

const EDGES = [0, 1, 9, 10, 9_999_999, 1e7, 10_000_001, 99_999_999_999_999, 1e14, 100_000_010_000_000, 2 ** 53 - 1];

/** Expects the same sign, exponent and digits as a division by decimal.js gives. */
function expectSameDecimal(value: number, digits: number): void {
  const { s, e, d } = new Decimal(value).div(Decimal.pow(10, digits));
  const decimal = decimalOf(value, digits);
  if (decimal.s !== s || decimal.e !== e || String(decimal.d) !== String(d))
    expect({ s: decimal.s, e: decimal.e, d: decimal.d }, `${value} of ${digits} digits`).toEqual({ s, e, d });
}

test('scaled integers of every scale and both signs are written as decimal.js writes them', () => {
  const rng = seededRng(20261127);
  for (let digits = 0; digits <= 22; digits++) {
    for (const edge of EDGES) {
      expectSameDecimal(edge, digits);
      expectSameDecimal(-edge, digits);
    }
    for (let round = 0; round < 4_000; round++) {
      const value = Math.floor(rng.next() * 10 ** (rng.next() * 15.9));
      const withTrailingZeros = value * 1000;
      expectSameDecimal(value, digits);
      expectSameDecimal(withTrailingZeros < 2 ** 53 ? -withTrailingZeros : -value, digits);
    }
  }
});

test('a value that is not an exact integer is written by division', () => {
  for (const value of [2 ** 53, 1e300, 0.5, -1.25]) expect(decimalOf(value, 3).eq(new Decimal(value).div(1000))).toBe(true);
  expect(decimalOf(NaN, 3).isNaN()).toBe(true);
  expect(decimalOf(Infinity, 3).isFinite()).toBe(false);
});
