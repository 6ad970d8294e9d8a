// Tests that the paper exchange can answer with every error code of the specification: to a spot call, a futures call, or by a planted fault.

import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../src/protocol/errors/errorCodes.ts';
import { FaultyService } from '../../src/paperExchange/faults/faultyService.ts';
import { FuturesFixture } from './futuresFixture.ts';
import { ACCOUNTS, ALL_PERMISSIONS, BTC, codeOf, ServiceFixture } from './serviceFixture.ts';

/** A valid order. Each test breaks one thing. */
const LIMIT_BUY = { symbol: 'BTCUSDT', volume: 1, side: 'BUY', type: 'LIMIT', price: 10 };

/** Returns the code of the answer to LIMIT_BUY with the given changes, 0 if it is accepted. */
const codeOfOrder = (fixture: ServiceFixture, overrides: object = {}) =>
  codeOf(fixture.post('/sapi/v1/order', { ...LIMIT_BUY, ...overrides }));
const withoutHeader = (name: string) => ({ headers: { [name]: undefined } });
const codeOfCancel = (fixture: ServiceFixture, orderId: string) => codeOf(fixture.post('/sapi/v1/cancel', { orderId, symbol: 'BTCUSDT' }));

/** Codes that no request can cause, only a planted fault of the exchange. Each with its HTTP status. */
const FAULT_STATUSES = [[-1000, 500], [-1001, 500], [-1006, 500], [-1007, 504], [-1016, 503]] as const; // prettier-ignore
/** By code without a cause on spot: a futures call that is answered with it. Returns the code. */
const ON_FUTURES: Readonly<Record<string, () => number>> = {
  [-1014]: () => codeOf(new FuturesFixture().sendTriggerOrder('alice', 'BUY', '1', '1000', { open: 'OPEN' })),
  [-2100]: () => codeOf(new FuturesFixture().sendOrder('alice', 'BUY', 1, 1000, { open: 'SHUT' })),
  10015: () => codeOf(new FuturesFixture().sendOrder('alice', 'SELL', 1, 1000, { open: 'CLOSE' })),
};

/** The rate limit of `spot.account`. */
const ACCOUNT_CALLS_IN_TWO_SECONDS = 20;

