// Lists the causes of codes that depend on several parameters, the instrument, the account or another order, written by hand.

import { expect } from 'vitest';
import type { CallArgs, SendOptions } from './caller.ts';
import type { Endpoint } from './endpoint.ts';
import { HOME, type World } from './world.ts';

/**
 * The exchanges of the tests. `seed` accepts all that the specification allows. `strict` rejects doubtful requests and allows few orders.
 * `limited` has rate limits.
 */
export type Worlds = Readonly<Record<'seed' | 'strict' | 'limited', World>>;

/** One situation and the error code that the specification gives for it. */
export interface Cause {
  readonly description: string;
  readonly op: string;
  readonly code: number;
  /** The exchange that is called (default `seed`). */
  readonly exchange?: keyof Worlds;
  readonly args: CallArgs;
  /** The account that calls (default alice). */
  readonly as?: string;
}

const LIMIT_BUY = { symbol: 'BTCUSDT', volume: 1, side: 'BUY', type: 'LIMIT', price: 10 };
const MARKET = { symbol: 'BTCUSDT', volume: 1, side: 'SELL', type: 'MARKET' };

/** A cause of every call that takes a spot order. */
interface OrderCause extends Omit<Cause, 'op'> {
  readonly args: typeof LIMIT_BUY | typeof MARKET;
}

/** The causes of every call that takes a spot order. */
const OF_SPOT_ORDERS: readonly OrderCause[] = [
  { description: 'an amount with nine decimals', code: -1111, args: { ...MARKET, side: 'BUY', volume: 1.000000001 } },
  { description: 'a price with MARKET, strictly', code: -1106, exchange: 'strict', args: { ...MARKET, price: 10 } },
  { description: 'below the smallest order', code: -1136, args: { ...LIMIT_BUY, volume: 0.0009 } },
  { description: 'a price below the band', code: -1138, args: { ...LIMIT_BUY, symbol: 'BNDUSDT', price: 89.99 } },
  { description: 'a price above the band', code: -1138, args: { ...LIMIT_BUY, symbol: 'BNDUSDT', price: 110.01 } },
  { description: 'MARKET where it is off', code: -1139, args: { ...MARKET, symbol: 'NOMUSDT' } },
  { description: 'a frozen instrument', code: -2016, args: { ...LIMIT_BUY, symbol: 'FRZUSDT' } },
  { description: 'a restricted account', code: 35, args: LIMIT_BUY, as: 'restricted' },
  { description: 'one open order more than allowed', code: -1015, exchange: 'strict', args: LIMIT_BUY, as: 'bob' },
];

/** Returns the arguments of a batch with this one order. */
const asBatch = ({ symbol, type, ...row }: OrderCause['args']): CallArgs => ({ symbol, orders: [{ ...row, batchType: type }] });

/** Arguments of an order that opens a position, at a limit and at the market, and of one that closes it. */
const OPEN = { contractName: 'E-BTC-USDT', volume: 1, price: 10, type: 'LIMIT', side: 'BUY', open: 'OPEN', positionType: 1 };
const { price: _price, ...OPEN_MARKET } = { ...OPEN, type: 'MARKET' };
const CLOSE = { ...OPEN, open: 'CLOSE' };
/** Terms of a trigger order that waits for a lower price. */
const FALLING_TRIGGER = { triggerType: '4', triggerPrice: 9 };

/** The causes of a futures order, and of a trigger order that would place it. */
const OF_FUTURES_ORDERS: readonly Omit<Cause, 'op'>[] = [
  { description: 'a price with MARKET, strictly', code: -1106, exchange: 'strict', args: { ...OPEN, type: 'MARKET' } },
  { description: 'a price that is too fine, by field', code: -1111, exchange: 'strict', args: { ...OPEN, price: 10.01 } },
  { description: 'a price below the band', code: -1138, args: { ...OPEN, contractName: 'E-BND-USDT', price: 89 } },
  { description: 'MARKET where it is off', code: -1139, args: { ...OPEN_MARKET, contractName: 'E-NOM-USDT', open: 'CLOSE' } },
  { description: 'a frozen contract', code: -2016, args: { ...OPEN, contractName: 'E-FRZ-USDT' } },
  { description: 'OPEN of a contract that is closed', code: -2016, args: { ...OPEN, contractName: 'E-SHT-USDT' } },
  { description: 'a restricted account', code: 35, args: OPEN, as: 'restricted' },
  {
    description: 'more than the maximum of a MARKET order',
    code: -2100,
    args: { ...OPEN_MARKET, open: 'CLOSE', side: 'SELL', volume: 1_000_001 },
  },
  { description: 'the other margin mode', code: -2100, args: { ...OPEN, positionType: 2 } },
];

