// Money of a run as decimal text: exact sums of integers beyond 2^53, and means with all digits of a double.

import { Decimal, fromScaled } from '../../base/number/decimal.ts';
import { MAX_EXACT } from '../../base/number/exact.ts';

/** A decimal in the reporting asset, as plain text. */
export type Money = string;

/** Adds safe integers exactly: in a double as long as that is exact, then in a BigInt. */
export class ExactSum {
  /** The part of the sum that was moved out of `#uncarried` before it could leave the safe integers. */
  #carried = 0n;
  #uncarried = 0;

  /** Adds an amount. */
  add(units: number): void {
    const next = this.#uncarried + units;
    if (next <= MAX_EXACT && next >= -MAX_EXACT) this.#uncarried = next;
    else {
      this.#carried += BigInt(this.#uncarried);
      this.#uncarried = units;
    }
  }

  /** Returns the exact sum up to now. */
  total(): bigint {
    return this.#carried + BigInt(this.#uncarried);
  }
}

/** Returns the exact sum of safe integers. */
export function exactSum(values: Float64Array): bigint {
  const total = safeSum(values);
  if (!Number.isNaN(total)) return BigInt(total);
  const sum = new ExactSum();
  for (let row = 0; row < values.length; row++) sum.add(values[row]!);
  return sum.total();
}

/** Returns the exact sum of the values above 0 (`sign` 1) or below 0 (`sign` -1). */
export function exactSumOf(values: Float64Array, sign: 1 | -1): bigint {
  const total = safeSumOf(values, sign);
  if (!Number.isNaN(total)) return BigInt(total);
  const sum = new ExactSum();
  for (let row = 0; row < values.length; row++) if (values[row]! * sign > 0) sum.add(values[row]!);
  return sum.total();
}

/** Returns the sum, or NaN if it leaves the safe integers on its way. Nothing follows the loop: docs/performance.md#loops-in-parts. */
function safeSum(values: Float64Array): number {
  let total = 0;
  for (let row = 0; row < values.length; row++) {
    total += values[row]!;
    if (!(total <= MAX_EXACT && total >= -MAX_EXACT)) return NaN;
  }
  return total;
}

/** Returns the sum of the values above 0 (`sign` 1) or below 0 (`sign` -1), or NaN if it leaves the safe integers on its way. */
function safeSumOf(values: Float64Array, sign: 1 | -1): number {
  let total = 0;
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (value * sign > 0) total += value;
    if (!(total <= MAX_EXACT && total >= -MAX_EXACT)) return NaN;
  }
  return total;
}

/** Returns an amount in units of 10^-digits as plain decimal text. The amount can be a fraction, such as a mean. */
export function moneyText(units: number | bigint, digits: number): Money {
  const number = Number(units);
  // The nearest double of a larger BigInt is not a safe integer either.
  if (Number.isSafeInteger(number)) return fromScaled(number + 0, digits);
  return new Decimal(units.toString()).div(Decimal.pow(10, digits)).toFixed();
}
