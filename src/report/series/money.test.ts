// Tests that sums of money are exact, against sums of big integers.

import { expect, it } from 'vitest';
import { seededRng } from '../../base/number/rng.ts';
import { exactSum, exactSumOf } from './money.ts';

/** Returns the exact sum of whole numbers. */
const total = (values: readonly number[]) => values.reduce((sum, value) => sum + BigInt(value), 0n);

it.each([
  ['small', 1e6],
  ['large, so that their sum is no safe integer', Number.MAX_SAFE_INTEGER],
])('sums of whole numbers are exact: %s', (_, size) => {
  const random = seededRng(3);
  for (const length of [0, 1, 2, 7, 3000]) {
    const values = Array.from({ length }, () => Math.floor((random.next() - 0.4) * size));
    const column = Float64Array.from(values);
    expect(exactSum(column)).toBe(total(values));
    expect(exactSumOf(column, 1)).toBe(total(values.filter((value) => value > 0)));
    expect(exactSumOf(column, -1)).toBe(total(values.filter((value) => value < 0)));
  }
});
