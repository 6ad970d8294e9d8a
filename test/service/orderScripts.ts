// Scripts of orders that hold at every exchange of the specification, however it reads what the specification leaves open.

import { expect } from 'vitest';
import { Decimal } from '../../src/base/number/decimal.ts';
import type { PairDesk } from './pairDesk.ts';

type Script = (desk: PairDesk) => void;

const symbol = 'BTCUSDT';
const contractName = 'E-BTC-USDT';
const LIMIT = { symbol, side: 'BUY', type: 'LIMIT' } as const;
const OPEN = { contractName, side: 'BUY', type: 'LIMIT', open: 'OPEN', positionType: 1 } as const;

/** An order as a query tells of it: the word of its status and what of it has been filled. */
function seen(
  desk: PairDesk,
  orderId: string,
  as = 'alice',
): readonly [status: string | null | undefined, executed: string | null | undefined] {
  desk.settle();
  const found = desk.acked('spot.queryOrder', { orderId, symbol }, as);
  return [found?.status.word, found?.executedQty];
}

const openIds = (desk: PairDesk): readonly string[] =>
  desk.acked('spot.openOrders', { symbol, limit: 100 }).rows.map(({ orderId }) => orderId);

/** Free and locked of an asset. */
function heldOf(desk: PairDesk, asset: string, as = 'alice'): Decimal {
  const row = desk.acked('spot.account', {}, as).rows.find((each) => each.asset === asset)!;
  return new Decimal(row.free).plus(row.locked);
}

/** Places, finds and cancels; what is over or was never there cannot be cancelled. */
const rests: Script = (desk) => {
  const { profile } = desk;
  desk.acked('spot.testNewOrder', { ...LIMIT, volume: '1', price: '10' });
  const placed = desk.acked('spot.newOrder', { ...LIMIT, volume: '1', price: '10', newClientOrderId: 'first' });
  expect(seen(desk, placed.orderId)).toEqual(['NEW', '0']);
  expect(openIds(desk)).toEqual([placed.orderId]);
  const canceled = desk.acked('spot.cancelOrder', { orderId: placed.orderId, symbol });
  expect(canceled).toMatchObject({ orderId: placed.orderId, status: { word: profile.cancelStatus } });
  expect(seen(desk, placed.orderId)).toEqual(['CANCELED', '0']);
  expect(openIds(desk)).toEqual([]);
  const missing = profile.missingOrderCode === 'perMarket' ? -2013 : Number(profile.missingOrderCode);
  expect(desk.refused('spot.cancelOrder', { orderId: placed.orderId, symbol })).toBe(-1145);
  expect(desk.refused('spot.cancelOrder', { orderId: '7', symbol })).toBe(missing);
  expect(desk.acked('spot.queryOrder', { orderId: '7', symbol })).toBeNull();
  expect(desk.refused('spot.newOrder', { ...LIMIT, volume: '1000000', price: '10' })).toBe(-2017);
  expect(desk.refused('spot.newOrder', { ...LIMIT, volume: '1', price: '10.001' })).toBe(profile.precisionCodes === 'spec' ? -1147 : -1111);
};

/** A cancel by client id, where it works, reaches the latest order; and so does a query. */
const byClientId: Script = (desk) => {
  const { profile } = desk;
  const place = () => desk.acked('spot.newOrder', { ...LIMIT, volume: '1', price: '10', newClientOrderId: 'same' }).orderId;
  const [first, second] = [place(), place()];
  desk.settle();
  const found = desk.acked('spot.queryOrder', { newClientOrderId: 'same', symbol });
  expect(found?.orderId).toBe(profile.queryByClientId === 'works' ? second : undefined);
  const cancel = { newClientOrderId: 'same', symbol };
  if (profile.cancelByClientId === 'works') expect(desk.acked('spot.cancelOrder', cancel).orderId).toBe(second);
  else desk.refused('spot.cancelOrder', cancel);
  for (const orderId of openIds(desk)) desk.ask('spot.cancelOrder', { orderId, symbol });
  expect([seen(desk, first), seen(desk, second)]).toEqual([
    ['CANCELED', '0'],
    ['CANCELED', '0'],
  ]);
};

