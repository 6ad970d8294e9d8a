// Checks sequences of replies against the specification: states of orders, client order ids, and the order and length of lists.

import { expect } from 'vitest';
import type { CallArgs } from './caller.ts';
import type { Endpoint } from './endpoint.ts';
import { empty, long, members, nil, text } from './shapes.ts';
import type { World } from './world.ts';

/** An object of a reply, such as a row of a list. */
type Row = Readonly<Record<string, unknown>>;
/** Returns the row of the endpoint table for an operation such as `spot.newOrder`. */
export type EndpointOf = (op: string) => Endpoint;

/** Returns the rows of a reply: the reply itself if it is a list, else the list in `member`, `data.member` or `data`, or an empty list. */
function rowsOf(json: unknown, member?: string): readonly Row[] {
  if (Array.isArray(json)) return json as Row[];
  const reply = json as Row;
  const { data } = reply;
  if (member !== undefined) return rowsOf(member in reply ? reply[member] : (data as Row)[member]);
  return Array.isArray(data) ? (data as Row[]) : [];
}

/** Returns the digits of an order id, which the caller reads as # and digits. */
const digitsOf = (orderId: unknown): string => String(orderId).replace('#', '');

const symbol = 'BTCUSDT';
const contractName = 'E-BTC-USDT';
/** A buy far below the market, which rests. */
const LIMIT_BUY = { symbol, type: 'LIMIT', side: 'BUY', volume: 1, price: 10 };

/** Checks part 3: a create replies INIT even if the order fills at once, and a cancel replies PENDING_CANCEL before the order has ended. */
export async function checkStates(world: World, endpointOf: EndpointOf): Promise<void> {
  const expectStatus = async (orderId: unknown, status: string, executedQty: number): Promise<void> => {
    const args = { orderId: digitsOf(orderId), symbol };
    const { json } = await world.expectSuccess(endpointOf('spot.queryOrder'), args, status);
    expect(json).toMatchObject({ status, executedQty });
  };
  const create = async (args: CallArgs): Promise<unknown> => {
    const { json } = await world.expectSuccess(endpointOf('spot.newOrder'), args, 'a create');
    expect(json).toMatchObject({ status: 0, executedQty: 0, clientOrderId: '0' });
    return (json as Row)['orderId'];
  };
  const resting = await create(LIMIT_BUY);
  await expectStatus(resting, 'NEW', 0);
  await expectStatus(await create({ ...LIMIT_BUY, price: 100 }), 'FILLED', 1);
  // The order is larger than the sale at its price, so a part of it stays open.
  const sale = await world.placeSpotOrder({ side: 'SELL', volume: 2, price: 98 }, 'busy');
  const partlyFilled = await create({ ...LIMIT_BUY, volume: 3, price: 98 });
  await expectStatus(partlyFilled, 'PARTIALLY_FILLED', 2);
  await world.expectFailure(
    endpointOf('spot.cancelOrder'),
    { orderId: sale, symbol },
    { code: -1145, description: 'a filled order', sendOptions: { as: 'busy' } },
  );
  for (const { orderId, executedQty } of [
    { orderId: resting, executedQty: 0 },
    { orderId: partlyFilled, executedQty: 2 },
  ]) {
    const args = { orderId: digitsOf(orderId), symbol };
    const { json } = await world.expectSuccess(endpointOf('spot.cancelOrder'), args, 'a cancel');
    expect(json).toMatchObject({ status: 'PENDING_CANCEL', orderId, orderIdString: args.orderId });
    await expectStatus(orderId, 'CANCELED', executedQty);
  }
  for (const args of [{}, { orderId: '7', symbol }, { orderId: 'x', symbol }, { orderId: '', symbol }]) {
    const { json } = await world.expectSuccess(endpointOf('spot.queryOrder'), args, 'an order that does not exist');
    expect(members({ code: text, msg: text, data: nil })(json, 'body')).toEqual([]);
  }
}

