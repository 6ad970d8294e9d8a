// Lists the documented spot replies and the meaning of each, written by hand from the specification and the exchange dialect.

import type { Op } from '../../src/protocol/endpoints/endpoints.ts';
import { answer, bar, list, NO_ORDER, reading, type DocumentedAnswer } from './documented.ts';

const SPOT_ORDER = {
  symbol: 'BTCUSDT',
  orderId: '499890200602846976',
  clientOrderId: null,
  timeMs: 1588591856950,
  price: '9300',
  origQty: '1',
  executedQty: '0.5',
  avgPrice: '9299.5',
  status: reading('PARTIALLY_FILLED'),
  type: reading('LIMIT'),
  side: 'buy',
};
const SPOT_ORDER_BODY =
  '{"symbol":"BTCUSDT","orderId":499890200602846976,"clientOrderId":"0","transactTime":1588591856950,"price":9300.00,"origQty":1,"executedQty":0.50,"avgPrice":9299.5,"status":"PARTIALLY_FILLED","type":"LIMIT","side":"BUY"}';
const OPEN_BODY = SPOT_ORDER_BODY.replace('"transactTime":1588591856950', '"time":"1588591856950"');

const SPOT_FILL = {
  symbol: 'BTCUSDT',
  tradeId: '28457',
  bidId: '499902955766523648',
  askId: '499902955766523647',
  price: '4.01',
  quantity: '12',
  timeMs: 1499865549590,
  isBuyer: true,
  isMaker: false,
  feeCoin: 'BTC',
  fee: '0.001',
};
const SPOT_FILL_BODY =
  '{"symbol":"BTCUSDT","id":28457,"bidId":499902955766523648,"askId":499902955766523647,"price":4.01,"qty":12.0,"time":1499865549590,"isBuyer":true,"isMaker":false,"feeCoin":"BTC","fee":0.001}';

const SYMBOL = {
  symbol: 'BTCUSDT',
  baseAsset: 'BTC',
  quoteAsset: 'USDT',
  pricePrecision: 2,
  quantityPrecision: 6,
  limitVolumeMin: null,
  limitPriceMin: null,
  limitAmountMin: null,
  marketBuyMin: null,
  marketSellMin: null,
};