/** Fills in part and in full: what trades say adds up to what orders say and to what balances have. */
const fills: Script = (desk) => {
  const before = { BTC: heldOf(desk, 'BTC'), USDT: heldOf(desk, 'USDT') };
  const sale = desk.acked('spot.newOrder', { ...LIMIT, side: 'SELL', volume: '3', price: '100' }, 'bob');
  desk.settle();
  const full = desk.acked('spot.newOrder', { ...LIMIT, volume: '1', price: '101' });
  expect(seen(desk, full.orderId)).toEqual(['FILLED', '1']);
  const part = desk.acked('spot.newOrder', { ...LIMIT, volume: '2.5', price: '100' });
  expect(seen(desk, part.orderId)).toEqual(['PARTIALLY_FILLED', '2']);
  expect(seen(desk, sale.orderId, 'bob')).toEqual(['FILLED', '3']);
  desk.acked('spot.cancelOrder', { orderId: part.orderId, symbol });
  expect(seen(desk, part.orderId)).toEqual(['CANCELED', '2']);

  const trades = desk.acked('spot.myTrades', { symbol, limit: 100 }).rows.filter(({ askId }) => askId === sale.orderId);
  expect(trades.map(({ bidId, quantity, price }) => [bidId, quantity, price])).toEqual([
    [part.orderId, '2', '100'],
    [full.orderId, '1', '100'],
  ]);
  const spent = { BTC: new Decimal(3), USDT: new Decimal(-300) };
  for (const { feeCoin, fee } of trades) spent[feeCoin as 'BTC' | 'USDT'] = spent[feeCoin as 'BTC' | 'USDT'].minus(fee ?? '0');
  for (const asset of ['BTC', 'USDT'] as const) expect(heldOf(desk, asset).minus(before[asset])).toEqual(spent[asset]);
  // From the older one on, whether or not it is in the answer: no trade is missed by whoever knows it.
  const [newest, older] = trades.map(({ tradeId }) => tradeId);
  const from = desk.acked('spot.myTrades', { symbol, limit: 100, fromId: older! }).rows.map(({ tradeId }) => tradeId);
  expect(from).toEqual(desk.profile.fromId === 'inclusive' ? [newest, older] : [newest]);
};

/** MARKET orders: a purchase by amount, a sale by quantity. */
const atTheMarket: Script = (desk) => {
  desk.acked('spot.newOrder', { ...LIMIT, side: 'SELL', volume: '5', price: '100' }, 'bob');
  desk.acked('spot.newOrder', { ...LIMIT, volume: '5', price: '90' }, 'bob');
  desk.settle();
  const bought = desk.acked('spot.newOrder', { symbol, side: 'BUY', type: 'MARKET', volume: '50' });
  const sold = desk.acked('spot.newOrder', { symbol, side: 'SELL', type: 'MARKET', volume: '0.25' });
  const [status, executed] = seen(desk, bought.orderId);
  expect(status).toMatch(/^FILLED|CANCELED$/);
  // A fee in the quote asset comes on top of the amount.
  expect(executed).toBe('0.5');
  const { origQty } = desk.acked('spot.queryOrder', { orderId: bought.orderId, symbol })!;
  expect(origQty).toBe(desk.profile.marketBuyOrigQty === 'quote' ? '50' : executed);
  expect(seen(desk, sold.orderId)).toEqual(['FILLED', '0.25']);
};

