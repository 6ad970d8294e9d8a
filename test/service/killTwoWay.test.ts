// Tests kills of bots whose contracts are in two-way mode: a contract has a long and a short position at once.

import { Decimal } from 'decimal.js';
import { afterEach, expect, it } from 'vitest';
import type { JournalRecord } from '../../src/adapters/journal/records/records.ts';
import { runKill } from '../../src/tasks/kill/kill.ts';
import type { BookedOrder } from '../fixtures/killBooks.ts';
import { KillFixture } from '../fixtures/killFixture.ts';

let fixture: KillFixture;
afterEach(() => fixture.close());

const contractName = 'E-BTC-USDT';
/** A fill of the journal, without its order. */
const FILL = {
  k: 'FILL',
  t: 1,
  qty: '1000',
  price: '65000',
  notional: '6500',
  fee: '0',
  feeCoin: 'USDT',
  executedMs: 1,
  filled: '1000',
  last: true,
};

/** Opens an exchange, and changes the account to two-way mode. */
async function openTwoWay(): Promise<void> {
  fixture = await KillFixture.open();
  await fixture.call('futures.changePositionMode', { contractName, positionModel: 2 });
}

/** Trades contracts, and returns the order as the bot's journal has it. */
async function trade(side: 'buy' | 'sell', action: 'OPEN' | 'CLOSE', qty: string, cid = fixture.nextClientOrderId()): Promise<BookedOrder> {
  const price = side === 'buy' ? '70000' : '60000';
  const signMs = (await fixture.call('futures.serverTime', {})).serverTimeMs;
  const { orderId } = await fixture.call('futures.createOrder', {
    contractName,
    type: 'LIMIT',
    timeInForce: 'IOC',
    open: action,
    positionType: 1,
    volume: qty,
    side: side === 'buy' ? 'BUY' : 'SELL',
    price,
    clientOrderId: cid,
  });
  const instrument = fixture.instrument(contractName);
  return { cid, instrument, side, qty, price, orderId, signMs, reduceOnly: action === 'CLOSE' };
}

/** Returns the volume on each side at the exchange. */
async function volumes(): Promise<Readonly<Record<string, string>>> {
  const { rows } = await fixture.call('futures.positions', { contractName });
  return Object.fromEntries(rows.map(({ positionSide, positionVolume }) => [positionSide, positionVolume]));
}

it('a kill that flattens closes the long and the short position of a contract', async () => {
  await openTwoWay();
  const orders = [await trade('buy', 'OPEN', '1000'), await trade('sell', 'OPEN', '400'), await trade('sell', 'CLOSE', '100')];
  expect(await volumes()).toEqual({ buy: '900', sell: '400' });
  const { residuals } = await runKill(fixture.deps(), fixture.books(orders).books.orders, {
    includesForeign: false,
    books: () => Promise.resolve({ ...fixture.books(orders), isNet: false }),
  });
  expect(residuals).toEqual([]);
  expect(await volumes()).toEqual({});
});

it('a kill that cannot complete names the position on each side', async () => {
  await openTwoWay();
  const orders = [await trade('buy', 'OPEN', '1000'), await trade('sell', 'OPEN', '1000')];
  const { books } = fixture.books(orders);
  for (const { cid, side, orderId } of orders)
    books.add({ ...FILL, cid, side, tradeId: orderId, orderId, symbol: 'futures:E-BTC-USDT' } as unknown as JournalRecord);
  expect(books.journalPositions(false)).toEqual([
    'futures:E-BTC-USDT: 1000 contracts by the journal, not proved to be closed',
    'futures:E-BTC-USDT: -1000 contracts by the journal, not proved to be closed',
  ]);
});

