// Lists the 22 futures endpoints, written by hand from parts 2.2, 3 and 4.2 of the specification.

import {
  choiceParam,
  clientIdParam,
  type Endpoint,
  idParam,
  intervalParam,
  limitParam,
  nameParam,
  orderTypeParam,
  pageParam,
  priceParam,
  sideParam,
  volumeParam,
  type InvalidValues,
} from './endpoint.ts';
import { account, contract, historyRow, order, ownTrade, positionsShape, triggers } from './futuresShapes.ts';
import { digits, empty, envelope, listOf, members, ms, nil, notShown, nullable, num, numText, pair, text } from './shapes.ts';

const contractName = 'E-BTC-USDT';
/** A contract without positions or orders. Tests may change its settings. */
const IDLE_CONTRACT = 'E-ETH-USDT';
const ORDER_ARGS = { contractName, volume: 1, price: 10, type: 'LIMIT', side: 'BUY', open: 'OPEN', positionType: 1, clientOrderId: 'mine' };

/** Kinds of calls: without or with a signature, and whether they change something at the exchange. */
const publicRead = { method: 'GET', isSigned: false, isWrite: false } as const;
const signedGet = { method: 'GET', isSigned: true, isWrite: false } as const;
const signedPost = { method: 'POST', isSigned: true, isWrite: false } as const;
const signedWrite = { method: 'POST', isSigned: true, isWrite: true } as const;
const oneContract = { contractName: nameParam('query') };
const levels = listOf(pair(num, num));
const openClose = choiceParam(-2100, 'SHUT');
const positionType: InvalidValues = {
  ...choiceParam(-2100, 3, 'optional'),
  type: [
    [true, -1102],
    [{}, -1102],
    ['many', -2100],
  ],
};
const modeParam: InvalidValues = {
  ...choiceParam(-2100, 3),
  type: [
    [true, -1102],
    [{}, -1102],
    ['many', -2100],
  ],
};
const fromId = idParam('body', 0, 'optional');
const orderId = { orderId: digits };