/** Batches, where our client can send them: what has no funds is left out, or refuses all. */
const batches: Script = (desk) => {
  const { profile } = desk;
  const row = { volume: '1', side: 'BUY', batchType: 'LIMIT', price: '10' } as const;
  const outcome = desk.ask('spot.batchOrders', { symbol, orders: [row, { ...row, volume: '100000' }, row] });
  if (profile.batchOrdersMethod === 'get' || profile.batchPartial === 'refuse') {
    expect(outcome).toMatchObject({ kind: 'refused', code: profile.batchOrdersMethod === 'get' ? -1020 : -2017 });
    for (let at = 0; at < 2; at++) desk.acked('spot.newOrder', { ...LIMIT, volume: '1', price: '10' });
  } else expect(outcome).toMatchObject({ kind: 'acked' });
  desk.settle();
  const ids = openIds(desk);
  expect(ids).toHaveLength(2);
  if (outcome.kind === 'acked') expect(ids.toSorted()).toEqual(outcome.value.ids.toSorted());
  expect(desk.acked('spot.batchCancel', { symbol, orderIds: [...ids, '7'] })).toEqual({ success: ids, failed: ['7'] });
  desk.settle();
  const none = profile.batchCancelAllWrong === 'empty' ? null : ['7'];
  expect(desk.acked('spot.batchCancel', { symbol, orderIds: ['7'] }).failed).toEqual(none);
  expect(openIds(desk)).toEqual([]);
};

/** A futures position: settings, opened, protected, closed; and every list that tells of it. */
const position: Script = (desk) => {
  const { profile } = desk;
  desk.acked('futures.changePositionMode', { contractName, positionModel: 2 });
  desk.acked('futures.changeMarginMode', { contractName, marginModel: 2 });
  desk.acked('futures.changeLeverage', { contractName, nowLevel: 10 });
  const isolated = { ...OPEN, positionType: 2 } as const;
  desk.acked('futures.createOrder', { ...OPEN, side: 'SELL', volume: '200', price: '1000' }, 'bob');
  desk.acked('futures.createOrder', { ...OPEN, volume: '200', price: '990' }, 'bob');
  desk.settle();
  const order = { ...isolated, volume: '100', price: '1010', timeInForce: 'IOC', clientOrderId: 'f-1' } as const;
  const { orderId } = desk.acked('futures.createOrder', order);
  desk.settle();
  expect(desk.acked('futures.orderInformation', { contractName, orderId })).toMatchObject({
    executedQty: '100',
    status: { word: 'FILLED' },
  });
  const trades = desk.acked('futures.myTrades', { contractName }).rows;
  expect(trades).toMatchObject([{ bidId: orderId, isBuyer: true, isMaker: false, quantity: '100' }]);
  const [account] = desk.acked('futures.account', {}).rows;
  expect(account).toMatchObject({ marginCoin: 'USDT', positionVos: [{ contractName, positions: [{ volume: '100', side: 'buy' }] }] });
  if (profile.positionsEndpoint === 'on') {
    const held = { positionSide: 'buy', positionVolume: '100', leverage: 10, positionType: 2 };
    expect(desk.acked('futures.positions', { contractName }).rows).toMatchObject([held]);
  } else expect(desk.refused('futures.positions', { contractName })).toBe(-1020);
  const change = desk.ask('futures.changeLeverage', { contractName, nowLevel: 10 });
  expect(change).toMatchObject(profile.settingsInUse === 'accept' ? { kind: 'acked' } : { kind: 'refused', code: -1020 });

  waiting(desk);
  desk.acked('futures.createOrder', { ...isolated, side: 'SELL', open: 'CLOSE', price: '990', volume: '40' });
  const market = { contractName, side: 'SELL', type: 'MARKET', open: 'CLOSE', positionType: 2, volume: '60' } as const;
  desk.acked('futures.createOrder', market);
  desk.settle();
  expect(desk.refused('futures.createOrder', market)).toBe(10015);
  expect(desk.acked('futures.profitHistory', { contractName }).rows.map(({ volume }) => volume)).toEqual(['60', '40']);
  const history = desk.acked('futures.orderHistory', { contractName }).rows;
  expect(history.map(({ openOrClose, status }) => [openOrClose, status.word])).toEqual([
    ['CLOSE', 'FILLED'],
    ['CLOSE', 'FILLED'],
    ['OPEN', 'CANCELED'],
    ['OPEN', 'FILLED'],
  ]);
  expect(history.at(-1)).toMatchObject({ clientId: 'f-1', orderId, type: { word: 'IOC' } });
};

