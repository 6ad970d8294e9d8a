// Lists one call of each kind in each market, for tests that run all of them.

import type { Op } from '../../src/protocol/endpoints/endpoints.ts';
import type { CallArguments } from '../../src/protocol/arguments.ts';

/** What a call does, which decides whether it may be repeated. */
export type CallKind = 'create' | 'cancel' | 'setting' | 'test' | 'read';

/** One call with arguments that the client accepts. */
export interface SampleCall {
  readonly op: Op;
  readonly kind: CallKind;
  readonly args: CallArguments;
  /** The body of a reply that confirms the call. */
  readonly confirmation: string;
}

const BTC = { symbol: 'BTCUSDT' };
const E_BTC = { contractName: 'E-BTC-USDT' };
const SPOT_ORDER = { ...BTC, volume: '1', side: 'BUY', type: 'LIMIT', price: '9300' };
const FUTURES_ORDER = { ...E_BTC, volume: '1', side: 'BUY', type: 'LIMIT', price: '9300', open: 'OPEN' };
/** The confirmation of a futures call without a result. */
const CONFIRMED = '{"code":"0","msg":"Success","data":null}';

/** Calls that change something or test an order. The client sends each of them only once. */
export const WRITES: readonly SampleCall[] = [
  { op: 'spot.newOrder', kind: 'create', args: SPOT_ORDER, confirmation: '{"orderId":"7"}' },
  {
    op: 'spot.batchOrders',
    kind: 'create',
    args: { ...BTC, orders: [{ price: '1', volume: '1', side: 'BUY', batchType: 'LIMIT' }] },
    confirmation: '{"ids":[7]}',
  },
  { op: 'spot.testNewOrder', kind: 'test', args: SPOT_ORDER, confirmation: '{}' },
  {
    op: 'spot.cancelOrder',
    kind: 'cancel',
    args: { ...BTC, orderId: '7' },
    confirmation: '{"symbol":"BTCUSDT","orderId":["7"],"status":"CANCELED"}',
  },
  { op: 'spot.batchCancel', kind: 'cancel', args: { ...BTC, orderIds: ['7'] }, confirmation: '{"success":[7],"failed":[]}' },
  { op: 'futures.createOrder', kind: 'create', args: FUTURES_ORDER, confirmation: '{"orderId":"7"}' },
  {
    op: 'futures.createConditionOrder',
    kind: 'create',
    args: { ...FUTURES_ORDER, triggerType: '3', triggerPrice: '9000' },
    confirmation: '{"triggerIds":["7"]}',
  },
  { op: 'futures.cancelOrder', kind: 'cancel', args: { ...E_BTC, orderId: '7' }, confirmation: '{"orderId":"7"}' },
  { op: 'futures.cancelTriggerOrder', kind: 'cancel', args: { ...E_BTC, orderId: '7' }, confirmation: CONFIRMED },
  { op: 'futures.changeLeverage', kind: 'setting', args: { ...E_BTC, nowLevel: 20 }, confirmation: CONFIRMED },
  { op: 'futures.changeMarginMode', kind: 'setting', args: { ...E_BTC, marginModel: 1 }, confirmation: CONFIRMED },
  { op: 'futures.changePositionMode', kind: 'setting', args: { ...E_BTC, positionModel: 2 }, confirmation: CONFIRMED },
];

/** Reads of both markets: public ones, signed ones, and one that is a POST. */
export const READS: readonly SampleCall[] = [
  { op: 'spot.openOrders', kind: 'read', args: BTC, confirmation: '[]' },
  { op: 'spot.symbols', kind: 'read', args: {}, confirmation: '{"symbols":[]}' },
  { op: 'futures.openOrders', kind: 'read', args: E_BTC, confirmation: '[]' },
  { op: 'futures.orderHistory', kind: 'read', args: E_BTC, confirmation: '[]' },
  { op: 'futures.ping', kind: 'read', args: {}, confirmation: '{}' },
];
