// The 16 spot endpoints of the specification, part 4.1.

import { emptyAnswer } from '../shapes/answer.ts';
import { depthAnswer, recentTradesAnswer, serverTimeAnswer, spotKlinesAnswer, spotTickerAnswer, symbolsAnswer } from '../shapes/market.ts';
import {
  batchCanceledAnswer,
  batchCreatedAnswer,
  spotAccountAnswer,
  spotCancelAnswer,
  spotCreatedAnswer,
  spotFillsAnswer,
  spotOpenOrdersAnswer,
  spotOrderAnswer,
} from '../shapes/spot.ts';
import { endpoint, type RateLimit } from './endpoint.ts';
import {
  choiceParam,
  clientOrderIdParam,
  decimalParam,
  endTimeParam,
  fromIdParam,
  integerParam,
  intervalParam,
  limitParam,
  limitPriceParam,
  orderIdParam,
  orderTypeParam,
  perKeyLimit,
  publicLimit,
  sideParam,
  startTimeParam,
  symbolParam,
} from './params.ts';

const publicRead = { market: 'spot', method: 'GET', security: 'NONE', effect: 'read', limit: publicLimit('spot') } as const;
const signedRead = { market: 'spot', method: 'GET', security: 'TRADE', effect: 'read' } as const;
const signedPost = { market: 'spot', method: 'POST', security: 'TRADE' } as const;

const orderParams = {
  symbol: symbolParam('required'),
  volume: decimalParam('required', 'quantity; of a MARKET BUY the amount to spend', 'base asset; of a MARKET BUY the quote asset'),
  side: sideParam,
  type: orderTypeParam,
  price: limitPriceParam('type'),
  newClientOrderId: clientOrderIdParam('optional'),
} as const;

/** No rate limit is published. Only `isobar doctor` makes this call. */
const testOrderLimit: RateLimit = perKeyLimit('spot.testNewOrder', 20, 'assumed');

/** The endpoints by operation. */
export const SPOT_ENDPOINTS = {
  'spot.ping': endpoint({ ...publicRead, path: '/sapi/v1/ping', help: 'is the service there', params: {}, answer: emptyAnswer }),
  'spot.serverTime': endpoint({
    ...publicRead,
    path: '/sapi/v1/time',
    help: 'the clock of the service',
    params: {},
    answer: serverTimeAnswer,
  }),
  'spot.symbols': endpoint({ ...publicRead, path: '/sapi/v1/symbols', help: 'instruments', params: {}, answer: symbolsAnswer }),
  'spot.depth': endpoint({
    ...publicRead,
    path: '/sapi/v1/depth',
    help: 'order book',
    params: { symbol: symbolParam('required'), limit: limitParam('disputed', 100, 100) },
    answer: depthAnswer('spot'),
  }),
  'spot.ticker': endpoint({
    ...publicRead,
    path: '/sapi/v1/ticker',
    help: 'high, low, last and volume of 24 hours',
    params: { symbol: symbolParam('required') },
    answer: spotTickerAnswer,
  }),
  'spot.recentTrades': endpoint({
    ...publicRead,
    path: '/sapi/v1/trades',
    help: 'latest trades of everybody',
    params: { symbol: symbolParam('required'), limit: limitParam('disputed', 100, 1000, 'string') },
    answer: recentTradesAnswer,
  }),
  'spot.klines': endpoint({
    ...publicRead,
    path: '/sapi/v1/klines',
    help: 'latest bars, the newest of them still running',
    params: {
      symbol: symbolParam('required'),
      interval: intervalParam,
      limit: limitParam('optional', 100, 300),
      startTime: startTimeParam,
      endTime: endTimeParam,
    },
    answer: spotKlinesAnswer,
  }),
  'spot.newOrder': endpoint({
    ...signedPost,
    effect: 'create',
    path: '/sapi/v1/order',
    help: 'place an order',
    params: orderParams,
    answer: spotCreatedAnswer,
    limit: perKeyLimit('spot.newOrder', 100),
  }),
  'spot.testNewOrder': endpoint({
    ...signedPost,
    effect: 'test',
    path: '/sapi/v1/order/test',
    help: 'check an order and its signature; places nothing',
    params: { ...orderParams, recWindow: integerParam({ need: 'optional', max: 5000, help: 'how long the request is valid', unit: 'ms' }) },
    answer: emptyAnswer,
    limit: testOrderLimit,
  }),
  'spot.batchOrders': endpoint({
    ...signedPost,
    effect: 'create',
    // The specification says GET with a body; every service expects POST (exchange dialect, row 7).
    otherMethod: 'GET',
    path: '/sapi/v1/batchOrders',
    help: 'place up to 10 orders; which id is whose is not said',
    params: {
      symbol: symbolParam('required'),
      orders: {
        kind: 'rows',
        max: 10,
        need: 'required',
        help: 'the orders',
        row: {
          price: limitPriceParam('batchType'),
          volume: orderParams.volume,
          side: sideParam,
          batchType: choiceParam(['LIMIT', 'MARKET'], 'required', 'type of the order'),
        },
      },
    },
    answer: batchCreatedAnswer,
    limit: perKeyLimit('spot.batchOrders', 50, 'dialect'),
  }),
  'spot.queryOrder': endpoint({
    ...signedRead,
    path: '/sapi/v1/order',
    help: 'one order; null says nothing',
    params: {
      orderId: orderIdParam('either'),
      symbol: symbolParam('disputed'),
      newClientOrderId: { ...clientOrderIdParam('either'), otherNames: ['newClientorderId'] },
    },
    answer: spotOrderAnswer,
    limit: perKeyLimit('spot.queryOrder', 20),
  }),
  'spot.cancelOrder': endpoint({
    ...signedPost,
    effect: 'cancel',
    path: '/sapi/v1/cancel',
    help: 'ask for an order to be cancelled',
    params: { orderId: orderIdParam('either'), newClientOrderId: clientOrderIdParam('either'), symbol: symbolParam('required') },
    answer: spotCancelAnswer,
    limit: perKeyLimit('spot.cancelOrder', 100),
  }),
  'spot.batchCancel': endpoint({
    ...signedPost,
    effect: 'cancel',
    path: '/sapi/v1/batchCancel',
    help: 'ask for up to 10 orders to be cancelled',
    params: {
      symbol: symbolParam('required'),
      // The specification lists both names; services accept the first.
      orderIds: { kind: 'ids', max: 10, need: 'required', help: 'the orders', otherNames: ['orderId'] },
    },
    answer: batchCanceledAnswer,
    limit: perKeyLimit('spot.batchCancel', 50),
  }),
  'spot.openOrders': endpoint({
    ...signedRead,
    path: '/sapi/v1/openOrders',
    help: 'open orders of a symbol',
    params: { symbol: symbolParam('disputed'), limit: limitParam('disputed', 100, 1000) },
    answer: spotOpenOrdersAnswer,
    limit: perKeyLimit('spot.openOrders', 20),
  }),
  'spot.myTrades': endpoint({
    ...signedRead,
    path: '/sapi/v1/myTrades',
    help: 'own fills',
    params: { symbol: symbolParam('optional'), limit: limitParam('optional', 100, 1000), fromId: fromIdParam },
    answer: spotFillsAnswer,
    limit: perKeyLimit('spot.myTrades', 20),
  }),
  'spot.account': endpoint({
    ...signedRead,
    security: 'USER_DATA',
    path: '/sapi/v1/account',
    help: 'balances',
    params: {},
    answer: spotAccountAnswer,
    limit: perKeyLimit('spot.account', 20),
  }),
} as const;