/** What waits for a price, and what waits in the book, of a position of 100: both are found, and both can be taken back. */
function waiting(desk: PairDesk): void {
  const stop = { ...OPEN, positionType: 2, side: 'SELL', open: 'CLOSE', price: '100', volume: '100' } as const;
  const { triggerIds } = desk.acked('futures.createConditionOrder', { ...stop, triggerType: '1', triggerPrice: '101' });
  const found = desk.acked('futures.triggerOrderList', { contractName });
  expect(found).toMatchObject({ count: 1, rows: [{ triggerOrderId: triggerIds[0], status: { word: 'PENDING' } }] });
  const cancel = { contractName, orderId: triggerIds[0]! };
  desk.acked('futures.cancelTriggerOrder', cancel);
  const second = desk.ask('futures.cancelTriggerOrder', cancel);
  expect(second).toMatchObject(desk.profile.secondCancel === 'again' ? { kind: 'acked' } : { kind: 'refused', code: -1145 });
  desk.settle();
  expect(desk.refused('futures.cancelTriggerOrder', cancel)).toBe(-1145);

  const maker = { ...OPEN, positionType: 2, volume: '5', price: '500', timeInForce: 'POST_ONLY' } as const;
  const { orderId } = desk.acked('futures.createOrder', maker);
  desk.settle();
  expect(desk.acked('futures.openOrders', { contractName }).rows.map((row) => row.orderId)).toEqual([orderId]);
  const info = desk.acked('futures.orderInformation', { contractName, orderId });
  expect(info).toMatchObject({ status: { word: 'NEW' }, timeInForce: { word: 'POST_ONLY' } });
  expect(desk.acked('futures.cancelOrder', { contractName, orderId })).toEqual({ orderId });
  desk.settle();
  expect(desk.acked('futures.openOrders', {}).rows).toEqual([]);
}

/** Equal calls at once: an exchange that refuses what it has seen takes both, for neither is the other sent again. */
const atOnce: Script = (desk) => {
  expect(desk.twice('spot.account', {})).toEqual(['acked', 'acked']);
  expect(desk.twice('futures.orderHistory', { contractName })).toEqual(['acked', 'acked']);
};

/** The public calls: instruments, books, trades and bars of what the scripts before have traded. */
const market: Script = (desk) => {
  expect(desk.acked('spot.symbols', {}).rows.map((row) => row.symbol)).toEqual([symbol, 'ETHUSDT']);
  expect(desk.acked('spot.recentTrades', { symbol, limit: 5 })).toMatchObject({ refused: [] });
  expect(desk.acked('spot.ticker', { symbol }).last).toMatch(/^\d+/);
  expect(desk.acked('spot.depth', { symbol, limit: 100 })).toMatchObject({
    bids: expect.any(Array) as unknown,
    asks: expect.any(Array) as unknown,
  });
  expect(desk.acked('futures.contracts', {}).rows).toMatchObject([{ symbol: contractName, status: 1 }, {}, {}]);
  expect(desk.acked('futures.depth', { contractName, limit: 100 }).asks).toMatchObject([{ price: '1000' }]);
  expect(desk.acked('futures.indexPrice', { contractName }).tagPrice).toMatch(/^\d+/);
  const bars = [
    desk.acked('spot.klines', { symbol, interval: '1d', limit: 5 }),
    desk.acked('futures.klines', { contractName, interval: '1d', limit: 5 }),
  ];
  const count = desk.profile.klinesOpenBar === 'on' ? 1 : 0;
  for (const { rows } of bars) expect(rows).toHaveLength(count);
};

/** In their order: each leaves the account without open orders or positions, and with what the next one needs. */
export const SCRIPTS: Readonly<Record<string, Script>> = { rests, byClientId, fills, atTheMarket, batches, position, atOnce, market };
