// Tests packed columns: unpacked by the page's own code, they equal the original bit by bit.

import { constants, gunzipSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawnStep, exactStep, narrowBytes, Pack, quantize, maxAbsoluteOf, wideBytes, type ColumnOrder } from './pack.ts';
import { decimalValues, narrowIntegers, wideIntegers } from './browser/unpack.ts';

const orders = fc.constantFrom<ColumnOrder>(0, 1, 2);
/** The largest integers of a column of 32 bits and of a wide column, as pack.ts documents them. */
const MAX_NARROW = 2 ** 28;
const MAX_WIDE = 2 ** 50;

/** Returns the values with 0 in place of -0, which `toEqual` distinguishes. */
const withoutNegativeZero = (values: readonly number[]) => values.map((value) => value + 0);

describe('packed columns', () => {
  test('packed integers of 29 bits are unpacked unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -MAX_NARROW, max: MAX_NARROW }), { maxLength: 60 }), orders, (values, order) => {
        const { bytes, planes } = narrowBytes(Int32Array.from(values), order);
        const unpacked = [...narrowIntegers(bytes, { id: '', length: values.length, planes, order })];
        expect(unpacked).toEqual(withoutNegativeZero(values));
      }),
    );
  });

  test('packed integers of 50 bits are unpacked unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -MAX_WIDE, max: MAX_WIDE }), { maxLength: 60 }), orders, (values, order) => {
        const { bytes, planes } = wideBytes(Float64Array.from(values), order);
        const unpacked = [...wideIntegers(bytes, { id: '', length: values.length, planes, order })];
        expect(withoutNegativeZero(unpacked)).toEqual(withoutNegativeZero(values));
      }),
    );
  });

  test('packed decimals are unpacked within half a step, and NaN as NaN', async () => {
    const values = Float64Array.from({ length: 500 }, (_, row) => (row < 20 || row % 90 === 0 ? Number.NaN : 8000 + Math.sin(row) * 40));
    const pack = new Pack();
    const step = drawnStep(maxAbsoluteOf(values), 3, 4e-6);
    const column = pack.addDecimals(values, step, 2);
    const [packed] = await pack.finish();
    const unpacked = decimalValues(narrowIntegers(gunzipSync(Buffer.from(packed!.text, 'base64')), column), column);
    const halfStep = (step.times * 10 ** -step.digits) / 2;
    values.forEach((value, row) => {
      if (Number.isNaN(value)) expect(unpacked[row]).toBeNaN();
      else expect(Math.abs(unpacked[row]! - value)).toBeLessThanOrEqual(halfStep * (1 + 1e-9));
    });
    expect(packed!.id).toBe(column.id);
  });

  test('packed short columns have the same bytes as with the default tables of zlib', async () => {
    const bytes = fc.uint8Array({ maxLength: 2100, size: 'max' });
    // Runs of equal values, which compress well: each has a value and a length.
    const runs = fc.array(fc.tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 1, max: 400 })), { maxLength: 30, size: 'max' });
    const expand = ([value, length]: readonly [number, number]): number[] => Array.from({ length }, () => value);
    const column = fc.oneof(
      bytes,
      runs.map((drawnRuns) => Uint8Array.from(drawnRuns.flatMap(expand))),
    );
    await fc.assert(
      fc.asyncProperty(column, async (values) => {
        const pack = new Pack();
        pack.add(values, 0);
        const [packed] = await pack.finish();
        const expected = gzipSync(narrowBytes(values, 0).bytes, { level: 1, strategy: constants.Z_RLE, memLevel: 9 });
        expect(packed!.text).toBe(expected.toString('base64'));
      }),
      { numRuns: 40 },
    );
  });

  test('packed prices of whole ticks are exact', () => {
    const prices = Float64Array.of(0.1, 0.3, 1234.56, 99_999.99);
    const step = exactStep(maxAbsoluteOf(prices), 2);
    expect(step).toEqual({ times: 1, digits: 2 });
    expect([...quantize(prices, step).integers]).toEqual([10, 30, 123_456, 9_999_999]);
  });

  test('the step of a packed column is at least the requested one, and fits into 32 bits', () => {
    expect(drawnStep(8000, 8, 4e-6)).toEqual({ times: 2, digits: 2 });
    expect(drawnStep(8000, 1, 4e-6)).toEqual({ times: 1, digits: 1 });
    expect(exactStep(60_000, 8).digits).toBe(3);
    expect(drawnStep(maxAbsoluteOf(Float64Array.of(0, 0)), 4, 1e-4)).toEqual({ times: 1, digits: 4 });
  });
});