/** By code: a spot call that is answered with it. Returns the code. */
const ON_SPOT: Readonly<Record<string, () => number>> = {
  [-1002]: () => codeOf(new ServiceFixture().get('/sapi/v1/account', withoutHeader('x-ch-apikey'))),
  [-1003]: () => {
    const fixture = new ServiceFixture();
    for (let call = 1; call <= ACCOUNT_CALLS_IN_TWO_SECONDS; call++) fixture.get('/sapi/v1/account');
    return codeOf(fixture.get('/sapi/v1/account'));
  },
  [-1004]: () => codeOfOrder(new ServiceFixture({ accounts: [{ ...ACCOUNTS[0]!, closed: true }] })),
  [-1015]: () => {
    const fixture = new ServiceFixture({ maxOpenOrders: 1 });
    codeOfOrder(fixture);
    return codeOfOrder(fixture);
  },
  [-1017]: () => codeOf(new ServiceFixture().get('/sapi/v1/account', withoutHeader('content-type'))),
  [-1020]: () => codeOfOrder(new ServiceFixture({ off: ['spot.newOrder'] })),
  [-1021]: () => codeOf(new ServiceFixture().get('/sapi/v1/account', { timestamp: 1 })),
  [-1022]: () => codeOf(new ServiceFixture().get('/sapi/v1/account', { secret: 'x' })),
  [-1023]: () => codeOf(new ServiceFixture().get('/sapi/v1/account', withoutHeader('x-ch-ts'))),
  [-1024]: () => codeOf(new ServiceFixture().get('/sapi/v1/account', withoutHeader('x-ch-sign'))),
  [-1100]: () => codeOfOrder(new ServiceFixture(), { newClientOrderId: 'ä' }),
  [-1101]: () =>
    codeOf(
      new ServiceFixture().post('/sapi/v1/batchCancel', { symbol: 'BTCUSDT', orderIds: Array.from({ length: 11 }, (_, index) => index) }),
    ),
  [-1102]: () => codeOfOrder(new ServiceFixture(), { volume: null }),
  [-1103]: () => codeOfOrder(new ServiceFixture({}, { unknownParams: 'reject' }), { x: 1 }),
  [-1104]: () => codeOf(new ServiceFixture().post('/sapi/v1/order', '{"symbol":"BTCUSDT"} x')),
  [-1105]: () => codeOfOrder(new ServiceFixture(), { side: '' }),
  [-1106]: () => codeOfOrder(new ServiceFixture({}, { unknownParams: 'reject' }), { type: 'MARKET' }),
  [-1111]: () => codeOfOrder(new ServiceFixture(), { type: 'MARKET', volume: '1.000000001' }),
  [-1112]: () => codeOfCancel(new ServiceFixture({}, { missingOrderCode: '-1112' }), '5'),
  [-1116]: () => codeOfOrder(new ServiceFixture(), { type: 'STOP' }),
  [-1117]: () => codeOfOrder(new ServiceFixture(), { side: 'LONG' }),
  [-1121]: () => codeOfOrder(new ServiceFixture(), { symbol: 'X' }),
  [-1136]: () => codeOfOrder(new ServiceFixture(), { volume: 0 }),
  [-1138]: () => {
    const fixture = new ServiceFixture({ states: { [BTC.id]: { priceBandPpm: 1000 } } });
    fixture.placeLimit('bob', 'SELL', '1', '100');
    fixture.placeLimit('alice', 'BUY', '1', '100');
    return codeOfOrder(fixture);
  },
  [-1139]: () => codeOfOrder(new ServiceFixture({ states: { [BTC.id]: { marketTrading: false } } }), { type: 'MARKET' }),
  [-1145]: () => {
    const fixture = new ServiceFixture();
    const id = fixture.placeLimit('alice', 'BUY', '1', '1');
    codeOfCancel(fixture, id);
    return codeOfCancel(fixture, id);
  },
  [-1147]: () => codeOfOrder(new ServiceFixture(), { price: 1.001 }),
  [-2013]: () => codeOfCancel(new ServiceFixture(), '5'),
  [-2015]: () => codeOf(new ServiceFixture().get('/sapi/v1/account', { as: 'nobody' })),
  [-2016]: () => codeOfOrder(new ServiceFixture({ states: { [BTC.id]: { frozen: true } } })),
  [-2017]: () => codeOfOrder(new ServiceFixture(), { volume: 1_000_000 }),
  [-2200]: () => codeOf(new ServiceFixture({ denyIps: ['127.0.0.0/8'] }).get('/sapi/v1/account')),
  35: () => codeOfOrder(new ServiceFixture({ accounts: [{ ...ACCOUNTS[0]!, restricted: true }] })),
};

test('the tables have a cause for every code of the specification, and for no other', () => {
  const tableCodes = [...Object.keys(ON_SPOT).map(Number), ...FAULT_STATUSES.map(([code]) => code), ...Object.keys(ON_FUTURES).map(Number)];
  expect(tableCodes.toSorted((a, b) => a - b)).toEqual(ERROR_CODES.map(({ code }) => code).toSorted((a, b) => a - b));
});

test.each(Object.entries(ON_SPOT).map(([code, cause]) => [Number(code), cause] as const))(
  'a call on spot causes the code %i',
  (code, cause) => {
    expect(cause()).toBe(code);
  },
);

test.each(Object.entries(ON_FUTURES).map(([code, cause]) => [Number(code), cause] as const))(
  'a call on futures causes the code %i',
  (code, cause) => {
    expect(cause()).toBe(code);
  },
);

test.each(FAULT_STATUSES)('a planted fault causes the code %i with the HTTP status %i', (code, status) => {
  const fixture = new ServiceFixture({
    accounts: [{ ...ACCOUNTS[0]!, keys: [{ apiKey: 'alice-Key', secret: 'alice-Secret', permissions: ALL_PERMISSIONS, ips: null }] }],
  });
  const faulty = new FaultyService(fixture.service);
  faulty.faults.setSchedule({ seed: 1, schedule: [{ point: 'GW.code', p: 1, params: { code } }] });
  const request = {
    method: 'GET',
    target: '/sapi/v1/ping',
    headers: { 'content-type': 'application/json' },
    body: new Uint8Array(0),
    ip: '',
  };
  expect.assertions(2);
  faulty.receive(request, fixture.nowMs, (answer) => {
    expect(answer).toMatchObject({ status });
    expect(codeOf(answer!)).toBe(code);
  });
});
