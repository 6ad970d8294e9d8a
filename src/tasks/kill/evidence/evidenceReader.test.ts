// Tests how a kill computes positions from the trades of the bot's own orders, with bounds where the evidence is not conclusive.

import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { booksOf, type BookedOrder } from '../../../../test/fixtures/killBooks.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import { lots } from '../../../base/brand.ts';
import type { JournalRecord } from '../../../adapters/journal/records/records.ts';
import { SpotCloser } from '../flatten/spotCloser.ts';
import { KILL_SETTINGS, KillVenue } from '../plan/killVenue.ts';
import { KillEvidenceReader } from './evidenceReader.ts';

const BTC = spotInstrument('BTC', { quantityDigits: 4, baseDigits: 8, minLots: lots(10) });
const SIGNED_MS = 1_000_000;
/** Later than every absence horizon. */
const NOW_MS = SIGNED_MS + 300_000;

/** What the exchange of a case replies. */
interface Venue {
  readonly trades: readonly object[];
  readonly orders: Readonly<Record<string, object>>;
  readonly free?: string;
  readonly locked?: string;
  readonly nowMs?: number;
  /** Rows of the list of open orders that cannot be read. */
  readonly unreadable?: number;
}

const trade = (tradeId: string, orderId: string, side: 'buy' | 'sell', quantity: string) => ({
  symbol: 'BTCUSDT',
  tradeId,
  bidId: side === 'buy' ? orderId : null,
  askId: side === 'sell' ? orderId : null,
  price: '60000',
  quantity,
  timeMs: SIGNED_MS + 1000,
  isBuyer: side === 'buy',
  isMaker: false,
  feeCoin: side === 'buy' ? 'BTC' : 'USDT',
  fee: side === 'buy' ? '0.0001' : '6',
});
const orderOf = (orderId: string, clientOrderId: string | null, side: 'buy' | 'sell') => ({
  orderId,
  clientOrderId,
  side,
  symbol: 'BTCUSDT',
  price: '60000',
  origQty: '0.1',
  executedQty: '0.1',
  type: { word: 'LIMIT', raw: 'LIMIT' },
  status: { word: 'FILLED', raw: 'FILLED' },
  timeMs: SIGNED_MS + 500,
});
const lost = (side: 'buy' | 'sell', cid = 'LOST'): BookedOrder => ({
  cid,
  instrument: BTC,
  side,
  qty: '0.1',
  price: '60000',
  orderId: null,
  signMs: SIGNED_MS,
});
const BOUGHT: BookedOrder = { ...lost('buy', 'BOUGHT'), orderId: '1' };

/** Returns the reader of a case: the bot has `orders`, and the exchange replies with the trades and orders of a `Venue`. */
function readCase(
  orders: readonly BookedOrder[],
  { trades, orders: reported, free = '100', locked = '0', nowMs = NOW_MS, unreadable = 0 }: Venue,
) {
  // The status of an order agrees with its trades.
  const executedOf = (orderId: string): string =>
    (trades as readonly ReturnType<typeof trade>[])
      .reduce((sum, { bidId, askId, quantity }) => (bidId === orderId || askId === orderId ? sum.plus(quantity) : sum), new Decimal(0))
      .toFixed();
  const answers: Readonly<Record<string, (args: Readonly<Record<string, string>>) => unknown>> = {
    'spot.openOrders': () => ({ rows: [], refused: Array.from({ length: unreadable }, () => ({})) }),
    'spot.myTrades': () => ({ rows: trades, refused: [] }),
    'spot.queryOrder': ({ orderId = '' }) =>
      reported[orderId] === undefined ? null : { ...reported[orderId], executedQty: executedOf(orderId) },
    'spot.account': () => ({ rows: [{ asset: 'BTC', free, locked }], refused: [] }),
  };
  const client = {
    call: (op: string, args: never, done: (outcome: unknown) => void) => {
      queueMicrotask(() => done({ kind: 'acked', value: answers[op]!(args) }));
      return { cancel: () => {} };
    },
  };
  const scheduler = new DueQueue();
  scheduler.runDue(0);
  const venue = new KillVenue({
    client,
    scheduler,
    settings: KILL_SETTINGS,
    instruments: [BTC],
    serverTime: () => ({ ms: nowMs, uncertaintyMs: 10 }),
    onPhase: () => {},
  } as never);
  const books = booksOf([BTC], orders, nowMs);
  const evidenceReader = new KillEvidenceReader(venue, books);
  const closer = new SpotCloser({ instrument: BTC, strategy: 0, evidenceReader, journal: null as never });
  const range = async (): Promise<readonly string[]> => {
    const { held } = await evidenceReader.read(BTC);
    const { low, high } = held.get(0) ?? { low: new Decimal(0), high: new Decimal(0) };
    return [low.toFixed(), high.toFixed()];
  };
  return { books, closer, venue, range, scheduler };
}

