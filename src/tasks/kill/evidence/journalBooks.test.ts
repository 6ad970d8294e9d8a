// Tests which orders of a journal a kill takes for lost, and how long it waits for them.

import { expect, it } from 'vitest';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { booksOf, type BookedOrder } from '../../../../test/fixtures/killBooks.ts';
import type { JournalRecord } from '../../../adapters/journal/records/records.ts';

const BTC = spotInstrument('BTC');
const SIGNED_MS = 1_000_000;
/** Later than every absence horizon. */
const NOW_MS = SIGNED_MS + 300_000;

const record = (kind: string, body: object): JournalRecord =>
  ({ k: kind, t: NOW_MS, seq: 9, dur: 0, crc: '', ...body }) as unknown as JournalRecord;
const lost = (side: 'buy' | 'sell', cid = 'LOST'): BookedOrder => ({
  cid,
  instrument: BTC,
  side,
  qty: '0.1',
  price: '60000',
  orderId: null,
  signMs: SIGNED_MS,
});

it('an order without a SEND record is lost only when the journal is torn', () => {
  for (const isTorn of [false, true]) {
    const books = booksOf([BTC], [], NOW_MS);
    const intent = { cid: 'NEVER', order: 1, strategy: 0, symbol: BTC.id, side: 'buy', qty: '0.1', amount: null, price: '60000' };
    books.add(record('INTENT', { ...intent, role: 'limit', reduceOnly: false, createdMs: SIGNED_MS }));
    books.complete({ isTorn, nowMs: NOW_MS, recvWindowMs: 5000 });
    expect(books.lostOf(BTC.id).map(({ cid }) => cid)).toEqual(isTorn ? ['NEVER'] : []);
  }
});

it('a kill waits only for lost orders, not for ended ones or waiting trigger orders', () => {
  const waiting = { ...lost('sell', 'STOP'), orderId: 'trigger:44:STOP', condition: '50000' };
  const books = booksOf([BTC], [lost('buy'), lost('buy', 'GONE'), waiting], NOW_MS);
  books.add(record('TOMB', { cid: 'GONE' }));
  const { open, waiting: ids, unknownUntilMs } = books.orders;
  expect([open.size, ids.get(BTC.id), unknownUntilMs]).toEqual([0, ['44'], { spot: SIGNED_MS + 5000 }]);
  books.add(record('TOMB', { cid: 'LOST' }));
  expect(books.orders.unknownUntilMs).toEqual({});
});

it("the account's part of a trade counts only once the part of the order follows, as a start reads the trade again", () => {
  const books = booksOf([BTC], [{ ...lost('sell', 'EXIT'), orderId: '7' }], NOW_MS);
  const fill = { symbol: BTC.id, orderId: '7', tradeId: '41', side: 'sell', price: '60000', fee: '0', feeCoin: null, executedMs: NOW_MS };
  const accountPart = record('FILL', { ...fill, cid: null, qty: '0.04', split: true });
  books.add(accountPart);
  expect(books.accountFills.rowsOf(BTC.id)).toEqual([]);
  // The process ended here. The next one divides the trade otherwise.
  books.add(record('CONFIG', {}));
  books.add(record('FILL', { ...fill, cid: 'EXIT', qty: '0.1' }));
  expect(books.accountFills.rowsOf(BTC.id)).toEqual([]);

  const whole = booksOf([BTC], [{ ...lost('sell', 'EXIT'), orderId: '7' }], NOW_MS);
  whole.add(accountPart);
  whole.add(record('FILL', { ...fill, cid: 'EXIT', qty: '0.06' }));
  expect(whole.accountFills.excess.map(({ row }) => row.qty)).toEqual(['0.04']);
});