/** The replies by operation. */
export const SPOT_ANSWERS: Readonly<Record<Extract<Op, `spot.${string}`>, readonly DocumentedAnswer[]>> = {
  'spot.ping': [answer('spec', '{}', null)],
  'spot.serverTime': [
    answer('spec', '{"serverTime":1534431933321,"timezone":"China Standard Time"}', {
      serverTimeMs: 1534431933321,
      timezone: 'China Standard Time',
    }),
    answer('text, no zone', '{"serverTime":"1534431933321"}', { serverTimeMs: 1534431933321, timezone: null }),
  ],
  'spot.symbols': [
    answer('spec', '[{"symbol":"BTCUSDT","baseAsset":"BTC","quoteAsset":"USDT","pricePrecision":2,"QuantityPrecision":6}]', list(SYMBOL)),
    answer(
      'dialect, row 25',
      '{"symbols":[{"symbol":"btcusdt","baseAsset":"BTC","quoteAsset":"USDT","pricePrecision":2,"quantityPrecision":6,"limitVolumeMin":"0.0001","limitPriceMin":"0.01","marketBuyMin":"5","marketSellMin":"0.0001"}]}',
      list({ ...SYMBOL, limitVolumeMin: '0.0001', limitPriceMin: '0.01', marketBuyMin: '5', marketSellMin: '0.0001' }),
    ),
  ],
  'spot.depth': [
    answer('spec', '{"time":1595563624731,"bids":[[10.5,2.0],[9.99,1]],"asks":[[11,0.1]]}', {
      timeMs: 1595563624731,
      bids: [
        { price: '10.5', quantity: '2' },
        { price: '9.99', quantity: '1' },
      ],
      asks: [{ price: '11', quantity: '0.1' }],
    }),
    answer('levels as text', '{"bids":[["9999.1","1"]],"asks":[],"time":null}', {
      timeMs: null,
      bids: [{ price: '9999.1', quantity: '1' }],
      asks: [],
    }),
  ],
  'spot.ticker': [
    answer('spec', '{"time":1595563624731,"high":9900.5,"low":9000,"last":9500.10,"vol":1E-7}', {
      timeMs: 1595563624731,
      high: '9900.5',
      low: '9000',
      last: '9500.1',
      volume: '0.0000001',
    }),
  ],
  'spot.recentTrades': [
    answer(
      'six fields',
      '[{"id":7,"symbol":"btcusdt","side":"buy","price":"4.01","qty":"12.00","time":1499865549590}]',
      list({
        id: '7',
        symbol: 'BTCUSDT',
        side: 'buy',
        price: '4.01',
        quantity: '12',
        timeMs: 1499865549590,
      }),
    ),
    answer(
      'four fields, wrapped',
      '{"list":[{"side":"SELL","price":4.01,"qty":12,"time":"1499865549590"}]}',
      list({
        id: null,
        symbol: null,
        side: 'sell',
        price: '4.01',
        quantity: '12',
        timeMs: 1499865549590,
      }),
    ),
  ],
  'spot.klines': [
    answer('spec', '[{"idx":1538728800000,"open":1,"close":1.5,"high":2,"low":0.5,"vol":3}]', list(bar(1538728800000, '1.5'))),
    answer(
      'seconds, oldest first',
      '[{"idx":1538728740,"open":1,"close":1,"high":2,"low":0.5,"vol":3},{"idx":1538728800,"open":1,"close":1.5,"high":2,"low":0.5,"vol":3}]',
      list(bar(1538728800000, '1.5'), bar(1538728740000, '1')),
    ),
    answer('an interval that it does not have', '[]', list()),
  ],
  'spot.newOrder': [
    answer('spec, status 0', SPOT_ORDER_BODY.replace('"PARTIALLY_FILLED"', '0').replace('"avgPrice":9299.5,', ''), {
      ...SPOT_ORDER,
      avgPrice: undefined,
      status: reading('INIT', '0'),
    }),
    answer(
      'id beside its text',
      '{"orderId":499890200602846976,"orderIdString":"499890200602846976","clientOrderId":"mine","status":"NEW"}',
      {
        symbol: null,
        orderId: '499890200602846976',
        clientOrderId: 'mine',
        timeMs: null,
        price: null,
        origQty: null,
        executedQty: null,
        status: reading('NEW'),
        type: null,
        side: null,
      },
    ),
    answer('id in a list', '{"orderId":["499890200602846976"]}', {
      symbol: null,
      orderId: '499890200602846976',
      clientOrderId: null,
      timeMs: null,
      price: null,
      origQty: null,
      executedQty: null,
      status: null,
      type: null,
      side: null,
    }),
  ],
  'spot.testNewOrder': [answer('spec', '{}', null)],
  'spot.batchOrders': [
    answer('spec', '{"ids":[165964665990709251,165964665990709252]}', { ids: ['165964665990709251', '165964665990709252'] }),
    answer('with texts', '{"idsString":["165964665990709251"],"ids":[165964665990709251]}', { ids: ['165964665990709251'] }),
  ],
  'spot.queryOrder': [
    answer('spec', SPOT_ORDER_BODY, SPOT_ORDER),
    answer('spec, missing or invalid id', NO_ORDER, null),
    answer('one-element list', `[${SPOT_ORDER_BODY}]`, SPOT_ORDER),
    answer('envelope', `{"code":"0","msg":"Success","data":${SPOT_ORDER_BODY}}`, SPOT_ORDER),
    answer('a status that is in no table', SPOT_ORDER_BODY.replace('PARTIALLY_FILLED', 'FROZEN'), {
      ...SPOT_ORDER,
      status: reading('UNKNOWN', 'FROZEN'),
    }),
  ],
  'spot.cancelOrder': [
    answer(
      'spec',
      '{"symbol":"BTCUSDT","orderId":1938321163093,"clientOrderId":"0","orderIdString":"1938321163093","status":"PENDING_CANCEL"}',
      {
        symbol: 'BTCUSDT',
        orderId: '1938321163093',
        clientOrderId: null,
        status: reading('PENDING_CANCEL'),
      },
    ),
    answer('id in a list', '{"symbol":"btcusdt","orderId":["1938321163093"],"clientOrderId":"a","status":"CANCELED"}', {
      symbol: 'BTCUSDT',
      orderId: '1938321163093',
      clientOrderId: 'a',
      status: reading('CANCELED'),
    }),
  ],
  'spot.batchCancel': [
    answer('spec', '{"success":[165964665990709251],"failed":["165964665990709252"]}', {
      success: ['165964665990709251'],
      failed: ['165964665990709252'],
    }),
    answer('dialect, row 10: nothing', '{}', { success: null, failed: null }),
    answer('dialect, row 10: a boolean', '{"success":[1],"failed":false}', { success: ['1'], failed: null }),
  ],
  'spot.openOrders': [
    answer('spec', `[${OPEN_BODY}]`, list(SPOT_ORDER)),
    answer(
      'wrapped, NEW_, no client id',
      `{"list":[${OPEN_BODY.replace('PARTIALLY_FILLED', 'NEW_').replace('"clientOrderId":"0",', '"isWorking":true,"stopPrice":"",')}]}`,
      list({
        ...SPOT_ORDER,
        status: reading('NEW', 'NEW_'),
      }),
    ),
    answer('envelope with null', NO_ORDER, list()),
  ],
  'spot.myTrades': [
    answer('spec', `[${SPOT_FILL_BODY}]`, list(SPOT_FILL)),
    answer(
      'wrapped, fee as text, other side withheld',
      `{"list":[${SPOT_FILL_BODY.replace('0.001}', '"1E-3","bidUserId":10034,"isSelf":0}').replace('499902955766523647', '0')}]}`,
      list({
        ...SPOT_FILL,
        askId: null,
      }),
    ),
  ],
  'spot.account': [
    answer('spec', '{"balances":[{"asset":"BTC","free":4723846.89208129,"locked":0.0},{"asset":"USDT","free":"0E-8","locked":"1.50"}]}', {
      uid: null,
      ...list({ asset: 'BTC', free: '4723846.89208129', locked: '0' }, { asset: 'USDT', free: '0', locked: '1.5' }),
    }),
    answer('with a uid', '{"uid":10034,"balances":[]}', { uid: '10034', ...list() }),
  ],
};