const boughtTrade = trade('11', '1', 'buy', '0.1');

it('trades of a lost order count when the order of their id has its client order id', async () => {
  const sold = readCase([BOUGHT, lost('sell')], {
    trades: [trade('12', '2', 'sell', '0.0999'), boughtTrade],
    orders: { 2: orderOf('2', 'LOST', 'sell') },
  });
  expect(await sold.range()).toEqual(['0', '0']);
  const bought = readCase([BOUGHT, lost('buy')], {
    trades: [trade('12', '2', 'buy', '0.1'), boughtTrade],
    orders: { 2: orderOf('2', 'LOST', 'buy') },
  });
  expect(await bought.range()).toEqual(['0.1998', '0.1998']);
});

it('a duplicate buy does not add to the position, and a duplicate sale reduces it', async () => {
  const bought = readCase([BOUGHT], {
    trades: [trade('12', '2', 'buy', '0.1'), boughtTrade],
    orders: { 2: orderOf('2', 'bought', 'buy') },
  });
  expect(await bought.range()).toEqual(['0.0999', '0.0999']);
  const sale: BookedOrder = { ...lost('sell', 'SALE'), orderId: '5' };
  const sold = readCase([BOUGHT, sale], {
    trades: [trade('14', '6', 'sell', '0.03'), trade('13', '5', 'sell', '0.03'), boughtTrade],
    orders: { 6: orderOf('6', 'SALE', 'sell') },
  });
  expect(await sold.range()).toEqual(['0.0399', '0.0399']);
});

it('an order whose acknowledged id is that of another order is found by its client order id, and is no second copy', async () => {
  const others = [orderOf('1', 'hers', 'buy'), { ...orderOf('1', null, 'buy'), origQty: '0.5' }, orderOf('1', null, 'sell')];
  for (const other of others) {
    const trades = [trade('12', '2', 'buy', '0.1')];
    const { range } = readCase([BOUGHT], { trades, orders: { 1: other, 2: orderOf('2', 'BOUGHT', 'buy') } });
    expect(await range()).toEqual(['0.0999', '0.0999']);
  }
});

it('the copy of an order whose end the journal has is a second copy, unless the operator has ended that order', async () => {
  const record = { t: NOW_MS, seq: 9, dur: 0, crc: '' };
  const end = { ...record, k: 'STATE', cid: 'BOUGHT', lifecycle: 'done', reason: 'canceled', confirmed: true, filled: '0' };
  const decision = { ...record, k: 'HUMAN', who: 'me', what: 'resolve', id: 'BOUGHT', why: 'the exchange does not have it' };
  const trades = [trade('12', '2', 'buy', '0.1')];
  const copy = orderOf('2', 'BOUGHT', 'buy');
  const ended = readCase([BOUGHT], { trades, orders: { 2: copy } });
  ended.books.add(end as unknown as JournalRecord);
  expect(await ended.range()).toEqual(['0', '0']);
  const decided = readCase([BOUGHT], { trades, orders: { 1: orderOf('1', 'hers', 'buy'), 2: copy } });
  for (const each of [end, decision]) decided.books.add(each as unknown as JournalRecord);
  expect(await decided.range()).toEqual(['0.0999', '0.0999']);
});

it('trades of an order with a foreign client order id never count, even with the fingerprint of a lost order', async () => {
  const trades = [trade('12', '2', 'sell', '0.1'), boughtTrade];
  const { range } = readCase([BOUGHT, lost('sell')], { trades, orders: { 2: orderOf('2', 'hers', 'sell') } });
  expect(await range()).toEqual(['0.0999', '0.0999']);
});

