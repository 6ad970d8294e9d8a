// The 22 futures endpoints of the specification, part 4.2.

import { doneAnswer, emptyAnswer } from '../shapes/answer.ts';
import {
  triggerOrderCreatedAnswer,
  futuresFillsAnswer,
  futuresOpenOrdersAnswer,
  futuresOrderAnswer,
  orderHistoryAnswer,
  orderIdAnswer,
  profitHistoryAnswer,
  triggerCanceledAnswer,
  triggerOrdersAnswer,
} from '../shapes/futures.ts';
import { marginAccountsAnswer, positionsAnswer } from '../shapes/margin.ts';
import {
  contractsAnswer,
  depthAnswer,
  futuresKlinesAnswer,
  futuresTickerAnswer,
  indexPriceAnswer,
  serverTimeAnswer,
} from '../shapes/market.ts';
import { endpoint } from './endpoint.ts';
import {
  choiceParam,
  clientOrderIdParam,
  contractNameParam,
  decimalParam,
  endTimeParam,
  fromIdParam,
  futuresLimit,
  integerParam,
  intervalParam,
  limitParam,
  limitPriceParam,
  openCloseParam,
  orderIdParam,
  orderTypeParam,
  positionTypeParam,
  publicLimit,
  QUOTE,
  sideParam,
  startTimeParam,
} from './params.ts';

const publicRead = { market: 'futures', method: 'GET', security: 'NONE', effect: 'read', limit: publicLimit('futures') } as const;
// The specification marks these only as "Signed"; the security types follow those of spot.
const signedRead = { market: 'futures', method: 'GET', security: 'TRADE', effect: 'read' } as const;
const historyRead = { ...signedRead, method: 'POST' } as const;
const signedPost = { market: 'futures', method: 'POST', security: 'TRADE' } as const;
const settingPost = { ...signedPost, effect: 'setting', answer: doneAnswer } as const;

const historyParams = {
  contractName: contractNameParam('optional'),
  limit: limitParam('optional', 100, 1000, 'string'),
  fromId: fromIdParam,
} as const;

