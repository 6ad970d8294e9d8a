// Tests the reply of each of the 16 spot endpoints, as plain JSON and as the client decodes it.

import { describe, expect, it } from 'vitest';
import { OPS, type Op, answerOf, endpointOf } from '../../src/protocol/endpoints/endpoints.ts';
import { parseJson } from '../../src/protocol/json/parseJson.ts';
import { decodeAnswer } from '../../src/protocol/shapes/answer.ts';
import { ServiceFixture, START_MS } from './serviceFixture.ts';

/** Ids of the orders of `withTrades` in their order. */
const FIRST_ORDER_ID = '1322000000000000001';
const SECOND_ORDER_ID = '1322000000000000002';
const THIRD_ORDER_ID = '1322000000000000003';

/** Returns a fixture: alice sells 1 BTC at 100 and bids for 0.5 at 90.25, and bob buys 0.4 of hers a second later. */
function withTrades(): ServiceFixture {
  const fixture = new ServiceFixture();
  fixture.placeLimit('alice', 'SELL', '1', '100', { newClientOrderId: 'a-1' });
  fixture.placeLimit('alice', 'BUY', '0.5', '90.25');
  fixture.passTime(1000);
  fixture.placeLimit('bob', 'BUY', '0.4', '101');
  fixture.passTime(1000);
  return fixture;
}

const LIMIT_BUY = { symbol: 'btcusdt', volume: 0.5, side: 'BUY', type: 'LIMIT', price: 80.1, newClientOrderId: 'mine' };
/** The time of the exchange after `withTrades`. */
const NOW_MS = START_MS + 2000;

/** A call of one endpoint and its reply. Without a body it is a GET. */
interface ExpectedAnswer {
  readonly op: Op;
  readonly target: string;
  readonly body?: unknown;
  /** The exact text of the reply. */
  readonly answer: string;
}

const KLINE = `{"idx":${START_MS},"open":100,"close":100,"high":100,"low":100,"vol":0.4}`;
const MY_ORDER =
  `{"symbol":"BTCUSDT","orderId":${FIRST_ORDER_ID},"price":100,"origQty":1,"executedQty":0.4,"avgPrice":100,"type":"LIMIT","side":"SELL",` +
  `"clientOrderId":"a-1","transactTime":${START_MS},"status":"PARTIALLY_FILLED"}`;

