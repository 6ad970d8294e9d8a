// Checks sequences of replies against the specification: states of orders, client order ids, and the order and length of lists.

import { expect } from 'vitest';
import type { Given } from './caller.ts';
import type { Endpoint } from './endpoint.ts';
import { empty, long, members, nil, text } from './shapes.ts';
import type { World } from './world.ts';

type Row = Readonly<Record<string, unknown>>;
export type EndpointOf = (op: string) => Endpoint;

/** The rows of an answer: a list, or the list in `member` or in `data.member`. */
function rowsOf(json: unknown, member?: string): readonly Row[] {
  if (Array.isArray(json)) return json as Row[];
  const of = json as Readonly<Record<string, unknown>>;
  const data = of['data'];
  if (member !== undefined) return rowsOf(member in of ? of[member] : (data as Row)[member]);
  return Array.isArray(data) ? (data as Row[]) : [];
}

const symbol = 'BTCUSDT';
const LIMIT = { symbol, type: 'LIMIT', side: 'BUY', volume: 1, price: 10 };

/** Part 3: INIT in the answer to a create whatever its matching brings, PENDING_CANCEL in that to a cancel, whose end comes later. */
export async function checkStates(world: World, endpoint: EndpointOf): Promise<void> {
  const query = async (orderId: unknown, status: string, executedQty: number): Promise<void> => {
    const args = { orderId: String(orderId).replace('#', ''), symbol };
    const { json } = await world.succeeds(endpoint('spot.queryOrder'), args, status);
    expect(json).toMatchObject({ status, executedQty });
  };
  const create = async (args: Given): Promise<unknown> => {
    const { json } = await world.succeeds(endpoint('spot.newOrder'), args, 'a create');
    expect(json).toMatchObject({ status: 0, executedQty: 0, clientOrderId: '0' });
    return (json as Row)['orderId'];
  };
  const resting = await create(LIMIT);
  await query(resting, 'NEW', 0);
  await query(await create({ ...LIMIT, price: 100 }), 'FILLED', 1);
  // More than rests at its price: it waits with what is left.
  const sale = await world.spotOrder({ side: 'SELL', volume: 2, price: 98 }, 'busy');
  const partlyFilled = await create({ ...LIMIT, volume: 3, price: 98 });
  await query(partlyFilled, 'PARTIALLY_FILLED', 2);
  await world.fails(endpoint('spot.cancelOrder'), { orderId: sale, symbol }, -1145, 'a filled order', { as: 'busy' });
  for (const [orderId, executedQty] of [
    [resting, 0],
    [partlyFilled, 2],
  ] as const) {
    const args = { orderId: String(orderId).replace('#', ''), symbol };
    const { json } = await world.succeeds(endpoint('spot.cancelOrder'), args, 'a cancel');
    expect(json).toMatchObject({ status: 'PENDING_CANCEL', orderId, orderIdString: args.orderId });
    await query(orderId, 'CANCELED', executedQty);
  }
  for (const args of [{}, { orderId: '7', symbol }, { orderId: 'x', symbol }, { orderId: '', symbol }]) {
    const { json } = await world.succeeds(endpoint('spot.queryOrder'), args, 'an order that is not there');
    expect(members({ code: text, msg: text, data: nil })(json, 'body')).toEqual([]);
  }
}

/** Checks part 2.1: a repeated client order id means its latest order, and a create accepts a symbol in any letter case. */
export async function checkClientIds(world: World, endpoint: EndpointOf): Promise<void> {
  const args = { ...LIMIT, symbol: 'btcusdt', newClientOrderId: 'twice' };
  const ids: unknown[] = [];
  for (let index = 0; index < 2; index++) {
    const { json } = await world.succeeds(endpoint('spot.newOrder'), args, 'a client id again');
    expect(json).toMatchObject({ symbol, clientOrderId: 'twice' });
    ids.push((json as Row)['orderId']);
  }
  const { json } = await world.succeeds(endpoint('spot.cancelOrder'), { newClientOrderId: 'twice', symbol }, 'a cancel by client id');
  expect(json).toMatchObject({ orderId: ids[1], clientOrderId: 'twice' });
  await world.fails(endpoint('spot.cancelOrder'), { symbol }, -1102, 'a cancel without an id');
}

