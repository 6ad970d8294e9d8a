// Tests the reply of each of the 22 futures endpoints, as plain JSON and as the client decodes it.

import { describe, expect, it } from 'vitest';
import { OPS, type Op, answerOf, endpointOf } from '../../src/protocol/endpoints/endpoints.ts';
import { parseJson } from '../../src/protocol/json/parseJson.ts';
import { decodeAnswer } from '../../src/protocol/shapes/answer.ts';
import { FuturesFixture, ETH_PERPETUAL, PERPETUAL, TRIGGER_STATUS } from './futuresFixture.ts';
import { codeOf, START_MS } from './serviceFixture.ts';

/** Ids of the orders of `withTrades` in their order, and of its trigger order. */
const FIRST_ORDER_ID = '1954000000000000001';
const SECOND_ORDER_ID = '1954000000000000002';
const THIRD_ORDER_ID = '1954000000000000003';
const FOURTH_ORDER_ID = '1954000000000000004';
const TRIGGER = '1622000000000000001';
/** The time of the exchange after `withTrades`. */
const NOW_MS = START_MS + 2500;

/**
 * Alice sells 100 at 1000 and bids for 50 at 900.5. A second later bob buys 40 of hers, and half a second later he closes 10 of them at
 * 900.5. Alice is then short 30, and has a stop at 1100 for 5 of them.
 */
function withTrades(): FuturesFixture {
  const fixture = new FuturesFixture({
    instruments: [PERPETUAL, ETH_PERPETUAL],
    accounts: ACCOUNTS,
    fundingRates: { [PERPETUAL.id]: 100_000_000, [ETH_PERPETUAL.id]: 0 },
  });
  fixture.placeOrder('alice', 'SELL', 100, 1000, { clientOrderId: 'a-1' });
  fixture.placeOrder('alice', 'BUY', 50, 900.5, { timeInForce: 'POST_ONLY' });
  fixture.passTime(1000);
  fixture.placeOrder('bob', 'BUY', 40, 1010);
  fixture.passTime(500);
  fixture.placeOrder('bob', 'SELL', 10, null, { open: 'CLOSE' });
  fixture.sendTriggerOrder('alice', 'BUY', '1', '1100', { volume: 5 });
  fixture.passTime(1000);
  return fixture;
}

const ACCOUNTS = ['alice', 'bob'].map((name, index) => ({
  name,
  uid: String(10_001 + index),
  balances: {},
  futures: { balances: { USDT: '10000' } },
  keys: [
    { apiKey: `${name}-Key`, secret: `${name}-Secret`, permissions: { read: true, trade: true, markets: ['futures'] as const }, ips: null },
  ],
}));

/** A call of one endpoint and its reply. Without a body it is a GET. */
interface ExpectedAnswer {
  readonly op: Op;
  readonly target: string;
  readonly body?: unknown;
  /** The exact text of the reply. */
  readonly answer: string;
}
const AT = 'contractName=E-BTC-USDT';
const LIMIT_BUY = { contractName: 'E-BTC-USDT', volume: 5, price: 800, type: 'LIMIT', side: 'BUY', open: 'OPEN', positionType: 1 };
const SUCCESS_BODY = '{"code":"0","msg":"成功","data":null}';
const WIDE_SUCCESS_BODY = '{"code":"0","msg":"成功","data":null,"msgData":null,"succ":true}';

