// Tests every parameter of every futures endpoint in every way that it can be wrong, and the code of each cause.

import { describe, expect, it } from 'vitest';
import { endpointOf, OPS, type Op } from '../../src/protocol/endpoints/endpoints.ts';
import type { ServiceConfig } from '../../src/paperExchange/dialect/config.ts';
import type { SwitchValues } from '../../src/paperExchange/dialect/profile.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { FuturesFixture, INVERSE, ETH_PERPETUAL, PERPETUAL, TRADERS } from './futuresFixture.ts';
import { call, checkCell, type FaultCodes, type NamedArgs } from './parameterCell.ts';
import { BTC, codeOf, ETH } from './serviceFixture.ts';

/** Ids of the first order and of the first trigger order of an exchange. */
const ORDER_OF_ALICE = '1954000000000000001';
const TRIGGER_OF_ALICE = '1622000000000000001';
const contractName = 'E-BTC-USDT';
/** Arguments of an order that rests. */
const LIMIT_BUY = {
  contractName,
  volume: 1,
  price: 10,
  type: 'LIMIT',
  side: 'BUY',
  open: 'OPEN',
  positionType: 1,
  clientOrderId: 'x',
  timeInForce: 'IOC',
};
/** Arguments of the order that a trigger order places. */
const { timeInForce: _timeInForce, ...TRIGGERED_ORDER } = LIMIT_BUY;

/** Arguments of a valid call at an exchange where alice has an order and a trigger order. */
const VALID_ARGS: Readonly<Partial<Record<Op, NamedArgs>>> = {
  'futures.depth': { contractName, limit: 5 },
  'futures.ticker': { contractName },
  'futures.indexPrice': { contractName, limit: 5 },
  'futures.klines': { contractName, interval: '1min', limit: 5 },
  'futures.createOrder': LIMIT_BUY,
  'futures.orderInformation': { contractName, orderId: ORDER_OF_ALICE, clientOrderId: 'x' },
  'futures.createConditionOrder': { triggerType: '4', triggerPrice: '9', ...TRIGGERED_ORDER },
  'futures.cancelOrder': { contractName, orderId: ORDER_OF_ALICE },
  'futures.openOrders': { contractName },
  'futures.orderHistory': { contractName, limit: '5', fromId: 1 },
  'futures.profitHistory': { contractName, limit: '5', fromId: 1 },
  'futures.myTrades': { contractName, limit: '5', fromId: 1 },
  'futures.positions': { contractName },
  'futures.changePositionMode': { contractName: 'E-ETH-USDT', positionModel: 2 },
  'futures.changeMarginMode': { contractName: 'E-ETH-USDT', marginModel: 2 },
  'futures.changeLeverage': { contractName: 'E-ETH-USDT', nowLevel: '5' },
  'futures.triggerOrderList': { contractName, page: 1, limit: 5 },
  'futures.cancelTriggerOrder': { contractName, orderId: TRIGGER_OF_ALICE },
};

// The codes of a parameter that is missing, empty, of a foreign type, with illegal characters, or beyond its range.
const NAME_FAULTS: FaultCodes = { missing: -1121, empty: -1121, wrongType: -1102, illegalChars: -1100, outOfRange: ['e-btc-usdt', -1121] };
const OPTIONAL_NAME_FAULTS: FaultCodes = { ...NAME_FAULTS, missing: 0 };
const LIMIT_FAULTS: FaultCodes = { missing: 0, empty: -1102, wrongType: -1102, illegalChars: -1102, outOfRange: [0, -1102] };
const PRICE_FAULTS: FaultCodes = { missing: -1102, empty: -1102, wrongType: -1102, outOfRange: [-1, -1102] };
const TRIGGER_PRICE_FAULTS: FaultCodes = { ...PRICE_FAULTS, empty: -1105, outOfRange: ['0', -1102] };
const VOLUME_FAULTS: FaultCodes = { missing: -1102, empty: -1105, wrongType: -1102, outOfRange: [0, -1136] };
const CLIENT_ID_FAULTS: FaultCodes = { missing: 0, empty: 0, wrongType: -1102, illegalChars: -1100, outOfRange: ['x'.repeat(32), -1100] };
const CLIENT_ID_IN_QUERY_FAULTS: FaultCodes = { missing: 0, empty: 0, illegalChars: -1100, outOfRange: ['x'.repeat(32), -1100] };
const SIDE_FAULTS: FaultCodes = { missing: -1102, empty: -1105, wrongType: -1102, illegalChars: -1117, outOfRange: ['buy', -1117] };
const TYPE_FAULTS: FaultCodes = { missing: -1102, empty: -1105, wrongType: -1102, illegalChars: -1116, outOfRange: ['STOP', -1116] };
const OPEN_FAULTS: FaultCodes = { missing: -1102, empty: -1105, wrongType: -1102, illegalChars: -2100, outOfRange: ['open', -2100] };
const POSITION_TYPE_FAULTS: FaultCodes = { missing: 0, empty: -1102, wrongType: -1102, illegalChars: -2100, outOfRange: [3, -2100] };
const TIME_IN_FORCE_FAULTS: FaultCodes = { missing: 0, empty: -1102, wrongType: -1102, illegalChars: -2100, outOfRange: ['GTC', -2100] };
const TRIGGER_TYPE_FAULTS: FaultCodes = { missing: -1102, empty: -1105, wrongType: -1102, illegalChars: -2100, outOfRange: ['5', -2100] };
const ORDER_ID_FAULTS: FaultCodes = { missing: -1102, empty: -1105, wrongType: -1102, illegalChars: -1100, outOfRange: ['7', -1112] };
const FROM_ID_FAULTS: FaultCodes = { missing: 0, empty: -1102, wrongType: -1102, illegalChars: -1100, outOfRange: ['x', -1102] };
const MODEL_FAULTS: FaultCodes = { missing: -1102, empty: -1105, wrongType: -1102, illegalChars: -2100, outOfRange: [3, -2100] };

