// Tests the argument types of calls: this file compiles only if the compiler rejects every wrong call.

import { expect, test } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { buildRequest } from '../request.ts';
import type { OpArgs, OpResult } from './endpoints.ts';

test('a call with invalid arguments is rejected by the compiler and at run time', () => {
  const order: OpArgs<'spot.newOrder'> = { symbol: 'BTCUSDT', volume: '1', side: 'BUY', type: 'LIMIT', price: '2' };
  expect(buildRequest('spot.newOrder', order).body).toContain('"volume":1');
  const invalidCalls = [
    // @ts-expect-error -- a number has lost its digits
    () => buildRequest('spot.newOrder', { ...order, volume: 1 }),
    // @ts-expect-error -- no such side
    () => buildRequest('spot.newOrder', { ...order, side: 'buy' }),
    // @ts-expect-error -- no such parameter
    () => buildRequest('spot.newOrder', { ...order, timeInForce: 'IOC' }),
    // @ts-expect-error -- a ping has none
    () => buildRequest('spot.ping', { symbol: 'BTCUSDT' }),
    // @ts-expect-error -- a required one is missing
    () => buildRequest('futures.positions', {}),
    // @ts-expect-error -- a disputed one without a default is missing
    () => buildRequest('spot.openOrders', {}),
    // @ts-expect-error -- 1 or 2
    () => buildRequest('futures.changeMarginMode', { contractName: 'E-BTC-USDT', marginModel: 3 }),
    // @ts-expect-error -- intervals go by isobar's names
    () => buildRequest('spot.klines', { symbol: 'BTCUSDT', interval: '60m' }),
    // @ts-expect-error -- the rows of a list are checked too
    () => buildRequest('spot.batchOrders', { symbol: 'BTCUSDT', orders: [{ volume: '1', side: 'BUY', batchType: 'STOP' }] }),
    // @ts-expect-error -- an id is text
    () => buildRequest('futures.cancelTriggerOrder', { contractName: 'E-BTC-USDT', orderId: 1322738336 }),
  ];
  for (const call of invalidCalls) expect(call).toThrow(ConfigError);
  expect(buildRequest('spot.depth', { symbol: 'BTCUSDT' }).target, 'a disputed one has its default').toContain('limit=100');
});

test('the result of a call has the types of the endpoint table', () => {
  const quantity = (fill: OpResult<'futures.myTrades'>['rows'][number]): string => fill.quantity;
  const none: OpResult<'spot.queryOrder'> = null;
  // @ts-expect-error -- an id is always text
  const id: OpResult<'spot.newOrder'>['orderId'] = 1;
  expect([quantity.length, none, id]).toEqual([1, null, 1]);
});
