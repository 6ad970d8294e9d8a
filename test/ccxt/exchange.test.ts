// Tests the paper exchange with unmodified ccxt. Only its configuration is set.

import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from '../blackbox/exchange.ts';
import type { PlainBitrue } from './plain.mjs';

const isInstalled = existsSync(new URL('node_modules/ccxt/package.json', import.meta.url));
if (!isInstalled) console.log('skipped: ccxt is not installed (npm run test:ccxt installs it into test/ccxt)');

const SYMBOL = 'BTC/USDT:USDT';
const contractName = 'E-BTC-USDT';
const FAPI = ['fapi', 'v1', 'private'];

describe.skipIf(!isInstalled)('unmodified ccxt and the exchange', () => {
  let exchange: Exchange;
  let open: (secret?: string, ms?: number) => PlainBitrue;
  let ccxt: PlainBitrue;

  beforeAll(async () => {
    exchange = await Exchange.demo();
    const { plainBitrue } = await import('./plain.mjs');
    open = (secret = exchange.secret, lateMs = 0) => plainBitrue(exchange.origin, exchange.key, secret, lateMs);
    ccxt = open();
    ccxt.setMarkets(ccxt.parseMarkets(await ccxt.fapiV1PublicGetContracts()));
  });
  afterAll(() => exchange?.stop());

  it('unmodified ccxt and the exchange reads contracts', () => {
    expect(Object.keys(ccxt.markets).toSorted()).toEqual([SYMBOL, 'ETH/USDT:USDT']);
    expect(ccxt.markets[SYMBOL]).toMatchObject({ id: contractName, linear: true, contractSize: 0.0001, precision: { price: 0.1 } });
  });

  it('unmodified ccxt and the exchange reads depth, ticker and klines, which agree', async () => {
    const book = await ccxt.fetchOrderBook(SYMBOL);
    const ticker = await ccxt.fetchTicker(SYMBOL);
    const bars = await ccxt.fetchOHLCV(SYMBOL, '1m');
    expect([book.bids.length, book.asks.length, bars.length]).toEqual([40, 40, 100]);
    expect(book.bids[0]![0]).toBeLessThan(book.asks[0]![0]!);
    expect(ticker.low <= ticker.last && ticker.last <= ticker.high).toBe(true);
    expect(Math.abs(ticker.last / bars.at(-1)![4]! - 1)).toBeLessThan(0.01);
    expect(bars.map(([openMs]) => openMs!)).toEqual(bars.map(([openMs]) => openMs!).toSorted((a, b) => a - b));
  });

  it('places, queries and cancels an order through its generic calls', async () => {
    const order = {
      contractName,
      side: 'BUY',
      type: 'LIMIT',
      open: 'OPEN',
      positionType: 1,
      price: 100,
      volume: 3,
      clientOrderId: 'of-ccxt',
    };
    const { orderId } = await ccxt.request('order', FAPI, 'POST', order);
    expect(orderId).toMatch(/^\d{19}$/);
    const query = { contractName, orderId: String(orderId) };
    // Its ids keep their last digits: it reads long numbers as text.
    expect(await ccxt.request('order', FAPI, 'GET', query)).toMatchObject({ orderId, status: 'NEW', side: 'BUY', origQty: '3' });
    expect(await ccxt.request('openOrders', FAPI, 'GET', { contractName })).toMatchObject({ code: '0', data: [{ orderId }] });
    expect(await ccxt.request('cancel', FAPI, 'POST', query)).toEqual({ orderId });
    expect(await ccxt.request('order', FAPI, 'GET', query)).toMatchObject({ status: 'CANCELED' });
    const history = await ccxt.request('orderHistorical', FAPI, 'POST', { contractName, limit: '1' });
    expect(history).toMatchObject([{ orderId, clientId: 'of-ccxt' }]);
    const trigger = { ...order, triggerType: '4', triggerPrice: '99', clientOrderId: 'trigger' };
    expect(await ccxt.request('conditionOrder/', FAPI, 'POST', trigger)).toMatchObject({ code: '0', succ: true });
    expect(await ccxt.request('account', FAPI, 'GET')).toMatchObject({ account: [{ marginCoin: 'USDT' }] });
  });

  it('unmodified ccxt and the exchange understands refusals', async () => {
    await expect(open('wrong').request('account', FAPI, 'GET')).rejects.toThrow(/AuthenticationError|-1022/);
    await expect(open(exchange.secret, 10_000).request('account', FAPI, 'GET')).rejects.toThrow(/-1021/);
  });
});