/** Checks that the exchange accepts both forms where the specification allows two. */
export async function checkBothForms(world: World, endpoint: EndpointOf): Promise<void> {
  const orders = [{ price: 10, volume: 1, side: 'BUY', batchType: 'LIMIT' }];
  const batch = endpoint('spot.batchOrders');
  for (const form of [batch, { ...batch, method: 'GET' as const }]) {
    const { json } = await world.succeeds(form, { symbol, orders }, `a batch by ${form.method}`);
    expect(members({ ids: (value, at) => (value as unknown[]).flatMap((each) => long(each, at)) })(json, 'body')).toEqual([]);
    expect((json as { ids: unknown[] }).ids).toHaveLength(1);
  }
  for (const name of ['orderIds', 'orderId']) {
    const id = await world.restingOrder();
    const { json } = await world.succeeds(endpoint('spot.batchCancel'), { symbol, [name]: [world.number(id), 5] }, name);
    expect(json).toEqual({ success: [`#${id}`], failed: [5] });
  }
  const trigger = endpoint('futures.createConditionOrder');
  const noSlash = { ...trigger, path: trigger.path.slice(0, -1) };
  await world.succeeds(noSlash, await trigger.good(world), 'a trigger order without the slash');
  const query = endpoint('spot.queryOrder');
  const target = `${query.path}?orderId=${await world.restingOrder()}&symbol=${symbol}`;
  for (const signed of [target, query.path]) {
    const reply = await world.caller.send('GET', target, '', { signed: `${world.exchange.nowMs}GET${signed}` });
    expect(reply.code, `signed ${signed}`).toBe(0);
  }
  // Numbers as text with trailing zeros, and bytes unchanged: the signature covers what was sent.
  const body = `{ "recvWindow":5000,\n"symbol" : "${symbol}", "volume":"1.0000","price":"10.50","side":"BUY","type":"LIMIT" }`;
  expect(await world.caller.send('POST', '/sapi/v1/order', body)).toMatchObject({ status: 200, json: { price: 10.5, origQty: 1 } });
}

/** Checks part 4: every interval of each market, and the two special ones. */
export async function checkIntervals(world: World, endpoint: EndpointOf): Promise<void> {
  const common = ['1min', '5min', '15min', '30min', '1day', '1week', '1month'];
  for (const [op, name, hour] of [
    ['spot.klines', { symbol }, '60min'],
    ['futures.klines', { contractName: 'E-BTC-USDT' }, '1h'],
  ] as const) {
    for (const interval of [...common, hour]) {
      const { json } = await world.succeeds(endpoint(op), { ...name, interval }, interval);
      expect(rowsOf(json).length, interval).toBeGreaterThan(0);
    }
    await world.fails(endpoint(op), { ...name, interval: '4h' }, -1102, '4h');
  }
  const { json } = await world.succeeds(endpoint('spot.klines'), { symbol, interval: '1h' }, '1h of spot');
  expect(empty(json, '1h of spot')).toEqual([]);
}

/** Checks that the volume of a spot MARKET BUY is an amount, and that of a futures MARKET OPEN a value. */
export async function checkAmounts(world: World, endpoint: EndpointOf): Promise<void> {
  const market = { symbol, type: 'MARKET', side: 'BUY', volume: 250 };
  const { json } = await world.succeeds(endpoint('spot.newOrder'), market, 'MARKET BUY', { as: 'busy' });
  const orderId = String((json as Row)['orderId']).replace('#', '');
  const bought = await world.succeeds(endpoint('spot.queryOrder'), { orderId, symbol }, 'what it bought', { as: 'busy' });
  expect(bought.json).toMatchObject({ status: 'FILLED', executedQty: 2.5, avgPrice: 100 });

  const contractName = 'E-BTC-USDT';
  const open = { contractName, type: 'MARKET', side: 'BUY', open: 'OPEN', volume: 25.5 };
  const created = await world.succeeds(endpoint('futures.createOrder'), open, 'MARKET OPEN', { as: 'busy' });
  const args = { contractName, orderId: (created.json as Row)['orderId'] };
  const openedOrder = await world.succeeds(endpoint('futures.orderInformation'), args, 'what it opened', { as: 'busy' });
  // A contract of 0.01 at 100 is worth 1.
  expect(openedOrder.json).toMatchObject({ executedQty: 25, avgPrice: 100 });
}

export interface List {
  readonly op: string;
  readonly given: Given;
  readonly member?: string;
  /** The member that falls from row to row. It is null if the rows have no such member. */
  readonly by: string | null;
  /** True if the list accepts fromId. */
  readonly hasFromId?: true;
  /** Number of rows without a limit, and the maximum limit. The maximum is null if the list accepts no limit. */
  readonly usual: number;
  readonly max: number | null;
}

