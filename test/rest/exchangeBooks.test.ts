// Tests that the spot books never claim more than the exchange shows: unattributed fills, foreign replies, double ids, fills below a lot.

import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { atCall, atEveryCall, changeRows, replaceReplies } from '../fixtures/plantedFaults.ts';
import { BTC, RestWorld, type RestWorldOptions } from '../fixtures/restFixture.ts';
import { spotTrader } from '../fixtures/restOthers.ts';
import { LIMIT_TERMS, haltsWith } from './restTerms.ts';

type ExternalFill = RestWorld['unattributedFills'][number];

/** Opens a bot and its exchange in virtual time. */
const openWorld = (options: RestWorldOptions = {}) => RestWorld.open(options);

/** Units of one USDT and of one coin. */
const UNITS_PER_COIN = 1e8;

/** Returns the change of the account at the exchange since the start, in units of both assets. */
const changeAtExchange = (world: RestWorld) => ({
  quote: world.balance('USDT') - 100_000 * UNITS_PER_COIN,
  base: world.balance(BTC.base) - 10 * UNITS_PER_COIN,
});

/** Returns the change of the same assets in the bot's books: of the strategies, and of the unattributed fills of the account. */
function changeInBooks(world: RestWorld) {
  const sum = (amountOf: (fill: ExternalFill) => Decimal) =>
    world.unattributedFills.reduce((total, fill) => total.plus(amountOf(fill)), new Decimal(0));
  const sign = (fill: ExternalFill) => (fill.side === 'buy' ? 1 : -1);
  const feeIn = (coin: string) => (fill: ExternalFill) => (fill.feeCoin === coin ? new Decimal(fill.fee) : new Decimal(0));
  const quote = sum((fill) => new Decimal(fill.notional).times(-sign(fill)).minus(feeIn(BTC.quote)(fill)));
  const base = sum((fill) => new Decimal(fill.qty).times(sign(fill)).minus(feeIn(BTC.base)(fill)));
  return {
    quote: world.cashChange + quote.times(UNITS_PER_COIN).toNumber(),
    base: world.engine.ledger.qty(0, 0) - 5 * UNITS_PER_COIN + base.times(10 ** BTC.baseDigits).toNumber(),
  };
}

/** Takes units of an asset from the account without a trade. */
function withdraw({ service }: RestWorld, asset: string, units: number): void {
  const { accounts } = service.spot.venue;
  accounts.of(0, accounts.asset(asset)).free -= units;
}

describe('the second copy of a create', () => {
  it('the fill of a second copy of a create belongs to the account, is named by the halt, and the books equal the exchange', async () => {
    const world = await openWorld();
    spotTrader(world).placeLimit('bob', 'SELL', '5', '80');
    world.plantFault('NET.dup');
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(5000);
    expect(world.placedCountOf(id)).toBe(2);
    world.audit('full');
    expect(world.unattributedFills).toHaveLength(1);
    const [externalFill] = world.unattributedFills;
    expect(externalFill).toMatchObject({ symbol: BTC.id, side: 'buy', qty: '0.1', price: '80' });
    const [halt] = haltsWith(world, 'DUPLICATE');
    expect(halt!.why).toContain(`bought 0.1 for 8 (trades ${externalFill!.tradeId}): a position of the account`);
    expect(world.audit('full').kind).toBe('mismatch');
    expect(changeInBooks(world)).toEqual(changeAtExchange(world));
    // The operator has looked. From now on an equal result of the audit counts.
    world.exchange.clear('DUPLICATE', null);
    expect(world.audit('full')).toMatchObject({ kind: 'ok', differences: [] });
    expect(changeInBooks(world)).toEqual(changeAtExchange(world));
    expect(world.exchange.externalPositions).toMatchObject([{ symbol: BTC.id, qty: '0.1', quote: '-8', fills: 1 }]);
  });

  it('the second copies of two orders fill: the halt names both copies', async () => {
    const world = await openWorld();
    spotTrader(world).placeLimit('bob', 'SELL', '5', '80');
    const schedule = [1, 2].map((nth) => atCall(nth, 'NET.dup', 'spot.newOrder'));
    world.plantFaults(...schedule);
    const ids = [world.placeOrder(LIMIT_TERMS), world.placeOrder(LIMIT_TERMS)];
    world.passTime(5000);
    expect(ids.map((id) => world.placedCountOf(id))).toEqual([2, 2]);
    world.audit('full');
    const { why } = haltsWith(world, 'DUPLICATE')[0]!;
    const namedOrders = Array.from(why.matchAll(/second copy of (\w+); it has bought 0\.\d+ for/g), ([, cid]) => cid!);
    expect(namedOrders.toSorted()).toEqual(ids.map((id) => world.clientOrderIdOf(id)).toSorted());
    expect(changeInBooks(world)).toEqual(changeAtExchange(world));
  });

  it('the second copy of a create fills before a restart: its fill is still a position of the account, once', async () => {
    const world = await openWorld();
    spotTrader(world).placeLimit('bob', 'SELL', '5', '80');
    world.plantFault('NET.dup');
    world.placeOrder(LIMIT_TERMS);
    world.passTime(5000);
    world.audit('full');
    const restarted = await world.restart();
    restarted.audit('full');
    expect(restarted.unattributedFills).toHaveLength(1);
    expect(restarted.exchange.externalPositions).toMatchObject([{ qty: '0.1', fills: 1 }]);
    expect(restarted.audit('full').kind).toBe('ok');
  });

  it('the second copy of a create rests and its cancel is lost: it is cancelled again, and no audit passes before it has ended', async () => {
    const world = await openWorld();
    world.plantFaults(atCall(1, 'NET.dup', 'spot.newOrder'), atCall(1, 'NET.reqDrop', 'spot.cancelOrder'));
    world.placeOrder(LIMIT_TERMS);
    world.passTime(300);
    world.audit('full');
    world.exchange.clear('DUPLICATE', null);
    const ownOpenOrders = () => world.service.spot.unendedOrders().filter(({ account }) => account === 0).length;
    world.passUntil(() => world.audit('fast').kind === 'ok', 60_000);
    expect(ownOpenOrders()).toBe(1);
  });
});

