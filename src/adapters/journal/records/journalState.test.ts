// Tests the times that a journal covers. They are those of the exchange.

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

test('the long side of two-way mode counts with its group alone, and ends with the mode', () => {
  const state = new JournalState();
  const note = (channel: string, value: string): void =>
    state.add({
      seq: 1,
      t: 1,
      k: 'CURSOR',
      dur: 0,
      symbol: channel === 'noted' ? 'totals' : 'futures:E-BTC-USDT',
      channel,
      value,
    } as never);
  const noted = (): unknown => ['position', 'long'].map((channel) => state.cursors.get(`futures:E-BTC-USDT ${channel}`)?.value);
  note('position', '2');
  note('long', '3');
  expect(noted()).toEqual([undefined, undefined]);
  note('noted', '');
  expect(noted()).toEqual(['2', '3']);
  // The process has ended in the middle of this group.
  note('position', '7');
  note('long', '8');
  expect(noted()).toEqual(['2', '3']);
  // The journal continues in net mode.
  note('noted', '');
  note('position', '1');
  note('noted', '');
  expect(noted()).toEqual(['1', undefined]);
});