/** Checks part 2.1: a repeated client order id means its latest order, and a create accepts a symbol in any letter case. */
export async function checkClientIds(world: World, endpointOf: EndpointOf): Promise<void> {
  const args = { ...LIMIT_BUY, symbol: 'btcusdt', newClientOrderId: 'twice' };
  const orderIds: unknown[] = [];
  for (let attempt = 1; attempt <= 2; attempt++) {
    const { json } = await world.expectSuccess(endpointOf('spot.newOrder'), args, 'a client id again');
    expect(json).toMatchObject({ symbol, clientOrderId: 'twice' });
    orderIds.push((json as Row)['orderId']);
  }
  const { json } = await world.expectSuccess(
    endpointOf('spot.cancelOrder'),
    { newClientOrderId: 'twice', symbol },
    'a cancel by client id',
  );
  expect(json).toMatchObject({ orderId: orderIds[1], clientOrderId: 'twice' });
  await world.expectFailure(endpointOf('spot.cancelOrder'), { symbol }, { code: -1102, description: 'a cancel without an id' });
}

/** Checks that the exchange accepts both forms where the specification allows two. */
export async function checkBothForms(world: World, endpointOf: EndpointOf): Promise<void> {
  const orders = [{ price: 10, volume: 1, side: 'BUY', batchType: 'LIMIT' }];
  const batch = endpointOf('spot.batchOrders');
  for (const form of [batch, { ...batch, method: 'GET' as const }]) {
    const { json } = await world.expectSuccess(form, { symbol, orders }, `a batch by ${form.method}`);
    const idsShape = members({ ids: (value, path) => (value as unknown[]).flatMap((orderId) => long(orderId, path)) });
    expect(idsShape(json, 'body')).toEqual([]);
    expect((json as { ids: unknown[] }).ids).toHaveLength(1);
  }
  for (const paramName of ['orderIds', 'orderId']) {
    const id = await world.placeRestingOrder();
    const args = { symbol, [paramName]: [world.exactNumber(id), 5] };
    const { json } = await world.expectSuccess(endpointOf('spot.batchCancel'), args, paramName);
    expect(json).toEqual({ success: [`#${id}`], failed: [5] });
  }
  const trigger = endpointOf('futures.createConditionOrder');
  const withoutSlash = { ...trigger, path: trigger.path.slice(0, -1) };
  await world.expectSuccess(withoutSlash, await trigger.validArgs(world), 'a trigger order without the slash');
  const query = endpointOf('spot.queryOrder');
  const target = `${query.path}?orderId=${await world.placeRestingOrder()}&symbol=${symbol}`;
  // The signature may cover the path with the query, or the path alone.
  for (const signedTarget of [target, query.path]) {
    const reply = await world.caller.send('GET', target, '', { signedText: `${world.exchange.nowMs}GET${signedTarget}` });
    expect(reply.code, `signed ${signedTarget}`).toBe(0);
  }
  // Numbers may be texts with trailing zeros. The signature covers the bytes as sent, spaces included.
  const body = `{ "recvWindow":5000,\n"symbol" : "${symbol}", "volume":"1.0000","price":"10.50","side":"BUY","type":"LIMIT" }`;
  expect(await world.caller.send('POST', '/sapi/v1/order', body)).toMatchObject({ status: 200, json: { price: 10.5, origQty: 1 } });
}

/** Checks part 4: every interval of each market, an unknown one, and the 1h of spot, which has no rows. */
export async function checkIntervals(world: World, endpointOf: EndpointOf): Promise<void> {
  const common = ['1min', '5min', '15min', '30min', '1day', '1week', '1month'];
  for (const { op, instrument, hour } of [
    { op: 'spot.klines', instrument: { symbol }, hour: '60min' },
    { op: 'futures.klines', instrument: { contractName }, hour: '1h' },
  ]) {
    for (const interval of [...common, hour]) {
      const { json } = await world.expectSuccess(endpointOf(op), { ...instrument, interval }, interval);
      expect(rowsOf(json).length, interval).toBeGreaterThan(0);
    }
    await world.expectFailure(endpointOf(op), { ...instrument, interval: '4h' }, { code: -1102, description: '4h' });
  }
  const { json } = await world.expectSuccess(endpointOf('spot.klines'), { symbol, interval: '1h' }, '1h on spot');
  expect(empty(json, '1h on spot')).toEqual([]);
}