describe('the second copy of a create that rests', () => {
  /** Opens a bot with an order whose second copy rests at the exchange, because its cancels are lost. */
  async function openWithRestingCopy(openOrdersClientId: 'on' | 'off') {
    const world = await RestWorld.open({ switches: { openOrdersClientId } });
    world.plantFaults(atCall(1, 'NET.dup', 'spot.newOrder'), atEveryCall('NET.reqDrop', 'spot.cancelOrder'));
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(2000);
    world.audit('full');
    return { world, id };
  }

  it.each(['on', 'off'] as const)(
    'the second copy of a create that rests is identified, and its fills after a resume are named (lists with client order ids: %s)',
    async (openOrdersClientId) => {
      const { world, id } = await openWithRestingCopy(openOrdersClientId);
      expect(world.placedCountOf(id)).toBe(2);
      expect(world.haltCodes).toEqual(['DUPLICATE']);
      world.exchange.clear('DUPLICATE', null);
      spotTrader(world).placeLimit('bob', 'SELL', '0.13', '90');
      world.passTime(2000);
      expect(world.audit('full').kind).toBe('mismatch');
      const copyQty = world.orderById(id).filledLots === 1000 ? '0.03' : '0.1';
      expect(world.unattributedFills).toMatchObject([{ side: 'buy', qty: copyQty }]);
      expect(haltsWith(world, 'DUPLICATE')[0]!.why).toContain(`it has bought ${copyQty} for`);
      expect(changeInBooks(world)).toEqual(changeAtExchange(world));
    },
  );

  it('the second copy of a create that rests is identified once the exchange reports its client order id', async () => {
    const world = await RestWorld.open({ switches: { openOrdersClientId: 'off' } });
    world.plantFaults(atCall(1, 'NET.dup', 'spot.newOrder'), atCall(1, 'NET.respDrop', 'spot.queryOrder'));
    world.placeOrder(LIMIT_TERMS);
    world.passTime(200);
    world.passUntil(() => world.audit('full').kind !== 'gap', 60_000);
    expect(world.haltCodes).toEqual(['DUPLICATE']);
  });
});

