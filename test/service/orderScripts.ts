// Runs order scripts that must hold at every exchange, whatever it decides where the specification leaves a question open.

import { expect } from 'vitest';
import { Decimal } from '../../src/base/number/decimal.ts';
import type { PairFixture } from './pairFixture.ts';

/** A script sends orders, and expects their results. */
type Script = (fixture: PairFixture) => void;

const symbol = 'BTCUSDT';
const contractName = 'E-BTC-USDT';
/** Terms of a limit order, and of one that opens a position. */
const SPOT_LIMIT = { symbol, side: 'BUY', type: 'LIMIT' } as const;
const OPEN = { contractName, side: 'BUY', type: 'LIMIT', open: 'OPEN', positionType: 1 } as const;

/** Returns the status and the filled quantity that a query shows of an order. */
function statusAndFilled(
  fixture: PairFixture,
  orderId: string,
  account = 'alice',
): readonly [status: string | null | undefined, executed: string | null | undefined] {
  fixture.passOneSecond();
  const order = fixture.ackedResult('spot.queryOrder', { orderId, symbol }, account);
  return [order?.status.word, order?.executedQty];
}

/** Returns the ids of the open orders. */
const openIds = (fixture: PairFixture): readonly string[] =>
  fixture.ackedResult('spot.openOrders', { symbol, limit: 100 }).rows.map(({ orderId }) => orderId);

/** Returns the free and locked amount of an asset together. */
function totalBalance(fixture: PairFixture, asset: string, account = 'alice'): Decimal {
  const row = fixture.ackedResult('spot.account', {}, account).rows.find((balance) => balance.asset === asset)!;
  return new Decimal(row.free).plus(row.locked);
}

/** Places, finds and cancels an order. An order that has ended, or never existed, cannot be cancelled. */
const restAndCancel: Script = (fixture) => {
  const { profile } = fixture;
  fixture.ackedResult('spot.testNewOrder', { ...SPOT_LIMIT, volume: '1', price: '10' });
  const placed = fixture.ackedResult('spot.newOrder', { ...SPOT_LIMIT, volume: '1', price: '10', newClientOrderId: 'first' });
  expect(statusAndFilled(fixture, placed.orderId)).toEqual(['NEW', '0']);
  expect(openIds(fixture)).toEqual([placed.orderId]);
  const canceled = fixture.ackedResult('spot.cancelOrder', { orderId: placed.orderId, symbol });
  expect(canceled).toMatchObject({ orderId: placed.orderId, status: { word: profile.cancelStatus } });
  expect(statusAndFilled(fixture, placed.orderId)).toEqual(['CANCELED', '0']);
  expect(openIds(fixture)).toEqual([]);
  const missingCode = profile.missingOrderCode === 'perMarket' ? -2013 : Number(profile.missingOrderCode);
  expect(fixture.refusalCode('spot.cancelOrder', { orderId: placed.orderId, symbol })).toBe(-1145);
  expect(fixture.refusalCode('spot.cancelOrder', { orderId: '7', symbol })).toBe(missingCode);
  expect(fixture.ackedResult('spot.queryOrder', { orderId: '7', symbol })).toBeNull();
  expect(fixture.refusalCode('spot.newOrder', { ...SPOT_LIMIT, volume: '1000000', price: '10' })).toBe(-2017);
  expect(fixture.refusalCode('spot.newOrder', { ...SPOT_LIMIT, volume: '1', price: '10.001' })).toBe(
    profile.precisionCodes === 'spec' ? -1147 : -1111,
  );
};

/** Cancels and queries by client order id. Where the exchange supports it, both reach the latest order with that id. */
const cancelByClientId: Script = (fixture) => {
  const { profile } = fixture;
  const place = () => fixture.ackedResult('spot.newOrder', { ...SPOT_LIMIT, volume: '1', price: '10', newClientOrderId: 'same' }).orderId;
  const olderId = place();
  const newerId = place();
  fixture.passOneSecond();
  const order = fixture.ackedResult('spot.queryOrder', { newClientOrderId: 'same', symbol });
  expect(order?.orderId).toBe(profile.queryByClientId === 'works' ? newerId : undefined);
  const cancel = { newClientOrderId: 'same', symbol };
  if (profile.cancelByClientId === 'works') expect(fixture.ackedResult('spot.cancelOrder', cancel).orderId).toBe(newerId);
  else fixture.refusalCode('spot.cancelOrder', cancel);
  for (const orderId of openIds(fixture)) fixture.call('spot.cancelOrder', { orderId, symbol });
  expect([statusAndFilled(fixture, olderId), statusAndFilled(fixture, newerId)]).toEqual([
    ['CANCELED', '0'],
    ['CANCELED', '0'],
  ]);
};