/** The codes of every parameter, by operation. */
const CODES_OF_FAULTS: Readonly<Partial<Record<Op, Readonly<Record<string, FaultCodes>>>>> = {
  'futures.depth': { contractName: NAME_FAULTS, limit: LIMIT_FAULTS },
  'futures.ticker': { contractName: NAME_FAULTS },
  'futures.indexPrice': { contractName: NAME_FAULTS, limit: LIMIT_FAULTS },
  'futures.klines': {
    contractName: NAME_FAULTS,
    interval: { missing: -1102, empty: -1105, outOfRange: ['4h', -1102] },
    limit: LIMIT_FAULTS,
  },
  'futures.createOrder': {
    contractName: NAME_FAULTS,
    volume: VOLUME_FAULTS,
    price: PRICE_FAULTS,
    type: TYPE_FAULTS,
    side: SIDE_FAULTS,
    open: OPEN_FAULTS,
    positionType: POSITION_TYPE_FAULTS,
    clientOrderId: CLIENT_ID_FAULTS,
    timeInForce: TIME_IN_FORCE_FAULTS,
  },
  'futures.orderInformation': {
    contractName: NAME_FAULTS,
    orderId: { ...ORDER_ID_FAULTS, outOfRange: ['7', 0] },
    clientOrderId: CLIENT_ID_IN_QUERY_FAULTS,
  },
  'futures.createConditionOrder': {
    triggerType: TRIGGER_TYPE_FAULTS,
    triggerPrice: TRIGGER_PRICE_FAULTS,
    clientOrderId: CLIENT_ID_FAULTS,
    positionType: POSITION_TYPE_FAULTS,
    open: OPEN_FAULTS,
    side: SIDE_FAULTS,
    type: TYPE_FAULTS,
    contractName: NAME_FAULTS,
    price: PRICE_FAULTS,
    volume: VOLUME_FAULTS,
  },
  'futures.cancelOrder': { contractName: NAME_FAULTS, orderId: ORDER_ID_FAULTS },
  'futures.openOrders': { contractName: OPTIONAL_NAME_FAULTS },
  'futures.orderHistory': { contractName: OPTIONAL_NAME_FAULTS, limit: LIMIT_FAULTS, fromId: FROM_ID_FAULTS },
  'futures.profitHistory': { contractName: OPTIONAL_NAME_FAULTS, limit: LIMIT_FAULTS, fromId: FROM_ID_FAULTS },
  'futures.myTrades': { contractName: NAME_FAULTS, limit: LIMIT_FAULTS, fromId: { ...FROM_ID_FAULTS, wrongType: -1102 } },
  'futures.positions': { contractName: NAME_FAULTS },
  'futures.changePositionMode': { contractName: NAME_FAULTS, positionModel: MODEL_FAULTS },
  'futures.changeMarginMode': { contractName: NAME_FAULTS, marginModel: MODEL_FAULTS },
  'futures.changeLeverage': {
    contractName: NAME_FAULTS,
    nowLevel: { missing: -1102, empty: -1105, wrongType: -1102, illegalChars: -1102, outOfRange: ['101', -2100] },
  },
  'futures.triggerOrderList': { contractName: NAME_FAULTS, page: LIMIT_FAULTS, limit: LIMIT_FAULTS },
  'futures.cancelTriggerOrder': { contractName: NAME_FAULTS, orderId: ORDER_ID_FAULTS },
};

