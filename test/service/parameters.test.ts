// Tests every parameter of every spot endpoint in every way that it can be wrong, and the code of each cause (steps 11 to 17).

import { describe, expect, it } from 'vitest';
import { endpointOf, OPS, type Op } from '../../src/protocol/endpoints/endpoints.ts';
import type { SwitchValues } from '../../src/paperExchange/dialect/profile.ts';
import type { ServiceConfig } from '../../src/paperExchange/dialect/config.ts';
import { call, checkCell, type FaultCodes, type NamedArgs } from './parameterCell.ts';
import { ACCOUNTS, BTC, codeOf, ServiceFixture } from './serviceFixture.ts';

/** Arguments of a valid call. */
const VALID_ARGS: Readonly<Partial<Record<Op, Readonly<Record<string, unknown>>>>> = {
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

/** Returns an exchange where alice has an order. */
function withOrder(overrides: Partial<ServiceConfig> = {}, switches: SwitchValues = {}): ServiceFixture {
  const fixture = new ServiceFixture(overrides, switches);
  fixture.placeLimit('alice', 'BUY', '1', '1');
  return fixture;
}

/** Returns the code of a call at such an exchange. */
const codeOfCall = (op: Op, args: NamedArgs, switches: SwitchValues = {}, overrides: Partial<ServiceConfig> = {}): number =>
  call(withOrder(overrides, switches), op, args);

// The codes of a parameter that is missing, empty, of a foreign type, with illegal characters, or beyond its range.
const SYMBOL_FAULTS: FaultCodes = { missing: -1121, empty: -1121, wrongType: -1102, illegalChars: -1100, outOfRange: ['NOSUCH', -1121] };
const OPTIONAL_LIMIT_FAULTS: FaultCodes = { missing: 0, empty: -1102, wrongType: -1102, outOfRange: [0, -1102] };
const PRICE_FAULTS: FaultCodes = { missing: -1102, empty: -1102, wrongType: -1102, outOfRange: [-1, -1102] };
const VOLUME_FAULTS: FaultCodes = { missing: -1102, empty: -1105, wrongType: -1102, outOfRange: [0, -1136] };
const CLIENT_ID_FAULTS: FaultCodes = { missing: 0, empty: 0, wrongType: -1102, illegalChars: -1100, outOfRange: ['x'.repeat(32), -1100] };
const SIDE_FAULTS: FaultCodes = { missing: -1102, empty: -1105, wrongType: -1102, outOfRange: ['buy', -1117] };
const TYPE_FAULTS: FaultCodes = { missing: -1102, empty: -1105, wrongType: -1102, outOfRange: ['STOP', -1116] };

/** The codes of the parameters that an order and its test have. */
const NEW_ORDER_FAULTS = {
  symbol: SYMBOL_FAULTS,
  volume: VOLUME_FAULTS,
  side: SIDE_FAULTS,
  type: TYPE_FAULTS,
  price: PRICE_FAULTS,
  newClientOrderId: CLIENT_ID_FAULTS,
};

/** The codes of every parameter, by operation. */
const CODES_OF_FAULTS: Readonly<Partial<Record<Op, Readonly<Record<string, FaultCodes>>>>> = {
  'spot.depth': { symbol: SYMBOL_FAULTS, limit: { ...OPTIONAL_LIMIT_FAULTS, empty: -1105 } },
  'spot.ticker': { symbol: SYMBOL_FAULTS },
  'spot.recentTrades': { symbol: SYMBOL_FAULTS, limit: { ...OPTIONAL_LIMIT_FAULTS, empty: -1105 } },
  'spot.klines': {
    symbol: SYMBOL_FAULTS,
    interval: { missing: -1102, empty: -1105, outOfRange: ['4h', -1102] },
    limit: OPTIONAL_LIMIT_FAULTS,
  },
  'spot.newOrder': NEW_ORDER_FAULTS,
  'spot.testNewOrder': {
    ...NEW_ORDER_FAULTS,
    recWindow: { missing: 0, empty: -1102, wrongType: -1102, outOfRange: [0, -1102] },
  },
  'spot.batchOrders': {
    symbol: SYMBOL_FAULTS,
    orders: { missing: -1102, empty: -1102, wrongType: -1102, outOfRange: [Array.from({ length: 11 }, () => ({})), -1101] },
  },
  'spot.queryOrder': { orderId: { missing: 0, empty: 0, illegalChars: 0, outOfRange: ['0', 0] }, symbol: { ...SYMBOL_FAULTS, missing: 0 } },
  'spot.cancelOrder': {
    orderId: { missing: -1102, empty: -1102, wrongType: -1102, illegalChars: -1100, outOfRange: ['7', -2013] },
    symbol: SYMBOL_FAULTS,
  },
  'spot.batchCancel': {
    symbol: SYMBOL_FAULTS,
    orderIds: { missing: -1102, empty: -1102, wrongType: -1102, outOfRange: [Array(11).fill(1), -1101] },
  },
  'spot.openOrders': { symbol: { ...SYMBOL_FAULTS, missing: 0 }, limit: { ...OPTIONAL_LIMIT_FAULTS, empty: -1105 } },
  'spot.myTrades': {
    symbol: { ...SYMBOL_FAULTS, missing: 0 },
    limit: OPTIONAL_LIMIT_FAULTS,
    fromId: { missing: 0, empty: -1102, illegalChars: -1100, outOfRange: ['x', -1102] },
  },
};

describe('every parameter', () => {
  it('the table has every spot parameter that no switch has to allow', () => {
    for (const op of OPS.filter((candidate) => candidate.startsWith('spot.'))) {
      const { params } = endpointOf(op);
      const tableNames = Object.keys(CODES_OF_FAULTS[op] ?? {});
      const parameterNames = Object.keys(params).filter(
        (name) => params[name]!.kind !== 'time' && !(params[name]!.need === 'either' && name === 'newClientOrderId'),
      );
      expect(tableNames.toSorted(), op).toEqual(parameterNames.toSorted());
    }
  });

  const cells = Object.entries(CODES_OF_FAULTS).flatMap(([op, params]) =>
    Object.entries(params).map(([name, faults]) => ({ op: op as Op, name, faults })),
  );

  it.each(cells)('each fault of $name in $op gets its code', ({ op, name, faults }) =>
    checkCell({ op, parameter: name, faults, validArgs: VALID_ARGS[op]!, codeOfCall, createFixture: withOrder }),
  );
});

describe('bodies and queries', () => {
  const codeOfBody = (body: string): number => codeOf(new ServiceFixture().post('/sapi/v1/order', body));
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
    [`{${Array.from({ length: 33 }, (_, index) => `"a${index}":1`).join(',')}}`, -1101],
    ['{"__proto__":{"symbol":"BTCUSDT"}}', -1121],
    ['{"symbol":"BTCUSDT","volume":1e400}', -1102],
  ])('a body of %s gets the code %i', (body, expected) => expect(codeOfBody(body)).toBe(expected));

  it('a query has each name at most once, and its values are decoded', () => {
    const codeOfQuery = (query: string): number => codeOf(new ServiceFixture().getPublic(`/sapi/v1/ticker?${query}`));
    expect(codeOfQuery('symbol=BTCUSDT&symbol=BTCUSDT')).toBe(-1100);
    expect(codeOfQuery('symbol=%42TCUSDT')).toBe(0);
    expect(codeOfQuery('symbol=%E0%A4%A')).toBe(-1100);
    expect(codeOfQuery(Array.from({ length: 33 }, (_, index) => `a${index}=1`).join('&'))).toBe(-1101);
    expect(codeOfQuery('')).toBe(-1121);
  });

  it('a parameter in the body of a GET counts as not sent', () => {
    expect(codeOf(new ServiceFixture().send('GET', '/sapi/v1/ticker', '{"symbol":"BTCUSDT"}', {}))).toBe(-1121);
  });

  it.each(['5.0', '5e0', '0.5E1', '05', '1e18', `${'9'.repeat(500)}.0`])('the limit %s of a query counts by its value', (limit) => {
    expect(codeOfCall('spot.depth', { symbol: 'BTCUSDT', limit })).toBe(0);
  });
  it.each(['5.5', '-0', '-0.0', '0e5', '5e-1', '1e401', '1e', '+5', '.5e1', '0x5'])('the limit %s of a query is refused', (limit) => {
    expect(codeOfCall('spot.depth', { symbol: 'BTCUSDT', limit })).toBe(-1102);
  });

  it('a number may be text unless types are strict', () => {
    const args = { symbol: 'BTCUSDT', volume: '1.0000', side: 'BUY', type: 'LIMIT', price: '10.50' };
    expect(codeOfCall('spot.newOrder', args)).toBe(0);
    expect(codeOfCall('spot.newOrder', args, { strictTypes: true })).toBe(-1102);
    expect(codeOfCall('spot.newOrder', { ...args, volume: 1, price: 10 }, { strictTypes: true })).toBe(0);
    expect(codeOfCall('spot.batchCancel', { symbol: 'BTCUSDT', orderIds: ['5'] })).toBe(0);
    expect(codeOfCall('spot.batchCancel', { symbol: 'BTCUSDT', orderIds: ['5'] }, { strictTypes: true })).toBe(-1102);
  });
});

