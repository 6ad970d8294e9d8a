// Money of a run as decimal text: exact sums of integers beyond 2^53, and means with all digits of a double.

import { Decimal, fromScaled } from '../../base/number/decimal.ts';
import { MAX_EXACT } from '../../base/number/exact.ts';

/** A decimal in the reporting asset, as plain text. */
export type Money = string;

/** The exact sum of safe integers. It is kept in a double while that is exact, then in a BigInt. */
export class ExactSum {
  #whole = 0n;
  #part = 0;

  add(units: number): void {
    const next = this.#part + units;
    if (next <= MAX_EXACT && next >= -MAX_EXACT) this.#part = next;
    else {
      this.#whole += BigInt(this.#part);
      this.#part = units;
    }
  }

  total(): bigint {
    return this.#whole + BigInt(this.#part);
  }
}

export function exactSum(values: Float64Array): bigint {
  const sum = new ExactSum();
  for (let i = 0; i < values.length; i++) sum.add(values[i]!);
  return sum.total();
}

/** Returns the exact sum of the values of one sign. */
export function exactSumOf(values: Float64Array, sign: 1 | -1): bigint {
  const sum = new ExactSum();
  for (let i = 0; i < values.length; i++) if (values[i]! * sign > 0) sum.add(values[i]!);
  return sum.total();
}

/** Returns units as plain decimal text. Units are 10^-digits, and a mean of them can be a fraction. */
export function moneyText(units: number | bigint, digits: number): Money {
  const number = Number(units);
  // The nearest double of a larger BigInt is not a safe integer either.
  if (Number.isSafeInteger(number)) return fromScaled(number + 0, digits);
  return new Decimal(units.toString()).div(Decimal.pow(10, digits)).toFixed();
}
