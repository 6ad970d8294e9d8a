// Steps 11 to 17 of the order of checks: every parameter of every spot endpoint made wrong in every way, and the code of each cause.

import { describe, expect, it } from 'vitest';
import { endpointOf, OPS, type Op } from '../../src/protocol/endpoints/endpoints.ts';
import type { SwitchValues } from '../../src/paperExchange/dialect/profile.ts';
import type { ServiceConfig } from '../../src/paperExchange/dialect/config.ts';
import { call, checkCell, type Faults, type Given } from './parameterCell.ts';
import { ACCOUNTS, BTC, codeOf, Fixture } from './serviceFixture.ts';

/** A call that is right. */
const GOOD: Readonly<Partial<Record<Op, Readonly<Record<string, unknown>>>>> = {
  'spot.depth': { symbol: 'BTCUSDT', limit: 5 },
  'spot.ticker': { symbol: 'BTCUSDT' },
  'spot.recentTrades': { symbol: 'BTCUSDT', limit: 5 },
  'spot.klines': { symbol: 'BTCUSDT', interval: '1min', limit: 5 },
  'spot.newOrder': { symbol: 'BTCUSDT', volume: 1, side: 'BUY', type: 'LIMIT', price: 10, newClientOrderId: 'x' },
  'spot.testNewOrder': { symbol: 'BTCUSDT', volume: 1, side: 'BUY', type: 'LIMIT', price: 10, newClientOrderId: 'x', recWindow: 5000 },
  'spot.batchOrders': { symbol: 'BTCUSDT', orders: [{ price: 10, volume: 1, side: 'BUY', batchType: 'LIMIT' }] },
  'spot.queryOrder': { orderId: '1322000000000000001', symbol: 'BTCUSDT' },
  'spot.cancelOrder': { orderId: '1322000000000000001', symbol: 'BTCUSDT' },
  'spot.batchCancel': { symbol: 'BTCUSDT', orderIds: [5] },
  'spot.openOrders': { symbol: 'BTCUSDT', limit: 5 },
  'spot.myTrades': { symbol: 'BTCUSDT', limit: 5, fromId: 1 },
};

function prepared(over: Partial<ServiceConfig> = {}, switches: SwitchValues = {}): Fixture {
  const fixture = new Fixture(over, switches);
  fixture.limit('alice', 'BUY', '1', '1');
  return fixture;
}

const code = (op: Op, given: Given, switches: SwitchValues = {}, over: Partial<ServiceConfig> = {}): number =>
  call(prepared(over, switches), op, given);

const NAME: Faults = { missing: -1121, empty: -1121, foreign: -1102, chars: -1100, beyond: ['NOSUCH', -1121] };
const OPTIONAL_LIMIT: Faults = { missing: 0, empty: -1102, foreign: -1102, beyond: [0, -1102] };
const PRICE: Faults = { missing: -1102, empty: -1102, foreign: -1102, beyond: [-1, -1102] };
const VOLUME: Faults = { missing: -1102, empty: -1105, foreign: -1102, beyond: [0, -1136] };
const CLIENT_ID: Faults = { missing: 0, empty: 0, foreign: -1102, chars: -1100, beyond: ['x'.repeat(32), -1100] };
const SIDE: Faults = { missing: -1102, empty: -1105, foreign: -1102, beyond: ['buy', -1117] };
const TYPE: Faults = { missing: -1102, empty: -1105, foreign: -1102, beyond: ['STOP', -1116] };

