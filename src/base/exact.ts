// Exact integer arithmetic on numbers: products through BigInt above 2^53 - 1, every rounding with a named direction.

import { InvariantError } from './errors.ts';

export type Rounding = 'down' | 'up' | 'halfUp' | 'halfEven';

/** 2^53 - 1: every integer up to here is exact in a double. */
export const MAX_EXACT = Number.MAX_SAFE_INTEGER;

/**
 * a * b / divisor for integers a, b >= 0 and divisor > 0, rounded as said, exact whatever the size of the product.
 * Throws InvariantError when the result passes 2^53 - 1.
 */
export function mulDiv(a: number, b: number, divisor: number, round: Rounding): number {
  const product = a * b;
  if (product <= MAX_EXACT / 2) {
    if (divisor === 1) return product;
    if (round === 'down') return Math.floor(product / divisor);
    const low = Math.floor(product / divisor);
    const rest = product - low * divisor;
    if (rest === 0 || round === 'halfUp' || round === 'halfEven') {
      const twice = rest * 2;
      return twice > divisor || (twice === divisor && (round === 'halfUp' || low % 2 === 1)) ? low + 1 : low;
    }
    return low + 1;
  }
  return mulDivBig(a, b, divisor, round);
}

function mulDivBig(a: number, b: number, divisor: number, round: Rounding): number {
  const product = BigInt(a) * BigInt(b);
  const by = BigInt(divisor);
  const low = product / by;
  const rest = product - low * by;
  const twice = rest * 2n;
  const more =
    rest !== 0n && (round === 'up' || (round !== 'down' && (twice > by || (twice === by && (round === 'halfUp' || low % 2n === 1n)))));
  return exact(Number(more ? low + 1n : low));
}

/** Returns `value` when it is an integer that a double holds exactly; throws InvariantError otherwise. */
export function exact(value: number): number {
  if (!Number.isSafeInteger(value)) throw new InvariantError(`the amount ${value} is not an exact integer below 2^53: use coarser digits`);
  return value;
}

/** 10^digits for digits from 0 to 22, exact in a double. */
export function pow10(digits: number): number {
  const value = POWERS[digits];
  if (value === undefined) throw new InvariantError(`10^${digits} is not exact in a double`);
  return value;
}
const POWERS: readonly number[] = Array.from({ length: 23 }, (_, digits) => Number(`1e${digits}`));
