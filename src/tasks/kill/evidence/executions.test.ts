// Tests which orders of a kill have executed more than their trades in journal and list show.

import { expect, test } from 'vitest';
import type { TradeRow } from '../../../adapters/exchange/calls/venueRows.ts';
import type { InstrumentId } from '../../../model/instrument.ts';
import { Executions } from './executions.ts';

const ID = 'BTCUSDT' as InstrumentId;
const isOwn = (): boolean => true;
const tradeOf = (tradeId: string, venueId: string, qty: string, otherId: string | null = null): TradeRow =>
  ({ tradeId, venueId, otherId, qty, side: 'buy' }) as unknown as TradeRow;

test('an order is lacking until the journal and the list add up to what its status has shown', () => {
  const executions = new Executions();
  executions.noteExecuted(ID, { venueId: '1', side: 'buy', executed: '3' });
  executions.noteBooked(ID, '1', tradeOf('11', '1', '1'));
  const shownBy = (...trades: TradeRow[]) => executions.lackingOrders(ID, trades, isOwn).map(({ shown }) => shown.toFixed());
  expect(shownBy()).toEqual(['1']);
  expect(shownBy(tradeOf('12', '1', '1'), tradeOf('13', '2', '5'))).toEqual(['2']);
  // The trade that the journal has booked counts once.
  expect(shownBy(tradeOf('11', '1', '1'), tradeOf('12', '1', '1'))).toEqual(['2']);
  expect(shownBy(tradeOf('12', '1', '2'))).toEqual([]);
});

test('what the journal has booked to the account counts with the part of the strategy, and a listed trade has both parts', () => {
  const executions = new Executions();
  executions.noteExecuted(ID, { venueId: '1', side: 'buy', executed: '5' });
  executions.noteBooked(ID, '1', tradeOf('11', '1', '2'));
  const shownBy = (trades: readonly TradeRow[], ...accountRows: readonly TradeRow[]) =>
    executions.lackingOrders(ID, trades, isOwn, accountRows).map(({ shown }) => shown.toFixed());
  expect(shownBy([])).toEqual(['2']);
  expect(shownBy([], tradeOf('11', '1', '1'), tradeOf('12', '2', '9'))).toEqual(['3']);
  expect(shownBy([tradeOf('11', '1', '3')], tradeOf('11', '1', '1'))).toEqual(['3']);
  expect(shownBy([], tradeOf('11', '1', '1'), tradeOf('12', '1', '2'))).toEqual([]);
});

test('a trade of the account with itself is of both orders', () => {
  const executions = new Executions();
  for (const venueId of ['1', '2']) executions.noteExecuted(ID, { venueId, side: 'buy', executed: '1' });
  expect(executions.lackingOrders(ID, [tradeOf('11', '1', '1')], isOwn).map(({ venueId }) => venueId)).toEqual(['2']);
  expect(executions.lackingOrders(ID, [tradeOf('11', '1', '1', '2')], isOwn)).toEqual([]);
});

test('the work grows with the trades, not with the product of trades and orders', () => {
  const executions = new Executions();
  const count = 2_000;
  let reads = 0;
  const trades = Array.from({ length: count }, (_, index) => {
    executions.noteExecuted(ID, { venueId: String(index), side: 'buy', executed: '1' });
    const trade = tradeOf(String(index), String(index), '1');
    return Object.defineProperty({ ...trade }, 'venueId', { get: () => (reads++, String(index)) });
  });
  expect(executions.lackingOrders(ID, trades, isOwn)).toEqual([]);
  expect(reads).toBeLessThan(10 * count);
});
