// Tests the funding that positions report: each change is booked once, and a new position starts at 0.

import { expect, test } from 'vitest';
import { linearContract } from '../../../../test/fixtures/futuresVenue.ts';
import { immediate, start } from '../../../base/task.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';
import { FundingWatch } from './funding.ts';
import type { PositionRow } from '../calls/venueRows.ts';

/** Returns a watch with the payments that it reports and the totals that it journals. `isHeld`: whether the books hold a position. */
function fixture(isHeld?: (instrumentIndex: number, isLong: boolean) => boolean, venue: Pick<VenueCalls, 'positions'> = {} as never) {
  const payments: string[] = [];
  const totals: string[] = [];
  const unreported: number[] = [];
  const funding = new FundingWatch({
    venue,
    instruments: [linearContract()],
    venueMs: () => 1000,
    isHeld,
    reportPayment: (_, isLong, units) => payments.push(`${isLong ? 'long' : 'short'} ${units}`),
    journalTotal: (_, side, total) => totals.push(`${side} ${total}`),
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
  const readPositions = (...rows: readonly PositionRow[]): void => funding.reportChanges(0, rows);
  return { funding, payments, totals, unreported, row, readPositions, restore: (total: string) => funding.restore(0, 'buy', total) };
}

test('each change of the funding sum is booked once, for each side', () => {
  const { payments, totals, row, readPositions } = fixture();
  readPositions(row('-0.5', 1000), row('0.25', 2000, 'sell'));
  readPositions(row('-0.5', 1000), row('0.25', 2000, 'sell'));
  readPositions(row('-0.75', 1000), row('0.25', 2000, 'sell'));
  readPositions(row(null, 1000), row(null, 2000, 'sell'));
  expect(payments).toEqual(['long -5000', 'short 2500', 'long -2500']);
  expect(totals).toEqual(['buy 0 1000', 'buy -5000 1000', 'sell 0 2000', 'sell 2500 2000', 'buy -7500 1000']);
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
  expect(totals).toEqual([
    'buy 0 1000',
    'buy -5000 1000',
    'buy 0 9000',
    'buy -1000 9000',
    'buy 0 20000',
    'buy -3000 20000',
    'buy 0 30000',
    'buy -2000 30000',
  ]);
});

test('a position that an older list lacks is booked once, after a restart too', () => {
  const first = fixture();
  first.readPositions(first.row('-0.5', 1000));
  first.readPositions();
  const next = fixture();
  for (const total of first.totals) next.restore(total.replace('buy ', ''));
  next.readPositions(next.row('-0.5', 1000));
  expect(next.payments).toEqual([]);
});

test('a total without an opening time gets the one of its position at the first read, so that a later position is distinguished', () => {
  const { payments, totals, row, readPositions, restore } = fixture();
  restore('-5000');
  readPositions(row('-0.5', 1000));
  expect([payments, totals]).toEqual([[], ['buy -5000 1000']]);
  readPositions(row('-0.1', 9000));
  expect(payments).toEqual(['long -1000']);
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
  expect([payments, totals]).toEqual([['long -7500'], ['buy 0 1000', 'buy -7500 1000']]);
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

test('after a restart, the funding of a position that was closed and opened again meanwhile starts at 0', () => {
  const { payments, row, readPositions, restore } = fixture();
  restore('-5000 1000');
  readPositions(row('0', 9000));
  readPositions(row('-0.1', 9000));
  expect(payments).toEqual(['long -1000']);
});

test('after a restart, only the change of the funding of the same position is a payment', () => {
  const { payments, row, readPositions, restore } = fixture();
  restore('-5000 1000');
  readPositions(row('-0.6', 1000));
  expect(payments).toEqual(['long -1000']);
});

test('a total of an earlier version, which has no opening time, counts as one of the open position', () => {
  const { payments, row, readPositions, restore } = fixture();
  restore('-5000');
  readPositions(row('-0.6', 9000));
  expect(payments).toEqual(['long -1000']);
});

test('each complete read of positions reports its payments', () => {
  const reads = [false, true];
  const { payments, row, funding } = fixture(undefined, {
    positions: () => immediate({ rows: [row('-0.5', 1000)], isComplete: reads.shift()! } as never),
  });
  start(funding.readPositions(0, {}));
  expect(payments).toEqual([]);
  start(funding.readPositions(0, {}));
  expect(payments).toEqual(['long -5000']);
});

test('a list that is older than the one before reports no payment of an earlier position again', () => {
  const { payments, row, readPositions } = fixture();
  readPositions(row('-0.5', 1000));
  readPositions();
  readPositions(row('-0.5', 1000));
  readPositions(row('-0.1', 9000));
  readPositions(row('-0.5', 1000));
  readPositions(row('-0.1', 9000));
  expect(payments).toEqual(['long -5000', 'long -1000']);
});