describe('a reply', () => {
  it('a reply to myTrades about another symbol is ignored as a whole', async () => {
    const world = await openWorld();
    spotTrader(world).placeLimit('bob', 'SELL', '5', '80');
    world.plantFaults(changeRows('spot.myTrades', 'symbol', 'ETHUSDT'));
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(5000);
    expect(world.audit('full').kind).not.toBe('ok');
    expect(world.fillCount).toBe(0);
    expect(haltsWith(world, 'GAP')[0]!.why).toContain('symbol: expected BTCUSDT, got ETHUSDT');
    world.noFaults();
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 60_000);
    expect(world.fillCount).toBe(1);
    expect(world.audit('full').kind).toBe('ok');
    expect(world.haltCodes).toEqual([]);
    expect(changeInBooks(world)).toEqual(changeAtExchange(world));
  });

  it.each([
    ['spot.openOrders', 'symbol', 'ETHUSDT', 'done'],
    ['spot.queryOrder', 'symbol', 'ETHUSDT', 'cancelSent'],
    ['spot.queryOrder', 'orderId', '12345', 'cancelSent'],
  ])('a reply to %s with another %s is ignored', async (op, field, value, lifecycle) => {
    const world = await openWorld();
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(200);
    world.plantFaults(changeRows(op, field, value));
    world.cancel(id);
    world.passTime(10_000);
    expect(world.orderById(id).lifecycle).toBe(lifecycle);
    expect(world.haltCodes.filter((code) => code === 'ALIEN' || code === 'DUPLICATE')).toEqual([]);
    world.noFaults();
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 60_000);
    expect(world.audit('full').kind).toBe('ok');
  });

  it('a reply to myTrades with the other side of the order is not booked', async () => {
    const world = await openWorld();
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(200);
    const ids = `"symbol":"BTCUSDT","id":77,"bidId":1,"askId":${world.orderById(id).venueId}`;
    const body = `[{${ids},"price":90,"qty":0.1,"time":${world.nowMs},"isBuyer":false,"isMaker":true,"feeCoin":"USDT","fee":0.01}]`;
    world.plantFaults(replaceReplies('spot.myTrades', body));
    world.passTime(5000);
    expect(world.audit('full').kind).not.toBe('ok');
    expect(world.fillCount).toBe(0);
  });
});

describe('an answer about another account', () => {
  it('a reply about another account to the request for balances is ignored, and the operator has to clear a halt', async () => {
    const world = await openWorld({ switches: { balancesUid: 'on' } });
    expect(world.audit('full').kind).toBe('ok');
    const body = '{"uid":10002,"balances":[{"asset":"USDT","free":"1","locked":"0"}]}';
    world.plantFaults(replaceReplies('spot.account', body));
    expect(world.audit('full').kind).toBe('mismatch');
    expect(haltsWith(world, 'MISMATCH')[0]!.why).toContain('an answer about account 10002 instead of 10001 is left out');
  });
});

describe('while the exchange shows less than the books have', () => {
  it('while the exchange shows less than the books have, a larger reduction is not sent, and an equal one is', async () => {
    const world = await openWorld();
    expect(world.audit('full').kind).toBe('ok');
    // The books have 5 BTC; the account has lost 2 of them.
    withdraw(world, BTC.base, 2 * 10 ** BTC.baseDigits);
    expect(world.audit('full').kind).toBe('mismatch');
    const tooMuch = world.placeOrder({ side: 'sell', lots: 31_000, limit: 10_000 });
    world.passTime(200);
    expect(world.orderById(tooMuch)).toMatchObject({ lifecycle: 'done', reason: 'notSent' });
    expect(world.reported).toContain(`notSent ${tooMuch} VENUE_HOLDS_LESS`);
    const largerSale = world.placeOrder({ side: 'sell', lots: 20_000, limit: 10_000 });
    const equalSale = world.placeOrder({ side: 'sell', lots: 11_000, limit: 10_010 });
    const smallerSale = world.placeOrder({ side: 'sell', lots: 9000, limit: 10_020 });
    world.passTime(200);
    expect(world.orderById(largerSale).lifecycle).toBe('working');
    expect(world.orderById(equalSale).lifecycle).toBe('done');
    expect(world.orderById(smallerSale).lifecycle).toBe('working');
    // The operator explains the difference: holdings count from here.
    world.exchange.clear('MISMATCH', null);
    expect(world.audit('full').kind).toBe('ok');
    const remainder = world.placeOrder({ side: 'sell', lots: 20_000, limit: 10_030 });
    world.passTime(200);
    expect(world.orderById(remainder).lifecycle).toBe('working');
  });
});

