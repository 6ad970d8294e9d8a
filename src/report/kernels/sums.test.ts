// Tests that sums in parts have the same bits as the sum of one loop.

import { expect, it } from 'vitest';
import { seededRng } from '../../base/number/rng.ts';
import { deviation, signedSums, columnSum, sumOf } from './sums.ts';

const random = seededRng(5);

/** Returns zero for one draw in ten, else a number of either sign below 10^20, so that additions lose digits. */
function drawValue(): number {
  if (random.next() < 0.1) return 0;
  return (random.next() - 0.5) * 10 ** Math.floor(random.next() * 20);
}

const drawColumn = (length: number) => Float64Array.from({ length }, drawValue);

/** Lengths around that of a part, which is 1,024 rows. */
const LENGTHS = [0, 1, 2, 1023, 1024, 1025, 2048, 5000];

it.each(LENGTHS)('sums of %i values have the bits of one loop over all', (length) => {
  const values = drawColumn(length);
  const signs = drawColumn(length);
  expect(columnSum(values)).toBe(sumOf(length, (row) => values[row]!));
  const rowsWith = (sign: number) => Array.from(signs.keys()).filter((row) => Math.sign(signs[row]!) === sign);
  const rowsAbove = rowsWith(1);
  const rowsBelow = rowsWith(-1);
  expect(signedSums(values, signs)).toEqual({
    above: sumOf(rowsAbove.length, (index) => values[rowsAbove[index]!]!),
    below: sumOf(rowsBelow.length, (index) => values[rowsBelow[index]!]!),
    countAbove: rowsAbove.length,
    countBelow: rowsBelow.length,
  });
  const middle = columnSum(values) / length;
  const squares = sumOf(length, (row) => (values[row]! - middle) * (values[row]! - middle));
  expect(deviation(values)).toBe(length < 2 ? NaN : Math.sqrt(squares / (length - 1)));
});
