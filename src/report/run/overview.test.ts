// Tests the overview that the report draws before it unpacks the run: returns by hour of the week, and exposure.

import { expect, test } from 'vitest';
import { seededRng } from '../../base/number/rng.ts';
import { linearContract } from '../../../test/fixtures/futuresVenue.ts';
import { MINUTE, runRecord, START_MS, testBars, testInstrument } from '../../../test/fixtures/runRecord.ts';
import { positionChanges, returnsByHour } from './overview.ts';
import { RunIndex } from './runIndex.ts';

test('the returns by hour of the week multiply to the return of the run, also after a total loss', () => {
  const record = runRecord({ bars: [testBars(testInstrument(), 180)], script: [], start: 1000 });
  const timeMs = Float64Array.from([1, 60, 61, 120, 121], (minute) => START_MS + minute * MINUTE);
  const returns = (units: readonly number[]) =>
    returnsByHour({ ...record, equity: { length: 5, timeMs, units: Float64Array.from(units) } });
  // 1 January 2024 was a Monday.
  expect(returns([1100, 1200, 600, 900, 900]).slice(0, 3)).toEqual([0.2, -0.25, 0]);
  expect(returns([1100, 1200, 600, 0, 0]).slice(0, 3)).toEqual([0.2, -1, 0]);
  expect(returns([1100, 1200, 600, -5, -5]).slice(0, 3)).toEqual([0.2, -1, 0]);
});

test('a short beside a long adds to the exposure in two-way mode only', () => {
  const script = [
    { row: 1, isBuy: true, lots: 3 },
    { row: 2, isBuy: false, lots: 2 },
    { row: 3, isBuy: true, lots: 2 },
    { row: 4, isBuy: false, lots: 3 },
  ];
  const record = runRecord({ bars: [testBars(testInstrument(), 10)], script });
  const orders = { ...record.orders, reduceOnly: Uint8Array.from([0, 0, 1, 1]) };
  const contracts = { ...record, orders, instruments: [linearContract()] };
  expect(Array.from(positionChanges(new RunIndex({ ...contracts, isTwoWay: true }), 0).change)).toEqual([3, 2, -2, -3]);
  expect(Array.from(positionChanges(new RunIndex(contracts), 0).change)).toEqual([3, -2, 2, -3]);
});

test('the return of an hour of the week is the product of the returns of all its bars', () => {
  const record = runRecord({ bars: [testBars(testInstrument(), 180)], script: [], start: 1000 });
  const random = seededRng(11);
  for (const minEquity of [500, -300]) {
    const timeMs = Float64Array.from({ length: 4000 }, (_, row) => START_MS + (row + 1) * 7 * MINUTE);
    let equity = 1000;
    const units = timeMs.map(() => (equity = Math.max(minEquity, equity + Math.round((random.next() - 0.505) * 90))));
    const growth = new Float64Array(7 * 24).fill(1);
    units.forEach((currentUnits, row) => {
      const earlierUnits = row === 0 ? 1000 : units[row - 1]!;
      // 1 January 2024 was a Monday.
      const hour = Math.floor((timeMs[row]! - 1 - START_MS) / 3_600_000) % (7 * 24);
      if (earlierUnits > 0) growth[hour]! *= Math.max(currentUnits, 0) / earlierUnits;
    });
    const hourReturns = returnsByHour({ ...record, equity: { length: timeMs.length, timeMs, units } });
    hourReturns.forEach((value, hour) => expect(value, String(hour)).toBeCloseTo(growth[hour]! - 1, 5));
    expect(hourReturns.includes(-1)).toBe(minEquity < 0);
  }
});
