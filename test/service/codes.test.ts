// Every code of the specification: reached on spot, reached by a fault, or reached on futures alone.

import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../src/protocol/errors/errorCodes.ts';
import { FaultyService } from '../../src/paperExchange/faults/faultyService.ts';
import { FuturesDesk } from './futuresDesk.ts';
import { ACCOUNTS, ALL, BTC, codeOf, Desk } from './serviceDesk.ts';

const order = { symbol: 'BTCUSDT', volume: 1, side: 'BUY', type: 'LIMIT', price: 10 };
const place = (desk: Desk, over: object = {}) => codeOf(desk.post('/sapi/v1/order', { ...order, ...over }));
const headers = (name: string) => ({ headers: { [name]: undefined } });
const cancel = (desk: Desk, orderId: string) => codeOf(desk.post('/sapi/v1/cancel', { orderId, symbol: 'BTCUSDT' }));

/** What a fault alone can cause: step -, exchange dialect 10.2. */
const BY_FAULT = [-1000, -1001, -1006, -1007, -1016];
/** What has no cause on spot. */
const ON_FUTURES: Readonly<Record<string, () => number>> = {
  [-1014]: () => codeOf(new FuturesDesk().condition('alice', 'BUY', '1', '1000', { open: 'OPEN' })),
  [-2100]: () => codeOf(new FuturesDesk().create('alice', 'BUY', 1, 1000, { open: 'SHUT' })),
  10015: () => codeOf(new FuturesDesk().create('alice', 'SELL', 1, 1000, { open: 'CLOSE' })),
};

const CAUSES: Readonly<Record<string, () => number>> = {
  [-1002]: () => codeOf(new Desk().get('/sapi/v1/account', headers('x-ch-apikey'))),
  [-1003]: () =>
    codeOf(
      Array.from(
        { length: 21 },
        (
          (desk) => () =>
            desk.get('/sapi/v1/account')
        )(new Desk()),
      ).at(-1)!,
    ),
  [-1004]: () => place(new Desk({ accounts: [{ ...ACCOUNTS[0]!, closed: true }] })),
  [-1015]: () => ((desk) => (place(desk), place(desk)))(new Desk({ maxOpenOrders: 1 })),
  [-1017]: () => codeOf(new Desk().get('/sapi/v1/account', headers('content-type'))),
  [-1020]: () => place(new Desk({ off: ['spot.newOrder'] })),
  [-1021]: () => codeOf(new Desk().get('/sapi/v1/account', { ts: 1 })),
  [-1022]: () => codeOf(new Desk().get('/sapi/v1/account', { secret: 'x' })),
  [-1023]: () => codeOf(new Desk().get('/sapi/v1/account', headers('x-ch-ts'))),
  [-1024]: () => codeOf(new Desk().get('/sapi/v1/account', headers('x-ch-sign'))),
  [-1100]: () => place(new Desk(), { newClientOrderId: 'ä' }),
  [-1101]: () =>
    codeOf(new Desk().post('/sapi/v1/batchCancel', { symbol: 'BTCUSDT', orderIds: Array.from({ length: 11 }, (_, at) => at) })),
  [-1102]: () => place(new Desk(), { volume: null }),
  [-1103]: () => place(new Desk({}, { unknownParams: 'reject' }), { x: 1 }),
  [-1104]: () => codeOf(new Desk().post('/sapi/v1/order', '{"symbol":"BTCUSDT"} x')),
  [-1105]: () => place(new Desk(), { side: '' }),
  [-1106]: () => place(new Desk({}, { unknownParams: 'reject' }), { type: 'MARKET' }),
  [-1111]: () => place(new Desk(), { type: 'MARKET', volume: '1.000000001' }),
  [-1112]: () => cancel(new Desk({}, { missingOrderCode: '-1112' }), '5'),
  [-1116]: () => place(new Desk(), { type: 'STOP' }),
  [-1117]: () => place(new Desk(), { side: 'LONG' }),
  [-1121]: () => place(new Desk(), { symbol: 'X' }),
  [-1136]: () => place(new Desk(), { volume: 0 }),
  [-1138]: () => {
    const desk = new Desk({ states: { [BTC.id]: { priceBandPpm: 1000 } } });
    desk.limit('bob', 'SELL', '1', '100');
    desk.limit('alice', 'BUY', '1', '100');
    return place(desk);
  },
  [-1139]: () => place(new Desk({ states: { [BTC.id]: { marketTrading: false } } }), { type: 'MARKET' }),
  [-1145]: () => ((desk) => ((id) => (cancel(desk, id), cancel(desk, id)))(desk.limit('alice', 'BUY', '1', '1')))(new Desk()),
  [-1147]: () => place(new Desk(), { price: 1.001 }),
  [-2013]: () => cancel(new Desk(), '5'),
  [-2015]: () => codeOf(new Desk().get('/sapi/v1/account', { as: 'nobody' })),
  [-2016]: () => place(new Desk({ states: { [BTC.id]: { frozen: true } } })),
  [-2017]: () => place(new Desk(), { volume: 1_000_000 }),
  [-2200]: () => codeOf(new Desk({ denyIps: ['127.0.0.0/8'] }).get('/sapi/v1/account')),
  35: () => place(new Desk({ accounts: [{ ...ACCOUNTS[0]!, restricted: true }] })),
};

test('the table is complete', () => {
  const listed = [...Object.keys(CAUSES).map(Number), ...BY_FAULT, ...Object.keys(ON_FUTURES).map(Number)];
  expect(listed.toSorted((a, b) => a - b)).toEqual(ERROR_CODES.map(({ code }) => code).toSorted((a, b) => a - b));
});

test.each(Object.entries(CAUSES).map(([code, cause]) => [Number(code), cause] as const))('%i has a cause on spot', (code, cause) => {
  expect(cause()).toBe(code);
});

test.each(Object.entries(ON_FUTURES).map(([code, cause]) => [Number(code), cause] as const))('%i has a cause on futures', (code, cause) => {
  expect(cause()).toBe(code);
});

test.each(BY_FAULT)('%i comes of a fault, with its own HTTP status', (code) => {
  const desk = new Desk({
    accounts: [{ ...ACCOUNTS[0]!, keys: [{ apiKey: 'alice-Key', secret: 'alice-Secret', permissions: ALL, ips: null }] }],
  });
  const faulty = new FaultyService(desk.service);
  faulty.faults.set({ seed: 1, schedule: [{ point: 'GW.code', p: 1, params: { code } }] });
  const request = {
    method: 'GET',
    target: '/sapi/v1/ping',
    headers: { 'content-type': 'application/json' },
    body: new Uint8Array(0),
    ip: '',
  };
  faulty.receive(request, desk.nowMs, (answer) => {
    expect(answer).toMatchObject({ status: code === -1007 ? 504 : code === -1016 ? 503 : 500 });
    expect(codeOf(answer!)).toBe(code);
  });
});
