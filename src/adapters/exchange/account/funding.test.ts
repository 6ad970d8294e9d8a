// Tests the funding that positions report: each change is booked once, and a new position starts at 0.

import { expect, test } from 'vitest';
import { linearContract } from '../../../../test/fixtures/futuresVenue.ts';
import { FundingWatch } from './funding.ts';
import type { PositionRow } from '../calls/venueRows.ts';

/** Returns a watch with the payments that it reports and the totals that it journals. `isHeld`: whether the books hold a position. */
function fixture(isHeld?: (instrumentIndex: number, isLong: boolean) => boolean) {
  const payments: string[] = [];
  const totals: string[] = [];
  const unreported: number[] = [];
  const funding = new FundingWatch({
    instruments: [linearContract()],
    venueMs: () => 1000,
    isHeld,
    reportPayment: (_, isLong, units) => payments.push(`${isLong ? 'long' : 'short'} ${units}`),
    journalTotal: (_, side, units) => totals.push(`${side} ${units}`),
    onUnreported: (instrumentIndex) => unreported.push(instrumentIndex),
  });
  const row = (paid: string | null, openedMs: number | null, side: 'buy' | 'sell' = 'buy'): PositionRow => ({
    side,
    volume: '5',
    closableVolume: '5',
    funding: paid,
    openedMs,
    leverage: 3,
    positionType: 1,
  });
  return { payments, totals, unreported, row, readPositions: (...rows: readonly PositionRow[]) => funding.reportChanges(0, rows) };
}

test('each change of the funding sum is booked once, for each side', () => {
  const { payments, totals, row, readPositions } = fixture();
  readPositions(row('-0.5', 1000), row('0.25', 2000, 'sell'));
  readPositions(row('-0.5', 1000), row('0.25', 2000, 'sell'));
  readPositions(row('-0.75', 1000), row('0.25', 2000, 'sell'));
  readPositions(row(null, 1000), row(null, 2000, 'sell'));
  expect(payments).toEqual(['long -5000', 'short 2500', 'long -2500']);
  expect(totals).toEqual(['buy -5000', 'sell 2500', 'buy -7500']);
});

test('a new position starts with a funding sum of 0, with or without a reading between', () => {
  const { payments, totals, row, readPositions } = fixture();
  readPositions(row('-0.5', 1000));
  readPositions(row('0', 9000));
  readPositions(row('-0.1', 9000));
  readPositions();
  readPositions(row('-0.3', 20_000));
  readPositions(row('-0.2', 30_000));
  expect(payments).toEqual(['long -5000', 'long -1000', 'long -3000', 'long -2000']);
  expect(totals).toEqual(['buy -5000', 'buy 0', 'buy -1000', 'buy 0', 'buy -3000', 'buy -2000']);
});

test('a contract whose held position has no funding is reported once', () => {
  const books = { isLong: false };
  const { payments, unreported, row, readPositions } = fixture((_, isLong) => isLong === books.isLong);
  readPositions(row(null, null));
  expect(unreported).toEqual([]);
  books.isLong = true;
  readPositions(row(null, null));
  readPositions(row(null, null));
  expect(unreported).toEqual([0]);
  expect(payments).toEqual([]);
});

test('a position without an opening time counts as the earlier one', () => {
  const { payments, row, readPositions } = fixture();
  readPositions(row('-0.5', null));
  readPositions(row('-0.75', null));
  expect(payments).toEqual(['long -5000', 'long -2500']);
});

test('funding of a position waits until the books hold the position', () => {
  const books = { isLong: false };
  const { payments, totals, row, readPositions } = fixture((_, isLong) => isLong && books.isLong);
  readPositions(row('-0.5', 1000));
  readPositions(row('-0.5', 1000), row('0.25', 2000, 'sell'));
  expect([payments, totals]).toEqual([[], []]);
  books.isLong = true;
  readPositions(row('-0.75', 1000));
  readPositions(row('-0.75', 1000));
  expect([payments, totals]).toEqual([['long -7500'], ['buy -7500']]);
});

test('funding of a new position that the books do not hold yet starts at 0, not at the sum of the earlier position', () => {
  const books = { isLong: true };
  const { payments, row, readPositions } = fixture((_, isLong) => isLong && books.isLong);
  readPositions(row('-0.5', 1000));
  books.isLong = false;
  readPositions(row('-0.3', 9000));
  books.isLong = true;
  readPositions(row('-0.3', 9000));
  expect(payments).toEqual(['long -5000', 'long -3000']);
});