const contractName = 'E-BTC-USDT';
export const LISTS: readonly List[] = [
  { op: 'spot.depth', given: { symbol }, member: 'bids', by: null, usual: 100, max: 100 },
  { op: 'spot.recentTrades', given: { symbol }, by: 'time', usual: 100, max: 1000 },
  { op: 'spot.klines', given: { symbol, interval: '1min' }, by: 'idx', usual: 100, max: 300 },
  { op: 'spot.openOrders', given: { symbol }, by: 'orderId', usual: 100, max: 1000 },
  { op: 'spot.myTrades', given: { symbol }, by: 'id', usual: 100, max: 1000, hasFromId: true },
  { op: 'futures.depth', given: { contractName }, member: 'bids', by: null, usual: 100, max: 100 },
  { op: 'futures.klines', given: { contractName, interval: '1min' }, by: 'idx', usual: 100, max: 300 },
  { op: 'futures.orderHistory', given: { contractName }, by: 'orderId', usual: 100, max: 1000, hasFromId: true },
  { op: 'futures.profitHistory', given: { contractName }, by: 'id', usual: 100, max: 1000, hasFromId: true },
  { op: 'futures.myTrades', given: { contractName }, by: 'tradeId', usual: 100, max: 1000, hasFromId: true },
  { op: 'futures.openOrders', given: { contractName }, by: 'orderId', usual: 1001, max: null },
  { op: 'futures.triggerOrderList', given: { contractName }, member: 'trigOrderList', by: 'id', usual: 1000, max: 1000 },
];

/** Gives `busy` more rows of every list than an answer has: 1001 orders of each kind, in 301 minutes. */
export async function fillLists(world: World): Promise<void> {
  const { caller } = world;
  const as = 'busy';
  const futures = { contractName, type: 'LIMIT', open: 'OPEN', volume: 1, positionType: 1 };
  await world.futuresOrder({ side: 'BUY', volume: 1100, price: 99 }, 'bob');
  const row = (price: string) => ({ price, volume: 0.001, side: 'BUY', batchType: 'LIMIT' });
  const at = async (calls: readonly Promise<{ readonly code: number; readonly text: string }>[]): Promise<void> => {
    for (const { code, text: reply } of await Promise.all(calls)) expect(code, reply).toBe(0);
  };
  for (let batch = 0; batch < 101; batch++) {
    const prices = Array.from({ length: 10 }, (_, index) => batch * 10 + index);
    const orders = [prices.map((cents) => row((1 + cents / 100).toFixed(2))), prices.map(() => row('100'))];
    await at(orders.map((each) => caller.post('/sapi/v1/batchOrders', { symbol, orders: each }, { as })));
    await at(prices.map(() => caller.post('/fapi/v1/order', { ...futures, side: 'BUY', price: 100 }, { as })));
    await at(prices.map(() => caller.post('/fapi/v1/order', { ...futures, side: 'SELL', open: 'CLOSE', price: 99 }, { as })));
    const trigger = { ...futures, side: 'BUY', price: 10, triggerType: '4', triggerPrice: '9' };
    await at(prices.map(() => caller.post('/fapi/v1/conditionOrder/', trigger, { as })));
    await at(
      prices.map((tick) => caller.post('/fapi/v1/order', { ...futures, side: 'BUY', price: (1 + (tick % 200) / 10).toFixed(1) }, { as })),
    );
  }
  for (let minute = 0; minute < 301; minute++) {
    await world.exchange.step(60_000);
    await at([
      caller.post('/sapi/v1/order', { symbol, side: 'BUY', type: 'LIMIT', volume: 0.001, price: 100 }, { as }),
      caller.post('/fapi/v1/order', { ...futures, side: 'BUY', price: 100 }, { as }),
    ]);
  }
}

/** Newest first, and never more rows than asked for, or than there may be. */
export async function checkList(
  world: World,
  endpoint: Endpoint,
  { op, given: args, member, by, hasFromId, usual: expectedCount, max }: List,
): Promise<void> {
  const rows = async (extraArgs: Given): Promise<readonly Row[]> => {
    const { json } = await world.succeeds(endpoint, { ...args, ...extraArgs }, JSON.stringify(extraArgs), { as: 'busy' });
    return rowsOf(json, member);
  };
  const all = await rows({});
  if (max === null) expect(all.length, op).toBeGreaterThanOrEqual(expectedCount);
  else {
    const replies = [7, max, max + 1].map((limit) => rows({ limit }));
    const counts = (await Promise.all(replies)).map(({ length }) => length);
    expect([all.length, ...counts], op).toEqual([expectedCount, 7, max, max]);
  }
  if (by === null) return;
  const keysOf = (of: readonly Row[]): readonly bigint[] => of.map((row) => BigInt(String(row[by]).replace('#', '')));
  const keys = keysOf(all);
  expect(keys, `${op}, newest first`).toEqual(keys.toSorted(falling));
  if (hasFromId !== true) return;
  // The rows from that one on, so that a reader who continues from the newest known row misses none.
  const from = keysOf(await rows({ fromId: world.number(String(keys[50])), limit: 7 }));
  expect(from, `${op}, from an id`).toEqual(keys.slice(44, 51));
}

const falling = (a: bigint, b: bigint): number => (a < b ? 1 : a > b ? -1 : 0);
