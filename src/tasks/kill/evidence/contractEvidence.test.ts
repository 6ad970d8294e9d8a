// Tests how a kill counts the second copies of orders of contracts, and fills that the journal has booked to the account.

import { expect, it } from 'vitest';
import { PERPETUAL } from '../../../../test/service/futuresFixture.ts';
import { booksOf, type BookedOrder } from '../../../../test/fixtures/killBooks.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import { KILL_SETTINGS, KillVenue } from '../plan/killVenue.ts';
import { KillEvidenceReader } from './evidenceReader.ts';
import type { JournalBooks } from './journalBooks.ts';

const SIGNED_MS = 1_000_000;
/** Later than every absence horizon. */
const NOW_MS = SIGNED_MS + 300_000;

const id = PERPETUAL.wireName;
/** Returns a filled order of the history. */
const orderRow = (orderId: string, clientId: string, openOrClose: 'OPEN' | 'CLOSE', side: 'buy' | 'sell') => ({
  orderId,
  clientId,
  openOrClose,
  side,
  contractName: id,
  price: '60000',
  volume: '10',
  dealVolume: '10',
  type: { word: 'LIMIT', raw: 1 },
  status: { word: 'FILLED', raw: 2 },
  ctimeMs: SIGNED_MS + 500,
});

/** Returns a trade of the list. */
const tradeRow = (tradeId: string, orderId: string, side: 'buy' | 'sell') => ({
  contractName: id,
  tradeId,
  side,
  price: '60000',
  quantity: '10',
  fee: '0',
  feeCoin: 'USDT',
  isBuyer: side === 'buy',
  isMaker: false,
  bidId: side === 'buy' ? orderId : '900',
  askId: side === 'sell' ? orderId : '900',
  timeMs: SIGNED_MS + 1000,
});

/** Returns a reader of evidence at an exchange with these lists. */
function readerOf(history: readonly object[], trades: readonly object[], books: JournalBooks, serverMs = NOW_MS): KillEvidenceReader {
  const answers: Readonly<Record<string, unknown>> = {
    'futures.openOrders': { rows: [], refused: [] },
    'futures.orderHistory': { rows: history, refused: [] },
    'futures.myTrades': { rows: trades, refused: [] },
  };
  const client = {
    call: (op: string, _: never, done: (outcome: unknown) => void) => {
      queueMicrotask(() => done({ kind: 'acked', value: answers[op] ?? null }));
      return { cancel: () => {} };
    },
  };
  const serverTime = (): object => ({ ms: serverMs, uncertaintyMs: 10 });
  const scheduler = new DueQueue();
  const deps = { client, scheduler, settings: KILL_SETTINGS, instruments: [PERPETUAL], serverTime, onPhase: () => {} };
  return new KillEvidenceReader(new KillVenue(deps as never), books);
}

const ENTRY = { cid: 'IN', instrument: PERPETUAL, side: 'sell', qty: '10', price: '60000', orderId: '1', signMs: SIGNED_MS } as const;
const EXIT = { ...ENTRY, cid: 'OUT', side: 'buy', orderId: '3', reduceOnly: true } as const;

it('contracts opened by a second copy of an order belong to the account, and contracts closed by one no longer belong to the bot', async () => {
  const history = [
    orderRow('4', 'OUT', 'CLOSE', 'buy'),
    orderRow('3', 'OUT', 'CLOSE', 'buy'),
    orderRow('2', 'IN', 'OPEN', 'sell'),
    orderRow('1', 'IN', 'OPEN', 'sell'),
  ];
  const trades = [tradeRow('14', '4', 'buy'), tradeRow('13', '3', 'buy'), tradeRow('12', '2', 'sell'), tradeRow('11', '1', 'sell')];
  const heldAfter = async (...orders: readonly BookedOrder[]): Promise<string | undefined> => {
    const evidenceReader = readerOf(history, trades, booksOf([PERPETUAL], orders, NOW_MS));
    return (await evidenceReader.read(PERPETUAL)).held.get(0)?.low.toFixed();
  };
  expect(await heldAfter(ENTRY)).toBe('-10');
  // The exit and its copy have both closed 10.
  expect(await heldAfter(ENTRY, EXIT)).toBe('10');
});

