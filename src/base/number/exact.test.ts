// Exact products and quotients of whole numbers, compared with BigInt.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvariantError } from '../errors.ts';
import { MAX_EXACT, mulDiv, productAtMost, mulPpmUp, type Rounding } from './exact.ts';

const ROUNDINGS: readonly Rounding[] = ['down', 'up', 'halfUp', 'halfEven'];
/** Whole numbers of every size. A plain integer arbitrary would mostly give huge ones. */
const whole = fc.tuple(fc.nat({ max: MAX_EXACT }), fc.nat({ max: 53 })).map(([value, bits]) => value % 2 ** bits);

function oracle(a: number, b: number, divisor: number, round: Rounding): bigint {
  const product = BigInt(a) * BigInt(b);
  const by = BigInt(divisor);
  const low = product / by;
  const twice = (product - low * by) * 2n;
  if (twice === 0n || round === 'down') return low;
  if (round === 'up' || twice > by) return low + 1n;
  return twice === by && (round === 'halfUp' || low % 2n === 1n) ? low + 1n : low;
}

test('mulDiv equals whole-number arithmetic of any width, in every rounding', () => {
  fc.assert(
    fc.property(whole, whole, whole, fc.constantFrom(...ROUNDINGS), (a, b, c, round) => {
      const divisor = c + 1;
      const expected = oracle(a, b, divisor, round);
      if (expected > BigInt(MAX_EXACT)) expect(() => mulDiv(a, b, divisor, round)).toThrow(InvariantError);
      else expect(mulDiv(a, b, divisor, round)).toBe(Number(expected));
    }),
    { numRuns: 20_000 },
  );
});

test('mulDiv is exact where the product is wide and the quotient lies at a whole number or half of one', () => {
  fc.assert(
    fc.property(whole, whole, fc.integer({ min: -1, max: 1 }), fc.constantFrom(...ROUNDINGS), (quotient, c, off, round) => {
      const divisor = (c % 2 ** 51) + 1;
      // a x b = quotient x divisor / 2 + off: with a = 1 if that fits, otherwise with the factors themselves.
      const product = (BigInt(quotient) * BigInt(divisor)) / 2n + BigInt(off);
      const [a, b] = product >= 0n && product <= BigInt(MAX_EXACT) ? [1, Number(product)] : [Math.max(0, quotient + off), divisor];
      const expected = oracle(a, b, divisor, round);
      if (expected <= BigInt(MAX_EXACT)) expect(mulDiv(a, b, divisor, round)).toBe(Number(expected));
    }),
    { numRuns: 20_000 },
  );
});

test('mulPpmUp returns millionths of a value, rounded up, and Infinity beyond exact integers', () => {
  fc.assert(
    fc.property(whole, fc.nat({ max: 1_000_000 }), (amount, ppm) => {
      expect(mulPpmUp(amount, ppm)).toBe(Number(oracle(amount, ppm, 1_000_000, 'up')));
    }),
    { numRuns: 20_000 },
  );
  expect([mulPpmUp(Infinity, 1000), mulPpmUp(2 ** 53, 1000), mulPpmUp(NaN, 1000)]).toEqual([Infinity, Infinity, Infinity]);
});

test('productAtMost compares products of any width, and nothing is at most NaN', () => {
  fc.assert(
    fc.property(whole, whole, whole, whole, fc.boolean(), (a, b, c, d, same) => {
      const [e, f] = same ? [b, a] : [c, d];
      expect(productAtMost(a, b, e, f)).toBe(BigInt(a) * BigInt(b) <= BigInt(e) * BigInt(f));
    }),
    { numRuns: 20_000 },
  );
  const wide = 2 ** 40;
  expect([productAtMost(NaN, wide, wide, wide), productAtMost(wide, wide, wide, NaN), productAtMost(1, NaN, 1, 1)]).toEqual([
    false,
    false,
    false,
  ]);
  expect(productAtMost(1, 1, NaN, 1)).toBe(false);
  expect([productAtMost(Infinity, 1, wide, wide), productAtMost(Infinity, 1, Infinity, 1)]).toEqual([false, false]);
});