/** Returns an exchange where alice has an order and a trigger order. */
function withOrderAndTrigger(overrides: Partial<ServiceConfig> = {}, switches: SwitchValues = {}): FuturesFixture {
  const fixture = new FuturesFixture(overrides, switches);
  fixture.placeOrder('alice', 'BUY', 1, 10, { positionType: 1 });
  fixture.sendTriggerOrder('alice', 'BUY', '4', '9', { open: 'OPEN', type: 'LIMIT', price: 10, positionType: 1 });
  return fixture;
}

/** Returns the code of a call at such an exchange. */
const codeOfCall = (op: Op, args: NamedArgs, switches: SwitchValues = {}, overrides: Partial<ServiceConfig> = {}): number =>
  call(withOrderAndTrigger(overrides, switches), op, args);

describe('every parameter', () => {
  it('the table has every futures parameter that no switch has to allow', () => {
    for (const op of OPS.filter((name) => name.startsWith('futures.'))) {
      const { params } = endpointOf(op);
      const parameterNames = Object.keys(params).filter((name) => params[name]!.kind !== 'time');
      expect(Object.keys(CODES_OF_FAULTS[op] ?? {}).toSorted(), op).toEqual(parameterNames.toSorted());
    }
  });

  const cells = Object.entries(CODES_OF_FAULTS).flatMap(([op, params]) =>
    Object.entries(params).map(([name, faults]) => ({ op: op as Op, name, faults })),
  );
  it.each(cells)('each fault of $name in $op gets its code', ({ op, name, faults }) =>
    checkCell({ op, parameter: name, faults, validArgs: VALID_ARGS[op]!, codeOfCall, createFixture: withOrderAndTrigger }),
  );

  it('positionType is required under positionTypeRequired: yes and conditionRequired: all', () => {
    const { positionType: _ofOrder, ...order } = LIMIT_BUY;
    expect(codeOfCall('futures.createOrder', order, { positionTypeRequired: 'yes' })).toBe(-1102);
    const { positionType: _ofTrigger, ...trigger } = VALID_ARGS['futures.createConditionOrder']!;
    expect(codeOfCall('futures.createConditionOrder', trigger, { conditionRequired: 'all' })).toBe(-1102);
    expect(codeOfCall('futures.createConditionOrder', VALID_ARGS['futures.createConditionOrder']!, { conditionRequired: 'all' })).toBe(0);
  });

  it('a futures parameter may be text instead of a number, and a number instead of text, unless types are strict', () => {
    expect(codeOfCall('futures.createOrder', { ...LIMIT_BUY, volume: '1', price: '10.0', positionType: '1' })).toBe(0);
    expect(
      codeOfCall('futures.createConditionOrder', { ...VALID_ARGS['futures.createConditionOrder'], triggerType: 4, triggerPrice: 9 }),
    ).toBe(0);
    expect(codeOfCall('futures.changeLeverage', { contractName: 'E-ETH-USDT', nowLevel: 5 })).toBe(0);
    expect(codeOfCall('futures.createOrder', { ...LIMIT_BUY, volume: '1' }, { strictTypes: true })).toBe(-1102);
  });
});

