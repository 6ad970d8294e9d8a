// Tests that the search for the first row beyond a limit finds the row that a naive scan finds.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seededRng } from '../../base/number/rng.ts';
import { FirstBeyond } from './firstBeyond.ts';

const price = fc.integer({ min: 1, max: 60 });

test('the search for the first row beyond a limit agrees with a naive scan, in any order of calls', () => {
  const columns = fc.array(fc.tuple(price, price), { maxLength: 500 });
  const question = fc.record({
    level: fc.integer({ min: 0, max: 61 }),
    fromRow: fc.nat({ max: 520 }),
    toRow: fc.nat({ max: 520 }),
    isLow: fc.boolean(),
  });
  fc.assert(
    fc.property(columns, fc.array(question, { minLength: 1, maxLength: 20 }), (rows, questions) => {
      const high = Float64Array.from(rows, ([a, b]) => Math.max(a, b));
      const low = Float64Array.from(rows, ([a, b]) => Math.min(a, b));
      const beyond = new FirstBeyond(high, low);
      for (const { level, fromRow, toRow, isLow } of questions) {
        const end = Math.min(toRow, rows.length);
        const expectedRow = rows.findIndex((_, row) => row >= fromRow && row < end && (isLow ? low[row]! <= level : high[row]! >= level));
        expect(isLow ? beyond.firstLow(level, fromRow, end) : beyond.firstHigh(level, fromRow, end)).toBe(expectedRow);
      }
    }),
    { numRuns: 500 },
  );
});

test('the search for the first row beyond a limit skips whole chunks and ends at its range', () => {
  // The search works in chunks of 64 rows.
  const rows = 64 * 5 + 10;
  const flat = new Float64Array(rows).fill(100);
  const low = flat.slice();
  low[64 * 3] = 90;
  low[rows - 1] = 80;
  const beyond = new FirstBeyond(flat, low);
  expect(beyond.firstLow(95, 0, rows)).toBe(64 * 3);
  expect(beyond.firstLow(90, 1, rows)).toBe(64 * 3);
  expect(beyond.firstLow(89, 0, rows)).toBe(rows - 1);
  expect(beyond.firstLow(89, 0, rows - 1)).toBe(-1);
  expect(beyond.firstLow(95, 64 * 3 + 1, rows - 1)).toBe(-1);
  expect(beyond.firstHigh(101, 0, rows)).toBe(-1);
  expect(beyond.firstHigh(100, 7, rows)).toBe(7);
  expect([beyond.firstLow(0, 0, rows), beyond.firstHigh(Infinity, 0, rows)]).toEqual([-1, -1]);
  expect(beyond.firstLow(200, 5, 5)).toBe(-1);
});

test('the search for the first row beyond a limit agrees with a naive scan over 9,000 rows of whole numbers', () => {
  const random = seededRng(5);
  const rows = 9_000;
  const low = new Int32Array(rows);
  low[0] = 100_000;
  for (let row = 1; row < rows; row++) low[row] = low[row - 1]! + Math.round((random.next() - 0.5) * 200);
  const high = low.map((ticks) => ticks + 50);
  const beyond = new FirstBeyond(high, low);
  let hits = 0;
  for (let queryIndex = 0; queryIndex < 2_000; queryIndex++) {
    const firstBound = Math.floor(random.next() * (rows + 1));
    const secondBound = Math.floor(random.next() * (rows + 1));
    const fromRow = Math.min(firstBound, secondBound);
    const toRow = Math.max(firstBound, secondBound);
    const level = low[Math.floor(random.next() * rows)]! + (random.next() < 0.5 ? 0 : 30);
    const isLow = queryIndex % 2 === 0;
    const expectedRow = low.findIndex((_, row) => row >= fromRow && row < toRow && (isLow ? low[row]! <= level : high[row]! >= level));
    expect(
      isLow ? beyond.firstLow(level, fromRow, toRow) : beyond.firstHigh(level, fromRow, toRow),
      `query ${queryIndex}: ${level} in ${fromRow}..${toRow}`,
    ).toBe(expectedRow);
    if (expectedRow >= 0) hits++;
  }
  expect(hits).toBeGreaterThan(500);
});
