// Exact integer arithmetic on numbers, with a named rounding direction. Products may exceed 2^53 - 1.

import { InvariantError } from '../errors.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** How a division is rounded. `halfEven` rounds a half to the even neighbour. */
export type Rounding = 'down' | 'up' | 'halfUp' | 'halfEven';

/** 2^53 - 1: every integer up to here is exact in a double. */
export const MAX_EXACT = Number.MAX_SAFE_INTEGER;
// `MAX_EXACT` again, for this file. Hot: docs/performance.md#imported-constants
const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
const HALF_MAX = MAX_INTEGER / 2;
const MILLION = 1_000_000;
const { ceil, floor } = Math;

/**
 * Limits a row to 30 bits in loops that process several rows in one step. Rows of longer columns are processed one by one. Hot:
 * docs/performance.md#index-range.
 */
export const ROW_MASK = 2 ** 30 - 1;

/**
 * Returns a * b / divisor for integers a, b >= 0 and divisor > 0, rounded as `round` says, exact for products of any size. Throws
 * InvariantError when the result exceeds 2^53 - 1.
 */
export function mulDiv(a: number, b: number, divisor: number, round: Rounding): number {
  const product = a * b;
  if (!(product <= HALF_MAX)) return mulDivWide(a, b, divisor, round);
  // For products below 2^53, the rounding error of the quotient is smaller than its distance to the next whole number, so this is exact.
  if (round === 'up') return ceil(product / divisor);
  const low = floor(product / divisor);
  return round === 'down' ? low : roundToDivisor(low, product - low * divisor, divisor, round);
}

/** Returns the quotient `low` with remainder `remainder`, rounded as `round` says. */
function roundToDivisor(low: number, remainder: number, divisor: number, round: Rounding): number {
  if (remainder === 0 || round === 'down') return low;
  if (round === 'up') return low + 1;
  const doubledRemainder = remainder * 2;
  return doubledRemainder > divisor || (doubledRemainder === divisor && (round === 'halfUp' || low % 2 === 1)) ? low + 1 : low;
}

/**
 * Returns the same when a * b is above 2^53. The product is a sum of two doubles (Dekker 1971). The estimated quotient is wrong by at most
 * a few units, and its remainder is small enough to be exact. It takes about 15 ns; BigInt takes 200 ns and allocates.
 */
function mulDivWide(a: number, b: number, divisor: number, round: Rounding): number {
  const product = a * b;
  // Beyond these bounds the estimate could be wrong by more than a few units.
  if (!(divisor <= 2 ** 50 && product / divisor <= MAX_INTEGER - 8)) return mulDivBig(a, b, divisor, round);
  let low = Math.floor(product / divisor);
  const estimatedProduct = low * divisor;
  let remainder = product - estimatedProduct + (productError(a, b, product) - productError(low, divisor, estimatedProduct));
  while (remainder < 0) {
    low--;
    remainder += divisor;
  }
  while (remainder >= divisor) {
    low++;
    remainder -= divisor;
  }
  return roundToDivisor(low, remainder, divisor, round);
}

/** Veltkamp's factor, 2^27 + 1: it splits a double into a high and a low half of at most 27 bits each. */
const SPLIT_FACTOR = 134_217_729;

/** Returns a * b minus its nearest double `product`, exactly, for a and b below 2^53. */
function productError(a: number, b: number, product: number): number {
  const wideA = SPLIT_FACTOR * a;
  const highA = wideA - (wideA - a);
  const lowA = a - highA;
  const wideB = SPLIT_FACTOR * b;
  const highB = wideB - (wideB - b);
  const lowB = b - highB;
  return highA * highB - product + highA * lowB + lowA * highB + lowA * lowB;
}

/** Returns the result of `mulDiv` with BigInt, for a very large divisor or quotient. */
function mulDivBig(a: number, b: number, divisor: number, round: Rounding): number {
  const product = BigInt(a) * BigInt(b);
  const bigDivisor = BigInt(divisor);
  const low = product / bigDivisor;
  const remainder = product - low * bigDivisor;
  const doubledRemainder = remainder * 2n;
  const isAboveHalf = doubledRemainder > bigDivisor;
  const isHalfRoundedUp = doubledRemainder === bigDivisor && (round === 'halfUp' || low % 2n === 1n);
  const isNearestUp = round !== 'down' && (isAboveHalf || isHalfRoundedUp);
  const isRoundedUp = remainder !== 0n && (round === 'up' || isNearestUp);
  return exact(Number(isRoundedUp ? low + 1n : low));
}

/** Returns `ppm` millionths of a whole amount, rounded up. Infinity for an amount above 2^53 - 1, which exceeds every limit. */
export function mulPpmUp(amount: number, ppm: number): number {
  const product = amount * ppm;
  return product <= HALF_MAX ? ceil(product / MILLION) : mulPpmUpWide(amount, ppm);
}
function mulPpmUpWide(amount: number, ppm: number): number {
  return amount <= MAX_INTEGER ? mulDiv(amount, ppm, MILLION, 'up') : INFINITY;
}

/**
 * True when a * b <= c * d, exactly, for integers from 0 to 2^53 - 1. False when one of them is NaN, or when both products are above 2^53
 * and one of them is infinite.
 */
export function productAtMost(a: number, b: number, c: number, d: number): boolean {
  const product = a * b;
  const otherProduct = c * d;
  if (product <= MAX_INTEGER || otherProduct <= MAX_INTEGER) return product <= otherProduct;
  return product < INFINITY && otherProduct < INFINITY && BigInt(a) * BigInt(b) <= BigInt(c) * BigInt(d);
}

/** Returns `value` when it is an integer that a double holds exactly; throws InvariantError otherwise. */
export function exact(value: number): number {
  // hot: docs/performance.md#short-functions
  return Math.abs(value) <= MAX_INTEGER && Math.floor(value) === value ? value : throwInexact(value);
}

function throwInexact(value: number): never {
  throw new InvariantError(`the amount ${value} is not an exact integer below 2^53: use coarser digits`);
}

/** Returns 10^digits for digits from 0 to 22, exact in a double. */
export function pow10(digits: number): number {
  const value = POWERS[digits];
  if (value === undefined) throw new InvariantError(`10^${digits} is not exact in a double`);
  return value;
}
const POWERS: readonly number[] = Array.from({ length: 23 }, (_, digits) => Number(`1e${digits}`));
