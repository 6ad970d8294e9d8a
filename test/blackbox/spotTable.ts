// Lists the 16 spot endpoints, written by hand from parts 2.1, 3 and 4.1 of the specification.

import {
  clientIdParam,
  type Endpoint,
  idParam,
  intervalParam,
  limitParam,
  listParam,
  nameParam,
  orderTypeParam,
  priceParam,
  sideParam,
  volumeParam,
} from './endpoint.ts';
import { bool, digits, listOf, long, members, ms, notShown, num, oneOf, pair, text } from './shapes.ts';

const symbol = 'BTCUSDT';
/** A row of a batch of orders. */
const ROW = { price: 10, volume: 1, side: 'BUY', batchType: 'LIMIT' };
const LIMIT_BUY = { symbol, volume: 1, side: 'BUY', type: 'LIMIT', price: 10 };

/** Kinds of calls: without or with a signature, and whether they change something at the exchange. */
const publicRead = { method: 'GET', isSigned: false, isWrite: false } as const;
const signedGet = { method: 'GET', isSigned: true, isWrite: false } as const;
const signedWrite = { method: 'POST', isSigned: true, isWrite: true } as const;
const spotLevels = listOf(pair(num, num));
/** The parameters of an order. */
const orderParams = {
  symbol: nameParam('body'),
  volume: volumeParam('1.00001'),
  side: sideParam,
  type: orderTypeParam,
  price: priceParam('10.001'),
  newClientOrderId: clientIdParam('body'),
};
/** Members that every record of an order has. */
const orderMembers = { symbol: text, orderId: long, clientOrderId: text, price: num, origQty: num, executedQty: num };