describe('while unattributed fills have reduced the holdings of the strategies', () => {
  it('the remainder after a sale by a second copy may be reduced before the operator has cleared the halt', async () => {
    const world = await openWorld();
    spotTrader(world).placeLimit('bob', 'BUY', '8', '110');
    world.plantFault('NET.dup');
    const id = world.placeOrder({ side: 'sell', lots: 20_000, limit: 11_000 });
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 60_000);
    world.passUntil(() => world.unattributedFills.length > 0, 60_000);
    // The books have 3 BTC; 2 of them are sold.
    const wholeHolding = world.placeOrder({ side: 'sell', lots: 10_001, limit: 12_000 });
    const remainder = world.placeOrder({ side: 'sell', lots: 10_000, limit: 12_000 });
    world.passTime(200);
    expect(world.reported).toContain(`notSent ${wholeHolding} VENUE_HOLDS_LESS`);
    expect(world.orderById(remainder).lifecycle).toBe('working');
    world.exchange.clear('DUPLICATE', null);
    const largerSale = world.placeOrder({ side: 'sell', lots: 20_000, limit: 12_010 });
    world.passTime(200);
    expect(world.orderById(largerSale).lifecycle).toBe('working');
  });

  it('after an unattributed manual sale the remainder may be reduced, and the halt names the trade', async () => {
    const world = await openWorld();
    spotTrader(world).placeLimit('bob', 'BUY', '8', '110');
    world.plantFaults(atEveryCall('NET.reqDrop', 'spot.queryOrder'));
    const manualOrder = spotTrader(world).placeLimit('alice', 'SELL', '2', '110');
    world.passTime(100);
    world.audit('full');
    expect(haltsWith(world, 'STRAY')[0]!.why).toContain(`of order ${manualOrder}, sold 2 at 110`);
    const wholeHolding = world.placeOrder({ side: 'sell', lots: 30_001, limit: 12_000 });
    world.passTime(100);
    const remainder = world.placeOrder({ side: 'sell', lots: 30_000, limit: 12_000 });
    world.passTime(200);
    expect(world.reported).toContain(`notSent ${wholeHolding} VENUE_HOLDS_LESS`);
    expect(world.orderById(remainder).lifecycle).toBe('working');
  });
});

describe('an operator who clears a mismatch', () => {
  it('clearing a mismatch that names no difference accepts no difference: the next audit finds a withdrawal', async () => {
    const world = await openWorld({ switches: { balancesUid: 'on' } });
    expect(world.audit('full').kind).toBe('ok');
    const body = '{"uid":10002,"balances":[{"asset":"USDT","free":"1","locked":"0"}]}';
    world.plantFaults(replaceReplies('spot.account', body));
    expect(world.audit('full').kind).toBe('mismatch');
    world.noFaults();
    withdraw(world, 'USDT', 99_000 * UNITS_PER_COIN);
    world.exchange.clear('MISMATCH', null);
    expect(world.audit('full')).toMatchObject({
      kind: 'mismatch',
      differences: [{ what: expect.stringContaining('USDT: the account holds') }],
    });
  });
});

describe('a sale of more than the strategy holds', () => {
  it.each([
    ['all of it is a position of the account, and the order has not filled', 50_000, '5', '1'],
    ['the part that the strategy still holds is booked, the rest is a position of the account', 30_000, '3', '0.6'],
  ])('a refused sale of all coins fills although the strategy has sold coins since: %s', async (_, soldLots, excessQty, excessFee) => {
    const world = await openWorld();
    spotTrader(world).placeLimit('bob', 'BUY', '20', '100');
    world.plantFault('GW.code', { code: -1100 });
    const refusedId = world.placeOrder({ side: 'sell', lots: 50_000, limit: 9000 });
    world.passTime(200);
    expect(world.orderById(refusedId).reason).toBe('refused');
    world.noFaults();
    const id = world.placeOrder({ side: 'sell', lots: soldLots, limit: 9000 });
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 60_000);
    world.service.spot.place(0, world.orderById(refusedId), world.clientOrderIdOf(refusedId));
    world.audit('full');
    world.passUntil(() => world.orderById(refusedId).lifecycle === 'done' && world.orderById(refusedId).reason === 'canceled', 60_000);
    expect(world.orderById(refusedId).filledLots).toBe(50_000 - soldLots);
    expect(world.engine.ledger.lots(0, 0)).toBe(0);
    expect(world.unattributedFills).toMatchObject([{ symbol: BTC.id, side: 'sell', qty: excessQty, fee: excessFee }]);
    // A restart in between must not take the part of the account for the whole trade.
    expect(world.unattributedFills[0]!.split).toBe(soldLots === 30_000 ? true : undefined);
    expect(haltsWith(world, 'POST_TRADE')[0]!.why).toContain(`the strategy of the order did not hold ${excessQty} of it`);
    expect(changeInBooks(world)).toEqual(changeAtExchange(world));
    expect(world.audit('full').kind).toBe('mismatch');
    world.exchange.clear('POST_TRADE', null);
    expect(world.audit('full').kind).toBe('ok');
  });
});