describe('causes', () => {
  const FROZEN = { states: { [PERPETUAL.id]: { frozen: true } } };
  const MARKET = { contractName, volume: 5, type: 'MARKET', side: 'BUY', open: 'OPEN' };
  const CLOSED = linearContract({ isTrading: false });
  it.each<[cause: string, args: NamedArgs, code: number, switches?: SwitchValues, overrides?: Partial<ServiceConfig>]>([
    ['price with too many decimals', { ...LIMIT_BUY, price: 10.01 }, -1147],
    ['volume of a part of a contract', { ...LIMIT_BUY, volume: 1.5 }, -1147],
    ['value with too many decimals', { ...MARKET, volume: '5.00001' }, -1111],
    ['price, by field', { ...LIMIT_BUY, price: 10.01 }, -1111, { precisionCodes: 'byField' }],
    ['volume below the minimum', { ...LIMIT_BUY, volume: -1 }, -1136],
    ['a value that buys no contract', { ...MARKET, volume: '0.0001' }, -1136],
    ['a MARKET with a time in force', { ...MARKET, timeInForce: 'IOC' }, -1014],
    ['price with MARKET', { ...MARKET, price: 5 }, 0],
    ['price with MARKET, strictly', { ...MARKET, price: 5 }, -1106, { unknownParams: 'reject' }],
    ['MARKET above the largest volume', { ...MARKET, volume: 5001 }, -2100, { marketOpenUnit: 'contracts' }],
    ['another position type than that of the account', { ...LIMIT_BUY, positionType: 2 }, -2100],
    ['funds', { ...LIMIT_BUY, volume: 1_000_000, price: 1000 }, -2017],
    ['nothing to close', { ...LIMIT_BUY, open: 'CLOSE' }, 10015],
    ['frozen', LIMIT_BUY, -2016, {}, FROZEN],
    ['no market orders', MARKET, -1139, {}, { states: { [PERPETUAL.id]: { marketTrading: false } } }],
    ['restricted', LIMIT_BUY, 35, {}, { accounts: TRADERS.map((trader) => ({ ...trader, restricted: true })) }],
    ['switched off', LIMIT_BUY, -1020, {}, { off: ['futures.createOrder'] }],
    ['a contract that is not open', LIMIT_BUY, -2016, {}, { instruments: [BTC, ETH, CLOSED, ETH_PERPETUAL, INVERSE] }],
  ])('a futures create gets the code of its cause: %s', (_name, args, expected, switches = {}, overrides = {}) => {
    const fixture = new FuturesFixture(overrides, switches);
    // A MARKET order needs a last price. Where nothing is overridden, bob can trade and sets one.
    if (Object.keys(overrides).length === 0) {
      fixture.placeOrder('bob', 'SELL', 5000, 10);
      fixture.placeOrder('bob', 'BUY', 1, 10);
    }
    expect(call(fixture, 'futures.createOrder', args)).toBe(expected);
  });

  it('a trigger order gets the code of its cause', () => {
    const fixture = withOrderAndTrigger({ maxTriggers: 2 });
    const place = (changedArgs: NamedArgs) =>
      call(fixture, 'futures.createConditionOrder', { ...VALID_ARGS['futures.createConditionOrder'], ...changedArgs });
    expect(place({ triggerType: '1' })).toBe(-1014);
    expect(place({ triggerType: '2', open: 'CLOSE' })).toBe(10015);
    expect(place({ triggerPrice: '9.01' })).toBe(-1147);
    expect(place({ volume: 0.5 })).toBe(-1147);
    expect(place({ type: 'MARKET' })).toBe(-1139);
    expect([place({}), place({})]).toEqual([0, -1015]);
  });

  it('a futures order beyond the maximum count gets -1015, and one outside the price band gets -1138', () => {
    const fixture = new FuturesFixture({ maxOpenOrders: 1, states: { [PERPETUAL.id]: { priceBandPpm: 100_000 } } });
    fixture.placeOrder('bob', 'SELL', 1, 100);
    fixture.placeOrder('alice', 'BUY', 1, 100);
    expect(call(fixture, 'futures.createOrder', { ...LIMIT_BUY, price: 89.9 })).toBe(-1138);
    fixture.placeOrder('alice', 'BUY', 1, 95);
    expect(call(fixture, 'futures.createOrder', { ...LIMIT_BUY, price: 95 })).toBe(-1015);
  });

  it('an order or a trigger that has ended cannot be cancelled', () => {
    const fixture = withOrderAndTrigger();
    const cancel = (orderId: string) => call(fixture, 'futures.cancelOrder', { contractName, orderId });
    expect([cancel(ORDER_OF_ALICE), cancel(ORDER_OF_ALICE), cancel('1')]).toEqual([0, -1145, -1112]);
    const cancelTrigger = () => call(fixture, 'futures.cancelTriggerOrder', { contractName, orderId: TRIGGER_OF_ALICE });
    expect([cancelTrigger(), cancelTrigger()]).toEqual([0, -1145]);
    expect(call(withOrderAndTrigger({}, { missingOrderCode: '-2013' }), 'futures.cancelOrder', { contractName, orderId: '1' })).toBe(-2013);
  });

  it('settings cannot change while an order or position depends on them, unless a switch allows it', () => {
    const changeSettings = (fixture: FuturesFixture) => [
      call(fixture, 'futures.changePositionMode', { contractName, positionModel: 2 }),
      call(fixture, 'futures.changeMarginMode', { contractName, marginModel: 2 }),
      call(fixture, 'futures.changeLeverage', { contractName, nowLevel: '5' }),
    ];
    expect(changeSettings(withOrderAndTrigger())).toEqual([-1020, -1020, -1020]);
    expect(changeSettings(withOrderAndTrigger({}, { settingsInUse: 'accept' }))).toEqual([-1020, 0, 0]);
    expect(changeSettings(new FuturesFixture())).toEqual([0, 0, 0]);
    const flatFixture = new FuturesFixture();
    const levels = ['-1', '0', '1', '100', '1001', '9999999999999999999', '1.5'];
    expect(levels.map((nowLevel) => call(flatFixture, 'futures.changeLeverage', { contractName, nowLevel }))).toEqual([
      -2100, -2100, 0, 0, -2100, -2100, -1102,
    ]);
  });

  it('an error of a futures endpoint has the futures envelope', () => {
    expect(withOrderAndTrigger().post('/fapi/v1/order', {}).body).toBe('{"code":"-1121","msg":"BAD_SYMBOL","msgData":null,"succ":false}');
    expect(codeOf(withOrderAndTrigger().get('/fapi/v1/positions'))).toBe(-1121);
  });
});
