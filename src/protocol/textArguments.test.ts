// Tests that arguments of a command line give the same request bytes as those of a program.

import { expect, test } from 'vitest';
import { ConfigError } from '../base/errors.ts';
import type { Op } from './endpoints/endpoints.ts';
import { buildUntypedRequest } from './request.ts';
import { argsFromText } from './textArguments.ts';

const requestBytes = (op: Op, texts: Readonly<Record<string, string>>): string => {
  const { target, body } = buildUntypedRequest(op, argsFromText(op, texts));
  return body === '' ? target : body;
};

test("each kind of command line argument gives the request bytes of a program's argument", () => {
  expect(requestBytes('spot.klines', { symbol: 'btcusdt', interval: '60min', limit: '5' })).toBe(
    '/sapi/v1/klines?symbol=BTCUSDT&interval=60min&limit=5',
  );
  expect(requestBytes('futures.changeMarginMode', { contractName: 'E-BTC-USDT', marginModel: '2' })).toBe(
    '{"contractName":"E-BTC-USDT","marginModel":2}',
  );
  expect(requestBytes('spot.newOrder', { symbol: 'BTCUSDT', volume: '0.10', side: 'buy', type: 'market' })).toBe(
    '{"symbol":"BTCUSDT","volume":0.10,"side":"BUY","type":"MARKET"}',
  );
  expect(requestBytes('spot.batchCancel', { symbol: 'BTCUSDT', orderIds: '1322738336974712847, 2' })).toBe(
    '{"symbol":"BTCUSDT","orderIds":[1322738336974712847,2]}',
  );
  const orders = '[{"price":1.50,"volume":"2","side":"BUY","batchType":"LIMIT"}]';
  expect(requestBytes('spot.batchOrders', { symbol: 'BTCUSDT', orders })).toBe(
    '{"symbol":"BTCUSDT","orders":[{"price":1.50,"volume":2,"side":"BUY","batchType":"LIMIT"}]}',
  );
});

test.each<[Op, Readonly<Record<string, string>>]>([
  ['spot.klines', { symbol: 'BTCUSDT', interval: '7m' }],
  ['spot.depth', { symbol: 'BTCUSDT', limit: 'many' }],
  ['spot.depth', { symbol: 'BTCUSDT', __proto__x: '1' }],
  ['spot.batchOrders', { symbol: 'BTCUSDT', orders: 'BUY 1' }],
  ['spot.batchOrders', { symbol: 'BTCUSDT', orders: '[7]' }],
  ['spot.batchOrders', { symbol: 'BTCUSDT', orders: '[{"price":{"a":1},"volume":1,"side":"BUY","batchType":"LIMIT"}]' }],
  ['futures.changeMarginMode', { contractName: 'E-BTC-USDT', marginModel: 'cross' }],
])('the command line arguments of %s are rejected: %j', (op, texts) => {
  expect(() => requestBytes(op, texts)).toThrow(ConfigError);
});