const EXPECTED_ANSWERS: readonly ExpectedAnswer[] = [
  { op: 'spot.ping', target: '/sapi/v1/ping', answer: '{}' },
  { op: 'spot.serverTime', target: '/sapi/v1/time', answer: `{"serverTime":${NOW_MS},"timezone":"UTC"}` },
  {
    op: 'spot.symbols',
    target: '/sapi/v1/symbols',
    answer:
      '[{"symbol":"BTCUSDT","baseAsset":"BTC","quoteAsset":"USDT","pricePrecision":2,"QuantityPrecision":4},' +
      '{"symbol":"ETHUSDT","baseAsset":"ETH","quoteAsset":"USDT","pricePrecision":2,"QuantityPrecision":4}]',
  },
  {
    op: 'spot.depth',
    target: '/sapi/v1/depth?symbol=BTCUSDT&limit=5',
    answer: `{"time":${NOW_MS},"bids":[[90.25,0.5]],"asks":[[100,0.6]]}`,
  },
  {
    op: 'spot.ticker',
    target: '/sapi/v1/ticker?symbol=BTCUSDT',
    answer: `{"time":${NOW_MS - 86_400_000},"high":100,"low":100,"last":100,"vol":0.4}`,
  },
  {
    op: 'spot.recentTrades',
    target: '/sapi/v1/trades?symbol=BTCUSDT&limit=10',
    answer: `[{"id":1,"symbol":"BTCUSDT","side":"BUY","price":100,"qty":0.4,"time":${START_MS + 1000}}]`,
  },
  { op: 'spot.klines', target: '/sapi/v1/klines?symbol=BTCUSDT&interval=1min&limit=3', answer: `[${KLINE}]` },
  {
    op: 'spot.newOrder',
    target: '/sapi/v1/order',
    body: LIMIT_BUY,
    answer:
      `{"symbol":"BTCUSDT","orderId":1322000000000000004,"clientOrderId":"mine","transactTime":${NOW_MS},"price":80.1,"origQty":0.5,` +
      '"executedQty":0,"status":0,"type":"LIMIT","side":"BUY"}',
  },
  { op: 'spot.testNewOrder', target: '/sapi/v1/order/test', body: { ...LIMIT_BUY, recWindow: 4000 }, answer: '{}' },
  {
    op: 'spot.batchOrders',
    target: '/sapi/v1/batchOrders',
    body: {
      symbol: 'BTCUSDT',
      orders: [
        { price: 80, volume: 1, side: 'BUY', batchType: 'LIMIT' },
        { volume: 50, side: 'BUY', batchType: 'MARKET' },
      ],
    },
    answer: '{"ids":[1322000000000000004,1322000000000000005]}',
  },
  { op: 'spot.queryOrder', target: `/sapi/v1/order?orderId=${FIRST_ORDER_ID}&symbol=BTCUSDT`, answer: MY_ORDER },
  {
    op: 'spot.cancelOrder',
    target: '/sapi/v1/cancel',
    body: { orderId: FIRST_ORDER_ID, symbol: 'BTCUSDT' },
    answer: `{"symbol":"BTCUSDT","orderId":${FIRST_ORDER_ID},"orderIdString":"${FIRST_ORDER_ID}","clientOrderId":"a-1","status":"PENDING_CANCEL"}`,
  },
  {
    op: 'spot.batchCancel',
    target: '/sapi/v1/batchCancel',
    body: `{"symbol":"BTCUSDT","orderIds":[${FIRST_ORDER_ID},${THIRD_ORDER_ID},${SECOND_ORDER_ID}]}`,
    answer: `{"success":[${FIRST_ORDER_ID},${SECOND_ORDER_ID}],"failed":[${THIRD_ORDER_ID}]}`,
  },
  {
    op: 'spot.openOrders',
    target: '/sapi/v1/openOrders?symbol=BTCUSDT&limit=100',
    answer:
      `[{"symbol":"BTCUSDT","orderId":${SECOND_ORDER_ID},"price":90.25,"origQty":0.5,"executedQty":0,"avgPrice":0,"type":"LIMIT","side":"BUY",` +
      `"clientOrderId":"0","time":${START_MS},"status":"NEW"},${MY_ORDER.replace('transactTime', 'time')}]`,
  },
  {
    op: 'spot.myTrades',
    target: '/sapi/v1/myTrades?symbol=BTCUSDT&limit=100',
    answer:
      `[{"symbol":"BTCUSDT","id":1,"bidId":${THIRD_ORDER_ID},"askId":${FIRST_ORDER_ID},"price":100,"qty":0.4,"time":${START_MS + 1000},` +
      '"isBuyer":false,"isMaker":true,"feeCoin":"USDT","fee":0.04}]',
  },
  {
    op: 'spot.account',
    target: '/sapi/v1/account',
    answer:
      '{"balances":[{"asset":"BTC","free":9,"locked":0.6},{"asset":"USDT","free":99994.835,"locked":45.125},' +
      '{"asset":"ETH","free":100,"locked":0}]}',
  },
];