describe('causes', () => {
  const order = VALID_ARGS['spot.newOrder']!;
  const market = { symbol: 'BTCUSDT', volume: 1, side: 'SELL', type: 'MARKET' };
  it.each<[cause: string, args: NamedArgs, code: number, switches?: SwitchValues, overrides?: Partial<ServiceConfig>]>([
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
  ])('a spot create gets the code of its cause: %s', (_, args, expected, switches = {}, overrides = {}) => {
    expect(call(new ServiceFixture(overrides, switches), 'spot.newOrder', args)).toBe(expected);
  });

  it('a spot order beyond the maximum count gets -1015, and one outside the price band gets -1138', () => {
    const fixture = new ServiceFixture({ maxOpenOrders: 2, states: { [BTC.id]: { priceBandPpm: 100_000 } } });
    fixture.placeLimit('bob', 'SELL', '1', '100');
    fixture.placeLimit('alice', 'BUY', '1', '100');
    expect([90, 110].map((price) => call(fixture, 'spot.testNewOrder', { ...order, price }))).toEqual([0, 0]);
    expect([89.99, 110.01].map((price) => call(fixture, 'spot.newOrder', { ...order, price }))).toEqual([-1138, -1138]);
    fixture.placeLimit('alice', 'BUY', '1', '91');
    fixture.placeLimit('alice', 'BUY', '1', '91');
    expect(call(fixture, 'spot.newOrder', order)).toBe(-1138);
    expect(call(fixture, 'spot.newOrder', { ...order, price: 91 })).toBe(-1015);
  });

  it('a spot order that has ended cannot be cancelled', () => {
    const fixture = new ServiceFixture();
    const filled = fixture.placeLimit('alice', 'SELL', '1', '100');
    const canceled = fixture.placeLimit('alice', 'BUY', '1', '1');
    fixture.placeLimit('bob', 'BUY', '1', '100');
    const cancel = (orderId: string) => call(fixture, 'spot.cancelOrder', { orderId, symbol: 'BTCUSDT' });
    expect([cancel(filled), cancel(canceled), cancel(canceled), cancel('1')]).toEqual([-1145, 0, -1145, -2013]);
    expect(call(new ServiceFixture({}, { missingOrderCode: '-1112' }), 'spot.cancelOrder', { orderId: '1', symbol: 'BTCUSDT' })).toBe(
      -1112,
    );
  });
});