it('an unattributed fill of the journal is attributed again, and an attributed one is booked once', async () => {
  const { books, range } = readCase([BOUGHT, lost('sell')], {
    trades: [trade('12', '2', 'sell', '0.0999'), boughtTrade],
    orders: { 2: orderOf('2', 'LOST', 'sell') },
  });
  const fill = { k: 'FILL', t: NOW_MS, symbol: BTC.id, price: '60000', executedMs: SIGNED_MS + 1000, seq: 9, dur: 0, crc: '' };
  books.add({
    ...fill,
    cid: null,
    tradeId: '12',
    orderId: '2',
    side: 'sell',
    qty: '0.0999',
    fee: '6',
    feeCoin: 'USDT',
  } as unknown as JournalRecord);
  books.add({
    ...fill,
    cid: 'BOUGHT',
    tradeId: '11',
    orderId: '1',
    side: 'buy',
    qty: '0.1',
    fee: '0.0001',
    feeCoin: 'BTC',
  } as unknown as JournalRecord);
  expect(await range()).toEqual(['0', '0']);
});

it('without client order ids one matching order is the lost one, and two matching orders give the smaller position', async () => {
  const oneMatch = readCase([BOUGHT, lost('sell')], {
    trades: [trade('12', '2', 'sell', '0.0999'), boughtTrade],
    orders: { 2: orderOf('2', null, 'sell') },
  });
  expect(await oneMatch.range()).toEqual(['0', '0']);
  const trades = [trade('13', '3', 'sell', '0.05'), trade('12', '2', 'sell', '0.0999'), boughtTrade];
  const twoMatches = readCase([BOUGHT, lost('sell')], {
    trades,
    orders: { 2: orderOf('2', null, 'sell'), 3: orderOf('3', null, 'sell') },
  });
  expect(await twoMatches.range()).toEqual(['0', '0.0999']);
  expect(await twoMatches.closer.closable(twoMatches.venue)).toMatchObject({
    qty: new Decimal(0),
    uncertainQty: new Decimal('0.0999'),
    uncertainties: [expect.stringContaining('orders 3, 2')],
  });
});

it('a lost sale that no list shows had no effect after the absence horizon, and may have had one before it', async () => {
  const absent = readCase([BOUGHT, lost('sell')], { trades: [boughtTrade], orders: {} });
  expect(await absent.range()).toEqual(['0.0999', '0.0999']);
  const beforeHorizon = readCase([BOUGHT, lost('sell')], { trades: [boughtTrade], orders: {}, nowMs: SIGNED_MS + 60_000 });
  expect(await beforeHorizon.range()).toEqual(['-0.0001', '0.0999']);
});

it('the balance may reduce the quantity to sell but not increase it, and the reduction is reported', async () => {
  const smallBalance = readCase([BOUGHT], { trades: [boughtTrade], orders: {}, free: '0.03' });
  expect(await smallBalance.closer.closable(smallBalance.venue)).toMatchObject({
    qty: new Decimal('0.03'),
    uncertainQty: new Decimal('0.0699'),
  });
  const lockedCoins = readCase([BOUGHT], { trades: [boughtTrade], orders: {}, free: '0.03', locked: '0.05' });
  expect(await lockedCoins.closer.closable(lockedCoins.venue)).toMatchObject({
    qty: new Decimal('0.03'),
    blockedQty: new Decimal('0.05'),
    uncertainQty: new Decimal('0.0199'),
  });
  const largeBalance = readCase([BOUGHT], { trades: [boughtTrade], orders: {}, free: '7' });
  expect(await largeBalance.closer.closable(largeBalance.venue)).toMatchObject({
    qty: new Decimal('0.0999'),
    uncertainQty: new Decimal(0),
  });
});

