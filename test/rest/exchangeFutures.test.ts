// Tests futures through the REST adapter: settings, opening and closing, evidence without client order ids, funding, and liquidation.

import { describe, expect, it } from 'vitest';
import { adoptionProblem } from '../../src/engine/router/adoption.ts';
import { BTC, ETH, RestWorld, type RestWorldOptions } from '../fixtures/restFixture.ts';
import { futuresTrader } from '../fixtures/restOthers.ts';
import { INVERSE, PERPETUAL, TRADERS } from '../service/futuresFixture.ts';

/** The operation that creates an order. */
const CREATE = 'futures.createOrder';
/** The request that creates an order, as `sentCounts` has it. */
const CREATE_REQUEST = 'POST /fapi/v1/order';
/** A buy of ten contracts of 0.001 coins at 900.0, below the market of about 1000.0. */
const LIMIT_TERMS = { lots: 10, limit: 9000 } as const;

/** Opens a bot that trades a contract, and its exchange, in virtual time. */
const openWorld = (options: RestWorldOptions = {}) =>
  RestWorld.open({
    instruments: [PERPETUAL],
    ...options,
    service: { instruments: [BTC, ETH, PERPETUAL, INVERSE], accounts: TRADERS, ...options.service },
    parts: { contractSettingsTarget: () => ({ positionType: 1, leverage: 10, positionModel: 1 }), ...options.parts },
  });

