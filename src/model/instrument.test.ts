// Tests that the conversion of volumes to whole lots neither loses nor adds a lot by rounding errors of doubles.

import { expect, it } from 'vitest';
import { wholeLots } from './instrument.ts';

it('a volume of whole lots becomes exactly this number of lots', () => {
  expect(0.29 * 100).toBeLessThan(29);
  for (const digits of [0, 1, 2, 3, 5, 8]) {
    const lotNumbers = Array.from({ length: 20_000 }, (_, lots) => lots);
    expect(lotNumbers.filter((lots) => wholeLots(Number(`${lots}e-${digits}`), 10 ** digits) !== lots)).toEqual([]);
  }
});

it('a sum of volumes with a rounding error becomes the nearest number of lots', () => {
  expect(0.7 + 0.1).toBeLessThan(0.8);
  expect(wholeLots(0.7 + 0.1, 10)).toBe(8);
});

it('a volume that is not whole lots is rounded down', () => {
  expect([0.299, 0.2999999, 0.009, 0].map((volume) => wholeLots(volume, 100))).toEqual([29, 29, 0, 0]);
});

it('a volume in coins becomes whole contracts for every face value', () => {
  expect([29, 30, 0.3].map((coins) => wholeLots(coins, 0.1))).toEqual([2, 3, 0]);
  expect(wholeLots(0.003, 1000)).toBe(3);
});