/** Checks that the volume of a spot MARKET BUY is an amount of quote money, and that of a futures MARKET OPEN a value. */
export async function checkAmounts(world: World, endpointOf: EndpointOf): Promise<void> {
  const market = { symbol, type: 'MARKET', side: 'BUY', volume: 250 };
  const { json } = await world.expectSuccess(endpointOf('spot.newOrder'), market, 'MARKET BUY', { as: 'busy' });
  const orderId = digitsOf((json as Row)['orderId']);
  const bought = await world.expectSuccess(endpointOf('spot.queryOrder'), { orderId, symbol }, 'the filled order', { as: 'busy' });
  expect(bought.json).toMatchObject({ status: 'FILLED', executedQty: 2.5, avgPrice: 100 });

  const open = { contractName, type: 'MARKET', side: 'BUY', open: 'OPEN', volume: 25.5 };
  const created = await world.expectSuccess(endpointOf('futures.createOrder'), open, 'MARKET OPEN', { as: 'busy' });
  const args = { contractName, orderId: (created.json as Row)['orderId'] };
  const openedOrder = await world.expectSuccess(endpointOf('futures.orderInformation'), args, 'the opened order', { as: 'busy' });
  // A contract of 0.01 at 100 is worth 1.
  expect(openedOrder.json).toMatchObject({ executedQty: 25, avgPrice: 100 });
}

/** A call that returns a list, and the rules for its rows. */
export interface ListCall {
  readonly op: string;
  readonly args: CallArgs;
  /** The member of the reply that has the list. Without it, the reply is the list, or its data. */
  readonly member?: string;
  /** The member whose values fall from row to row. Null if the rows have no such member. */
  readonly sortedBy: string | null;
  /** True if the list accepts fromId. */
  readonly hasFromId?: true;
  /** Number of rows of a call without a limit. */
  readonly defaultRows: number;
  /** The maximum limit. Null if the list accepts no limit. */
  readonly maxRows: number | null;
}

/** The calls that return lists, with the documented sequence and lengths. */
export const LISTS: readonly ListCall[] = [
  { op: 'spot.depth', args: { symbol }, member: 'bids', sortedBy: null, defaultRows: 100, maxRows: 100 },
  { op: 'spot.recentTrades', args: { symbol }, sortedBy: 'time', defaultRows: 100, maxRows: 1000 },
  { op: 'spot.klines', args: { symbol, interval: '1min' }, sortedBy: 'idx', defaultRows: 100, maxRows: 300 },
  { op: 'spot.openOrders', args: { symbol }, sortedBy: 'orderId', defaultRows: 100, maxRows: 1000 },
  { op: 'spot.myTrades', args: { symbol }, sortedBy: 'id', defaultRows: 100, maxRows: 1000, hasFromId: true },
  { op: 'futures.depth', args: { contractName }, member: 'bids', sortedBy: null, defaultRows: 100, maxRows: 100 },
  { op: 'futures.klines', args: { contractName, interval: '1min' }, sortedBy: 'idx', defaultRows: 100, maxRows: 300 },
  { op: 'futures.orderHistory', args: { contractName }, sortedBy: 'orderId', defaultRows: 100, maxRows: 1000, hasFromId: true },
  { op: 'futures.profitHistory', args: { contractName }, sortedBy: 'id', defaultRows: 100, maxRows: 1000, hasFromId: true },
  { op: 'futures.myTrades', args: { contractName }, sortedBy: 'tradeId', defaultRows: 100, maxRows: 1000, hasFromId: true },
  { op: 'futures.openOrders', args: { contractName }, sortedBy: 'orderId', defaultRows: 1001, maxRows: null },
  { op: 'futures.triggerOrderList', args: { contractName }, member: 'trigOrderList', sortedBy: 'id', defaultRows: 1000, maxRows: 1000 },
];