describe('contracts', () => {
  it('settings of contracts are sent before any order, again and again until the exchange confirms them', async () => {
    const world = await openWorld();
    expect(world.reported).toContain('halt cleared SETTINGS');
    expect(world.sentCounts.get('POST /fapi/v1/edit_lever')).toBe(1);

    const unsettledWorld = await openWorld({ service: { off: ['futures.changeLeverage'] } });
    unsettledWorld.placeOrder(LIMIT_TERMS);
    unsettledWorld.passTime(10_000);
    expect(unsettledWorld.reported.some((line) => line.startsWith('halt raised SETTINGS'))).toBe(true);
    expect(unsettledWorld.engine.orders.active()).toEqual([]);
    expect(unsettledWorld.sentCounts.get(CREATE_REQUEST)).toBeUndefined();
    expect(unsettledWorld.sentCounts.get('POST /fapi/v1/edit_lever')).toBeGreaterThan(2);
  });

  it('a restart beside an entry that rests confirms the settings by that entry, because the exchange refuses to change them', async () => {
    const firstWorld = await openWorld();
    firstWorld.placeOrder(LIMIT_TERMS);
    firstWorld.passTime(200);
    const nextWorld = await firstWorld.restart();
    nextWorld.passTime(10_000);
    expect(nextWorld.reported).toContain('halt cleared SETTINGS');
    // An entry with another leverage confirms nothing.
    nextWorld.exchange.stop(() => {});
    const contractSettingsTarget = () => ({ positionType: 1, leverage: 5, positionModel: 1 }) as const;
    const otherWorld = await RestWorld.open({ ...nextWorld.options, parts: { contractSettingsTarget }, after: nextWorld });
    otherWorld.passTime(10_000);
    expect(otherWorld.reported.some((line) => line.startsWith('halt raised SETTINGS'))).toBe(true);
    expect(otherWorld.reported).not.toContain('halt cleared SETTINGS');
    // The halt names both: it lasts as long as the entry, and a wait alone does not end it.
    expect(otherWorld.engine.risk.halts.causes().find(({ code }) => code === 'SETTINGS')?.why).toContain(
      'an open order has leverage 10 and cross margin, the config leverage 5 and cross margin',
    );
  });

  it('an audit finds an account set to two-way mode although the sum of long and short equals the books of net mode', async () => {
    const world = await openWorld();
    const { venue } = world.service.futures;
    expect(venue.setPositionMode(0, PERPETUAL, false)).toBe(true);
    for (const [side, lots] of [
      ['buy', 10],
      ['sell', 15],
    ] as const) {
      futuresTrader(world).placeOrder('bob', side === 'buy' ? 'SELL' : 'BUY', lots, 1000);
      const id = world.placeOrder({ side, lots, limit: side === 'buy' ? 10_000 : 9900, timeInForce: 'IOC' });
      world.passUntil(() => world.orderById(id).lifecycle === 'done', 20_000);
    }
    expect(venue.wallets.openPositions(0).map(({ lots }) => lots)).toEqual([10, 15]);
    const result = world.audit('full');
    expect(result.kind).toBe('mismatch');
    expect(JSON.stringify(result)).toContain(
      'the exchange has 10 long and 15 short: the contract is in two-way mode there, and the bot is in net mode',
    );
  });

  it('an audit finds a position with another leverage than the config asks for, which another client has set', async () => {
    const world = await openWorld();
    const { venue } = world.service.futures;
    expect(venue.setLeverage(0, PERPETUAL, 50)).toBe(true);
    futuresTrader(world).placeOrder('bob', 'SELL', 10, 1000);
    const entry = world.placeOrder({ lots: 10, limit: 10_000, timeInForce: 'IOC' });
    world.passUntil(() => world.orderById(entry).lifecycle === 'done', 20_000);
    const result = world.audit('full');
    expect(result.kind).toBe('mismatch');
    expect(JSON.stringify(result)).toContain(
      'the position has leverage 50 and cross margin at the exchange, and the config asks for leverage 10 and cross margin',
    );

    futuresTrader(world).placeOrder('bob', 'BUY', 10, 995);
    const exit = world.placeOrder({ side: 'sell', lots: 10, reduceOnly: true });
    world.passUntil(() => world.orderById(exit).lifecycle === 'done', 20_000);
    expect(venue.setLeverage(0, PERPETUAL, 10)).toBe(true);
    expect(world.audit('full').kind, 'without a position nothing shows the leverage').toBe('ok');
  });

  it('an order by hand that has closed contracts of a strategy can be adopted although a resting order closes all of them', async () => {
    const world = await openWorld();
    futuresTrader(world).placeOrder('bob', 'SELL', 10, 1000);
    const entry = world.placeOrder({ lots: 10, limit: 10_000, timeInForce: 'IOC' });
    world.passUntil(() => world.orderById(entry).lifecycle === 'done', 20_000);
    world.placeOrder({ side: 'sell', lots: 10, limit: 11_000, reduceOnly: true });
    world.passTime(200);
    const problemOf = (endedLots: number | null): string | null =>
      adoptionProblem(world.engine, 0, { instrument: 0, side: 'sell', lots: 11, limit: 10_000, reduceOnly: true, endedLots });
    expect(problemOf(5)).toBeNull();
    expect(problemOf(10)).toBeNull();
    expect(problemOf(11), 'the eleventh contract is one of the account').toBeNull();
    expect(problemOf(null), 'the order is open').toContain('11 contracts to close');
  });

  it('contracts are opened and closed in contracts, and the position equals its trades', async () => {
    const world = await openWorld();
    futuresTrader(world).placeOrder('bob', 'SELL', 10, 1000);
    const longEntry = world.placeOrder({ lots: 10, limit: 10_000, timeInForce: 'IOC' });
    world.passUntil(() => world.orderById(longEntry).lifecycle === 'done', 20_000);
    expect(world.orderById(longEntry)).toMatchObject({ reason: 'filled', filledLots: 10 });
    expect(futuresTrader(world).positions()).toMatchObject([{ positionSide: 'BUY', positionVolume: 10, leverage: 10 }]);
    expect(world.audit('full').kind).toBe('ok');
    futuresTrader(world).placeOrder('bob', 'BUY', 10, 995);
    const closingOrder = world.placeOrder({ side: 'sell', lots: 10, reduceOnly: true });
    world.passUntil(() => world.orderById(closingOrder).lifecycle === 'done', 20_000);
    expect(world.orderById(closingOrder)).toMatchObject({ reason: 'filled', filledLots: 10 });
    expect(futuresTrader(world).positions()).toEqual([]);
    expect(world.engine.ledger.isFlat(0, 0)).toBe(true);
    expect(world.audit('full').kind).toBe('ok');
    // The bot's books and the exchange's wallet have changed by the same amount, to the last unit.
    const { free, locked } = world.service.futures.venue.wallets.wallet(0, world.service.futures.venue.wallets.asset('USDT'));
    expect(free + locked - 10_000 * 1e4).toBe(world.engine.ledger.cashTotal - 5000 * 1e4);
  });

  it('an IOC order that fills in part ends as canceled, and the filled contracts are a position', async () => {
    const world = await openWorld();
    futuresTrader(world).placeOrder('bob', 'SELL', 4, 1000);
    const id = world.placeOrder({ lots: 10, limit: 10_000, timeInForce: 'IOC' });
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 20_000);
    expect(world.orderById(id)).toMatchObject({ reason: 'canceled', filledLots: 4 });
  });
});

