// Tests funding payments that are journalled before their cursor: after a restart each one is booked once.

import { expect, it } from 'vitest';
import { JournalState } from './journalState.ts';
import type { RecordBody } from './records.ts';

const SYMBOL = 'futures:E-BTC-USDT';

/** Returns the state after these records. */
function stateOf(records: readonly (RecordBody<'FUNDED'> | RecordBody<'CURSOR'>)[]): JournalState {
  const state = new JournalState();
  records.forEach((body, index) => {
    const frame = { seq: index + 1, t: index, dur: 0, crc: '' };
    state.add('paidMs' in body ? { ...frame, k: 'FUNDED', ...body } : { ...frame, k: 'CURSOR', ...body });
  });
  return state;
}

const paymentOf = (amount: string, long = true): RecordBody<'FUNDED'> => ({ symbol: SYMBOL, long, amount, paidMs: 1 });
const cursorOf = (value: string, side = 'buy'): RecordBody<'CURSOR'> => ({ symbol: SYMBOL, channel: `funding ${side}`, value });
const paymentsAfterCursor = (state: JournalState) =>
  Object.fromEntries(Array.from(state.unnoted, ([key, amount]) => [key, amount.toFixed()]));

it('a funding payment that its cursor follows is booked', () => {
  expect(paymentsAfterCursor(stateOf([paymentOf('-0.01'), cursorOf('-1000000')]))).toEqual({});
});

it('funding payments after the newest cursor are added up by side', () => {
  const state = stateOf([paymentOf('-0.01'), cursorOf('-1000000'), paymentOf('-0.02'), paymentOf('0.005'), paymentOf('0.3', false)]);
  expect(paymentsAfterCursor(state)).toEqual({ [`${SYMBOL} funding buy`]: '-0.015', [`${SYMBOL} funding sell`]: '0.3' });
  expect(state.cursors.get(`${SYMBOL} funding buy`)?.value).toBe('-1000000');
});

it('the funding cursor of one side does not affect the other side', () => {
  expect(paymentsAfterCursor(stateOf([paymentOf('0.3', false), cursorOf('7')]))).toEqual({ [`${SYMBOL} funding sell`]: '0.3' });
});
