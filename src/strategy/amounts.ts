// Converts the amounts of a strategy to scaled integers. No other file converts decimals between strategy and engine.

import { Decimal } from '../base/number/decimal.ts';
import { pow10 } from '../base/number/exact.ts';
import type { Contract } from '../model/contract.ts';
import type { Amount } from './types.ts';

// Equal to MAX_EXACT of base/number/exact.ts.
// hot: docs/performance.md#imported-constants
const MAX_UNITS = Number.MAX_SAFE_INTEGER;

/**
 * Returns `amount` in whole units of 10^-digits, rounded down or up. NaN if the amount is not a number, or too large to count exactly, such
 * as the result of a division by zero. The caller then denies the order with a code.
 */
export function scaleAmount(amount: Amount, digits: number, round: 'down' | 'up'): number {
  const units = typeof amount === 'number' ? scaleNumber(amount, pow10(digits), round) : scaleDecimal(toDecimal(amount), digits, round);
  return units <= MAX_UNITS && units >= -MAX_UNITS ? units : NaN;
}

/**
 * Returns an amount of coins in whole units of 10^-digits of a linear contract, rounded down: the contracts that are worth as much. NaN as for
 * `scaleAmount`.
 */
export function scaleCoins(coins: Amount, { multiplier, multiplierDigits }: Contract, digits: number): number {
  const value = toDecimal(coins);
  if (value === null) return NaN;
  const units = value.times(pow10(multiplierDigits)).times(pow10(digits)).divToInt(multiplier).toNumber();
  return units <= MAX_UNITS && units >= -MAX_UNITS ? units : NaN;
}

/** Returns a decimal in whole units of 10^-digits. NaN for null. */
function scaleDecimal(value: Decimal | null, digits: number, round: 'down' | 'up'): number {
  if (value === null) return NaN;
  const scaled = value.times(pow10(digits));
  return (round === 'down' ? scaled.floor() : scaled.ceil()).toNumber();
}

/** True for a number below zero in any form. False for an amount that is not a number. */
export const isNegative = (amount: Amount): boolean => Number(amount) < 0;

/** Returns the amount with the opposite sign. */
export function negate(amount: Amount): Amount {
  if (typeof amount === 'number') return -amount;
  return toDecimal(amount)?.negated() ?? amount;
}

/** Returns the exact product of an amount and a factor. Returns an amount that is not a number unchanged. */
export function timesFactor(amount: Amount, factor: number): Amount {
  return toDecimal(amount)?.times(factor) ?? amount;
}

/** Returns a double in whole units. A double that is the nearest one to a whole number of units is that number: 0.07 is 7 hundredths. */
function scaleNumber(amount: number, scale: number, round: 'down' | 'up'): number {
  const nearest = Math.round(amount * scale);
  if (nearest / scale === amount) return nearest;
  if (round === 'down') return nearest / scale > amount ? nearest - 1 : nearest;
  return nearest / scale < amount ? nearest + 1 : nearest;
}

/** Returns the amount as a decimal. Null for text that is not a number, so that a wrong size is denied and does not end the run. */
function toDecimal(amount: Amount): Decimal | null {
  try {
    return new Decimal(amount);
  } catch {
    return null;
  }
}