/** Fills orders in part and in full. Trades must add up to the orders and to the balances. */
const fillInParts: Script = (fixture) => {
  const balancesBefore = { BTC: totalBalance(fixture, 'BTC'), USDT: totalBalance(fixture, 'USDT') };
  const sell = fixture.ackedResult('spot.newOrder', { ...SPOT_LIMIT, side: 'SELL', volume: '3', price: '100' }, 'bob');
  fixture.passOneSecond();
  const filled = fixture.ackedResult('spot.newOrder', { ...SPOT_LIMIT, volume: '1', price: '101' });
  expect(statusAndFilled(fixture, filled.orderId)).toEqual(['FILLED', '1']);
  const partlyFilled = fixture.ackedResult('spot.newOrder', { ...SPOT_LIMIT, volume: '2.5', price: '100' });
  expect(statusAndFilled(fixture, partlyFilled.orderId)).toEqual(['PARTIALLY_FILLED', '2']);
  expect(statusAndFilled(fixture, sell.orderId, 'bob')).toEqual(['FILLED', '3']);
  fixture.ackedResult('spot.cancelOrder', { orderId: partlyFilled.orderId, symbol });
  expect(statusAndFilled(fixture, partlyFilled.orderId)).toEqual(['CANCELED', '2']);

  const trades = fixture.ackedResult('spot.myTrades', { symbol, limit: 100 }).rows.filter(({ askId }) => askId === sell.orderId);
  expect(trades.map(({ bidId, quantity, price }) => [bidId, quantity, price])).toEqual([
    [partlyFilled.orderId, '2', '100'],
    [filled.orderId, '1', '100'],
  ]);
  const changes = { BTC: new Decimal(3), USDT: new Decimal(-300) };
  for (const { feeCoin, fee } of trades) {
    const asset = feeCoin as 'BTC' | 'USDT';
    changes[asset] = changes[asset].minus(fee ?? '0');
  }
  for (const asset of ['BTC', 'USDT'] as const) expect(totalBalance(fixture, asset).minus(balancesBefore[asset])).toEqual(changes[asset]);
  // A list from the older trade on misses no trade, whether or not it includes the older one.
  const [newest, older] = trades.map(({ tradeId }) => tradeId);
  const idsFromOlder = fixture.ackedResult('spot.myTrades', { symbol, limit: 100, fromId: older! }).rows.map(({ tradeId }) => tradeId);
  expect(idsFromOlder).toEqual(fixture.profile.fromId === 'inclusive' ? [newest, older] : [newest]);
};

/** Sends MARKET orders: a purchase by amount and a sale by quantity. */
const tradeAtMarket: Script = (fixture) => {
  fixture.ackedResult('spot.newOrder', { ...SPOT_LIMIT, side: 'SELL', volume: '5', price: '100' }, 'bob');
  fixture.ackedResult('spot.newOrder', { ...SPOT_LIMIT, volume: '5', price: '90' }, 'bob');
  fixture.passOneSecond();
  const bought = fixture.ackedResult('spot.newOrder', { symbol, side: 'BUY', type: 'MARKET', volume: '50' });
  const sold = fixture.ackedResult('spot.newOrder', { symbol, side: 'SELL', type: 'MARKET', volume: '0.25' });
  const [status, executed] = statusAndFilled(fixture, bought.orderId);
  expect(status).toMatch(/^FILLED|CANCELED$/);
  // A fee in the quote asset comes on top of the amount.
  expect(executed).toBe('0.5');
  const { origQty } = fixture.ackedResult('spot.queryOrder', { orderId: bought.orderId, symbol })!;
  expect(origQty).toBe(fixture.profile.marketBuyOrigQty === 'quote' ? '50' : executed);
  expect(statusAndFilled(fixture, sold.orderId)).toEqual(['FILLED', '0.25']);
};