describe('spot', () => {
  it('the table of expected replies has each spot endpoint', () => {
    expect(EXPECTED_ANSWERS.map(({ op }) => op)).toEqual(OPS.filter((op) => endpointOf(op).market === 'spot'));
  });

  it.each(EXPECTED_ANSWERS)('the reply of $op is the expected text, and the client decodes it', ({ op, target, body, answer }) => {
    const fixture = withTrades();
    const { security } = endpointOf(op);
    const sendSigned = () => (body === undefined ? fixture.get(target) : fixture.post(target, body));
    const reply = security === 'NONE' ? fixture.getPublic(target) : sendSigned();
    expect({ status: reply.status, body: reply.body }).toEqual({ status: 200, body: answer });
    const json = parseJson(reply.body);
    expect(json.ok && decodeAnswer(answerOf(op), json.value)).toMatchObject({ ok: true });
  });

  it('an exchange without contracts answers every futures call with -1020 in the futures envelope', () => {
    for (const op of OPS.filter((candidate) => endpointOf(candidate).market === 'futures')) {
      const { method, path, params, security } = endpointOf(op);
      const contractName = 'contractName' in params ? 'E-BTC-USDT' : null;
      const fixture = new ServiceFixture();
      const target = method === 'GET' && contractName !== null ? `${path}?contractName=${contractName}&orderId=1` : path;
      const sendSigned = () => (method === 'GET' ? fixture.get(target) : fixture.post(path, {}));
      const reply = security === 'NONE' ? fixture.getPublic(target) : sendSigned();
      expect(reply.body, op).toBe('{"code":"-1020","msg":"UNSUPPORTED_OPERATION","msgData":null,"succ":false}');
    }
  });

  it('an unknown path gets 404, and an unknown method gets -1020', () => {
    const fixture = new ServiceFixture();
    const unknown = fixture.getPublic('/sapi/v1/nothing');
    expect([unknown.status, JSON.parse(unknown.body)]).toEqual([
      404,
      { timestamp: '2026-01-05T00:00:00.000Z', status: 404, error: 'Not Found', message: 'No message available', path: '/sapi/v1/nothing' },
    ]);
    expect(fixture.send('DELETE', '/sapi/v1/order', '', {}).body).toBe('{"code":-1020,"msg":"UNSUPPORTED_OPERATION"}');
    expect(new ServiceFixture({}, { unknownPath: 'code' }).getPublic('/x')).toMatchObject({
      status: 200,
      body: '{"code":-1002,"msg":"UNAUTHORIZED"}',
    });
  });
});

