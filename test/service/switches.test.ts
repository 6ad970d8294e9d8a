// Tests the effect of each spot switch on the wire, in each of its values, and the shipped profiles.

import { describe, expect, it } from 'vitest';
import { profileOf, PROFILES } from '../../src/paperExchange/dialect/profile.ts';
import { SWITCHES } from '../../src/paperExchange/dialect/switches.ts';
import { SEED_VARIANTS } from '../../src/protocol/shapes/variants.ts';
import { codeOf, ServiceFixture } from './serviceFixture.ts';

describe('switches', () => {
  it('there are 59 switches, and profile seed has their default values', () => {
    expect(Object.keys(SWITCHES)).toHaveLength(59);
    expect(PROFILES.seed).toMatchObject(SEED_VARIANTS);
    expect(PROFILES.seed).toMatchObject({ signQuery: 'either', banAfter: 20, strictTypes: false, heartbeatForm: 'frame' });
  });

  it.each([
    [{ nothing: 1 }, /profile nothing: no such switch/],
    [{ signquery: 'omit' }, /no such switch/],
    [{ signQuery: 'both' }, /expected either or include or omit, got "both"/],
    [{ strictTypes: 'true' }, /expected false or true, got "true"/],
    [{ banAfter: 0 }, /expected a whole number above 0, got 0/],
    [{ createStatus: 0 }, /expected 0 or NEW, got 0/],
  ])('the invalid switch %j is rejected', (values, message) => expect(() => profileOf(values)).toThrow(message));
});

/** Returns an exchange in which an order of alice has filled in part and one of bob in full, with the id of alice's order. */
function withTrades(switches: object): { fixture: ServiceFixture; id: string; getBody: (target: string) => string } {
  const fixture = new ServiceFixture({}, { ...switches });
  fixture.placeLimit('bob', 'SELL', '1', '100');
  const id = fixture.placeLimit('alice', 'BUY', '2', '100', { newClientOrderId: 'c' });
  return { fixture, id, getBody: (target) => fixture.get(target).body };
}

const OPEN_ORDERS = '/sapi/v1/openOrders?symbol=BTCUSDT';
const TRADES = '/sapi/v1/trades?symbol=BTCUSDT';
const KLINES = '/sapi/v1/klines?symbol=BTCUSDT&interval=';