describe('a create of a contract whose reply is lost', () => {
  it.each([
    ['NET.respDrop', {}, 1],
    ['NET.reqDrop', {}, 0],
    ['BUS.unknown', { executed: 1, code: -1007 }, 1],
    ['BUS.unknown', { executed: 0, code: 504 }, 0],
  ] as const)(
    'after the fault %s %j, a create of a contract is resolved, with %i order at the exchange',
    async (point, params, placedCount) => {
      const world = await openWorld();
      world.plantFault(point, params, CREATE);
      const id = world.placeOrder(LIMIT_TERMS);
      world.passUntil(() => world.reported.some((line) => line.startsWith(`unknown ${id}`)), 20_000);
      world.passUntil(() => !['sent', 'unknown'].includes(world.orderById(id).lifecycle), 900_000);
      expect(world.orderById(id)).toMatchObject(placedCount === 1 ? { lifecycle: 'working' } : { lifecycle: 'done', reason: 'noEffect' });
      expect([world.placedCountOf(id), world.sentCounts.get(CREATE_REQUEST)]).toEqual([placedCount, 1]);
    },
  );

  it('a contract order that filled at once and whose reply was lost is found in the history by its client order id', async () => {
    const world = await openWorld();
    futuresTrader(world).placeOrder('bob', 'SELL', 10, 900);
    world.plantFault('NET.respDrop', {}, CREATE);
    const id = world.placeOrder(LIMIT_TERMS);
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 60_000);
    expect(world.orderById(id)).toMatchObject({ reason: 'filled', filledLots: 10 });
    expect(world.reported.some((line) => line.includes('orderHistory found'))).toBe(true);
    expect(world.audit('full').kind).toBe('ok');
  });
});

describe('changes by the exchange', () => {
  it('funding is booked from positions, once', async () => {
    const world = await openWorld({ service: { fundingRates: { [PERPETUAL.id]: 1e8 } } });
    futuresTrader(world).placeOrder('bob', 'SELL', 10, 1000);
    const id = world.placeOrder({ lots: 10, limit: 10_000, timeInForce: 'IOC' });
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 20_000);
    world.audit('full');
    world.service.advance(world.nowMs + 8 * 3_600_000);
    world.passTime(8 * 3_600_000, 60_000);
    world.clock.measure('futures');
    world.passTime(1000);
    // A second audit must not book the funding again.
    world.audit('full');
    world.audit('full');
    world.settle();
    const funded = world.reported.filter((line) => line.startsWith('funded'));
    expect(funded).toHaveLength(1);
    const { free, locked } = world.service.futures.venue.wallets.wallet(0, world.service.futures.venue.wallets.asset('USDT'));
    const margin = world.service.futures.venue.wallets.position(0, 0, true).marginUnits;
    expect(free + locked + margin - 10_000 * 1e4).toBe(world.engine.ledger.cashTotal - 5000 * 1e4);
  });

  it('a position that changes without an order of the bot halts the account', async () => {
    const world = await openWorld();
    world.audit('full');
    futuresTrader(world).placeOrder('bob', 'SELL', 10, 1000);
    futuresTrader(world).placeOrder('alice', 'BUY', 10, 1000);
    expect(world.audit('full').kind).toBe('mismatch');
    expect(world.haltCodes).toContain('ALIEN');
  });
});