/** Gives `busy` more rows of every list than a reply can have: 1001 orders of each kind, and 301 minutes with trades. */
export async function fillLists(world: World): Promise<void> {
  const { caller } = world;
  const as = 'busy';
  const futures = { contractName, type: 'LIMIT', open: 'OPEN', volume: 1, positionType: 1 };
  await world.placeFuturesOrder({ side: 'BUY', volume: 1100, price: 99 }, 'bob');
  const batchRow = (price: string) => ({ price, volume: 0.001, side: 'BUY', batchType: 'LIMIT' });
  const expectSuccess = async (calls: readonly Promise<{ readonly code: number; readonly text: string }>[]): Promise<void> => {
    for (const { code, text: reply } of await Promise.all(calls)) expect(code, reply).toBe(0);
  };
  for (let batch = 0; batch < 101; batch++) {
    const orderIndexes = Array.from({ length: 10 }, (_, index) => batch * 10 + index);
    const restingRows = orderIndexes.map((index) => batchRow((1 + index / 100).toFixed(2)));
    const fillingRows = orderIndexes.map(() => batchRow('100'));
    await expectSuccess([restingRows, fillingRows].map((rows) => caller.post('/sapi/v1/batchOrders', { symbol, orders: rows }, { as })));
    await expectSuccess(orderIndexes.map(() => caller.post('/fapi/v1/order', { ...futures, side: 'BUY', price: 100 }, { as })));
    await expectSuccess(
      orderIndexes.map(() => caller.post('/fapi/v1/order', { ...futures, side: 'SELL', open: 'CLOSE', price: 99 }, { as })),
    );
    const trigger = { ...futures, side: 'BUY', price: 10, triggerType: '4', triggerPrice: '9' };
    await expectSuccess(orderIndexes.map(() => caller.post('/fapi/v1/conditionOrder/', trigger, { as })));
    const restingPrices = orderIndexes.map((index) => (1 + (index % 200) / 10).toFixed(1));
    await expectSuccess(restingPrices.map((price) => caller.post('/fapi/v1/order', { ...futures, side: 'BUY', price }, { as })));
  }
  for (let minute = 0; minute < 301; minute++) {
    await world.exchange.stepClock(60_000);
    await expectSuccess([
      caller.post('/sapi/v1/order', { symbol, side: 'BUY', type: 'LIMIT', volume: 0.001, price: 100 }, { as }),
      caller.post('/fapi/v1/order', { ...futures, side: 'BUY', price: 100 }, { as }),
    ]);
  }
}

/** Checks that a list has the newest row first, and at most as many rows as the limit of the call and of the specification. */
export async function checkList(
  world: World,
  endpoint: Endpoint,
  { op, args, member, sortedBy, hasFromId, defaultRows, maxRows }: ListCall,
): Promise<void> {
  const readRows = async (extraArgs: CallArgs): Promise<readonly Row[]> => {
    const { json } = await world.expectSuccess(endpoint, { ...args, ...extraArgs }, JSON.stringify(extraArgs), { as: 'busy' });
    return rowsOf(json, member);
  };
  const unlimited = await readRows({});
  if (maxRows === null) expect(unlimited.length, op).toBeGreaterThanOrEqual(defaultRows);
  else {
    const replies = [7, maxRows, maxRows + 1].map((limit) => readRows({ limit }));
    const counts = (await Promise.all(replies)).map(({ length }) => length);
    expect([unlimited.length, ...counts], op).toEqual([defaultRows, 7, maxRows, maxRows]);
  }
  if (sortedBy === null) return;
  const keysOf = (list: readonly Row[]): readonly bigint[] => list.map((row) => BigInt(digitsOf(row[sortedBy])));
  const keys = keysOf(unlimited);
  expect(keys, `${op}, newest first`).toEqual(keys.toSorted(falling));
  if (hasFromId !== true) return;
  // `fromId` gives the rows from that id on. A reader who continues from the newest known row misses none.
  const fromIndex = 50;
  const limit = 7;
  const fromId = world.exactNumber(String(keys[fromIndex]));
  const keysFromId = keysOf(await readRows({ fromId, limit }));
  // The newest row is the first one, so later rows have lower indexes.
  expect(keysFromId, `${op}, from an id`).toEqual(keys.slice(fromIndex - limit + 1, fromIndex + 1));
}

/** Sorts larger numbers first. */
const falling = (a: bigint, b: bigint): number => Number(a < b) - Number(a > b);