/** The spot endpoints in the order of the specification. */
export const SPOT: readonly Endpoint[] = [
  { ...publicRead, op: 'spot.ping', path: '/sapi/v1/ping', params: {}, validArgs: () => ({}), shape: members({}) },
  {
    ...publicRead,
    op: 'spot.serverTime',
    path: '/sapi/v1/time',
    params: {},
    validArgs: () => ({}),
    shape: members({ serverTime: ms, timezone: text }),
  },
  {
    ...publicRead,
    op: 'spot.symbols',
    path: '/sapi/v1/symbols',
    params: {},
    validArgs: () => ({}),
    shape: listOf(members({ symbol: text, baseAsset: text, quoteAsset: text, pricePrecision: long, QuantityPrecision: long })),
  },
  {
    ...publicRead,
    op: 'spot.depth',
    path: '/sapi/v1/depth',
    params: { symbol: nameParam('query'), limit: limitParam('query', 100, 'defaulted') },
    validArgs: () => ({ symbol, limit: 100 }),
    shape: members({ time: ms, bids: spotLevels, asks: spotLevels }),
  },
  {
    ...publicRead,
    op: 'spot.ticker',
    path: '/sapi/v1/ticker',
    params: { symbol: nameParam('query') },
    validArgs: () => ({ symbol }),
    shape: members({ time: ms, high: num, low: num, last: num, vol: num }),
  },
  {
    ...publicRead,
    op: 'spot.recentTrades',
    path: '/sapi/v1/trades',
    params: { symbol: nameParam('query'), limit: limitParam('query', 1000, 'defaulted') },
    validArgs: () => ({ symbol, limit: '100' }),
    shape: listOf(notShown),
  },
  {
    ...publicRead,
    op: 'spot.klines',
    path: '/sapi/v1/klines',
    params: { symbol: nameParam('query'), interval: intervalParam, limit: limitParam('query', 300) },
    validArgs: () => ({ symbol, interval: '1min', limit: 100 }),
    shape: listOf(members({ idx: ms, open: num, close: num, high: num, low: num, vol: num })),
  },
  {
    ...signedWrite,
    op: 'spot.newOrder',
    path: '/sapi/v1/order',
    params: orderParams,
    validArgs: () => ({ ...LIMIT_BUY, newClientOrderId: 'mine' }),
    shape: members({ ...orderMembers, transactTime: long, status: oneOf(0), type: oneOf('LIMIT'), side: oneOf('BUY') }),
  },
  {
    ...signedWrite,
    op: 'spot.testNewOrder',
    path: '/sapi/v1/order/test',
    params: {
      ...orderParams,
      recWindow: {
        missing: 0,
        empty: -1102,
        type: [
          ['long', -1102],
          [true, -1102],
        ],
        range: [
          [0, -1102],
          [-1, -1102],
        ],
        precise: [[50.5, -1102]],
      },
    },
    validArgs: () => ({ ...LIMIT_BUY, recWindow: 5000, newClientOrderId: 'mine' }),
    shape: members({}),
  },
  {
    ...signedWrite,
    op: 'spot.batchOrders',
    path: '/sapi/v1/batchOrders',
    params: {
      symbol: nameParam('body'),
      orders: listParam(
        Array.from({ length: 11 }, () => ROW),
        [
          [[5], -1102],
          [[ROW, { ...ROW, price: null }], -1102],
          [[ROW, { ...ROW, price: 0 }], -1102],
          [[ROW, { ...ROW, side: '' }], -1105],
          [[ROW, { ...ROW, volume: {} }], -1102],
          [[ROW, { ...ROW, side: 'LONG' }], -1117],
          [[ROW, { ...ROW, batchType: 'STOP' }], -1116],
          [[ROW, { ...ROW, volume: 0 }], -1136],
          [[ROW, { ...ROW, price: 10.001 }], -1147],
          [[ROW, { ...ROW, volume: 1.00001 }], -1147],
        ],
      ),
    },
    validArgs: () => ({ symbol, orders: [ROW] }),
    shape: members({ ids: listOf(long) }),
  },
  {
    ...signedGet,
    op: 'spot.queryOrder',
    path: '/sapi/v1/order',
    params: {
      // A missing or invalid id is answered with data null.
      orderId: { missing: 0, empty: 0, type: [['x7', 0]], range: [['7', 0]], precise: [['1.5', 0]] },
      symbol: nameParam('query', 'defaulted'),
      newClientOrderId: { missing: 0, empty: 0, type: [], range: [['x'.repeat(32), 0]], precise: [] },
    },
    validArgs: async (world) => ({ orderId: await world.placeRestingOrder(), symbol, newClientOrderId: 'resting' }),
    shape: members({
      ...orderMembers,
      transactTime: long,
      avgPrice: num,
      type: oneOf('LIMIT'),
      side: oneOf('BUY'),
      status: oneOf('NEW'),
    }),
  },
  {
    ...signedWrite,
    op: 'spot.cancelOrder',
    path: '/sapi/v1/cancel',
    params: {
      // One of the two ids is enough. If both are sent, the venue order id decides.
      orderId: { ...idParam('body', -2013), missing: 0, empty: 0 },
      newClientOrderId: clientIdParam('body'),
      symbol: nameParam('body'),
    },
    validArgs: async (world) => ({ orderId: await world.placeRestingOrder(), newClientOrderId: 'resting', symbol }),
    shape: members({ symbol: text, orderId: long, clientOrderId: text, orderIdString: digits, status: oneOf('PENDING_CANCEL') }),
  },
  {
    ...signedWrite,
    op: 'spot.batchCancel',
    path: '/sapi/v1/batchCancel',
    params: {
      symbol: nameParam('body'),
      orderIds: listParam(
        Array.from({ length: 11 }, (_, index) => index + 1),
        [
          [[{}], -1102],
          [['x'], -1102],
          [[1.5], -1102],
        ],
      ),
    },
    validArgs: async (world) => ({ symbol, orderIds: [world.exactNumber(await world.placeRestingOrder()), 5] }),
    shape: members({ success: listOf(long), failed: listOf(long) }),
  },
  {
    ...signedGet,
    op: 'spot.openOrders',
    path: '/sapi/v1/openOrders',
    params: { symbol: nameParam('query', 'defaulted'), limit: limitParam('query', 1000, 'defaulted') },
    validArgs: async (world) => (await world.placeRestingOrder(), { symbol, limit: 100 }),
    shape: listOf(members({ ...orderMembers, time: notShown, avgPrice: num, type: text, side: text, status: text })),
  },
  {
    ...signedGet,
    op: 'spot.myTrades',
    path: '/sapi/v1/myTrades',
    params: {
      symbol: nameParam('query', 'optional'),
      limit: limitParam('query', 1000),
      fromId: idParam('query', 0, 'optional'),
    },
    validArgs: () => ({ symbol, limit: 100, fromId: 1 }),
    shape: listOf(
      members({
        symbol: text,
        id: long,
        bidId: long,
        askId: long,
        price: num,
        qty: num,
        time: ms,
        isBuyer: bool,
        isMaker: bool,
        feeCoin: text,
        fee: num,
      }),
    ),
  },
  {
    ...signedGet,
    op: 'spot.account',
    path: '/sapi/v1/account',
    params: {},
    validArgs: () => ({}),
    shape: members({ balances: listOf(members({ asset: text, free: num, locked: num })) }),
  },
];
