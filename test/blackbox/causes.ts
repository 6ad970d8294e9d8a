// Lists the causes of codes that depend on several parameters, the instrument, the account or another order, written by hand.

import { expect } from 'vitest';
import type { Given, Sending } from './caller.ts';
import type { Endpoint } from './endpoint.ts';
import type { World } from './world.ts';

/** Exchanges by what they take: `seed` as the specification reads, `strict` little and with few orders, `limited` as seed with limits. */
export type Worlds = Readonly<Record<'seed' | 'strict' | 'limited', World>>;

export interface Cause {
  readonly what: string;
  readonly op: string;
  readonly code: number;
  readonly at?: keyof Worlds;
  readonly given: Given;
  readonly as?: string;
}

const LIMIT = { symbol: 'BTCUSDT', volume: 1, side: 'BUY', type: 'LIMIT', price: 10 };
const MARKET = { symbol: 'BTCUSDT', volume: 1, side: 'SELL', type: 'MARKET' };

interface OrderCause extends Omit<Cause, 'op'> {
  readonly given: typeof LIMIT | typeof MARKET;
}

/** The causes of every call that takes a spot order. */
const OF_SPOT_ORDERS: readonly OrderCause[] = [
  { what: 'an amount with nine decimals', code: -1111, given: { ...MARKET, side: 'BUY', volume: 1.000000001 } },
  { what: 'a price with MARKET, strictly', code: -1106, at: 'strict', given: { ...MARKET, price: 10 } },
  { what: 'below the smallest order', code: -1136, given: { ...LIMIT, volume: 0.0009 } },
  { what: 'a price below the band', code: -1138, given: { ...LIMIT, symbol: 'BNDUSDT', price: 89.99 } },
  { what: 'a price above the band', code: -1138, given: { ...LIMIT, symbol: 'BNDUSDT', price: 110.01 } },
  { what: 'MARKET where it is off', code: -1139, given: { ...MARKET, symbol: 'NOMUSDT' } },
  { what: 'a frozen instrument', code: -2016, given: { ...LIMIT, symbol: 'FRZUSDT' } },
  { what: 'a restricted account', code: 35, given: LIMIT, as: 'restricted' },
  { what: 'more open orders than may be', code: -1015, at: 'strict', given: LIMIT, as: 'bob' },
];

const asBatch = ({ symbol, type, ...row }: OrderCause['given']): Given => ({ symbol, orders: [{ ...row, batchType: type }] });

const OPEN = { contractName: 'E-BTC-USDT', volume: 1, price: 10, type: 'LIMIT', side: 'BUY', open: 'OPEN', positionType: 1 };
const { price: _, ...OPEN_MARKET } = { ...OPEN, type: 'MARKET' };
const CLOSE = { ...OPEN, open: 'CLOSE' };
const FALLS = { triggerType: '4', triggerPrice: 9 };

/** The causes of a futures order, and of a trigger order that would place it. */
const OF_FUTURES_ORDERS: readonly Omit<Cause, 'op'>[] = [
  { what: 'a price with MARKET, strictly', code: -1106, at: 'strict', given: { ...OPEN, type: 'MARKET' } },
  { what: 'a price that is too fine, by field', code: -1111, at: 'strict', given: { ...OPEN, price: 10.01 } },
  { what: 'a price below the band', code: -1138, given: { ...OPEN, contractName: 'E-BND-USDT', price: 89 } },
  { what: 'MARKET where it is off', code: -1139, given: { ...OPEN_MARKET, contractName: 'E-NOM-USDT', open: 'CLOSE' } },
  { what: 'a frozen contract', code: -2016, given: { ...OPEN, contractName: 'E-FRZ-USDT' } },
  { what: 'OPEN of a contract that is closed', code: -2016, given: { ...OPEN, contractName: 'E-SHT-USDT' } },
  { what: 'a restricted account', code: 35, given: OPEN, as: 'restricted' },
  { what: 'more than a MARKET order may have', code: -2100, given: { ...OPEN_MARKET, open: 'CLOSE', side: 'SELL', volume: 1_000_001 } },
  { what: 'the other margin mode', code: -2100, given: { ...OPEN, positionType: 2 } },
];

