// Tests all 38 calls against the hand-written expectation: request line, headers, body, signature, parameters and limits.

import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { assertNever } from '../../src/base/assert.ts';
import { timeMs } from '../../src/base/brand.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { DEFAULT_DIALECT, intervalOfWire } from '../../src/protocol/dialect.ts';
import { isSafeToRetry, paramPlace, type Param, type Params } from '../../src/protocol/endpoints/endpoint.ts';
import { ENDPOINTS, endpointOf, OPS } from '../../src/protocol/endpoints/endpoints.ts';
import { buildUntypedRequest, buildRequest, signRequest, stringToSign, type Credentials } from '../../src/protocol/request.ts';
import { EXPECTED_REQUESTS } from './expectedRequests.ts';
import { opensslHmac } from './openssl.ts';
import { opOf } from '../fixtures/opOf.ts';

const SECRET = '902ae3cb34ecee2779aa4d3e1d226686';
const NOW_MS = timeMs(1588591856950);
const credentials: Credentials = {
  apiKey: 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A',
  sign: (message) => createHmac('sha256', SECRET).update(message).digest('hex'),
};
const UTF8_DECODER = new TextDecoder();

/** Returns a row of parameters in the notation of the expectation. */
const notationOf = (params: Params): string =>
  Object.entries(params)
    // Accepted by some services, and in no specification.
    .filter(([, param]) => param.kind !== 'time')
    .map(([name, param]) => `${name} ${kindOf(param)}${needOf(param)}`)
    .join(', ');

/** Marks of the notation. */
const NEEDS = { required: '!', optional: '?', disputed: '~', either: '|' } as const;

/** Returns whether a parameter must be given, in the notation of the expectation. */
const needOf = ({ need, onlyWith }: Param): string => (onlyWith ? ` with ${onlyWith.name} ${onlyWith.is}` : NEEDS[need]);

/** Returns the kind of a parameter as the hand-written expectation names it. */
function kindOf(param: Param): string {
  const quoted = (text: string, wire: 'number' | 'string') => (wire === 'string' ? `"${text}"` : text);
  switch (param.kind) {
    case 'text':
      return param.of === 'clientId' ? 'clientId' : 'name';
    case 'choice':
      return param.values.join('|');
    case 'integer':
      return quoted(`${param.min}..${param.max}`, param.wire) + (param.default === undefined ? '' : `=${param.default}`);
    case 'decimal':
    case 'id':
      return quoted(param.kind, param.wire);
    case 'ids':
      return `1..${param.max} ids`;
    case 'rows':
      return `1..${param.max} of (${notationOf(param.row)})`;
    case 'interval':
    case 'time':
      return param.kind;
    default:
      return assertNever(param);
  }
}

test('the table has the endpoints of the specification, in its order, and no other', () => {
  expect(OPS).toEqual(EXPECTED_REQUESTS.map(({ op }) => op));
});

describe.each(EXPECTED_REQUESTS)(
  '$op',
  ({ op: name, args, method, target, body = '', security, params, per2s: callsPer2s, read: isSafeRead }) => {
    const op = opOf(name);

    test('request line, headers, body and signature are those of the specification', () => {
      const request = buildUntypedRequest(op, args);
      const { headers, ...signed } = signRequest(request, credentials, NOW_MS);
      expect({ ...signed, body: UTF8_DECODER.decode(signed.body) }).toEqual({ method, target, body });
      const isPublic = security === 'NONE';
      expect(headers).toEqual({
        'Content-Type': 'application/json',
        ...(isPublic
          ? {}
          : {
              'X-CH-APIKEY': credentials.apiKey,
              'X-CH-TS': '1588591856950',
              'X-CH-SIGN': opensslHmac(SECRET, `${NOW_MS}${method}${target}${body}`),
            }),
      });
      expect(stringToSign(request, NOW_MS)).toBe(`${NOW_MS}${method}${target}${body}`);
    });

    test('the endpoint has the facts of the table', () => {
      const row = endpointOf(op);
      expect(notationOf(row.params)).toBe(params);
      expect([row.security, paramPlace(row), isSafeToRetry(row)]).toEqual([security, method === 'GET' ? 'query' : 'body', isSafeRead]);
      const { count, windowMs, weight, scope, source } = row.limit;
      expect([scope, windowMs, weight]).toEqual([security === 'NONE' ? 'ip' : 'key', 2000, 1]);
      if (callsPer2s === undefined) expect(source).not.toBe('spec');
      else expect([count, source]).toEqual([callsPer2s, 'spec']);
    });
  },
);

