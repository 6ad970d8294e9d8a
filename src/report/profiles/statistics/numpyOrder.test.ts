// Tests that `numpyOrder` returns row numbers in ascending order of their values, with equal values in the order of numpy.

import { describe, expect, it } from 'vitest';
import { numpyOrder } from './numpyOrder.ts';

const orderedRows = (values: readonly number[]) => Array.from(numpyOrder(Float64Array.from(values)));

describe('numpyOrder', () => {
  // From 17 rows on numpy does not use its stable insertion sort. The expected orders are those of numpy 2.4.6 for these numbers as datetime64.
  it('numpyOrder returns equal values of 17 rows in the order of numpy', () => {
    expect(orderedRows([1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1])).toEqual([
      8, 1, 2, 4, 12, 11, 15, 9, 14, 13, 0, 7, 6, 5, 3, 10, 16,
    ]);
    expect(orderedRows([2, 4, 2, 2, 0, 0, 2, 2, 0, 2, 0, 1, 3, 2, 4, 4, 2])).toEqual([
      8, 10, 4, 5, 11, 13, 9, 0, 6, 3, 2, 7, 16, 12, 15, 1, 14,
    ]);
  });
  it('numpyOrder keeps the order of equal values in fewer than 17 rows', () => {
    expect(orderedRows([3, 1, 3, 1, 2])).toEqual([1, 3, 4, 0, 2]);
    expect(orderedRows([])).toEqual([]);
    expect(orderedRows([5])).toEqual([0]);
  });
  it('numpyOrder sorts a column of 5000 rows', () => {
    const values = Array.from({ length: 5000 }, (_, row) => (row * 7919) % 1013);
    const sortedRows = orderedRows(values);
    expect(new Set(sortedRows).size).toBe(5000);
    expect(sortedRows.map((row) => values[row]!)).toEqual(values.toSorted((a, b) => a - b));
  });
});