describe('lists', () => {
  it('the list of open orders is newest first, and has at most limit rows', () => {
    const fixture = new ServiceFixture();
    const ids = ['1', '2', '3'].map((volume) => fixture.placeLimit('alice', 'BUY', volume, '10'));
    const rows = (limit: number) =>
      [...fixture.get(`/sapi/v1/openOrders?limit=${limit}`).body.matchAll(/"orderId":(\d+)/g)].map(([, id]) => id);
    expect(rows(100)).toEqual(ids.toReversed());
    expect(rows(2)).toEqual(ids.toReversed().slice(0, 2));
  });

  it('the trades of an account with fromId are the oldest from that id on, newest first', () => {
    const pages = (fromId: 'inclusive' | 'exclusive') => {
      const fixture = new ServiceFixture({}, { fromId });
      fixture.placeLimit('bob', 'SELL', '5', '100');
      for (let index = 0; index < 5; index++) fixture.placeLimit('alice', 'BUY', '1', '100');
      const ids = (query: string) =>
        [...fixture.get(`/sapi/v1/myTrades?${query}`).body.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
      return [ids('limit=2'), ids('limit=2&fromId=2'), ids('fromId=4'), ids('fromId=9'), ids('symbol=ETHUSDT')];
    };
    expect(pages('inclusive')).toEqual([[5, 4], [3, 2], [5, 4], [], []]);
    expect(pages('exclusive')).toEqual([[5, 4], [4, 3], [5], [], []]);
  });
});

describe('orders', () => {
  it('orders rest by price and time, and trade at the price of the resting order', () => {
    const fixture = new ServiceFixture();
    const restingAt101 = fixture.placeLimit('bob', 'SELL', '1', '101');
    const first = fixture.placeLimit('bob', 'SELL', '1', '100');
    const second = fixture.placeLimit('bob', 'SELL', '1', '100');
    const taker = fixture.placeLimit('alice', 'BUY', '2.5', '105');
    expect([restingAt101, first, second].map((id) => fixture.queryOrder(id, 'bob')['executedQty'])).toEqual([0.5, 1, 1]);
    expect(fixture.queryOrder(taker)).toMatchObject({ status: 'FILLED', executedQty: 2.5, avgPrice: 100.2 });
  });

  it('a MARKET order fills what the book offers, and ends', () => {
    const fixture = new ServiceFixture();
    const placeMarketOrder = (side: string, volume: number) =>
      /\d{19}/.exec(fixture.post('/sapi/v1/order', { symbol: 'BTCUSDT', volume, side, type: 'MARKET' }).body)![0];
    expect(fixture.queryOrder(placeMarketOrder('SELL', 1))).toMatchObject({ status: 'CANCELED', executedQty: 0 });
    fixture.placeLimit('bob', 'BUY', '0.5', '100');
    expect(fixture.queryOrder(placeMarketOrder('SELL', 1))).toMatchObject({ status: 'CANCELED', executedQty: 0.5, avgPrice: 100 });
    fixture.placeLimit('bob', 'SELL', '1', '100');
    fixture.placeLimit('bob', 'SELL', '1', '200');
    // The amount buys 1 at 100 and 0.25 at 200. A remainder below one lot does not keep the order from being FILLED.
    const buy = placeMarketOrder('BUY', 150.01);
    expect(fixture.queryOrder(buy)).toMatchObject({ status: 'FILLED', origQty: 150.01, executedQty: 1.25, avgPrice: 120 });
    expect(fixture.balance('alice', 'USDT').locked).toBe('0');
  });

  it('a self-trade of one account is listed twice, once for each side', () => {
    const fixture = new ServiceFixture();
    const sell = fixture.placeLimit('alice', 'SELL', '1', '100');
    const buy = fixture.placeLimit('alice', 'BUY', '1', '100');
    const rows = JSON.parse(fixture.get('/sapi/v1/myTrades').body.replaceAll(/\d{19}/g, '"$&"')) as readonly object[];
    expect(rows).toMatchObject([
      { id: 1, bidId: buy, askId: sell, isBuyer: true, isMaker: false, feeCoin: 'BTC', fee: 0.002 },
      { id: 1, bidId: buy, askId: sell, isBuyer: false, isMaker: true, feeCoin: 'USDT', fee: 0.1 },
    ]);
  });

  it('a query and a cancel by a client order id that was used twice reach the latest order', () => {
    const fixture = new ServiceFixture({}, { queryByClientId: 'works' });
    const [olderId, newerId] = ['1', '2'].map((volume) => fixture.placeLimit('alice', 'BUY', volume, '10', { newClientOrderId: 'same' }));
    expect(fixture.get('/sapi/v1/order?newClientOrderId=same&symbol=BTCUSDT').body).toContain(newerId);
    expect(fixture.post('/sapi/v1/cancel', { newClientOrderId: 'same', symbol: 'BTCUSDT' }).body).toContain(newerId);
    expect(fixture.queryOrder(olderId!)['status']).toBe('NEW');
  });

  it('an order of another account is not found', () => {
    const fixture = new ServiceFixture();
    const id = fixture.placeLimit('alice', 'BUY', '1', '10');
    expect(fixture.get(`/sapi/v1/order?orderId=${id}&symbol=BTCUSDT`, { as: 'bob' }).body).toBe('{"code":"0","msg":"Success","data":null}');
    expect(fixture.get(`/sapi/v1/order?orderId=${id}&symbol=ETHUSDT`).body).toBe('{"code":"0","msg":"Success","data":null}');
    expect(fixture.post('/sapi/v1/cancel', { orderId: id, symbol: 'BTCUSDT' }, { as: 'bob' }).body).toBe(
      '{"code":-2013,"msg":"NO_SUCH_ORDER"}',
    );
  });
});