describe('options of the dialect', () => {
  const dialect = (changes: Partial<typeof DEFAULT_DIALECT>) => ({ ...DEFAULT_DIALECT, ...changes });
  const btc = { symbol: 'BTCUSDT' };

  test('signQuery: omit signs only the path', () => {
    const omit = dialect({ signQuery: 'omit' });
    const request = buildRequest('spot.openOrders', btc, omit);
    expect(request.target).toBe('/sapi/v1/openOrders?symbol=BTCUSDT&limit=100');
    expect(stringToSign(request, NOW_MS)).toBe('1588591856950GET/sapi/v1/openOrders');
  });

  test('pathPrefix is sent, and signed unless the dialect excludes it', () => {
    const prefixed = dialect({ pathPrefix: { spot: '/spot/open', futures: '' } });
    const request = buildRequest('spot.account', {}, prefixed);
    expect([request.target, request.signedPath]).toEqual(['/spot/open/sapi/v1/account', '/spot/open/sapi/v1/account']);
    expect(buildRequest('spot.account', {}, { ...prefixed, signPathPrefix: false }).signedPath).toBe('/sapi/v1/account');
  });

  test('recvWindow is in the bodies of signed calls, under the name of each call', () => {
    const windowed = dialect({ recvWindow: 3000 });
    const order = { ...btc, volume: '1', side: 'SELL', type: 'MARKET' } as const;
    expect(buildRequest('spot.newOrder', order, windowed).body).toContain(',"recvWindow":3000}');
    expect(buildRequest('spot.testNewOrder', order, windowed).body).toContain(',"recWindow":3000}');
    expect(buildRequest('spot.testNewOrder', { ...order, recWindow: 2 }, windowed).body).toContain(',"recWindow":2}');
    expect(buildRequest('spot.openOrders', btc, windowed).target).not.toContain('Window');
    for (const recvWindow of [0, 5001, 1.5, Number.NaN])
      expect(() => buildRequest('spot.newOrder', order, dialect({ recvWindow }))).toThrow(ConfigError);
  });

  test('names, paths and letter cases follow the dialect', () => {
    expect(buildRequest('spot.batchCancel', { ...btc, orderIds: ['7'] }, dialect({ batchCancelIdsField: 'orderId' })).body).toBe(
      '{"symbol":"BTCUSDT","orderId":[7]}',
    );
    expect(
      buildRequest('spot.queryOrder', { ...btc, newClientOrderId: 'a' }, dialect({ clientIdQueryName: 'newClientorderId' })).target,
    ).toBe('/sapi/v1/order?symbol=BTCUSDT&newClientorderId=a');
    const lower = dialect({ symbolCase: 'lower' });
    expect(buildRequest('spot.ticker', btc, lower).target).toBe('/sapi/v1/ticker?symbol=btcusdt');
    expect(buildRequest('futures.ticker', { contractName: 'E-BTC-USDT' }, lower).target).toContain('E-BTC-USDT');
    const trigger = { contractName: 'E-BTC-USDT', orderId: '1' };
    expect(
      buildRequest('futures.cancelTriggerOrder', trigger, dialect({ cancelTriggerPath: '/fapi/v1/cancel_trigger_order' })).target,
    ).toBe('/fapi/v1/cancel_trigger_order');
    expect(
      buildUntypedRequest('futures.createConditionOrder', triggerOrder, dialect({ conditionPath: '/fapi/v1/conditionOrder' })).signedPath,
    ).toBe('/fapi/v1/conditionOrder');
    expect(buildRequest('spot.ticker', { symbol: 'BTC/USDT' }).target, 'encoded once').toBe('/sapi/v1/ticker?symbol=BTC%2FUSDT');
  });

  test('headers follow the dialect', () => {
    const request = buildRequest('spot.account', {});
    expect(signRequest(request, credentials, NOW_MS, dialect({ contentTypeOnGet: false })).headers).not.toHaveProperty('Content-Type');
    const futures = buildRequest('futures.account', {});
    expect(signRequest(futures, credentials, NOW_MS, dialect({ futuresVersionHeader: '102' })).headers).toHaveProperty(
      'futures-version',
      '102',
    );
    expect(signRequest(request, credentials, NOW_MS, dialect({ futuresVersionHeader: '102' })).headers).not.toHaveProperty(
      'futures-version',
    );
    expect(() => signRequest(request, null, NOW_MS)).toThrow(ConfigError);
    expect(signRequest(buildRequest('spot.ping', {}), null, NOW_MS).headers).toEqual({ 'Content-Type': 'application/json' });
  });

  const marketOpen = { contractName: 'E-BTC-USDT', volume: '100', type: 'MARKET', side: 'BUY', open: 'OPEN' } as const;
  const triggerOrder = { ...marketOpen, open: 'CLOSE', triggerType: '1', triggerPrice: '1' } as const;

  test('a MARKET OPEN is sent only where its unit is known, and never for a trigger', () => {
    for (const rule of ['limitIoc', 'forbid'] as const) {
      expect(() => buildRequest('futures.createOrder', marketOpen, dialect({ marketOpen: rule }))).toThrow(ConfigError);
    }
    expect(buildRequest('futures.createOrder', marketOpen, dialect({ marketOpen: 'value' })).body).not.toContain('orderUnit');
    const v101 = dialect({ marketOpen: 'v101' });
    const request = buildRequest('futures.createOrder', marketOpen, v101);
    expect(request.body).toContain(',"orderUnit":2}');
    expect(signRequest(request, credentials, NOW_MS, v101).headers).toHaveProperty('futures-version', '101');
    expect(buildRequest('futures.createOrder', { ...marketOpen, open: 'CLOSE' }).body).toContain('"open":"CLOSE"');
    expect(() => buildRequest('futures.createConditionOrder', { ...triggerOrder, triggerType: '3', open: 'OPEN' }, v101)).toThrow(
      ConfigError,
    );
  });

  test('klines are requested with times only where a service accepts them', () => {
    const range = { ...btc, interval: '1m', startTime: 1_700_000_000_000, endTime: 1_700_000_060_000 } as const;
    expect(() => buildRequest('spot.klines', range)).toThrow(ConfigError);
    expect(buildRequest('spot.klines', range, dialect({ klinesRange: 'startEnd' })).target).toBe(
      '/sapi/v1/klines?symbol=BTCUSDT&interval=1min&startTime=1700000000000&endTime=1700000060000',
    );
  });

  test('intervals follow the dialect', () => {
    /** Returns the names of intervals on the wire; null for one that the market does not have. */
    const wireNames = (market: 'spot' | 'futures', changes = DEFAULT_DIALECT) =>
      (['1m', '5m', '15m', '30m', '1h', '4h', '1d', '1w', '1M'] as const).map((interval) => {
        try {
          const args = market === 'spot' ? btc : { contractName: 'E-BTC-USDT' };
          return /interval=(\w+)/.exec(buildUntypedRequest(`${market}.klines`, { ...args, interval }, changes).target)?.[1];
        } catch (error) {
          if (error instanceof ConfigError) return null;
          throw error;
        }
      });
    expect(wireNames('spot')).toEqual(['1min', '5min', '15min', '30min', '60min', null, '1day', '1week', '1month']);
    expect(wireNames('futures')).toEqual(['1min', '5min', '15min', '30min', '1h', null, '1day', '1week', '1month']);
    const withIntervals = dialect({ intervals: { spot: {}, futures: { '1h': null, '4h': '4h' } } });
    expect(wireNames('futures', withIntervals).slice(4, 6)).toEqual([null, '4h']);
    expect([
      intervalOfWire('spot', '60min'),
      intervalOfWire('spot', '1h'),
      intervalOfWire('futures', '1h'),
      intervalOfWire('spot', '4h'),
    ]).toEqual(['1h', null, '1h', null]);
    expect([intervalOfWire('futures', '1h', withIntervals), intervalOfWire('futures', '4h', withIntervals)]).toEqual([null, '4h']);
  });
});