const TABLE: Readonly<Partial<Record<Op, Readonly<Record<string, Faults>>>>> = {
  'spot.depth': { symbol: NAME, limit: { ...OPTIONAL_LIMIT, empty: -1105 } },
  'spot.ticker': { symbol: NAME },
  'spot.recentTrades': { symbol: NAME, limit: { ...OPTIONAL_LIMIT, empty: -1105 } },
  'spot.klines': { symbol: NAME, interval: { missing: -1102, empty: -1105, beyond: ['4h', -1102] }, limit: OPTIONAL_LIMIT },
  'spot.newOrder': { symbol: NAME, volume: VOLUME, side: SIDE, type: TYPE, price: PRICE, newClientOrderId: CLIENT_ID },
  'spot.testNewOrder': {
    symbol: NAME,
    volume: VOLUME,
    side: SIDE,
    type: TYPE,
    price: PRICE,
    newClientOrderId: CLIENT_ID,
    recWindow: { missing: 0, empty: -1102, foreign: -1102, beyond: [0, -1102] },
  },
  'spot.batchOrders': {
    symbol: NAME,
    orders: { missing: -1102, empty: -1102, foreign: -1102, beyond: [Array.from({ length: 11 }, () => ({})), -1101] },
  },
  'spot.queryOrder': { orderId: { missing: 0, empty: 0, chars: 0, beyond: ['0', 0] }, symbol: { ...NAME, missing: 0 } },
  'spot.cancelOrder': { orderId: { missing: -1102, empty: -1102, foreign: -1102, chars: -1100, beyond: ['7', -2013] }, symbol: NAME },
  'spot.batchCancel': { symbol: NAME, orderIds: { missing: -1102, empty: -1102, foreign: -1102, beyond: [Array(11).fill(1), -1101] } },
  'spot.openOrders': { symbol: { ...NAME, missing: 0 }, limit: { ...OPTIONAL_LIMIT, empty: -1105 } },
  'spot.myTrades': {
    symbol: { ...NAME, missing: 0 },
    limit: OPTIONAL_LIMIT,
    fromId: { missing: 0, empty: -1102, chars: -1100, beyond: ['x', -1102] },
  },
};

describe('every parameter', () => {
  it('every parameter stands in this table, but for those that a switch has to allow', () => {
    for (const op of OPS.filter((each) => each.startsWith('spot.'))) {
      const { params } = endpointOf(op);
      const named = Object.keys(TABLE[op] ?? {});
      const there = Object.keys(params).filter(
        (name) => params[name]!.kind !== 'time' && !(params[name]!.need === 'either' && name === 'newClientOrderId'),
      );
      expect(named.toSorted(), op).toEqual(there.toSorted());
    }
  });

  const cells = Object.entries(TABLE).flatMap(([op, params]) =>
    Object.entries(params).map(([name, faults]) => ({ op: op as Op, name, faults })),
  );

  it.each(cells)('$op $name', ({ op, name, faults }) => checkCell({ op, name, faults, good: GOOD[op]!, code, fixture: prepared }));
});

describe('bodies and queries', () => {
  const post = (body: string): number => codeOf(new Fixture().post('/sapi/v1/order', body));
  it.each([
    ['', -1121],
    ['{}', -1121],
    ['no JSON', -1102],
    ['[1]', -1102],
    ['"x"', -1102],
    ['{"symbol":"BTCUSDT"} x', -1104],
    ['{"symbol":"BTCUSDT","symbol":"BTCUSDT"}', -1100],
    [`{${'[['.repeat(40)}`, -1102],
    [`{"symbol":${'['.repeat(40)}${']'.repeat(40)}}`, -1104],
    [`{${Array.from({ length: 33 }, (_, at) => `"a${at}":1`).join(',')}}`, -1101],
    ['{"__proto__":{"symbol":"BTCUSDT"}}', -1121],
    ['{"symbol":"BTCUSDT","volume":1e400}', -1102],
  ])('bodies and queries: %s: %i', (body, expected) => expect(post(body)).toBe(expected));

  it('has each name of a query once, and decodes what is encoded', () => {
    const get = (query: string): number => codeOf(new Fixture().open(`/sapi/v1/ticker?${query}`));
    expect(get('symbol=BTCUSDT&symbol=BTCUSDT')).toBe(-1100);
    expect(get('symbol=%42TCUSDT')).toBe(0);
    expect(get('symbol=%E0%A4%A')).toBe(-1100);
    expect(get(Array.from({ length: 33 }, (_, at) => `a${at}=1`).join('&'))).toBe(-1101);
    expect(get('')).toBe(-1121);
  });

  it('bodies and queries of a GET are in its query: what its body says counts as not sent', () => {
    expect(codeOf(new Fixture().send('GET', '/sapi/v1/ticker', '{"symbol":"BTCUSDT"}', {}))).toBe(-1121);
  });

  it('takes numbers as text unless types are strict, and digits as they are', () => {
    const given = { symbol: 'BTCUSDT', volume: '1.0000', side: 'BUY', type: 'LIMIT', price: '10.50' };
    expect(code('spot.newOrder', given)).toBe(0);
    expect(code('spot.newOrder', given, { strictTypes: true })).toBe(-1102);
    expect(code('spot.newOrder', { ...given, volume: 1, price: 10 }, { strictTypes: true })).toBe(0);
    expect(code('spot.batchCancel', { symbol: 'BTCUSDT', orderIds: ['5'] })).toBe(0);
    expect(code('spot.batchCancel', { symbol: 'BTCUSDT', orderIds: ['5'] }, { strictTypes: true })).toBe(-1102);
  });
});