/** The causes of single calls. */
const CAUSES: readonly Cause[] = [
  { description: 'funds', op: 'spot.newOrder', code: -2017, args: LIMIT_BUY, as: 'poor' },
  { description: 'funds', op: 'spot.testNewOrder', code: -2017, args: LIMIT_BUY, as: 'poor' },
  {
    description: 'funds, where all or nothing is placed',
    op: 'spot.batchOrders',
    code: -2017,
    exchange: 'strict',
    args: asBatch(LIMIT_BUY),
    as: 'poor',
  },
  {
    description: 'an order that is missing, by the other code',
    op: 'spot.cancelOrder',
    code: -1112,
    exchange: 'strict',
    args: { symbol: 'BTCUSDT', orderId: '7' },
  },
  { description: 'funds', op: 'futures.createOrder', code: -2017, args: OPEN, as: 'poor' },
  { description: 'IOC with MARKET', op: 'futures.createOrder', code: -1014, args: { ...OPEN_MARKET, timeInForce: 'IOC' } },
  { description: 'FOK with MARKET', op: 'futures.createOrder', code: -1014, args: { ...OPEN_MARKET, timeInForce: 'FOK' } },
  { description: 'POST_ONLY with MARKET', op: 'futures.createOrder', code: -1014, args: { ...OPEN_MARKET, timeInForce: 'POST_ONLY' } },
  { description: 'a value with seven decimals', op: 'futures.createOrder', code: -1111, args: { ...OPEN_MARKET, volume: 1.0000001 } },
  { description: 'a value that buys no contract', op: 'futures.createOrder', code: -1136, args: { ...OPEN_MARKET, volume: 0.5 } },
  {
    description: 'one open order more than allowed',
    op: 'futures.createOrder',
    code: -1015,
    exchange: 'strict',
    args: { ...OPEN, volume: 1 },
    as: 'bob',
  },
  { description: 'CLOSE without a position', op: 'futures.createOrder', code: 10015, args: { ...CLOSE, side: 'SELL' }, as: 'home' },
  { description: 'CLOSE of more than there is', op: 'futures.createOrder', code: 10015, args: { ...CLOSE, side: 'SELL', volume: 1000 } },
  {
    description: 'one trigger order more than allowed',
    op: 'futures.createConditionOrder',
    code: -1015,
    exchange: 'strict',
    args: { ...OPEN, ...FALLING_TRIGGER },
    as: 'bob',
  },
  {
    description: 'a stop that opens',
    op: 'futures.createConditionOrder',
    code: -1014,
    args: { ...OPEN, triggerType: '1', triggerPrice: 9 },
  },
  {
    description: 'a profit that opens',
    op: 'futures.createConditionOrder',
    code: -1014,
    args: { ...OPEN, triggerType: '2', triggerPrice: 9 },
  },
  {
    description: 'a stop without a position',
    op: 'futures.createConditionOrder',
    code: 10015,
    args: { ...CLOSE, side: 'SELL', triggerType: '1', triggerPrice: 9 },
    as: 'home',
  },
  {
    description: 'an order that is missing, by the other code',
    op: 'futures.cancelOrder',
    code: -2013,
    exchange: 'limited',
    args: { contractName: 'E-BTC-USDT', orderId: '7' },
  },
  {
    description: 'a trigger that is missing, by the other code',
    op: 'futures.cancelTriggerOrder',
    code: -2013,
    exchange: 'limited',
    args: { contractName: 'E-BTC-USDT', orderId: 7 },
  },
  { description: 'settings in use', op: 'futures.changePositionMode', code: -1020, args: { contractName: 'E-BTC-USDT', positionModel: 2 } },
  { description: 'settings in use', op: 'futures.changeMarginMode', code: -1020, args: { contractName: 'E-BTC-USDT', marginModel: 2 } },
  { description: 'settings in use', op: 'futures.changeLeverage', code: -1020, args: { contractName: 'E-BTC-USDT', nowLevel: '7' } },
];

/** All causes. A cause that several calls share occurs once for each. */
export const ALL_CAUSES: readonly Cause[] = [
  ...OF_SPOT_ORDERS.flatMap((cause) => [
    { ...cause, op: 'spot.newOrder' },
    { ...cause, op: 'spot.testNewOrder' },
    { ...cause, op: 'spot.batchOrders', args: asBatch(cause.args) },
  ]),
  ...OF_FUTURES_ORDERS.flatMap((cause) => [
    { ...cause, op: 'futures.createOrder' },
    { ...cause, op: 'futures.createConditionOrder', args: { ...cause.args, ...FALLING_TRIGGER } },
  ]),
  ...CAUSES,
];

/** Sends the call of a cause, and checks its code and that the exchange's state has not changed. */
export async function checkCause(
  worlds: Worlds,
  endpoint: Endpoint,
  { description, code, exchange = 'seed', args, as }: Cause,
): Promise<void> {
  // The key of `home` is valid from one address only.
  const address = as === 'home' ? { from: HOME } : {};
  const sendOptions: SendOptions = as === undefined ? {} : { as, ...address };
  const world = worlds[exchange];
  const stateBefore = await world.exchange.readTruth();
  await world.expectFailure(endpoint, args, { code, description, sendOptions });
  expect(await world.exchange.readTruth(), `the state after ${description}`).toBe(stateBefore);
}

/** Checks that the cancel of a cancelled and of a filled order is refused. */
export async function checkEnded(world: World, cancel: Endpoint, filledId: string): Promise<void> {
  const args = await cancel.validArgs(world);
  // Some calls take the id as a number, some as text.
  const isNumber = typeof args['orderId'] !== 'string';
  await world.expectSuccess(cancel, args, 'the cancel');
  await world.expectFailure(cancel, args, { code: -1145, description: 'a second cancel' });
  await world.expectFailure(
    cancel,
    { ...args, orderId: isNumber ? world.exactNumber(filledId) : filledId },
    { code: -1145, description: 'a cancel of a filled order' },
  );
}
