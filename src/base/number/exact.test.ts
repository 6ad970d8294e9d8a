// Tests exact products and quotients of whole numbers against BigInt.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvariantError } from '../errors.ts';
import { MAX_EXACT, mulDiv, productAtMost, mulPpmUp, type Rounding } from './exact.ts';

const ROUNDINGS: readonly Rounding[] = ['down', 'up', 'halfUp', 'halfEven'];

/** Draws whole numbers of every size. A plain integer arbitrary would mostly draw huge ones. */
const wholeNumber = fc.tuple(fc.nat({ max: MAX_EXACT }), fc.nat({ max: 53 })).map(([value, bits]) => value % 2 ** bits);

/** Returns a x b / divisor, computed with BigInt. */
function oracle(a: number, b: number, divisor: number, round: Rounding): bigint {
  const product = BigInt(a) * BigInt(b);
  const bigDivisor = BigInt(divisor);
  const lowQuotient = product / bigDivisor;
  const twiceRemainder = (product - lowQuotient * bigDivisor) * 2n;
  if (twiceRemainder === 0n || round === 'down') return lowQuotient;
  if (round === 'up' || twiceRemainder > bigDivisor) return lowQuotient + 1n;
  return twiceRemainder === bigDivisor && (round === 'halfUp' || lowQuotient % 2n === 1n) ? lowQuotient + 1n : lowQuotient;
}

test('mulDiv equals whole-number arithmetic of any width, in every rounding', () => {
  fc.assert(
    fc.property(wholeNumber, wholeNumber, wholeNumber, fc.constantFrom(...ROUNDINGS), (a, b, c, round) => {
      const divisor = c + 1;
      const expected = oracle(a, b, divisor, round);
      if (expected > BigInt(MAX_EXACT)) expect(() => mulDiv(a, b, divisor, round)).toThrow(InvariantError);
      else expect(mulDiv(a, b, divisor, round)).toBe(Number(expected));
    }),
    { numRuns: 20_000 },
  );
});

test('mulDiv is exact for a wide product whose quotient is near a whole number or a half', () => {
  fc.assert(
    fc.property(wholeNumber, wholeNumber, fc.integer({ min: -1, max: 1 }), fc.constantFrom(...ROUNDINGS), (quotient, c, offset, round) => {
      const divisor = (c % 2 ** 51) + 1;
      // a x b = quotient x divisor / 2 + offset: with a = 1 if that fits, otherwise with the factors themselves.
      const product = (BigInt(quotient) * BigInt(divisor)) / 2n + BigInt(offset);
      const [a, b] = product >= 0n && product <= BigInt(MAX_EXACT) ? [1, Number(product)] : [Math.max(0, quotient + offset), divisor];
      const expected = oracle(a, b, divisor, round);
      if (expected <= BigInt(MAX_EXACT)) expect(mulDiv(a, b, divisor, round)).toBe(Number(expected));
    }),
    { numRuns: 20_000 },
  );
});

test('mulPpmUp returns millionths of a value, rounded up, and Infinity beyond exact integers', () => {
  fc.assert(
    fc.property(wholeNumber, fc.nat({ max: 1_000_000 }), (amount, ppm) => {
      expect(mulPpmUp(amount, ppm)).toBe(Number(oracle(amount, ppm, 1_000_000, 'up')));
    }),
    { numRuns: 20_000 },
  );
  expect([mulPpmUp(Infinity, 1000), mulPpmUp(2 ** 53, 1000), mulPpmUp(NaN, 1000)]).toEqual([Infinity, Infinity, Infinity]);
});

test('productAtMost compares products of any width, and nothing is at most NaN', () => {
  fc.assert(
    fc.property(wholeNumber, wholeNumber, wholeNumber, wholeNumber, fc.boolean(), (a, b, c, d, areSwapped) => {
      const [otherA, otherB] = areSwapped ? [b, a] : [c, d];
      expect(productAtMost(a, b, otherA, otherB)).toBe(BigInt(a) * BigInt(b) <= BigInt(otherA) * BigInt(otherB));
    }),
    { numRuns: 20_000 },
  );
  const wideNumber = 2 ** 40;
  expect([
    productAtMost(NaN, wideNumber, wideNumber, wideNumber),
    productAtMost(wideNumber, wideNumber, wideNumber, NaN),
    productAtMost(1, NaN, 1, 1),
  ]).toEqual([false, false, false]);
  expect(productAtMost(1, 1, NaN, 1)).toBe(false);
  expect([productAtMost(Infinity, 1, wideNumber, wideNumber), productAtMost(Infinity, 1, Infinity, 1)]).toEqual([false, false]);
});