const EXPECTED_ANSWERS: readonly ExpectedAnswer[] = [
  { op: 'futures.ping', target: '/fapi/v1/ping', answer: '{}' },
  { op: 'futures.serverTime', target: '/fapi/v1/time', answer: `{"serverTime":${NOW_MS},"timezone":"UTC"}` },
  {
    op: 'futures.contracts',
    target: '/fapi/v1/contracts',
    answer:
      '[{"symbol":"E-BTC-USDT","pricePrecision":1,"side":1,"maxMarketVolume":5000,"multiplier":0.001,"maxLever":100,' +
      '"minOrderVolume":1,"marginCoin":"USDT","type":"E","openMakerFee":0.0002,"openTakerFee":0.0004,"closeMakerFee":0.00025,' +
      '"closeTakerFee":0.0005,"multiplierCoin":"BTC","contractId":1,"minLever":1,"status":1},{"symbol":"E-ETH-USDT",' +
      '"pricePrecision":1,"side":1,"maxMarketVolume":9007199254740991,"multiplier":0.001,"maxLever":100,"minOrderVolume":1,' +
      '"marginCoin":"USDT","type":"E","openMakerFee":0.0002,"openTakerFee":0.0004,"closeMakerFee":0.00025,' +
      '"closeTakerFee":0.0005,"multiplierCoin":"ETH","contractId":3,"minLever":1,"status":1}]',
  },
  { op: 'futures.depth', target: `/fapi/v1/depth?${AT}`, answer: '{"time":1767571202500,"bids":[[900.5,40]],"asks":[[1000,60]]}' },
  {
    op: 'futures.ticker',
    target: `/fapi/v1/ticker?${AT}`,
    answer: '{"high":"1000","vol":"50","last":"900.5","low":"900.5","buy":900.5,"sell":1000,"rose":"-0.0995","time":1767571202500}',
  },
  {
    op: 'futures.indexPrice',
    target: `/fapi/v1/index?${AT}&limit=10`,
    answer: '{"currentFundRate":0.0001,"tagPrice":900.5,"indexPrice":900.5,"nextFundRate":0.0001}',
  },
  {
    op: 'futures.klines',
    target: `/fapi/v1/klines?${AT}&interval=1h&limit=3`,
    answer: '[{"idx":1767571200000,"open":"1000","close":"900.5","high":"1000","low":"900.5","vol":"50"}]',
  },
  { op: 'futures.createOrder', target: '/fapi/v1/order', body: LIMIT_BUY, answer: '{"orderId":"1954000000000000005"}' },
  {
    op: 'futures.orderInformation',
    target: `/fapi/v1/order?${AT}&orderId=${FIRST_ORDER_ID}&clientOrderId=0`,
    answer:
      '{"side":"SELL","executedQty":40,"orderId":1954000000000000001,"origQty":100,"avgPrice":1000,"tradeFee":0.008,' +
      '"realizedAmount":0,"type":"LIMIT","price":1000,"transactTime":1767571200000,"action":"OPEN","contractName":"E-BTC-USDT",' +
      '"timeInForce":"","status":"PARTIALLY_FILLED","fills":[]}',
  },
  {
    op: 'futures.createConditionOrder',
    target: '/fapi/v1/conditionOrder/',
    body: { ...LIMIT_BUY, triggerType: '4', triggerPrice: '850.5', clientOrderId: 'c-1' },
    answer: '{"code":"0","msg":"Success","data":{"triggerIds":["1622000000000000002"],"ids":[],"cancelIds":[]},"msgData":null,"succ":true}',
  },
  {
    op: 'futures.cancelOrder',
    target: '/fapi/v1/cancel',
    body: { contractName: 'E-BTC-USDT', orderId: FIRST_ORDER_ID },
    answer: '{"orderId":"1954000000000000001"}',
  },
  {
    op: 'futures.openOrders',
    target: `/fapi/v1/openOrders?${AT}`,
    answer:
      '{"code":"0","msg":"成功","data":[{"side":"BUY","executedQty":10,"orderId":1954000000000000002,"origQty":50,' +
      '"avgPrice":900.5,"type":"LIMIT","price":900.5,"transactTime":1767571200000,"action":"OPEN","contractName":"E-BTC-USDT",' +
      '"timeInForce":"POST_ONLY","status":"PARTIALLY_FILLED"},{"side":"SELL","executedQty":40,"orderId":1954000000000000001,' +
      '"origQty":100,"avgPrice":1000,"type":"LIMIT","price":1000,"transactTime":1767571200000,"action":"OPEN",' +
      '"contractName":"E-BTC-USDT","timeInForce":"","status":"PARTIALLY_FILLED"}]}',
  },
  {
    op: 'futures.orderHistory',
    target: '/fapi/v1/orderHistorical',
    body: { contractName: 'E-BTC-USDT', limit: '10' },
    answer:
      '[{"side":"BUY","clientId":"0","ctimeMs":1767571200000,"positionType":1,"orderId":1954000000000000002,"avgPrice":900.5,' +
      '"realizedAmount":0.995,"fee":0.0018,"openOrClose":"OPEN","leverageLevel":20,"source":3,"type":5,"volume":50,' +
      '"dealVolume":10,"price":900.5,"contractId":1,"ctime":"2026-01-05T08:00:00","contractName":"E-BTC-USDT",' +
      '"dealMoney":9.005,"status":3,"openTakerFeeRate":0.0004,"openMakerFeeRate":0.0002,"closeTakerFeeRate":0.0005,' +
      '"closeMakerFeeRate":0.00025},{"side":"SELL","clientId":"a-1","ctimeMs":1767571200000,"positionType":1,' +
      '"orderId":1954000000000000001,"avgPrice":1000,"realizedAmount":0,"fee":0.008,"openOrClose":"OPEN","leverageLevel":20,' +
      '"source":3,"type":1,"volume":100,"dealVolume":40,"price":1000,"contractId":1,"ctime":"2026-01-05T08:00:00",' +
      '"contractName":"E-BTC-USDT","dealMoney":40,"status":3,"openTakerFeeRate":0.0004,"openMakerFeeRate":0.0002,' +
      '"closeTakerFeeRate":0.0005,"closeMakerFeeRate":0.00025}]',
  },
  {
    op: 'futures.profitHistory',
    target: '/fapi/v1/profitHistorical',
    body: { limit: '10' },
    answer:
      '[{"id":1,"contractId":1,"contractName":"E-BTC-USDT","side":"SELL","positionType":1,"leverageLevel":20,"volume":10,' +
      '"openPrice":1000,"openEndPrice":900.5,"closeProfit":0.995,"tradeFee":-0.0098,"capitalFee":0,"shareAmount":0,' +
      '"settleProfit":0,"realizedAmount":0.9852,"historyRealizedAmount":0.9852,"ctime":1767571201000,"mtime":1767571201500}]',
  },
  {
    op: 'futures.myTrades',
    target: `/fapi/v1/myTrades?${AT}&limit=10&fromId=1`,
    answer:
      '[{"symbol":"BTC-USDT","contractName":"E-BTC-USDT","tradeId":2,"side":"BUY","isBuyer":true,"isMaker":true,' +
      '"bidId":1954000000000000002,"askId":1954000000000000004,"bidUserId":10001,"askUserId":10002,"price":900.5,"qty":10,' +
      '"amount":9.005,"fee":"0.0018","time":1767571201500},{"symbol":"BTC-USDT","contractName":"E-BTC-USDT","tradeId":1,' +
      '"side":"SELL","isBuyer":false,"isMaker":true,"bidId":1954000000000000003,"askId":1954000000000000001,"bidUserId":10002,' +
      '"askUserId":10001,"price":1000,"qty":40,"amount":40,"fee":"0.008","time":1767571201000}]',
  },
  {
    op: 'futures.positions',
    target: `/fapi/v1/positions?${AT}`,
    answer:
      '{"positions":[{"symbol":"E-BTC-USDT","leverage":20,"positionType":1,"avgPrice":1000,"positionSide":"SELL",' +
      '"realizedAmount":0.995,"positionVolume":30,"holdAmount":1.5,"openPrice":1000,"ctime":"2026-01-05T08:00:01",' +
      '"mtime":"2026-01-05T08:00:01","canCloseVolume":30,"reducePrice":332702.7,"keepRate":0.005,"capitalFee":0,' +
      '"tradeFee":-0.0098,"shareAmount":0}]}',
  },
  {
    op: 'futures.changePositionMode',
    target: '/fapi/v1/edit_user_position_model',
    body: { contractName: 'E-ETH-USDT', positionModel: 2 },
    answer: SUCCESS_BODY,
  },
  {
    op: 'futures.changeMarginMode',
    target: '/fapi/v1/edit_user_margin_model',
    body: { contractName: 'E-ETH-USDT', marginModel: 2 },
    answer: SUCCESS_BODY,
  },
  {
    op: 'futures.changeLeverage',
    target: '/fapi/v1/edit_lever',
    body: { contractName: 'E-ETH-USDT', nowLevel: '7' },
    answer: SUCCESS_BODY,
  },
  {
    op: 'futures.triggerOrderList',
    target: '/fapi/v1/trigger_order_list',
    body: { contractName: 'E-BTC-USDT', page: 1, limit: 10 },
    answer:
      '{"code":"0","msg":"成功","data":{"count":1,"trigOrderList":[{"triggerOrderId":"1622000000000000001","side":"BUY",' +
      '"triggerPrice":1100,"marginCoin":"USDT","volume":5,"price":0,"contractId":1,"contractName":"E-BTC-USDT",' +
      '"id":"1622000000000000001","triggerType":1,"open":"CLOSE","status":0,"ctime":"2026-01-05T08:00:01"}]}}',
  },
  {
    op: 'futures.cancelTriggerOrder',
    target: '/v1/inner/trigger_order_cancel',
    body: `{"contractName":"E-BTC-USDT","orderId":${TRIGGER}}`,
    answer: WIDE_SUCCESS_BODY,
  },
  {
    op: 'futures.account',
    target: '/fapi/v1/account',
    answer:
      '{"account":[{"marginCoin":"USDT","accountNormal":9994.6457,"accountLock":4.8395,"partPositionNormal":0,' +
      '"totalPositionNormal":1.5,"achievedAmount":0.995,"unrealizedAmount":2.985,"totalEquity":10003.9702,"partEquity":0,' +
      '"bonusBalance":null,"walletBalance":9999.4852,"availableAmount":9994.6457,"positionVos":[{"contractId":1,' +
      '"contractName":"E-BTC-USDT","contractSymbol":"BTC-USDT","positions":[{"id":1,"uid":10001,"positionType":1,"side":"SELL",' +
      '"volume":30,"openPrice":1000,"avgPrice":1000,"leverageLevel":20,"marginRate":0.166019,"unRealizedAmount":2.985}]}]}]}',
  },
];

