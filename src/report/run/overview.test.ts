// What the report draws before anything is unpacked: returns by hour of the week, and what was in the market.

import { expect, test } from 'vitest';
import { linearContract } from '../../../test/fixtures/futuresVenue.ts';
import { MINUTE, runRecord, START_MS, testBars, testInstrument } from '../../../test/fixtures/runRecord.ts';
import { positionChanges, returnsByHour } from './overview.ts';

test('the hours of the week make the return of the run, also of one that lost everything', () => {
  const record = runRecord({ bars: [testBars(testInstrument(), 180)], script: [], start: 1000 });
  const timeMs = Float64Array.from([1, 60, 61, 120, 121], (minute) => START_MS + minute * MINUTE);
  const returns = (units: readonly number[]) =>
    returnsByHour({ ...record, equity: { length: 5, timeMs, units: Float64Array.from(units) } });
  // 1 January 2024 was a Monday.
  expect(returns([1100, 1200, 600, 900, 900]).slice(0, 3)).toEqual([0.2, -0.25, 0]);
  expect(returns([1100, 1200, 600, 0, 0]).slice(0, 3)).toEqual([0.2, -1, 0]);
  expect(returns([1100, 1200, 600, -5, -5]).slice(0, 3)).toEqual([0.2, -1, 0]);
});

test('a short that stands beside a long adds to what is in the market', () => {
  const script = [
    { row: 1, isBuy: true, lots: 3 },
    { row: 2, isBuy: false, lots: 2 },
    { row: 3, isBuy: true, lots: 2 },
    { row: 4, isBuy: false, lots: 3 },
  ];
  const record = runRecord({ bars: [testBars(testInstrument(), 10)], script });
  const orders = { ...record.orders, reduceOnly: Uint8Array.from([0, 0, 1, 1]) };
  const contracts = { ...record, orders, instruments: [linearContract()] };
  expect(Array.from(positionChanges({ ...contracts, isTwoWay: true }, 0).change)).toEqual([3, 2, -2, -3]);
  expect(Array.from(positionChanges(contracts, 0).change)).toEqual([3, -2, 2, -3]);
});