describe('arguments that must not be sent', () => {
  const order = { symbol: 'BTCUSDT', volume: '1', side: 'BUY', type: 'LIMIT', price: '2' };
  test.each([
    ['spot.newOrder', { ...order, symbol: undefined }, 'spot.newOrder symbol: expected a name of A-Z 0-9 / _ -, got nothing'],
    ['spot.newOrder', { ...order, symbol: 'BTC"USDT' }, 'spot.newOrder symbol: expected a name of A-Z 0-9 / _ -, got "BTC"USDT"'],
    ['spot.newOrder', { ...order, price: undefined }, 'spot.newOrder price: expected a plain decimal above 0, got nothing'],
    ['spot.newOrder', { ...order, type: 'MARKET' }, 'spot.newOrder price: only with type LIMIT'],
    ['spot.newOrder', { ...order, tif: 'IOC' }, 'spot.newOrder tif: no such parameter'],
    ['spot.newOrder', { ...order, volume: '1e-7' }, 'spot.newOrder volume: expected a plain decimal above 0, got "1e-7"'],
    ['spot.newOrder', { ...order, volume: '0.00' }, 'spot.newOrder volume: expected a plain decimal above 0, got "0.00"'],
    ['spot.newOrder', { ...order, volume: '01' }, 'spot.newOrder volume: expected a plain decimal above 0, got "01"'],
    ['spot.newOrder', { ...order, volume: 1 }, 'spot.newOrder volume: expected a plain decimal above 0, got 1'],
    ['spot.newOrder', { ...order, side: 'buy' }, 'spot.newOrder side: expected BUY, SELL, got "buy"'],
    [
      'spot.newOrder',
      { ...order, newClientOrderId: '0' },
      'spot.newOrder newClientOrderId: expected at most 31 of A-Z a-z 0-9 _ -, got "0"',
    ],
    [
      'spot.newOrder',
      { ...order, newClientOrderId: 'x'.repeat(32) },
      `spot.newOrder newClientOrderId: expected at most 31 of A-Z a-z 0-9 _ -, got "${'x'.repeat(32)}"`,
    ],
    ['spot.queryOrder', { symbol: 'BTCUSDT' }, 'spot.queryOrder orderId or newClientOrderId: expected one of them, got none'],
    ['spot.queryOrder', { symbol: 'BTCUSDT', orderId: '12x' }, 'spot.queryOrder orderId: expected digits, got "12x"'],
    ['spot.depth', { symbol: 'BTCUSDT', limit: 101 }, 'spot.depth limit: expected a whole number from 1 to 100, got 101'],
    ['spot.klines', { symbol: 'BTCUSDT', interval: '4h' }, 'spot.klines interval: expected one of 1m 5m 15m 30m 1h 1d 1w 1M, got "4h"'],
    [
      'spot.batchCancel',
      { symbol: 'BTCUSDT', orderIds: [] },
      'spot.batchCancel orderIds: expected 1 to 10 ids, such as 1,2 or [1,2], got a list of 0',
    ],
    [
      'spot.batchCancel',
      { symbol: 'BTCUSDT', orderIds: Array(11).fill('1') },
      'spot.batchCancel orderIds: expected 1 to 10 ids, such as 1,2 or [1,2], got a list of 11',
    ],
    [
      'spot.batchOrders',
      { symbol: 'BTCUSDT', orders: [{ volume: '1', side: 'BUY' }] },
      'spot.batchOrders orders[0] batchType: expected LIMIT, MARKET, got nothing',
    ],
    ['spot.batchOrders', { symbol: 'BTCUSDT', orders: [null] }, 'spot.batchOrders orders[0]: expected an object, got null'],
    [
      'futures.changeLeverage',
      { contractName: 'E-BTC-USDT', nowLevel: 2.5 },
      'futures.changeLeverage nowLevel: expected a whole number from 1 to 1000, got 2.5',
    ],
  ])('a call with invalid arguments is rejected: %s %j', (name, args, message) => {
    let thrown: unknown;
    try {
      buildUntypedRequest(opOf(name), args);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ConfigError);
    expect((thrown as ConfigError).message).toBe(message);
    expect((thrown as ConfigError).remedy).not.toBe('');
  });
});

test('calls of one class have the same limit', () => {
  const limitByClass = new Map<string, string>();
  for (const { limit } of Object.values(ENDPOINTS)) {
    const text = JSON.stringify(limit);
    expect(limitByClass.get(limit.rateClass) ?? text).toBe(text);
    limitByClass.set(limit.rateClass, text);
  }
});
