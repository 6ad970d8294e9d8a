import { expect, it } from 'vitest';
import { seededRng } from '../../base/number/rng.ts';
import { deviation, signedSums, columnSum, sumOf } from './sums.ts';

const random = seededRng(5);
/** Values of very different sizes, both signs and zeros, so that additions lose digits. */
const column = (length: number) =>
  Float64Array.from({ length }, () => (random.next() < 0.1 ? 0 : (random.next() - 0.5) * 10 ** Math.floor(random.next() * 20)));

/** Lengths around those of the parts in which the loops take a column. */
it.each([0, 1, 2, 1023, 1024, 1025, 2048, 5000])('sums of %i values have the bits of one loop over all', (length) => {
  const [values, signs] = [column(length), column(length)];
  expect(columnSum(values)).toBe(sumOf(length, (i) => values[i]!));
  const rowsWith = (sign: number) => Array.from(signs.keys()).filter((row) => Math.sign(signs[row]!) === sign);
  const [above, below] = [rowsWith(1), rowsWith(-1)];
  expect(signedSums(values, signs)).toEqual({
    above: sumOf(above.length, (i) => values[above[i]!]!),
    below: sumOf(below.length, (i) => values[below[i]!]!),
    countAbove: above.length,
    countBelow: below.length,
  });
  const middle = columnSum(values) / length;
  const squares = sumOf(length, (i) => (values[i]! - middle) * (values[i]! - middle));
  expect(deviation(values)).toBe(length < 2 ? NaN : Math.sqrt(squares / (length - 1)));
});