describe('what a switch changes', () => {
  it.each<[name: string, value: string, target: string, expectedByDefault: RegExp, expectedUnderSwitch: RegExp]>([
    ['lists', 'list', OPEN_ORDERS, /^\[\{/, /^\{"list":\[\{/],
    ['lists', 'list', '/sapi/v1/myTrades', /^\[\{/, /^\{"list":\[\{/],
    ['lists', 'list', TRADES, /^\[\{/, /^\{"list":\[\{/],
    [
      'symbolsShape',
      'symbols',
      '/sapi/v1/symbols',
      /^\[\{"symbol":"BTCUSDT"/,
      /^\{"symbols":\[\{"symbol":"btcusdt".*"quantityPrecision":4,"limitVolumeMin":"0.001"/,
    ],
    ['tradeFields', 'four', TRADES, /^\[\{"id":1,"symbol"/, /^\[\{"side":"BUY","price"/],
    ['statusSpelling', 'variant', OPEN_ORDERS, /"PARTIALLY_FILLED"/, /"PART_FILLED"/],
    ['openOrdersClientId', 'off', OPEN_ORDERS, /"clientOrderId":"c"/, /^(?!.*clientOrderId)/],
    ['balancesUid', 'on', '/sapi/v1/account', /^\{"balances"/, /^\{"uid":10001,"balances"/],
    ['tickerTime', 'now', '/sapi/v1/ticker?symbol=BTCUSDT', /"time":1767484800000/, /"time":1767571200000/],
    ['klineIdx', 's', `${KLINES}1min`, /"idx":1767571200000/, /"idx":1767571200,/],
    ['klinesOpenBar', 'off', `${KLINES}1min`, /^\[\{/, /^\[\]$/],
    ['intervals', 'wide', `${KLINES}4h`, /-1102/, /^\[\{"idx"/],
    ['intervals', 'wide', `${KLINES}1h`, /^\[\]$/, /^\[\{"idx"/],
    ['klinesRange', 'startEnd', `${KLINES}1min&startTime=1767571200001`, /^\[\{/, /^\[\]$/],
    ['queryByClientId', 'works', '/sapi/v1/order?newClientOrderId=c', /"data":null/, /"orderId"/],
    ['symbolCase', 'upper', '/sapi/v1/ticker?symbol=btcusdt', /"last"/, /-1121/],
    ['requiredWithDefault', 'reject', '/sapi/v1/depth?symbol=BTCUSDT', /"bids"/, /-1102/],
    ['requiredWithDefault', 'reject', '/sapi/v1/openOrders?limit=5', /^\[/, /-1121/],
    ['limitTooLarge', 'reject', '/sapi/v1/depth?symbol=BTCUSDT&limit=200', /"bids"/, /-1102/],
    ['errorHttp', 'http200', '/sapi/v1/ticker', /-1121/, /-1121/],
    [
      'errorBody',
      'dataNull',
      '/sapi/v1/ticker',
      /^\{"code":-1121,"msg":"BAD_SYMBOL"\}$/,
      /^\{"code":"-1121","msg":"BAD_SYMBOL","data":null\}$/,
    ],
    ['batchOrdersMethod', 'post', '/sapi/v1/batchOrders', /-1121/, /-1020/],
  ])('the switch %s: %s changes the reply to GET %s', (name, value, target, expectedByDefault, expectedUnderSwitch) => {
    expect(withTrades({}).getBody(target)).toMatch(expectedByDefault);
    expect(withTrades({ [name]: value }).getBody(target)).toMatch(expectedUnderSwitch);
  });

  const marketBuy = { symbol: 'BTCUSDT', volume: 150, side: 'BUY', type: 'MARKET' };
  const batch = {
    symbol: 'BTCUSDT',
    orders: [
      { price: 60_000, volume: 1, side: 'BUY', batchType: 'LIMIT' },
      { price: 60_000, volume: 1, side: 'BUY', batchType: 'LIMIT' },
    ],
  };
  it.each<[name: string, value: string, target: string, body: object, expectedByDefault: RegExp, expectedUnderSwitch: RegExp]>([
    ['createStatus', 'NEW', '/sapi/v1/order', marketBuy, /"status":0/, /"status":"NEW"/],
    ['spotOrderId', 'both', '/sapi/v1/order', marketBuy, /"orderId":\d+,"client/, /"orderId":(\d+),"orderIdString":"\1"/],
    ['spotOrderId', 'array', '/sapi/v1/order', marketBuy, /"orderId":\d/, /"orderId":\["\d+"\]/],
    ['marketBuyOrigQty', 'base', '/sapi/v1/order', marketBuy, /"origQty":150/, /"origQty":0/],
    ['batchPartial', 'refuse', '/sapi/v1/batchOrders', batch, /^\{"ids":\[\d+\]\}$/, /-2017/],
    ['batchIds', 'both', '/sapi/v1/batchOrders', batch, /^\{"ids"/, /^\{"idsString":\["\d+"\],"ids":\[\d+\]\}/],
    ['batchCancelField', 'orderId', '/sapi/v1/batchCancel', { symbol: 'BTCUSDT', orderIds: [1] }, /"failed":\[1\]/, /-1102/],
    ['batchCancelField', 'orderIds', '/sapi/v1/batchCancel', { symbol: 'BTCUSDT', orderId: [1] }, /"failed":\[1\]/, /-1102/],
    ['batchCancelAllWrong', 'empty', '/sapi/v1/batchCancel', { symbol: 'BTCUSDT', orderIds: [1] }, /"failed":\[1\]/, /^\{\}$/],
    ['cancelByClientId', 'refuse', '/sapi/v1/cancel', { symbol: 'BTCUSDT', newClientOrderId: 'c' }, /PENDING_CANCEL/, /-2013/],
    ['cancelStatus', 'CANCELED', '/sapi/v1/cancel', { symbol: 'BTCUSDT', newClientOrderId: 'c' }, /"PENDING_CANCEL"/, /"CANCELED"/],
    ['testOrderScope', 'parameters', '/sapi/v1/order/test', { ...marketBuy, volume: 1e9 }, /-2017/, /^\{\}$/],
  ])('the switch %s: %s changes the reply to POST %s', (name, value, target, body, expectedByDefault, expectedUnderSwitch) => {
    expect(withTrades({}).fixture.post(target, body).body).toMatch(expectedByDefault);
    expect(withTrades({ [name]: value }).fixture.post(target, body).body).toMatch(expectedUnderSwitch);
  });

  it('a rejected batch has no effect', () => {
    const { fixture } = withTrades({ batchPartial: 'refuse' });
    const balanceBefore = fixture.balance('alice', 'USDT');
    expect(codeOf(fixture.post('/sapi/v1/batchOrders', batch))).toBe(-2017);
    expect(fixture.balance('alice', 'USDT')).toEqual(balanceBefore);
    expect(JSON.parse(fixture.get(OPEN_ORDERS).body)).toHaveLength(1);
  });

  it('one wrong element rejects a batch with its code', () => {
    const { fixture } = withTrades({});
    const batchWithBadPrice = { ...batch, orders: [batch.orders[0], { ...batch.orders[1], price: 1.001 }] };
    expect(codeOf(fixture.post('/sapi/v1/batchOrders', batchWithBadPrice))).toBe(-1147);
    expect(codeOf(fixture.post('/sapi/v1/batchOrders', { ...batch, orders: [{ ...batch.orders[0], side: 'LONG' }] }))).toBe(-1117);
  });

  it('batch orders by GET have their parameters in the query, or in a body that is not signed', () => {
    const { fixture } = withTrades({});
    const query = `/sapi/v1/batchOrders?symbol=BTCUSDT&orders=${encodeURIComponent('[{"price":1,"volume":1,"side":"BUY","batchType":"LIMIT"}]')}`;
    expect(fixture.get(query).body).toMatch(/^\{"ids":\[\d+\]\}$/);
    expect(fixture.send('GET', '/sapi/v1/batchOrders', JSON.stringify(batch), {}).body).toMatch(/^\{"ids":\[\d+\]\}$/);
  });

  it('errorHttp: http200 keeps 418, 429 and 5xx', () => {
    const { fixture } = withTrades({ errorHttp: 'http200' });
    expect(fixture.getPublic('/sapi/v1/ticker').status).toBe(200);
    expect(Array.from({ length: 22 }, () => fixture.get('/sapi/v1/myTrades').status).at(-1)).toBe(429);
  });

  it('under lockedFormula: amountPlusFee a resting buy locks its amount and its fee in the quote asset', () => {
    const { fixture } = withTrades({ lockedFormula: 'amountPlusFee' });
    // 1 filled at 100, taker 0.2 %; 1 rests at 100, held with the higher rate.
    expect(fixture.balance('alice', 'USDT')).toEqual({ free: '99799.6', locked: '100.2' });
    expect(fixture.balance('alice', 'BTC')).toEqual({ free: '11', locked: '0' });
  });
});

describe('profiles', () => {
  it('profile strict rejects text for numbers and unknown parameters', () => {
    const { fixture } = withTrades({ ...PROFILES.strict });
    const order = { symbol: 'BTCUSDT', volume: '1', side: 'BUY', type: 'LIMIT', price: 10 };
    expect(codeOf(fixture.post('/sapi/v1/order', order))).toBe(-1102);
    expect(codeOf(fixture.post('/sapi/v1/order', { ...order, volume: 1, x: 1 }))).toBe(-1103);
  });

  it('profile lenient answers reads without Content-Type, and errors with status 200', () => {
    const { fixture, id } = withTrades({ ...PROFILES.lenient });
    expect(fixture.get(OPEN_ORDERS, { headers: { 'content-type': undefined } }).body).toContain(
      `{"list":[{"symbol":"BTCUSDT","orderId":${id}`,
    );
    expect(fixture.get('/sapi/v1/account', { headers: { 'x-ch-apikey': undefined } })).toMatchObject({
      status: 200,
      body: '{"code":"-1002","data":null,"msg":"UNAUTHORIZED","msgData":null,"succ":false}',
    });
  });
});
