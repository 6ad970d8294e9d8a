// Decimals written digit by digit against the division of decimal.js, member by member.

import { expect, test } from 'vitest';
import { Decimal } from './decimal.ts';
import { seededRng } from './rng.ts';
import { decimalOf } from './scaledDecimal.ts';

const EDGES = [0, 1, 9, 10, 9_999_999, 1e7, 10_000_001, 99_999_999_999_999, 1e14, 100_000_010_000_000, 2 ** 53 - 1];

function check(value: number, digits: number): void {
  const { s, e, d } = new Decimal(value).div(Decimal.pow(10, digits));
  const found = decimalOf(value, digits);
  if (found.s !== s || found.e !== e || String(found.d) !== String(d))
    expect({ s: found.s, e: found.e, d: found.d }, `${value} of ${digits} digits`).toEqual({ s, e, d });
}

test('edges and random integers, of every scale and both signs, are written as decimal.js writes them', () => {
  const rng = seededRng(20261127);
  for (let digits = 0; digits <= 22; digits++) {
    for (const edge of EDGES) {
      check(edge, digits);
      check(-edge, digits);
    }
    for (let round = 0; round < 4_000; round++) {
      const value = Math.floor(rng.next() * 10 ** (rng.next() * 15.9));
      // Also many zeros at the end.
      check(value, digits);
      check(-value * 1000 > -(2 ** 53) ? -value * 1000 : -value, digits);
    }
  }
});

test('a value that is not an exact integer is written by division', () => {
  for (const value of [2 ** 53, 1e300, 0.5, -1.25]) expect(decimalOf(value, 3).eq(new Decimal(value).div(1000))).toBe(true);
  expect(decimalOf(NaN, 3).isNaN()).toBe(true);
  expect(decimalOf(Infinity, 3).isFinite()).toBe(false);
});