/** The futures endpoints in the order of the specification. */
export const FUTURES: readonly Endpoint[] = [
  { ...publicRead, op: 'futures.ping', path: '/fapi/v1/ping', params: {}, validArgs: () => ({}), shape: members({}) },
  {
    ...publicRead,
    op: 'futures.serverTime',
    path: '/fapi/v1/time',
    params: {},
    validArgs: () => ({}),
    shape: members({ timezone: text, serverTime: ms }),
  },
  {
    ...publicRead,
    op: 'futures.contracts',
    path: '/fapi/v1/contracts',
    params: {},
    validArgs: () => ({}),
    shape: listOf(contract),
  },
  {
    ...publicRead,
    op: 'futures.depth',
    path: '/fapi/v1/depth',
    params: { ...oneContract, limit: limitParam('query', 100) },
    validArgs: () => ({ contractName, limit: 100 }),
    shape: members({ asks: levels, bids: levels, time: nullable(ms) }),
  },
  {
    ...publicRead,
    op: 'futures.ticker',
    path: '/fapi/v1/ticker',
    params: oneContract,
    validArgs: () => ({ contractName }),
    shape: members({ high: numText, vol: numText, last: numText, low: numText, buy: num, sell: num, rose: numText, time: ms }),
  },
  {
    ...publicRead,
    op: 'futures.indexPrice',
    path: '/fapi/v1/index',
    params: { ...oneContract, limit: limitParam('query', 100) },
    validArgs: () => ({ contractName, limit: '1' }),
    shape: members({ currentFundRate: num, tagPrice: num, indexPrice: num, nextFundRate: num }),
  },
  {
    ...publicRead,
    op: 'futures.klines',
    path: '/fapi/v1/klines',
    params: { ...oneContract, interval: intervalParam, limit: limitParam('query', 300) },
    validArgs: () => ({ contractName, interval: '1h', limit: 100 }),
    shape: listOf(members({ high: numText, vol: numText, low: numText, close: numText, open: numText, idx: ms })),
  },
  {
    ...signedWrite,
    op: 'futures.createOrder',
    path: '/fapi/v1/order',
    params: {
      contractName: nameParam('body'),
      volume: volumeParam('1.5'),
      price: priceParam('10.01'),
      type: orderTypeParam,
      side: sideParam,
      open: openClose,
      positionType,
      clientOrderId: clientIdParam('body'),
      timeInForce: choiceParam(-2100, 'GTC', 'optional'),
    },
    validArgs: () => ({ ...ORDER_ARGS, timeInForce: 'IOC' }),
    shape: members(orderId),
  },
  {
    ...signedGet,
    op: 'futures.orderInformation',
    path: '/fapi/v1/order',
    params: { ...oneContract, orderId: idParam('query', 0), clientOrderId: clientIdParam('query') },
    validArgs: async (world) => ({ contractName, orderId: await world.placeRestingFuturesOrder(), clientOrderId: '0' }),
    shape: order,
  },
  {
    ...signedWrite,
    op: 'futures.createConditionOrder',
    path: '/fapi/v1/conditionOrder/',
    params: {
      triggerType: choiceParam(-2100, '5'),
      triggerPrice: { ...priceParam('9.01'), empty: -1105 },
      clientOrderId: clientIdParam('body'),
      positionType,
      open: openClose,
      side: sideParam,
      type: orderTypeParam,
      contractName: nameParam('body'),
      price: priceParam('10.01'),
      volume: volumeParam('1.5'),
    },
    validArgs: () => ({ ...ORDER_ARGS, triggerType: '4', triggerPrice: '9' }),
    shape: envelope(members({ triggerIds: listOf(digits), ids: empty, cancelIds: empty }), true),
  },
  {
    ...signedWrite,
    op: 'futures.cancelOrder',
    path: '/fapi/v1/cancel',
    params: { contractName: nameParam('body'), orderId: idParam('body', -1112) },
    validArgs: async (world) => ({ contractName, orderId: await world.placeRestingFuturesOrder() }),
    shape: members(orderId),
  },
  {
    ...signedGet,
    op: 'futures.openOrders',
    path: '/fapi/v1/openOrders',
    params: { contractName: nameParam('query', 'optional') },
    validArgs: async (world) => (await world.placeRestingFuturesOrder(), { contractName }),
    shape: envelope(listOf(notShown)),
  },
  {
    ...signedPost,
    op: 'futures.orderHistory',
    path: '/fapi/v1/orderHistorical',
    params: { contractName: nameParam('body', 'optional'), limit: limitParam('body', 1000), fromId },
    validArgs: () => ({ contractName, limit: '100', fromId: 1 }),
    shape: listOf(historyRow),
  },
  {
    ...signedPost,
    op: 'futures.profitHistory',
    path: '/fapi/v1/profitHistorical',
    params: { contractName: nameParam('body', 'optional'), limit: limitParam('body', 1000), fromId },
    validArgs: () => ({ contractName, limit: '100', fromId: 1 }),
    shape: listOf(notShown),
  },
  {
    ...signedGet,
    op: 'futures.myTrades',
    path: '/fapi/v1/myTrades',
    params: { ...oneContract, limit: limitParam('query', 1000), fromId: idParam('query', 0, 'optional') },
    validArgs: () => ({ contractName, limit: '100', fromId: 1 }),
    shape: listOf(ownTrade),
  },
  {
    ...signedGet,
    op: 'futures.positions',
    path: '/fapi/v1/positions',
    params: oneContract,
    validArgs: () => ({ contractName }),
    shape: positionsShape,
  },
  {
    ...signedWrite,
    op: 'futures.changePositionMode',
    path: '/fapi/v1/edit_user_position_model',
    params: { contractName: nameParam('body'), positionModel: modeParam },
    validArgs: () => ({ contractName: IDLE_CONTRACT, positionModel: 1 }),
    shape: envelope(nil),
  },
  {
    ...signedWrite,
    op: 'futures.changeMarginMode',
    path: '/fapi/v1/edit_user_margin_model',
    params: { contractName: nameParam('body'), marginModel: modeParam },
    validArgs: () => ({ contractName: IDLE_CONTRACT, marginModel: 1 }),
    shape: envelope(nil),
  },
  {
    ...signedWrite,
    op: 'futures.changeLeverage',
    path: '/fapi/v1/edit_lever',
    params: {
      contractName: nameParam('body'),
      nowLevel: {
        missing: -1102,
        empty: -1105,
        type: [
          [true, -1102],
          [{}, -1102],
        ],
        range: [
          ['0', -2100],
          ['126', -2100],
          ['5000', -2100],
        ],
        precise: [['5.5', -1102]],
      },
    },
    validArgs: () => ({ contractName: IDLE_CONTRACT, nowLevel: '5' }),
    shape: envelope(nil),
  },
  {
    ...signedPost,
    op: 'futures.triggerOrderList',
    path: '/fapi/v1/trigger_order_list',
    params: { contractName: nameParam('body'), page: pageParam('body'), limit: limitParam('body', 1000) },
    validArgs: async (world) => (await world.placeWaitingTrigger(), { contractName, page: 1, limit: 1000 }),
    shape: envelope(triggers),
  },
  {
    ...signedWrite,
    op: 'futures.cancelTriggerOrder',
    path: '/v1/inner/trigger_order_cancel',
    params: { contractName: nameParam('body'), orderId: idParam('body', -1112) },
    validArgs: async (world) => ({ contractName, orderId: world.exactNumber(await world.placeWaitingTrigger()) }),
    shape: envelope(notShown, true),
  },
  {
    ...signedGet,
    op: 'futures.account',
    path: '/fapi/v1/account',
    params: {},
    validArgs: () => ({}),
    shape: account,
  },
];