describe('futures', () => {
  it('the table of expected replies has each futures endpoint', () => {
    expect(EXPECTED_ANSWERS.map(({ op }) => op)).toEqual(OPS.filter((op) => endpointOf(op).market === 'futures'));
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
});

describe('lists', () => {
  it('lists with fromId return the oldest rows from that id on, newest first', () => {
    const pages = (fromId: 'inclusive' | 'exclusive') => {
      const fixture = new FuturesFixture({}, { fromId });
      for (let index = 0; index < 4; index++) {
        fixture.placeOrder('bob', 'SELL', 1, 1000);
        fixture.placeOrder('alice', 'BUY', 1, 1000);
        fixture.placeOrder('bob', 'BUY', 1, 1000, { open: 'CLOSE' });
        fixture.placeOrder('alice', 'SELL', 1, 1000, { open: 'CLOSE' });
      }
      const orders = (body: object) =>
        fixture.listRows('/fapi/v1/orderHistorical', { ...body }).map(({ orderId }) => Number(String(orderId).slice(-2)));
      const profits = (body: object) => fixture.listRows('/fapi/v1/profitHistorical', { ...body }).map(({ id }) => id);
      const { body } = fixture.get('/fapi/v1/myTrades?contractName=E-BTC-USDT&limit=2&fromId=3');
      const trades = Array.from(body.matchAll(/"tradeId":(\d+)/g), ([, id]) => Number(id));
      return [orders({ limit: 2 }), orders({ limit: '2', fromId: FOURTH_ORDER_ID }), profits({ limit: 2, fromId: 3 }), trades];
    };
    // Alice's orders have the even numbers. The ids of the profit history count the reductions of both accounts.
    expect(pages('inclusive')).toEqual([
      [16, 14],
      [6, 4],
      [6, 4],
      [4, 3],
    ]);
    expect(pages('exclusive')).toEqual([
      [16, 14],
      [8, 6],
      [6, 4],
      [5, 4],
    ]);
  });

  it('the list of trigger orders also has ended ones, in pages', () => {
    const fixture = withTrades();
    fixture.placeOrder('alice', 'SELL', 1, 2000);
    for (const price of ['1200', '1300', '1400']) fixture.sendTriggerOrder('alice', 'BUY', '1', price);
    fixture.post('/v1/inner/trigger_order_cancel', { contractName: 'E-BTC-USDT', orderId: '1622000000000000003' });
    const read = (page: number) =>
      fixture.parseReply(fixture.post('/fapi/v1/trigger_order_list', { contractName: 'E-BTC-USDT', page, limit: 3 })) as object;
    expect(read(1)).toMatchObject({
      data: {
        count: 4,
        trigOrderList: [
          { triggerPrice: 1400, status: TRIGGER_STATUS.pending },
          { triggerPrice: 1300, status: TRIGGER_STATUS.cancelled },
          { triggerPrice: 1200, status: TRIGGER_STATUS.pending },
        ],
      },
    });
    expect(read(2)).toMatchObject({ data: { count: 4, trigOrderList: [{ id: TRIGGER }] } });
    expect(read(3)).toMatchObject({ data: { count: 4, trigOrderList: [] } });
  });

  it('an order of another account or contract is not found', () => {
    const fixture = withTrades();
    expect(fixture.get(`/fapi/v1/order?${AT}&orderId=${THIRD_ORDER_ID}`).body).toBe('{"code":"0","msg":"Success","data":null}');
    expect(fixture.get(`/fapi/v1/order?contractName=E-ETH-USDT&orderId=${FIRST_ORDER_ID}`).body).toBe(
      '{"code":"0","msg":"Success","data":null}',
    );
    expect(fixture.get('/fapi/v1/openOrders?contractName=E-ETH-USDT').body).toBe(SUCCESS_BODY);
    for (const [contractName, orderId] of [
      ['E-BTC-USDT', THIRD_ORDER_ID],
      ['E-ETH-USDT', SECOND_ORDER_ID],
    ]) {
      expect(codeOf(fixture.post('/fapi/v1/cancel', { contractName, orderId }))).toBe(-1112);
      expect(codeOf(fixture.post('/v1/inner/trigger_order_cancel', { contractName, orderId }))).toBe(-1112);
    }
    expect(codeOf(fixture.post('/v1/inner/trigger_order_cancel', { contractName: 'E-BTC-USDT', orderId: TRIGGER }, { as: 'bob' }))).toBe(
      -1112,
    );
    expect(fixture.positions('alice', 'E-ETH-USDT')).toEqual([]);
  });
});

describe('a switch', () => {
  it.each<
    [
      name: string,
      value: string,
      answer: (fixture: FuturesFixture) => string,
      expectedByDefault: string | RegExp,
      expectedUnderSwitch: string | RegExp,
    ]
  >([
    ['okMsg', 'Success', (fixture) => fixture.get('/fapi/v1/openOrders').body, '成功', 'Success'],
    ['futuresOpenOrders', 'bare', (fixture) => fixture.get('/fapi/v1/openOrders').body, /"data":null/, /^\[\]$/],
    ['intervals', 'futures4h', (fixture) => fixture.getPublic(`/fapi/v1/klines?${AT}&interval=4h`).body, /-1102/, /^\[\{/],
    ['intervals', 'futures4h', (fixture) => fixture.getPublic(`/fapi/v1/klines?${AT}&interval=1h`).body, /^\[\{/, /^\[\]$/],
    ['klineIdx', 's', (fixture) => fixture.getPublic(`/fapi/v1/klines?${AT}&interval=1h`).body, /"idx":\d{13}/, /"idx":\d{10},/],
    ['klinesOpenBar', 'off', (fixture) => fixture.getPublic(`/fapi/v1/klines?${AT}&interval=1h`).body, /^\[\{/, /^\[\]$/],
    [
      'statusSpelling',
      'variant',
      (fixture) => fixture.orderInformation(fixture.placeOrder('bob', 'SELL', 90, 900), 'bob')['status'] as string,
      'PARTIALLY_FILLED',
      'PART_FILLED',
    ],
  ])('the switch %s changes the reply if it is %s', (name, value, answer, expectedByDefault, expectedUnderSwitch) => {
    const readUnder = (switches: object): string => {
      const fixture = new FuturesFixture({}, { ...switches });
      fixture.placeOrder('bob', 'BUY', 1, 900);
      fixture.placeOrder('bob', 'SELL', 1, 900);
      fixture.placeOrder('bob', 'BUY', 1, 900);
      return answer(fixture);
    };
    expect(readUnder({})).toMatch(expectedByDefault);
    expect(readUnder({ [name]: value })).toMatch(expectedUnderSwitch);
  });

  it('a second cancel succeeds under secondCancel: again, and gets -1145 under refuse', () => {
    for (const [secondCancel, expected] of [
      ['again', 0],
      ['refuse', -1145],
    ] as const) {
      const fixture = new FuturesFixture({ delays: { admissionMs: 0, visibilityMs: 0, cancelMs: 60 } }, { secondCancel });
      const orderId = fixture.placeOrder('alice', 'BUY', 1, 900);
      const cancel = () => codeOf(fixture.post('/fapi/v1/cancel', { contractName: 'E-BTC-USDT', orderId }));
      expect([cancel(), cancel()]).toEqual([0, expected]);
    }
  });
});