const CAUSES: readonly Cause[] = [
  { what: 'funds', op: 'spot.newOrder', code: -2017, given: LIMIT, as: 'poor' },
  { what: 'funds', op: 'spot.testNewOrder', code: -2017, given: LIMIT, as: 'poor' },
  { what: 'funds, where all or nothing is placed', op: 'spot.batchOrders', code: -2017, at: 'strict', given: asBatch(LIMIT), as: 'poor' },
  {
    what: 'an order that is missing, by the other code',
    op: 'spot.cancelOrder',
    code: -1112,
    at: 'strict',
    given: { symbol: 'BTCUSDT', orderId: '7' },
  },
  { what: 'funds', op: 'futures.createOrder', code: -2017, given: OPEN, as: 'poor' },
  { what: 'IOC with MARKET', op: 'futures.createOrder', code: -1014, given: { ...OPEN_MARKET, timeInForce: 'IOC' } },
  { what: 'FOK with MARKET', op: 'futures.createOrder', code: -1014, given: { ...OPEN_MARKET, timeInForce: 'FOK' } },
  { what: 'POST_ONLY with MARKET', op: 'futures.createOrder', code: -1014, given: { ...OPEN_MARKET, timeInForce: 'POST_ONLY' } },
  { what: 'a value with seven decimals', op: 'futures.createOrder', code: -1111, given: { ...OPEN_MARKET, volume: 1.0000001 } },
  { what: 'a value that buys no contract', op: 'futures.createOrder', code: -1136, given: { ...OPEN_MARKET, volume: 0.5 } },
  { what: 'more open orders than may be', op: 'futures.createOrder', code: -1015, at: 'strict', given: { ...OPEN, volume: 1 }, as: 'bob' },
  { what: 'CLOSE without a position', op: 'futures.createOrder', code: 10015, given: { ...CLOSE, side: 'SELL' }, as: 'home' },
  { what: 'CLOSE of more than there is', op: 'futures.createOrder', code: 10015, given: { ...CLOSE, side: 'SELL', volume: 1000 } },
  {
    what: 'more trigger orders than may be',
    op: 'futures.createConditionOrder',
    code: -1015,
    at: 'strict',
    given: { ...OPEN, ...FALLS },
    as: 'bob',
  },
  { what: 'a stop that opens', op: 'futures.createConditionOrder', code: -1014, given: { ...OPEN, triggerType: '1', triggerPrice: 9 } },
  { what: 'a profit that opens', op: 'futures.createConditionOrder', code: -1014, given: { ...OPEN, triggerType: '2', triggerPrice: 9 } },
  {
    what: 'a stop without a position',
    op: 'futures.createConditionOrder',
    code: 10015,
    given: { ...CLOSE, side: 'SELL', triggerType: '1', triggerPrice: 9 },
    as: 'home',
  },
  {
    what: 'an order that is missing, by the other code',
    op: 'futures.cancelOrder',
    code: -2013,
    at: 'limited',
    given: { contractName: 'E-BTC-USDT', orderId: '7' },
  },
  {
    what: 'a trigger that is missing, by the other code',
    op: 'futures.cancelTriggerOrder',
    code: -2013,
    at: 'limited',
    given: { contractName: 'E-BTC-USDT', orderId: 7 },
  },
  { what: 'settings in use', op: 'futures.changePositionMode', code: -1020, given: { contractName: 'E-BTC-USDT', positionModel: 2 } },
  { what: 'settings in use', op: 'futures.changeMarginMode', code: -1020, given: { contractName: 'E-BTC-USDT', marginModel: 2 } },
  { what: 'settings in use', op: 'futures.changeLeverage', code: -1020, given: { contractName: 'E-BTC-USDT', nowLevel: '7' } },
];

/** All causes, those that several calls share once for each. */
export const ALL_CAUSES: readonly Cause[] = [
  ...OF_SPOT_ORDERS.flatMap((cause) => [
    { ...cause, op: 'spot.newOrder' },
    { ...cause, op: 'spot.testNewOrder' },
    { ...cause, op: 'spot.batchOrders', given: asBatch(cause.given) },
  ]),
  ...OF_FUTURES_ORDERS.flatMap((cause) => [
    { ...cause, op: 'futures.createOrder' },
    { ...cause, op: 'futures.createConditionOrder', given: { ...cause.given, ...FALLS } },
  ]),
  ...CAUSES,
];

export async function checkCause(worlds: Worlds, endpoint: Endpoint, { what, code, at = 'seed', given, as }: Cause): Promise<void> {
  const sending: Sending = as === undefined ? {} : { as, ...(as === 'home' ? { from: '127.0.0.5' } : {}) };
  const world = worlds[at];
  const before = await world.exchange.truth();
  await world.fails(endpoint, given, code, what, sending);
  expect(await world.exchange.truth(), `what ${what} has changed`).toBe(before);
}

/** An order whose cancel is pending may be cancelled again, an ended one may not. `filled`: an order that has filled. */
export async function checkEnded(world: World, cancel: Endpoint, filled: string): Promise<void> {
  const given = await cancel.good(world);
  const isNumber = typeof given['orderId'] !== 'string';
  await world.succeeds(cancel, given, 'the cancel');
  await world.fails(cancel, given, -1145, 'of what was cancelled');
  await world.fails(cancel, { ...given, orderId: isNumber ? world.number(filled) : filled }, -1145, 'of what has been filled');
}
