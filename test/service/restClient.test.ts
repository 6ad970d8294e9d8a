// Tests the round trip of every call of the production client to the paper exchange, over real HTTP, in each shipped profile.

import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LiveScheduler } from '../../src/adapters/clock/liveScheduler.ts';
import { callAsPromise } from '../../src/adapters/exchange/client/callAsPromise.ts';
import { RestClient } from '../../src/adapters/exchange/client/restClient.ts';
import { Limiter } from '../../src/adapters/exchange/limits/limiter.ts';
import { ServerClock } from '../../src/adapters/exchange/time/serverClock.ts';
import { UndiciWire } from '../../src/adapters/exchange/wire/undiciWire.ts';
import { demoKey, demoSettings } from '../../src/paperExchange/process/demo.ts';
import { runExchange, type RunningExchange } from '../../src/paperExchange/process/runExchange.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { DEFAULT_DIALECT } from '../../src/protocol/dialect.ts';
import type { Op, OpArgs, OpResult } from '../../src/protocol/endpoints/endpoints.ts';
import { PROFILES } from '../../src/paperExchange/dialect/profile.ts';
import { BARE } from '../fixtures/bareProfile.ts';

describe.each(Object.entries({ ...PROFILES, bare: BARE }))('profile %s', (_, profile) => {
  let exchange: RunningExchange;
  let client: RestClient;
  const cleanups: (() => unknown)[] = [];

  beforeAll(async () => {
    const settings = demoSettings(1);
    exchange = await runExchange(
      { ...settings, service: { ...settings.service, profile } },
      { host: '127.0.0.1', port: 0, controlPort: null, crash: () => {} },
    );
    const scheduler = new LiveScheduler();
    const wire = new UndiciWire();
    const clock = new ServerClock(scheduler);
    const rng = seededRng(1);
    const { apiKey, secret } = demoKey(1);
    client = new RestClient({
      wire: wire.send,
      scheduler,
      limiter: new Limiter(scheduler, {}),
      clock,
      baseUrls: { spot: exchange.url, futures: exchange.url },
      credentials: { apiKey, sign: (message) => createHmac('sha256', secret).update(message).digest('hex') },
      dialect: { ...DEFAULT_DIALECT, cancelTriggerPath: profile.cancelTriggerPath },
      random: () => rng.next(),
    });
    cleanups.push(
      () => clock.stop(),
      () => wire.close(),
      () => scheduler.close(),
      () => exchange.close(),
    );
  });
  afterAll(async () => {
    for (const cleanup of cleanups) await cleanup();
  });

  async function ackedCall<O extends Op>(op: O, args: OpArgs<O>): Promise<OpResult<O>> {
    const outcome = await callAsPromise(client, op, args);
    if (outcome.kind !== 'acked') throw new Error(`${op}: ${JSON.stringify(outcome)}`);
    return outcome.value;
  }

  it('the client reads the spot market data', async () => {
    await ackedCall('spot.ping', {});
    const { serverTimeMs } = await ackedCall('spot.serverTime', {});
    expect(Math.abs(serverTimeMs - exchange.service.nowMs)).toBeLessThan(1000);
    expect((await ackedCall('spot.symbols', {})).rows.map(({ symbol }) => symbol)).toEqual(['BTCUSDT', 'ETHUSDT']);
    const book = await ackedCall('spot.depth', { symbol: 'BTCUSDT', limit: 100 });
    expect([book.bids.length, book.asks.length]).toEqual([40, 40]);
    expect((await ackedCall('spot.ticker', { symbol: 'BTCUSDT' })).last).toMatch(/^\d+/);
    expect((await ackedCall('spot.recentTrades', { symbol: 'BTCUSDT', limit: 5 })).refused).toEqual([]);
    expect((await ackedCall('spot.klines', { symbol: 'BTCUSDT', interval: '1m', limit: 300 })).rows).toHaveLength(300);
  });

  it('the client places, finds, fills and cancels spot orders', async () => {
    const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT' } as const;
    await ackedCall('spot.testNewOrder', { ...order, volume: '0.01', price: '100.5' });
    const filled = await ackedCall('spot.newOrder', { ...order, volume: '0.01', price: '90000', newClientOrderId: 'first' });
    expect(await ackedCall('spot.queryOrder', { orderId: filled.orderId, symbol: 'BTCUSDT' })).toMatchObject({
      status: { word: 'FILLED' },
      executedQty: '0.01',
    });
    // The best level of the book may hold less than the order: then there are several trades.
    const trades = (await ackedCall('spot.myTrades', { symbol: 'BTCUSDT' })).rows;
    for (const trade of trades) expect(trade).toMatchObject({ bidId: filled.orderId, isBuyer: true });
    expect(trades.reduce((sum, { quantity }) => sum + Number(quantity), 0)).toBeCloseTo(0.01, 8);
    const open = await ackedCall('spot.newOrder', { ...order, volume: '0.02', price: '100.5' });
    const batch = await ackedCall('spot.batchOrders', {
      symbol: 'BTCUSDT',
      orders: [{ volume: '0.03', side: 'BUY', batchType: 'LIMIT', price: '99' }],
    });
    const rows = (await ackedCall('spot.openOrders', { symbol: 'BTCUSDT', limit: 100 })).rows;
    expect(rows.map(({ orderId }) => orderId)).toEqual([batch.ids[0], open.orderId]);
    expect((await ackedCall('spot.cancelOrder', { orderId: open.orderId, symbol: 'BTCUSDT' })).status).toMatchObject({
      word: 'PENDING_CANCEL',
    });
    expect(await ackedCall('spot.batchCancel', { symbol: 'BTCUSDT', orderIds: [batch.ids[0]!] })).toEqual({
      success: batch.ids,
      failed: [],
    });
    expect((await ackedCall('spot.openOrders', { symbol: 'BTCUSDT', limit: 100 })).rows).toEqual([]);
    expect((await ackedCall('spot.account', {})).rows).toContainEqual({ asset: 'BTC', free: '1.00999', locked: '0' });
  });

  it('an order that the exchange refuses has the code of the exchange', async () => {
    const outcome = await callAsPromise(client, 'spot.newOrder', {
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      volume: '1000',
      price: '60000',
    });
    expect(outcome).toMatchObject({ kind: 'refused', code: -2017 });
    const order = { contractName: 'E-BTC-USDT', side: 'BUY', type: 'LIMIT', open: 'OPEN', positionType: 1, price: '60000' } as const;
    expect(await callAsPromise(client, 'futures.createOrder', { ...order, volume: '1000000000' })).toMatchObject({
      kind: 'refused',
      code: -2017,
    });
    expect(await callAsPromise(client, 'futures.createOrder', { ...order, open: 'CLOSE', volume: '1' })).toMatchObject({
      kind: 'refused',
      code: 10015,
    });
  });

  it('the client reads the futures market data', async () => {
    const contractName = 'E-BTC-USDT';
    await ackedCall('futures.ping', {});
    await ackedCall('futures.serverTime', {});
    const { rows } = await ackedCall('futures.contracts', {});
    expect(rows).toMatchObject([{ symbol: 'E-BTC-USDT', multiplier: '0.0001', status: 1 }, { symbol: 'E-ETH-USDT' }]);
    const book = await ackedCall('futures.depth', { contractName, limit: 100 });
    expect([book.bids.length, book.asks.length]).toEqual([40, 40]);
    const { last } = await ackedCall('futures.ticker', { contractName });
    const { tagPrice, indexPrice } = await ackedCall('futures.indexPrice', { contractName });
    for (const price of [tagPrice, indexPrice]) expect(Math.abs(Number(price) / Number(last) - 1)).toBeLessThan(0.01);
    expect((await ackedCall('futures.klines', { contractName, interval: '1m', limit: 300 })).rows).toHaveLength(300);
  });

  it('the client opens, protects and closes a futures position', async () => {
    const contractName = 'E-ETH-USDT';
    await ackedCall('futures.changePositionMode', { contractName, positionModel: 2 });
    await ackedCall('futures.changeMarginMode', { contractName, marginModel: 2 });
    await ackedCall('futures.changeLeverage', { contractName, nowLevel: 10 });
    const order = { contractName, side: 'BUY', type: 'LIMIT', open: 'OPEN', positionType: 2 } as const;
    const { orderId } = await ackedCall('futures.createOrder', {
      ...order,
      volume: '100',
      price: '5000',
      timeInForce: 'IOC',
      clientOrderId: 'f-1',
    });
    expect(await ackedCall('futures.orderInformation', { contractName, orderId })).toMatchObject({
      executedQty: '100',
      status: { word: 'FILLED' },
    });
    expect((await ackedCall('futures.myTrades', { contractName })).rows.every((trade) => trade.bidId === orderId && trade.isBuyer)).toBe(
      true,
    );
    if (profile.positionsEndpoint === 'on') {
      const { rows } = await ackedCall('futures.positions', { contractName });
      expect(rows).toMatchObject([{ positionSide: 'buy', positionVolume: '100', leverage: 10, positionType: 2 }]);
    }
    const [account] = (await ackedCall('futures.account', {})).rows;
    expect(account).toMatchObject({ marginCoin: 'USDT', positionVos: [{ contractName, positions: [{ volume: '100', side: 'buy' }] }] });

    const stop = { contractName, side: 'SELL', type: 'LIMIT', open: 'CLOSE', positionType: 2, price: '100', volume: '100' } as const;
    const { triggerIds } = await ackedCall('futures.createConditionOrder', { ...stop, triggerType: '1', triggerPrice: '101' });
    const waiting = await ackedCall('futures.triggerOrderList', { contractName });
    expect(waiting).toMatchObject({ count: 1, rows: [{ triggerOrderId: triggerIds[0], status: { word: 'PENDING' } }] });
    await ackedCall('futures.cancelTriggerOrder', { contractName, orderId: triggerIds[0]! });

    const open = await ackedCall('futures.createOrder', { ...order, volume: '5', price: '1000', timeInForce: 'POST_ONLY' });
    expect((await ackedCall('futures.openOrders', { contractName })).rows.map((row) => row.orderId)).toEqual([open.orderId]);
    expect(await ackedCall('futures.cancelOrder', { contractName, orderId: open.orderId })).toEqual({ orderId: open.orderId });
    expect((await ackedCall('futures.openOrders', {})).rows).toEqual([]);
    await ackedCall('futures.createOrder', { ...order, side: 'SELL', open: 'CLOSE', type: 'MARKET', volume: '100' });
    expect((await ackedCall('futures.profitHistory', { contractName })).rows.length).toBeGreaterThan(0);
    const history = (await ackedCall('futures.orderHistory', { contractName })).rows;
    expect(history.map(({ openOrClose, status }) => [openOrClose, status.word])).toEqual([
      ['CLOSE', 'FILLED'],
      ['OPEN', 'CANCELED'],
      ['OPEN', 'FILLED'],
    ]);
    expect(history.at(-1)).toMatchObject({ clientId: 'f-1', orderId, type: { word: 'IOC' } });
  });
});
