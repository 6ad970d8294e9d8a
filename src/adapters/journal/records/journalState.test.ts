// Tests the state that is read from journal records: the times that they cover, by the clock of the exchange, and the totals of positions.

import { expect, test } from 'vitest';
import { JournalState } from './journalState.ts';
import type { JournalRecord } from './records.ts';

const record = (t: number, k: string): JournalRecord => ({ seq: 1, t, k, dur: 0 }) as never;

test('a journal begins and ends with records of the clock of the exchange: the head of a file is from before it was measured', () => {
  const state = new JournalState();
  // The clock of this computer is a year ahead of the exchange.
  state.add(record(1_795_936_451_803, 'SEGMENT'));
  expect([state.firstMs, state.lastMs]).toEqual([NaN, NaN]);
  state.add(record(1_747_710_533_869, 'STOP'));
  state.add(record(1_747_710_600_000, 'STOP'));
  state.add(record(1_795_936_795_859, 'SEGMENT'));
  expect([state.firstMs, state.lastMs]).toEqual([1_747_710_533_869, 1_747_710_600_000]);
});

test('the totals of long positions count only with a complete group of cursors, and end with two-way mode', () => {
  const state = new JournalState();
  const addCursor = (channel: string, value: string): void =>
    state.add({
      seq: 1,
      t: 1,
      k: 'CURSOR',
      dur: 0,
      symbol: channel === 'noted' ? 'totals' : 'futures:E-BTC-USDT',
      channel,
      value,
    } as never);
  const countedTotals = (): unknown => ['position', 'long'].map((channel) => state.cursors.get(`futures:E-BTC-USDT ${channel}`)?.value);
  addCursor('position', '2');
  addCursor('long', '3');
  expect(countedTotals()).toEqual([undefined, undefined]);
  addCursor('noted', '');
  expect(countedTotals()).toEqual(['2', '3']);
  // This group is incomplete: the process ended before it wrote `noted`.
  addCursor('position', '7');
  addCursor('long', '8');
  expect(countedTotals()).toEqual(['2', '3']);
  // The journal continues in net mode.
  addCursor('noted', '');
  addCursor('position', '1');
  addCursor('noted', '');
  expect(countedTotals()).toEqual(['1', undefined]);
});

test('the account’s part of a trade counts from the record of the order’s part on, and once if the trade is booked again', () => {
  const addFill = (state: JournalState, fill: object): void =>
    state.add({ seq: 1, t: 1, k: 'FILL', dur: 0, symbol: 'spot:BTCUSDT', tradeId: '7', side: 'sell', orderId: '3', ...fill } as never);
  const partsOf = (...fills: readonly object[]): readonly string[] => {
    const state = new JournalState();
    for (const fill of fills) addFill(state, fill);
    return state.unattributedFills.map(({ qty }) => qty);
  };
  const nextProcess = { k: 'CONFIG' };
  const ofAccount = { cid: null, qty: '3', split: true };
  const ofOrder = { cid: 'A', qty: '2' };
  expect(partsOf(ofAccount, ofOrder)).toEqual(['3']);
  expect(partsOf(ofAccount), 'the process ended before the part of the order').toEqual([]);
  expect(partsOf(ofAccount, { ...ofOrder, orderId: '4' }), 'the other leg of a trade with ourselves').toEqual([]);
  expect(partsOf(ofAccount, nextProcess, { ...ofAccount, qty: '4' }, ofOrder), 'the next process has divided it again').toEqual(['4']);
  expect(partsOf(ofAccount, nextProcess, { ...ofOrder, qty: '5' }), 'the next process has given all of it to the order').toEqual([]);
  expect(partsOf({ ...ofAccount, split: undefined }), 'the account has the whole trade').toEqual(['3']);
});