/** Sends batches of orders. An order without funds is left out, or the exchange refuses the whole batch. */
const sendBatches: Script = (fixture) => {
  const { profile } = fixture;
  const row = { volume: '1', side: 'BUY', batchType: 'LIMIT', price: '10' } as const;
  const outcome = fixture.call('spot.batchOrders', { symbol, orders: [row, { ...row, volume: '100000' }, row] });
  if (profile.batchOrdersMethod === 'get' || profile.batchPartial === 'refuse') {
    expect(outcome).toMatchObject({ kind: 'refused', code: profile.batchOrdersMethod === 'get' ? -1020 : -2017 });
    for (let index = 0; index < 2; index++) fixture.ackedResult('spot.newOrder', { ...SPOT_LIMIT, volume: '1', price: '10' });
  } else expect(outcome).toMatchObject({ kind: 'acked' });
  fixture.passOneSecond();
  const ids = openIds(fixture);
  expect(ids).toHaveLength(2);
  if (outcome.kind === 'acked') expect(ids.toSorted()).toEqual(outcome.value.ids.toSorted());
  expect(fixture.ackedResult('spot.batchCancel', { symbol, orderIds: [...ids, '7'] })).toEqual({ success: ids, failed: ['7'] });
  fixture.passOneSecond();
  const failedIds = profile.batchCancelAllWrong === 'empty' ? null : ['7'];
  expect(fixture.ackedResult('spot.batchCancel', { symbol, orderIds: ['7'] }).failed).toEqual(failedIds);
  expect(openIds(fixture)).toEqual([]);
};

/** Opens, protects and closes a futures position, and checks every list that shows it. */
const openAndClosePosition: Script = (fixture) => {
  const { profile } = fixture;
  fixture.ackedResult('futures.changePositionMode', { contractName, positionModel: 2 });
  fixture.ackedResult('futures.changeMarginMode', { contractName, marginModel: 2 });
  fixture.ackedResult('futures.changeLeverage', { contractName, nowLevel: 10 });
  const isolated = { ...OPEN, positionType: 2 } as const;
  fixture.ackedResult('futures.createOrder', { ...OPEN, side: 'SELL', volume: '200', price: '1000' }, 'bob');
  fixture.ackedResult('futures.createOrder', { ...OPEN, volume: '200', price: '990' }, 'bob');
  fixture.passOneSecond();
  const order = { ...isolated, volume: '100', price: '1010', timeInForce: 'IOC', clientOrderId: 'f-1' } as const;
  const { orderId } = fixture.ackedResult('futures.createOrder', order);
  fixture.passOneSecond();
  expect(fixture.ackedResult('futures.orderInformation', { contractName, orderId })).toMatchObject({
    executedQty: '100',
    status: { word: 'FILLED' },
  });
  const trades = fixture.ackedResult('futures.myTrades', { contractName }).rows;
  expect(trades).toMatchObject([{ bidId: orderId, isBuyer: true, isMaker: false, quantity: '100' }]);
  const [account] = fixture.ackedResult('futures.account', {}).rows;
  expect(account).toMatchObject({ marginCoin: 'USDT', positionVos: [{ contractName, positions: [{ volume: '100', side: 'buy' }] }] });
  if (profile.positionsEndpoint === 'on') {
    const position = { positionSide: 'buy', positionVolume: '100', leverage: 10, positionType: 2 };
    expect(fixture.ackedResult('futures.positions', { contractName }).rows).toMatchObject([position]);
  } else expect(fixture.refusalCode('futures.positions', { contractName })).toBe(-1020);
  const change = fixture.call('futures.changeLeverage', { contractName, nowLevel: 10 });
  expect(change).toMatchObject(profile.settingsInUse === 'accept' ? { kind: 'acked' } : { kind: 'refused', code: -1020 });

  cancelWaitingOrders(fixture);
  fixture.ackedResult('futures.createOrder', { ...isolated, side: 'SELL', open: 'CLOSE', price: '990', volume: '40' });
  const closeAtMarket = { contractName, side: 'SELL', type: 'MARKET', open: 'CLOSE', positionType: 2, volume: '60' } as const;
  fixture.ackedResult('futures.createOrder', closeAtMarket);
  fixture.passOneSecond();
  expect(fixture.refusalCode('futures.createOrder', closeAtMarket)).toBe(10015);
  expect(fixture.ackedResult('futures.profitHistory', { contractName }).rows.map(({ volume }) => volume)).toEqual(['60', '40']);
  const history = fixture.ackedResult('futures.orderHistory', { contractName }).rows;
  expect(history.map(({ openOrClose, status }) => [openOrClose, status.word])).toEqual([
    ['CLOSE', 'FILLED'],
    ['CLOSE', 'FILLED'],
    ['OPEN', 'CANCELED'],
    ['OPEN', 'FILLED'],
  ]);
  expect(history.at(-1)).toMatchObject({ clientId: 'f-1', orderId, type: { word: 'IOC' } });
};