it('a list of trades without one that the journal has is incomplete, so it does not increase a sale', async () => {
  const { books, range, scheduler } = readCase([BOUGHT, lost('sell')], {
    trades: [trade('12', '9', 'buy', '0.01')],
    orders: { 9: orderOf('9', 'hers', 'buy') },
  });
  const fill = { k: 'FILL', t: NOW_MS, symbol: BTC.id, price: '60000', executedMs: SIGNED_MS + 1000, seq: 9, dur: 0, crc: '' };
  const booked = { cid: 'BOUGHT', tradeId: '11', orderId: '1', side: 'buy', qty: '0.1', fee: '0.0001', feeCoin: 'BTC' };
  books.add({ ...fill, ...booked } as unknown as JournalRecord);
  const reading = range();
  const progress = { hasEnded: false };
  void reading.catch(() => {}).finally(() => (progress.hasEnded = true));
  for (let turnIndex = 0; turnIndex < 5000 && !progress.hasEnded; turnIndex++) {
    scheduler.runDue(scheduler.nowMs + 3000);
    await Promise.resolve();
  }
  await expect(reading).rejects.toThrow(/the list of own trades has a gap/);
});

it('an unattributed fill of the journal counts when no list reaches back to it', async () => {
  const extra = { tradeId: '7', orderId: '5', side: 'buy', qty: '0.1', fee: '0.0001', feeCoin: 'BTC' };
  const unattributed = {
    k: 'FILL',
    t: NOW_MS,
    symbol: BTC.id,
    price: '60000',
    executedMs: SIGNED_MS + 900,
    seq: 9,
    dur: 0,
    crc: '',
    cid: null,
  };
  // The fill belongs to the order whose reply was lost.
  const ownOrder = readCase([BOUGHT, lost('buy')], { trades: [boughtTrade], orders: { 5: orderOf('5', 'LOST', 'buy') } });
  ownOrder.books.add({ ...unattributed, ...extra } as unknown as JournalRecord);
  expect(await ownOrder.range()).toEqual(['0.1998', '0.1998']);
  const foreignOrder = readCase([BOUGHT], { trades: [boughtTrade], orders: { 5: orderOf('5', 'hers', 'buy') } });
  foreignOrder.books.add({ ...unattributed, ...extra } as unknown as JournalRecord);
  expect(await foreignOrder.range()).toEqual(['0.0999', '0.0999']);
  const listed = readCase([BOUGHT, lost('buy')], {
    trades: [trade('7', '5', 'buy', '0.1'), boughtTrade],
    orders: { 5: orderOf('5', 'LOST', 'buy') },
  });
  listed.books.add({ ...unattributed, ...extra } as unknown as JournalRecord);
  expect(await listed.range()).toEqual(['0.1998', '0.1998']);
});

it('a venue order id given to two orders identifies neither until a list shows its client order id', async () => {
  const sharedIdOrders = [
    { ...lost('buy', 'ONE'), orderId: '1' },
    { ...lost('buy', 'TWO'), orderId: '1' },
  ];
  const venue = {
    trades: [trade('12', '2', 'buy', '0.1'), boughtTrade],
    orders: { 1: orderOf('1', 'ONE', 'buy'), 2: orderOf('2', null, 'buy') },
  };
  const { books, range } = readCase(sharedIdOrders, venue);
  for (const cid of ['ONE', 'TWO']) {
    const state = {
      k: 'STATE',
      t: NOW_MS,
      seq: 9,
      dur: 0,
      crc: '',
      cid,
      lifecycle: 'unknown',
      reason: null,
      confirmed: false,
      filled: '0',
    };
    books.add(state as unknown as JournalRecord);
  }
  expect(books.lostOf(BTC.id).map(({ cid }) => cid)).toEqual(['ONE', 'TWO']);
  expect(await range()).toEqual(['0.1998', '0.1998']);
});

it('an order with a client order id of this bot is its own, even if the journal does not contain it', async () => {
  const [firstCid, secondCid, foreignCid] = ['0123456789ABCDEF0000000001', '0123456789abcdef0000000002', '1123456789ABCDEF0000000002'];
  const bought: BookedOrder = { ...lost('buy', firstCid), orderId: '1' };
  const withClientOrderId = (cid: string) =>
    readCase([bought], { trades: [trade('12', '2', 'sell', '0.05'), boughtTrade], orders: { 2: orderOf('2', cid, 'sell') } });
  expect(await withClientOrderId(secondCid).range()).toEqual(['0.0499', '0.0499']);
  expect(await withClientOrderId(foreignCid).range()).toEqual(['0.0999', '0.0999']);
});