it('a liquidation ends the position of the strategy that has it', async () => {
  await openTwoWay();
  const instrument = fixture.instrument(contractName);
  const terms = { instrument, price: '65000', signMs: 1, strategy: 1 } as const;
  const { books } = fixture.books([
    { ...terms, cid: 'LONG', side: 'buy', qty: '1000', orderId: '1' },
    { ...terms, cid: 'SHORT', side: 'sell', qty: '1000', orderId: '2' },
  ]);
  const addFill = (cid: string, side: 'buy' | 'sell', tradeId: string): void =>
    books.add({ ...FILL, cid, side, tradeId, orderId: tradeId, symbol: instrument.id } as unknown as JournalRecord);
  addFill('LONG', 'buy', '1');
  addFill('SHORT', 'sell', '2');
  addFill('OF-THE-EXCHANGE', 'sell', '3');
  expect(books.heldOf(instrument.id, 'buy')).toEqual(new Map([[1, new Decimal(0)]]));
  expect(books.heldOf(instrument.id, 'sell')).toEqual(new Map([[1, new Decimal(-1000)]]));
});

it('a liquidation ends the position of the strategy with the most contracts on its side, however many it has on the other', async () => {
  await openTwoWay();
  const instrument = fixture.instrument(contractName);
  const terms = { instrument, price: '65000', signMs: 1 } as const;
  const { books } = fixture.books([
    { ...terms, strategy: 0, cid: 'LONG', side: 'buy', qty: '1000', orderId: '1' },
    { ...terms, strategy: 0, cid: 'SHORT', side: 'sell', qty: '1000', orderId: '2' },
    { ...terms, strategy: 1, cid: 'OTHER', side: 'buy', qty: '400', orderId: '3' },
  ]);
  books.add({ k: 'SETTING', t: 1, contract: contractName, name: 'positionModel', value: '2', confirmed: true } as unknown as JournalRecord);
  const addFill = (cid: string, side: 'buy' | 'sell', tradeId: string, qty = '1000'): void =>
    books.add({ ...FILL, cid, side, qty, tradeId, orderId: tradeId, symbol: instrument.id } as unknown as JournalRecord);
  addFill('LONG', 'buy', '1');
  addFill('SHORT', 'sell', '2');
  addFill('OTHER', 'buy', '3', '400');
  addFill('OF-THE-EXCHANGE', 'sell', '4');
  expect([...books.heldOf(instrument.id, 'buy')].map(([strategy, qty]) => [strategy, qty.toFixed()])).toEqual([
    [0, '0'],
    [1, '400'],
  ]);
});

it('a kill that flattens closes what a person has left of both sides, and nothing else', async () => {
  await openTwoWay();
  const orders = [await trade('buy', 'OPEN', '1000'), await trade('sell', 'OPEN', '400')];
  await trade('sell', 'CLOSE', '300', 'of-a-person-1');
  await trade('buy', 'CLOSE', '300', 'of-a-person-2');
  expect(await volumes()).toEqual({ buy: '700', sell: '100' });
  const { residuals, slices } = await runKill(fixture.deps(), fixture.books(orders).books.orders, {
    includesForeign: false,
    books: () => Promise.resolve({ ...fixture.books(orders), isNet: false }),
  });
  expect(residuals).toEqual([]);
  expect(await volumes()).toEqual({});
  const closed = (side: string): number =>
    slices.filter((slice) => slice.side === side).reduce((sum, { filled }) => sum + Number(filled), 0);
  expect([closed('sell'), closed('buy')]).toEqual([700, 100]);
});

it('a kill that flattens leaves the contracts of others on both sides', async () => {
  await openTwoWay();
  await trade('buy', 'OPEN', '300', 'of-a-person-1');
  await trade('sell', 'OPEN', '200', 'of-a-person-2');
  const orders = [await trade('buy', 'OPEN', '1000'), await trade('sell', 'OPEN', '1000')];
  const { residuals } = await runKill(fixture.deps(), fixture.books(orders).books.orders, {
    includesForeign: false,
    books: () => Promise.resolve({ ...fixture.books(orders), isNet: false }),
  });
  expect(residuals).toEqual([]);
  expect(await volumes()).toEqual({ buy: '300', sell: '200' });
});