/** Places a trigger order and a resting order for a position of 100. Both are found, and both can be cancelled. */
function cancelWaitingOrders(fixture: PairFixture): void {
  const stop = { ...OPEN, positionType: 2, side: 'SELL', open: 'CLOSE', price: '100', volume: '100' } as const;
  const { triggerIds } = fixture.ackedResult('futures.createConditionOrder', { ...stop, triggerType: '1', triggerPrice: '101' });
  const triggerOrders = fixture.ackedResult('futures.triggerOrderList', { contractName });
  expect(triggerOrders).toMatchObject({ count: 1, rows: [{ triggerOrderId: triggerIds[0], status: { word: 'PENDING' } }] });
  const cancel = { contractName, orderId: triggerIds[0]! };
  fixture.ackedResult('futures.cancelTriggerOrder', cancel);
  const secondCancel = fixture.call('futures.cancelTriggerOrder', cancel);
  expect(secondCancel).toMatchObject(fixture.profile.secondCancel === 'again' ? { kind: 'acked' } : { kind: 'refused', code: -1145 });
  fixture.passOneSecond();
  expect(fixture.refusalCode('futures.cancelTriggerOrder', cancel)).toBe(-1145);

  const postOnly = { ...OPEN, positionType: 2, volume: '5', price: '500', timeInForce: 'POST_ONLY' } as const;
  const { orderId } = fixture.ackedResult('futures.createOrder', postOnly);
  fixture.passOneSecond();
  expect(fixture.ackedResult('futures.openOrders', { contractName }).rows.map((row) => row.orderId)).toEqual([orderId]);
  const restingOrder = fixture.ackedResult('futures.orderInformation', { contractName, orderId });
  expect(restingOrder).toMatchObject({ status: { word: 'NEW' }, timeInForce: { word: 'POST_ONLY' } });
  expect(fixture.ackedResult('futures.cancelOrder', { contractName, orderId })).toEqual({ orderId });
  fixture.passOneSecond();
  expect(fixture.ackedResult('futures.openOrders', {}).rows).toEqual([]);
}

/** Sends two equal calls at once. An exchange that refuses replays accepts both, because each has its own signature. */
const sendEqualCallsAtOnce: Script = (fixture) => {
  expect(fixture.callTwice('spot.account', {})).toEqual(['acked', 'acked']);
  expect(fixture.callTwice('futures.orderHistory', { contractName })).toEqual(['acked', 'acked']);
};

/** Reads the public data: instruments, books, and the trades and bars that the earlier scripts have made. */
const readMarketData: Script = (fixture) => {
  expect(fixture.ackedResult('spot.symbols', {}).rows.map((row) => row.symbol)).toEqual([symbol, 'ETHUSDT']);
  expect(fixture.ackedResult('spot.recentTrades', { symbol, limit: 5 })).toMatchObject({ refused: [] });
  expect(fixture.ackedResult('spot.ticker', { symbol }).last).toMatch(/^\d+/);
  expect(fixture.ackedResult('spot.depth', { symbol, limit: 100 })).toMatchObject({
    bids: expect.any(Array) as unknown,
    asks: expect.any(Array) as unknown,
  });
  expect(fixture.ackedResult('futures.contracts', {}).rows).toMatchObject([{ symbol: contractName, status: 1 }, {}, {}]);
  expect(fixture.ackedResult('futures.depth', { contractName, limit: 100 }).asks).toMatchObject([{ price: '1000' }]);
  expect(fixture.ackedResult('futures.indexPrice', { contractName }).tagPrice).toMatch(/^\d+/);
  const bars = [
    fixture.ackedResult('spot.klines', { symbol, interval: '1d', limit: 5 }),
    fixture.ackedResult('futures.klines', { contractName, interval: '1d', limit: 5 }),
  ];
  const barCount = fixture.profile.klinesOpenBar === 'on' ? 1 : 0;
  for (const { rows } of bars) expect(rows).toHaveLength(barCount);
};

/** The scripts in their order. Each leaves the account without open orders or positions, and with the funds for the next one. */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  restAndCancel,
  cancelByClientId,
  fillInParts,
  tradeAtMarket,
  sendBatches,
  openAndClosePosition,
  sendEqualCallsAtOnce,
  readMarketData,
};