const record = (kind: string, body: object): JournalRecord =>
  ({ k: kind, t: NOW_MS, seq: 9, dur: 0, crc: '', ...body }) as unknown as JournalRecord;

it('a list of open orders with rows that cannot be read proves no absence', async () => {
  const { range } = readCase([BOUGHT, lost('sell')], { trades: [boughtTrade], orders: {}, unreadable: 1 });
  expect(await range()).toEqual(['-0.0001', '0.0999']);
});

it('absence counts once the clock is after the absence horizon, including its uncertainty', async () => {
  // Admission window 5 s, visibility delay 60 s, read lag 3 s, clock uncertainty 10 ms.
  const rangeAfter = (ms: number) => readCase([BOUGHT, lost('sell')], { trades: [boughtTrade], orders: {}, nowMs: SIGNED_MS + ms }).range();
  expect(await rangeAfter(68_009)).toEqual(['-0.0001', '0.0999']);
  expect(await rangeAfter(68_010)).toEqual(['0.0999', '0.0999']);
});

it('an uncertain order of one strategy does not change the position of another', async () => {
  const { range, closer, venue } = readCase([BOUGHT, { ...lost('sell'), strategy: 1 }], {
    trades: [boughtTrade],
    orders: {},
    nowMs: SIGNED_MS,
  });
  expect(await range()).toEqual(['0.0999', '0.0999']);
  expect(await closer.closable(venue)).toMatchObject({ qty: new Decimal('0.0999'), uncertainQty: new Decimal(0), uncertainties: [] });
});

it('an uncertain order is reported even if the bot cannot hold anything', async () => {
  const { closer, venue } = readCase([lost('sell')], { trades: [], orders: {}, nowMs: SIGNED_MS });
  expect(await closer.closable(venue)).toMatchObject({
    qty: new Decimal(0),
    uncertainQty: new Decimal(0),
    uncertainties: [expect.stringContaining('LOST')],
  });
});

it('an order that the operator ignores is not taken for a lost one', async () => {
  const { books, range } = readCase([BOUGHT, lost('sell')], {
    trades: [trade('12', '2', 'sell', '0.0999'), boughtTrade],
    orders: { 2: orderOf('2', null, 'sell') },
  });
  books.add(record('HUMAN', { who: 'ann', what: 'ignore', id: `${BTC.id} 2`, why: 'mine' }));
  expect(await range()).toEqual(['0.0999', '0.0999']);
});

it('both legs of a self-trade count, each once', async () => {
  const venue = { trades: [trade('11', '2', 'sell', '0.05'), boughtTrade], orders: {} };
  const [bought, sold] = [
    { cid: 'BOUGHT', tradeId: '11', orderId: '1', side: 'buy', qty: '0.1', fee: '0.0001', feeCoin: 'BTC' },
    { cid: 'SOLD', tradeId: '11', orderId: '2', side: 'sell', qty: '0.05', fee: '3', feeCoin: 'USDT' },
  ];
  for (const booked of [[bought], [sold], [bought, sold]]) {
    const { books, range } = readCase([BOUGHT, { ...lost('sell', 'SOLD'), orderId: '2' }], venue);
    for (const fill of booked) books.add(record('FILL', { symbol: BTC.id, price: '60000', executedMs: SIGNED_MS + 1000, ...fill }));
    expect(await range()).toEqual(['0.0499', '0.0499']);
  }
});

it('an order that a trigger sent without a client order id leaves the position uncertain', async () => {
  const stop = { ...lost('sell', 'STOP'), orderId: 'trigger:44:STOP', condition: '60500' };
  const firedStop = readCase([BOUGHT, stop], {
    trades: [trade('12', '2', 'sell', '0.0999'), boughtTrade],
    orders: { 2: orderOf('2', null, 'sell') },
  });
  expect(await firedStop.range()).toEqual(['0', '0.0999']);
  expect(await readCase([BOUGHT, stop], { trades: [boughtTrade], orders: {} }).range()).toEqual(['0.0999', '0.0999']);
});