describe('a fill that is finer than a lot', () => {
  it('a fill finer than a lot is booked in whole lots, and the rest is a position of the account that the halt names', async () => {
    const world = await openWorld();
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(200);
    const venueId = world.orderById(id).venueId;
    const tradeRow = (tradeId: number, qty: string): string =>
      `{"symbol":"BTCUSDT","id":${tradeId},"bidId":${venueId},"askId":1,"price":90,"qty":${qty},"time":${world.nowMs},"isBuyer":true,"isMaker":true,"feeCoin":"USDT","fee":0.01}`;
    const orderRow = (executed: string, status: string): string =>
      `{"symbol":"BTCUSDT","orderId":${venueId},"clientOrderId":"${world.clientOrderIdOf(id)}","price":90,"origQty":0.1,"executedQty":${executed},"type":"LIMIT","side":"BUY","status":"${status}"}`;
    const setReplies = (trades: readonly string[], executed: string, status: string): void =>
      world.plantFaults(
        replaceReplies('spot.myTrades', `[${trades.join(',')}]`),
        replaceReplies('spot.queryOrder', orderRow(executed, status)),
        replaceReplies('spot.openOrders', status === 'FILLED' ? '[]' : `[${orderRow(executed, status)}]`),
      );
    setReplies([tradeRow(77, '0.04005')], '0.04005', 'PARTIALLY_FILLED');
    world.passTime(10_000);
    expect(world.orderById(id)).toMatchObject({ lifecycle: 'working', filledLots: 400 });
    expect(world.unattributedFills).toMatchObject([{ tradeId: '77', side: 'buy', qty: '0.00005', notional: '0.0045' }]);
    expect(haltsWith(world, 'FINE_FILL')[0]!.why).toContain('trade 77');
    setReplies([tradeRow(78, '0.05995'), tradeRow(77, '0.04005')], '0.1', 'FILLED');
    world.audit('fast');
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 60_000);
    expect(world.orderById(id)).toMatchObject({ reason: 'filled', filledLots: 1000 });
    expect(world.haltCodes).not.toContain('STATUS');
    // The two parts below a lot add up to whole lots, so nothing remains for the account.
    expect(world.exchange.externalPositions).toMatchObject([{ qty: '0', quote: '0' }]);
    // 0.1 coins at 90, and two fees of 0.01.
    expect(world.cashChange).toBe(-9.02 * UNITS_PER_COIN);
  });

  it('a fill finer than a lot that completes its order is named by the halt, and the order ends', async () => {
    const world = await openWorld();
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(200);
    const venueId = world.orderById(id).venueId;
    const tradeRow = `{"symbol":"BTCUSDT","id":77,"bidId":${venueId},"askId":1,"price":90,"qty":0.09995,"time":${world.nowMs},"isBuyer":true,"isMaker":true,"feeCoin":"USDT","fee":0}`;
    const orderRow = `{"symbol":"BTCUSDT","orderId":${venueId},"clientOrderId":"${world.clientOrderIdOf(id)}","price":90,"origQty":0.1,"executedQty":0.09995,"type":"LIMIT","side":"BUY","status":"FILLED"}`;
    world.plantFaults(
      replaceReplies('spot.myTrades', `[${tradeRow}]`),
      replaceReplies('spot.queryOrder', orderRow),
      replaceReplies('spot.openOrders', '[]'),
    );
    world.audit('fast');
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 60_000);
    expect(world.orderById(id)).toMatchObject({ reason: 'filled', filledLots: 999 });
    expect(world.haltCodes).toContain('FINE_FILL');
    expect(world.haltCodes).not.toContain('STATUS');
    expect(world.exchange.externalPositions).toMatchObject([{ qty: '0.00005' }]);
  });
});