/** The calls of the futures API, by operation. */
export const FUTURES_ENDPOINTS = {
  'futures.ping': endpoint({ ...publicRead, path: '/fapi/v1/ping', help: 'is the service there', params: {}, answer: emptyAnswer }),
  'futures.serverTime': endpoint({
    ...publicRead,
    path: '/fapi/v1/time',
    help: 'the clock of the service',
    params: {},
    answer: serverTimeAnswer,
  }),
  'futures.contracts': endpoint({ ...publicRead, path: '/fapi/v1/contracts', help: 'contracts', params: {}, answer: contractsAnswer }),
  'futures.depth': endpoint({
    ...publicRead,
    path: '/fapi/v1/depth',
    help: 'order book',
    params: { contractName: contractNameParam('required'), limit: limitParam('optional', 100, 100) },
    answer: depthAnswer('futures'),
  }),
  'futures.ticker': endpoint({
    ...publicRead,
    path: '/fapi/v1/ticker',
    help: 'high, low, last, volume and change of 24 hours',
    params: { contractName: contractNameParam('required') },
    answer: futuresTickerAnswer,
  }),
  'futures.indexPrice': endpoint({
    ...publicRead,
    path: '/fapi/v1/index',
    help: 'mark price, index price and funding rates',
    params: {
      contractName: contractNameParam('required'),
      limit: integerParam({ need: 'optional', wire: 'string', max: 1000, help: 'no effect' }),
    },
    answer: indexPriceAnswer,
  }),
  'futures.klines': endpoint({
    ...publicRead,
    path: '/fapi/v1/klines',
    help: 'latest bars, the newest of them still running',
    params: {
      contractName: contractNameParam('required'),
      interval: intervalParam,
      limit: limitParam('optional', 100, 300),
      startTime: startTimeParam,
      endTime: endTimeParam,
    },
    answer: futuresKlinesAnswer,
  }),
  'futures.createOrder': endpoint({
    ...signedPost,
    effect: 'create',
    path: '/fapi/v1/order',
    help: 'place an order',
    params: {
      contractName: contractNameParam('required'),
      volume: decimalParam('required', 'quantity', 'contracts; of a MARKET OPEN a value on some services'),
      price: limitPriceParam('type'),
      type: orderTypeParam,
      side: sideParam,
      open: openCloseParam('required'),
      positionType: positionTypeParam,
      clientOrderId: clientOrderIdParam('optional'),
      timeInForce: choiceParam(['IOC', 'FOK', 'POST_ONLY'], 'optional', 'what a LIMIT may do besides resting'),
    },
    answer: orderIdAnswer,
    limit: futuresLimit('futures.createOrder'),
  }),
  'futures.orderInformation': endpoint({
    ...signedRead,
    path: '/fapi/v1/order',
    help: 'one order; null says nothing',
    params: {
      contractName: contractNameParam('required'),
      orderId: orderIdParam('required'),
      clientOrderId: clientOrderIdParam('optional'),
    },
    answer: futuresOrderAnswer,
    limit: futuresLimit('futures.orderInformation'),
  }),
  'futures.createConditionOrder': endpoint({
    ...signedPost,
    effect: 'create',
    path: '/fapi/v1/conditionOrder/',
    otherPaths: ['/fapi/v1/conditionOrder'],
    help: 'place an order that waits for a price',
    // The specification calls all of these optional; services require them (exchange dialect, row 20).
    params: {
      triggerType: choiceParam(['1', '2', '3', '4'], 'required', '1 stop-loss, 2 take-profit, 3 rises to, 4 falls to'),
      triggerPrice: decimalParam('required', 'the price waited for', QUOTE, 'string'),
      clientOrderId: clientOrderIdParam('optional'),
      positionType: positionTypeParam,
      open: openCloseParam('required'),
      side: sideParam,
      type: orderTypeParam,
      contractName: contractNameParam('required'),
      price: limitPriceParam('type'),
      volume: decimalParam('required', 'quantity', 'contracts'),
    },
    answer: triggerOrderCreatedAnswer,
    limit: futuresLimit('futures.createConditionOrder'),
  }),
  'futures.cancelOrder': endpoint({
    ...signedPost,
    effect: 'cancel',
    path: '/fapi/v1/cancel',
    help: 'ask for an order to be cancelled',
    params: { contractName: contractNameParam('required'), orderId: orderIdParam('required') },
    answer: orderIdAnswer,
    limit: futuresLimit('futures.cancelOrder'),
  }),
  'futures.openOrders': endpoint({
    ...signedRead,
    path: '/fapi/v1/openOrders',
    help: 'open orders; without client ids',
    params: { contractName: contractNameParam('optional') },
    answer: futuresOpenOrdersAnswer,
    limit: futuresLimit('futures.openOrders'),
  }),
  'futures.orderHistory': endpoint({
    ...historyRead,
    path: '/fapi/v1/orderHistorical',
    help: 'orders, with client ids',
    params: historyParams,
    alwaysSent: ['limit'],
    answer: orderHistoryAnswer,
    limit: futuresLimit('futures.orderHistory'),
  }),
  'futures.profitHistory': endpoint({
    ...historyRead,
    path: '/fapi/v1/profitHistorical',
    help: 'reductions of positions and what they earned',
    params: historyParams,
    alwaysSent: ['limit'],
    answer: profitHistoryAnswer,
    limit: futuresLimit('futures.profitHistory'),
  }),
  'futures.myTrades': endpoint({
    ...signedRead,
    path: '/fapi/v1/myTrades',
    help: 'own fills',
    params: { contractName: contractNameParam('required'), limit: limitParam('optional', 100, 1000, 'string'), fromId: fromIdParam },
    answer: futuresFillsAnswer,
    limit: futuresLimit('futures.myTrades'),
  }),
  'futures.positions': endpoint({
    ...signedRead,
    security: 'USER_DATA',
    path: '/fapi/v1/positions',
    help: 'open positions of a contract',
    params: { contractName: contractNameParam('required') },
    answer: positionsAnswer,
    limit: futuresLimit('futures.positions'),
  }),
  'futures.changePositionMode': endpoint({
    ...settingPost,
    path: '/fapi/v1/edit_user_position_model',
    help: 'net or two-way positions',
    params: { contractName: contractNameParam('required'), positionModel: choiceParam([1, 2], 'required', '1 net, 2 two-way') },
    limit: futuresLimit('futures.changePositionMode'),
  }),
  'futures.changeMarginMode': endpoint({
    ...settingPost,
    path: '/fapi/v1/edit_user_margin_model',
    help: 'cross or isolated margin',
    params: { contractName: contractNameParam('required'), marginModel: choiceParam([1, 2], 'required', '1 cross, 2 isolated') },
    limit: futuresLimit('futures.changeMarginMode'),
  }),
  'futures.changeLeverage': endpoint({
    ...settingPost,
    path: '/fapi/v1/edit_lever',
    help: 'leverage of a contract',
    params: {
      contractName: contractNameParam('required'),
      nowLevel: integerParam({
        need: 'required',
        wire: 'string',
        max: 1000,
        help: 'leverage; each contract has its own minimum and maximum',
        unit: 'times',
      }),
    },
    limit: futuresLimit('futures.changeLeverage'),
  }),
  'futures.triggerOrderList': endpoint({
    ...historyRead,
    path: '/fapi/v1/trigger_order_list',
    help: 'orders that wait for a price',
    params: {
      contractName: contractNameParam('required'),
      page: { ...integerParam({ need: 'optional', max: 1_000_000, help: 'page, from 1' }), default: 1 },
      limit: limitParam('optional', 1000, 1000),
    },
    answer: triggerOrdersAnswer,
    limit: futuresLimit('futures.triggerOrderList'),
  }),
  'futures.cancelTriggerOrder': endpoint({
    ...signedPost,
    effect: 'cancel',
    path: '/v1/inner/trigger_order_cancel',
    otherPaths: ['/fapi/v1/cancel_trigger_order'],
    help: 'cancel an order that waits for a price',
    params: { contractName: contractNameParam('required'), orderId: orderIdParam('required', 'number', 'its triggerOrderId') },
    answer: triggerCanceledAnswer,
    limit: futuresLimit('futures.cancelTriggerOrder'),
  }),
  'futures.account': endpoint({
    ...signedRead,
    security: 'USER_DATA',
    path: '/fapi/v1/account',
    help: 'margin of each coin, with positions',
    params: {},
    answer: marginAccountsAnswer,
    limit: futuresLimit('futures.account'),
  }),
} as const;