it('a fill that the journal has booked to the account may have closed the bot’s contracts, until the operator has accepted it', async () => {
  const history = [orderRow('3', 'OUT', 'CLOSE', 'buy'), orderRow('1', 'IN', 'OPEN', 'sell')];
  const trades = [tradeRow('13', '3', 'buy'), tradeRow('11', '1', 'sell')];
  const books = booksOf([PERPETUAL], [ENTRY, EXIT], NOW_MS);
  const fillOfAccount = { k: 'FILL', t: NOW_MS, seq: 99, cid: null, symbol: PERPETUAL.id, orderId: '3', tradeId: '13', side: 'buy' };
  books.add({ ...fillOfAccount, qty: '10', price: '60000', fee: '0', feeCoin: 'USDT', maker: false, executedMs: SIGNED_MS } as never);
  const rangeNow = async () => {
    const range = (await readerOf(history, trades, books).read(PERPETUAL)).held.get(0);
    return [range?.low.toFixed(), range?.high.toFixed()];
  };
  expect(await rangeNow()).toEqual(['-10', '0']);
  // The operator accepts that the fill is the account's.
  books.add({ k: 'RESUME', t: NOW_MS, seq: 100, scope: 'account', state: 'HALT_NEW', code: 'POST_TRADE', who: 'me', why: 'seen' } as never);
  expect(await rangeNow()).toEqual(['-10', '-10']);
});

it('a fill that the journal has booked to the account counts as shown, also once the exchange no longer lists it', async () => {
  const history = [orderRow('3', 'OUT', 'CLOSE', 'buy'), orderRow('1', 'IN', 'OPEN', 'sell')];
  const fill = { k: 'FILL', t: NOW_MS, seq: 99, symbol: PERPETUAL.id, price: '60000', fee: '0', feeCoin: 'USDT', maker: false };
  const books = booksOf([PERPETUAL], [ENTRY, EXIT], NOW_MS);
  books.add({ ...fill, cid: 'IN', orderId: '1', tradeId: '11', side: 'sell', qty: '10', executedMs: SIGNED_MS, last: true } as never);
  books.add({ ...fill, cid: null, orderId: '3', tradeId: '13', side: 'buy', qty: '10', executedMs: SIGNED_MS } as never);
  // The trades are older than those that the exchange lists.
  const serverMs = NOW_MS + 2 * 86_400_000;
  const range = (await readerOf(history, [], books, serverMs).read(PERPETUAL)).held.get(0);
  expect([range?.low.toFixed(), range?.high.toFixed()]).toEqual(['-10', '0']);
});

it.each([
  { name: 'listed', isListed: true },
  { name: 'no longer listed', isListed: false },
])(
  'the part of a trade $name beyond what the strategy held may have closed contracts whose fill is not booked yet',
  async ({ isListed }) => {
    const history = [orderRow('3', 'OUT', 'CLOSE', 'buy'), orderRow('1', 'IN', 'OPEN', 'sell')];
    const fill = {
      k: 'FILL',
      t: NOW_MS,
      symbol: PERPETUAL.id,
      price: '60000',
      fee: '0',
      feeCoin: 'USDT',
      maker: false,
      executedMs: SIGNED_MS,
    };
    const books = booksOf([PERPETUAL], [ENTRY, EXIT], NOW_MS);
    // The entry has filled 6 and 4, and only the 6 are booked. So the exit of 10 has closed 4 more than the strategy held.
    books.add({ ...fill, seq: 97, cid: 'IN', orderId: '1', tradeId: '11', side: 'sell', qty: '6', last: false } as never);
    books.add({ ...fill, seq: 98, cid: null, orderId: '3', tradeId: '13', side: 'buy', qty: '4', split: true } as never);
    books.add({ ...fill, seq: 99, cid: 'OUT', orderId: '3', tradeId: '13', side: 'buy', qty: '6', last: true } as never);
    const unbookedTrade = { ...tradeRow('12', '1', 'sell'), quantity: '4' };
    const trades = isListed
      ? [tradeRow('13', '3', 'buy'), unbookedTrade, { ...tradeRow('11', '1', 'sell'), quantity: '6' }]
      : [unbookedTrade];
    const rangeNow = async () => {
      const range = (await readerOf(history, trades, books, isListed ? NOW_MS : NOW_MS + 2 * 86_400_000).read(PERPETUAL)).held.get(0);
      return [range?.low.toFixed(), range?.high.toFixed()];
    };
    expect(await rangeNow()).toEqual(['-4', '0']);
    books.add({
      k: 'RESUME',
      t: NOW_MS,
      seq: 100,
      scope: 'account',
      state: 'HALT_NEW',
      code: 'POST_TRADE',
      who: 'me',
      why: 'seen',
    } as never);
    expect(await rangeNow()).toEqual(['-4', '-4']);
  },
);