describe('causes', () => {
  const order = GOOD['spot.newOrder']!;
  const market = { symbol: 'BTCUSDT', volume: 1, side: 'SELL', type: 'MARKET' };
  it.each<[string, Readonly<Record<string, unknown>>, number, SwitchValues?, Partial<ServiceConfig>?]>([
    ['price with too many decimals', { ...order, price: 10.001 }, -1147],
    ['volume with too many decimals', { ...order, volume: 1.00001 }, -1147],
    ['amount with too many decimals', { ...market, side: 'BUY', volume: '1.000000001' }, -1111],
    ['price, by field', { ...order, price: 10.001 }, -1111, { precisionCodes: 'byField' }],
    ['volume, by field', { ...order, volume: 1.00001 }, -1147, { precisionCodes: 'byField' }],
    ['amount, by field', { ...market, side: 'BUY', volume: '1.000000001' }, -1147, { precisionCodes: 'byField' }],
    ['volume below the minimum', { ...order, volume: 0.0009 }, -1136],
    ['negative volume', { ...order, volume: -1 }, -1136],
    ['price with MARKET', { ...market, price: 5 }, 0],
    ['price with MARKET, strictly', { ...market, price: 5 }, -1106, { unknownParams: 'reject' }],
    ['funds', { ...order, price: 1_000_000 }, -2017],
    ['frozen', order, -2016, {}, { states: { [BTC.id]: { frozen: true } } }],
    ['no market orders', market, -1139, {}, { states: { [BTC.id]: { marketTrading: false } } }],
    ['restricted', order, 35, {}, { accounts: [{ ...ACCOUNTS[0]!, restricted: true }] }],
    ['switched off', order, -1020, {}, { off: ['spot.newOrder'] }],
    ['lower case', { ...order, symbol: 'btcusdt' }, 0, { symbolCase: 'upper' }],
  ])('causes: %s', (_, given, expected, switches = {}, over = {}) => {
    expect(call(new Fixture(over, switches), 'spot.newOrder', given)).toBe(expected);
  });

  it('too many orders, and a price outside of the band, have their own codes', () => {
    const fixture = new Fixture({ maxOpenOrders: 2, states: { [BTC.id]: { priceBandPpm: 100_000 } } });
    fixture.limit('bob', 'SELL', '1', '100');
    fixture.limit('alice', 'BUY', '1', '100');
    expect([90, 110].map((price) => call(fixture, 'spot.testNewOrder', { ...order, price }))).toEqual([0, 0]);
    expect([89.99, 110.01].map((price) => call(fixture, 'spot.newOrder', { ...order, price }))).toEqual([-1138, -1138]);
    fixture.limit('alice', 'BUY', '1', '91');
    fixture.limit('alice', 'BUY', '1', '91');
    expect(call(fixture, 'spot.newOrder', order)).toBe(-1138);
    expect(call(fixture, 'spot.newOrder', { ...order, price: 91 })).toBe(-1015);
  });

  it('an order that has ended cannot be cancelled', () => {
    const setup = new Fixture();
    const [filled, canceled] = [setup.limit('alice', 'SELL', '1', '100'), setup.limit('alice', 'BUY', '1', '1')];
    setup.limit('bob', 'BUY', '1', '100');
    const cancel = (orderId: string) => call(setup, 'spot.cancelOrder', { orderId, symbol: 'BTCUSDT' });
    expect([cancel(filled), cancel(canceled), cancel(canceled), cancel('1')]).toEqual([-1145, 0, -1145, -2013]);
    expect(call(new Fixture({}, { missingOrderCode: '-1112' }), 'spot.cancelOrder', { orderId: '1', symbol: 'BTCUSDT' })).toBe(-1112);
  });
});
