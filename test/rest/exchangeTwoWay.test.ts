// Tests that books and exchange are compared by side in two-way mode: no difference hides behind an equal sum of long and short.

import { describe, expect, it } from 'vitest';
import { seededRng } from '../../src/base/number/rng.ts';
import type { OrderId } from '../../src/model/order.ts';
import { futuresLedgerOf } from '../../src/portfolio/pairedLedger.ts';
import { atEveryCall, replaceReplies } from '../fixtures/plantedFaults.ts';
import { BTC, ETH, RestWorld, type RestWorldOptions } from '../fixtures/restFixture.ts';
import { futuresTrader } from '../fixtures/restOthers.ts';
import { ETH_PERPETUAL, INVERSE, PERPETUAL, TRADERS } from '../service/futuresFixture.ts';

/** Opens the exchange with contracts in two-way mode. */
const openWorld = ({ service, ...options }: RestWorldOptions = {}) =>
  RestWorld.open({
    instruments: [PERPETUAL],
    isTwoWay: true,
    ...options,
    service: { instruments: [BTC, ETH, PERPETUAL, ETH_PERPETUAL, INVERSE], accounts: TRADERS, ...service },
    parts: { contractSettingsTarget: () => ({ positionType: 1, leverage: 10, positionModel: options.isTwoWay === false ? 1 : 2 }) },
  });

/** Fills an order of the bot against another account, at 1000. Returns its id. */
function trade(world: RestWorld, side: 'buy' | 'sell', lots: number, reduceOnly = false): OrderId {
  futuresTrader(world).placeOrder('bob', side === 'buy' ? 'SELL' : 'BUY', lots, 1000);
  const id = world.placeOrder({ side, lots, limit: 10_000, timeInForce: 'IOC', reduceOnly });
  world.passUntil(() => (world.engine.orders.get(id)?.lifecycle ?? 'done') === 'done', 20_000);
  return id;
}

/** Returns a bot that holds these lots, long and short. */
async function openWithHoldings(long: number, short: number, options: RestWorldOptions = {}): Promise<RestWorld> {
  const world = await openWorld(options);
  trade(world, 'buy', long);
  trade(world, 'sell', short);
  expect(atExchange(world)).toEqual({ BUY: long, SELL: short });
  expect(world.audit('full').kind).toBe('ok');
  return world;
}

/** Returns the lots that the exchange has, by side. */
function atExchange({ service }: RestWorld): Readonly<Partial<Record<'BUY' | 'SELL', number>>> {
  const { wallets } = service.futures.venue;
  return Object.fromEntries(wallets.openPositions(0).map(({ isLong, lots }) => [isLong ? 'BUY' : 'SELL', lots]));
}

/** The calls that show whether an order opens or closes. */
const ORDER_CALLS = ['futures.orderInformation', 'futures.orderHistory'] as const;

/** Changes both sides of the position at the exchange without a trade. */
function changeWithoutTrade({ service }: RestWorld, byLots: number): void {
  const { wallets } = service.futures.venue;
  for (const isLong of [true, false]) wallets.position(0, 0, isLong).lots += byLots;
}

/** Trades one contract of the bot's account by hand, against another account. */
function tradeOneManually(world: RestWorld, side: 'BUY' | 'SELL', action: 'OPEN' | 'CLOSE'): void {
  futuresTrader(world).placeOrder('bob', side === 'BUY' ? 'SELL' : 'BUY', 1, 1000);
  futuresTrader(world).placeOrder('alice', side, 1, 1000, { open: action });
}
/** Trades one contract of the bot's account by hand on each side. */
function tradeBothSidesManually(world: RestWorld, action: 'OPEN' | 'CLOSE'): void {
  for (const side of ['BUY', 'SELL'] as const) tradeOneManually(world, side, action);
}
/** Marks all foreign orders as not ours, as the operator does. */
function ignoreAll(world: RestWorld): void {
  for (const { venueId } of world.exchange.foreignOrders) world.ignore(venueId);
}

/** Clears every halt, as the operator does. */
function resumeAll({ exchange, engine, nowMs }: RestWorld): void {
  for (const { code } of engine.risk.halts.causes()) {
    if (code === 'MISMATCH') exchange.clear(code, null);
    engine.risk.resume({ kind: 'account' }, code, 'me', nowMs);
  }
}

/** Requests a closing order. Returns true if the bot sends it; it is then cancelled. */
function sendsClosingOrder(world: RestWorld, side: 'buy' | 'sell', lots: number): boolean {
  const id = world.placeOrder({ side, lots, limit: side === 'buy' ? 9000 : 11_000, reduceOnly: true });
  world.passTime(200);
  if (world.reported.includes(`notSent ${id} VENUE_HOLDS_LESS`)) return false;
  expect(world.orderById(id).lifecycle).toBe('working');
  world.cancel(id);
  world.passUntil(() => world.orderById(id).lifecycle === 'done', 20_000);
  return true;
}

describe('a position that has changed on both sides without a trade', () => {
  it.each([
    [-1, { BUY: 2 }, 2, 0],
    [2, { BUY: 5, SELL: 3 }, 5, 3],
  ])('an audit names both sides of a contract that have changed by %i', async (byLots, expectedLots, long, short) => {
    const world = await openWithHoldings(3, 1);
    changeWithoutTrade(world, byLots);
    expect(atExchange(world)).toEqual(expectedLots);
    const { kind, differences } = world.audit('full');
    expect(kind).toBe('mismatch');
    expect(differences).toMatchObject([
      {
        code: 'MISMATCH',
        what:
          `${PERPETUAL.wireName}: the long position is ${long} lots, its trades make 3; ` +
          `${PERPETUAL.wireName}: the short position is ${short} lots, its trades make 1`,
      },
    ]);
    // The operator has looked. From now on the difference is expected, after a restart too.
    world.exchange.clear('MISMATCH', null);
    expect(world.audit('full').kind).toBe('ok');
    const restarted = await world.restart();
    expect(restarted.audit('full').kind).toBe('ok');
  });

  it.each([
    [-1, 2],
    [2, 0],
    [0, 3],
  ])(
    'a difference of %i long and %i short that was accepted is expected after a restart, without an audit in between',
    async (long, short) => {
      const world = await openWithHoldings(3, 1);
      const { wallets } = world.service.futures.venue;
      wallets.position(0, 0, true).lots += long;
      wallets.position(0, 0, false).lots += short;
      expect(world.audit('full').kind).toBe('mismatch');
      world.exchange.clear('MISMATCH', null);
      const restarted = await world.restart();
      expect([restarted.haltCodes, restarted.audit('full').kind]).toEqual([[], 'ok']);
      changeWithoutTrade(restarted, 1);
      expect(restarted.audit('full').kind).toBe('mismatch');
    },
  );

  it('a restart names what has changed on both sides while the bot was down', async () => {
    const world = await openWithHoldings(3, 1);
    changeWithoutTrade(world, -1);
    const restarted = await world.restart();
    expect(restarted.haltCodes).toEqual(['MISMATCH']);
    expect(restarted.audit('full').kind).toBe('mismatch');
  });

  it('reductions of each side are limited to what the exchange shows of that side', async () => {
    const world = await openWithHoldings(3, 2);
    // An order that opens takes nothing from the other side.
    world.placeOrder({ side: 'sell', lots: 4, limit: 12_000 });
    world.passTime(200);
    changeWithoutTrade(world, -1);
    expect(world.audit('full').kind).toBe('mismatch');
    expect([sendsClosingOrder(world, 'sell', 3), sendsClosingOrder(world, 'sell', 2)]).toEqual([false, true]);
    expect([sendsClosingOrder(world, 'buy', 2), sendsClosingOrder(world, 'buy', 1)]).toEqual([false, true]);
  });

  it('a journal without the long side counts as one side: the audit names the other one', async () => {
    const world = await openWithHoldings(3, 1);
    expect(world.notes.get(`${PERPETUAL.id} position`)).toBe('2');
    expect(world.notes.get(`${PERPETUAL.id} long`)).toBe('3');
    world.notes.delete(`${PERPETUAL.id} long`);
    const restarted = await world.restart();
    expect(restarted.haltCodes).toEqual(['MISMATCH']);
  });
});

describe('trades by hand on both sides', () => {
  it('contracts closed by hand limit the reductions of each side, and are a position of the account once they are ignored', async () => {
    const world = await openWithHoldings(3, 2);
    tradeBothSidesManually(world, 'CLOSE');
    expect(atExchange(world)).toEqual({ BUY: 2, SELL: 1 });
    const { differences, isComplete } = world.audit('full');
    expect(differences.map(({ code }) => code)).toEqual(['ALIEN']);
    expect(isComplete).toBe(true);
    expect([sendsClosingOrder(world, 'sell', 3), sendsClosingOrder(world, 'sell', 2)]).toEqual([false, true]);
    expect([sendsClosingOrder(world, 'buy', 2), sendsClosingOrder(world, 'buy', 1)]).toEqual([false, true]);
    ignoreAll(world);
    expect(world.audit('full').kind).toBe('ok');
    const accountPositions = [
      { isLong: false, qty: '1', fills: 1 },
      { isLong: true, qty: '-1', fills: 1 },
    ];
    expect(world.exchange.externalPositions).toMatchObject(accountPositions);
    const restarted = await world.restart();
    expect(restarted.audit('full').kind).toBe('ok');
    expect(restarted.exchange.externalPositions).toMatchObject(accountPositions);
  });

  it('contracts opened by hand limit no reduction', async () => {
    const world = await openWithHoldings(3, 2);
    tradeBothSidesManually(world, 'OPEN');
    expect(world.audit('full').differences.map(({ code }) => code)).toContain('ALIEN');
    expect([sendsClosingOrder(world, 'sell', 3), sendsClosingOrder(world, 'buy', 2)]).toEqual([true, true]);
    ignoreAll(world);
    expect(world.audit('full').kind).toBe('ok');
    expect(world.exchange.externalPositions).toMatchObject([
      { isLong: true, qty: '1' },
      { isLong: false, qty: '-1' },
    ]);
  });

  it('a trade whose order cannot be read counts as a close until the order is known', async () => {
    const world = await openWithHoldings(3, 2);
    world.plantFaults(...ORDER_CALLS.map((op) => atEveryCall('NET.reqDrop', op)));
    tradeBothSidesManually(world, 'CLOSE');
    expect(world.audit('full').kind).not.toBe('ok');
    expect(world.haltCodes).toContain('STRAY');
    expect([sendsClosingOrder(world, 'sell', 3), sendsClosingOrder(world, 'buy', 2)]).toEqual([false, false]);
    world.noFaults();
    world.audit('full');
    ignoreAll(world);
    expect(world.audit('full').kind).toBe('ok');
  });

  it('an ignored order that fills after a restart itself shows which side it closes', async () => {
    const world = await openWithHoldings(3, 2);
    futuresTrader(world).placeOrder('alice', 'SELL', 2, 1000, { open: 'CLOSE' });
    futuresTrader(world).placeOrder('bob', 'BUY', 1, 1000);
    world.audit('full');
    ignoreAll(world);
    expect(world.audit('full').kind).toBe('ok');
    futuresTrader(world).placeOrder('bob', 'BUY', 1, 1000);
    const restarted = await world.restart();
    expect(restarted.haltCodes).toEqual([]);
    expect(atExchange(restarted)).toEqual({ BUY: 1, SELL: 2 });
    expect(restarted.audit('full').kind).toBe('ok');
    expect(restarted.exchange.externalPositions).toMatchObject([{ isLong: true, qty: '-2', fills: 2 }]);
  });

  it('the position of a contract is compared and noted once the side of each of its trades is known', async () => {
    const world = await openWithHoldings(3, 2, { instruments: [PERPETUAL, ETH_PERPETUAL] });
    const loseRequests = (ops: readonly string[]) => world.plantFaults(...ops.map((op) => atEveryCall('NET.reqDrop', op)));
    const ethOrder = { contractName: ETH_PERPETUAL.wireName };
    futuresTrader(world).placeOrder('bob', 'SELL', 1, 1000, ethOrder);
    futuresTrader(world).placeOrder('alice', 'BUY', 1, 1000, ethOrder);
    futuresTrader(world).placeOrder('alice', 'SELL', 1, 1000, { ...ethOrder, open: 'CLOSE' });
    world.audit('full');
    ignoreAll(world);
    expect(world.audit('full').kind).toBe('ok');
    // The next fill is journalled, and no position that includes it.
    loseRequests(['futures.positions', 'futures.account']);
    futuresTrader(world).placeOrder('bob', 'BUY', 1, 1000, ethOrder);
    expect(world.audit('full')).toMatchObject({ kind: 'gap', differences: [{ what: expect.stringMatching(/^lists of the account did/) }] });
    expect(world.unattributedFills).toHaveLength(2);
    loseRequests(ORDER_CALLS);
    const restarted = await world.restart();
    expect(restarted.audit('full').kind).toBe('gap');
    // The position of the other contract is equal in both books, so it is noted.
    const state = { isSettled: false };
    restarted.exchange.settle([0], () => {
      state.isSettled = true;
    });
    restarted.passUntil(() => state.isSettled, 60_000);
    restarted.noFaults();
    const third = await restarted.restart();
    expect(third.haltCodes).toEqual([]);
    expect(third.audit('full').kind).toBe('ok');
  });

  it('an ignored order that the exchange does not know any more counts as one that has opened: the audit names the difference', async () => {
    const world = await openWithHoldings(3, 2);
    futuresTrader(world).placeOrder('alice', 'SELL', 2, 1000, { open: 'CLOSE' });
    world.audit('full');
    ignoreAll(world);
    futuresTrader(world).placeOrder('bob', 'BUY', 2, 1000);
    const emptyReply = '{"code":"0","msg":"Success","data":null}';
    world.plantFaults(replaceReplies('futures.orderInformation', emptyReply), replaceReplies('futures.orderHistory', '[]'));
    const restarted = await world.restart();
    expect(atExchange(restarted)).toEqual({ BUY: 1, SELL: 2 });
    // Within the read lag the exchange may not show the order yet.
    expect(restarted.haltCodes).toEqual(['STRAY']);
    restarted.passTime(5000);
    expect(restarted.audit('full').kind).toBe('mismatch');
    expect(restarted.haltCodes).toEqual(['MISMATCH']);
    expect(restarted.exchange.externalPositions).toMatchObject([{ isLong: false, qty: '-2' }]);
  });
});

describe('the books of two-way mode', () => {
  it('trades after the latest audit change their side after a restart too', async () => {
    const world = await openWithHoldings(3, 2);
    trade(world, 'buy', 2);
    trade(world, 'sell', 1, true);
    trade(world, 'buy', 1, true);
    expect(atExchange(world)).toEqual({ BUY: 4, SELL: 1 });
    expect(world.notes.get(`${PERPETUAL.id} long`)).toBe('3');
    // The journal knows what its own orders have closed: none is read for that.
    world.plantFaults(...ORDER_CALLS.map((op) => atEveryCall('NET.reqDrop', op)));
    const restarted = await world.restart();
    expect(restarted.haltCodes).toEqual([]);
    expect(restarted.audit('full').kind).toBe('ok');
    expect(restarted.notes.get(`${PERPETUAL.id} long`)).toBe('4');
    expect(restarted.notes.get(`${PERPETUAL.id} position`)).toBe('3');
  });

  it('second copies that close take from each side, and both limit the reductions', async () => {
    const world = await openWithHoldings(6, 6);
    for (const [side, taker] of [
      ['sell', 'BUY'],
      ['buy', 'SELL'],
    ] as const) {
      futuresTrader(world).placeOrder('bob', taker, 4, 1000);
      world.plantFault('NET.dup', {}, 'futures.createOrder');
      const id = world.placeOrder({ side, lots: 2, limit: 10_000, timeInForce: 'IOC', reduceOnly: true });
      world.passUntil(() => world.orderById(id).lifecycle === 'done', 60_000);
      expect(world.placedCountOf(id)).toBe(2);
      world.noFaults();
    }
    world.passUntil(() => world.unattributedFills.length === 2, 60_000);
    expect(atExchange(world)).toEqual({ BUY: 2, SELL: 2 });
    expect(world.haltCodes).toContain('DUPLICATE');
    expect([sendsClosingOrder(world, 'sell', 3), sendsClosingOrder(world, 'sell', 2)]).toEqual([false, true]);
    expect([sendsClosingOrder(world, 'buy', 3), sendsClosingOrder(world, 'buy', 2)]).toEqual([false, true]);
    world.exchange.clear('DUPLICATE', null);
    expect(world.audit('full').kind).toBe('ok');
    expect(world.unattributedFills).toMatchObject([
      { side: 'sell', qty: '2', long: true },
      { side: 'buy', qty: '2', long: false },
    ]);
  });

  it('funding of equal long and short positions is read before a bar is decided', async () => {
    const world = await openWithHoldings(3, 3, { service: { fundingRates: { [PERPETUAL.id]: 1e8 } } });
    world.service.advance(world.nowMs + 8 * 3_600_000);
    world.passTime(8 * 3_600_000, 60_000);
    world.clock.measure('futures');
    world.passTime(1000);
    world.settle();
    const funded = world.reported.filter((line) => line.startsWith('funded')).map((line) => Number(line.slice('funded '.length)));
    expect(funded).toHaveLength(2);
    expect(funded[0]).toBeLessThan(0);
    expect(funded[1]).toBe(-funded[0]!);
  });

  it('an exchange that has the contract in net mode is a mismatch after the first order of the other side', async () => {
    const world = await openWorld();
    trade(world, 'buy', 3);
    Object.assign(world.service.futures.venue.setting(0, PERPETUAL), { isNet: true });
    trade(world, 'sell', 1);
    expect(atExchange(world)).toEqual({ BUY: 2 });
    expect(world.audit('full').differences).toMatchObject([{ code: 'MISMATCH' }]);
  });

  it('in net mode the journal has the net position alone', async () => {
    const world = await openWorld({ isTwoWay: false });
    trade(world, 'buy', 3);
    futuresTrader(world).placeOrder('bob', 'BUY', 1, 1000);
    futuresTrader(world).placeOrder('alice', 'SELL', 1, 1000, { open: 'CLOSE' });
    world.audit('full');
    ignoreAll(world);
    expect(world.audit('full').kind).toBe('ok');
    const channels = [...world.notes.keys()].filter((key) => key.startsWith(`${PERPETUAL.id} `)).map((key) => key.split(' ')[1]);
    expect(new Set(channels)).toEqual(new Set(['counted', 'foreign', 'position']));
    expect(world.notes.get(`${PERPETUAL.id} position`)).toBe('2');
    expect(world.unattributedFills).toHaveLength(1);
    expect(world.unattributedFills[0]).not.toHaveProperty('long');
    expect(world.exchange.externalPositions).toMatchObject([{ qty: '-1', isLong: undefined }]);
  });

  it.each([1, 2, 3, 4])(
    'random trades, trades by hand, hidden changes and restarts (seed %i): an audit passes only if each side of the books equals the exchange',
    async (seed) => {
      const rng = seededRng(seed);
      const draw = (count: number): number => Math.floor(rng.next() * count);
      let world = await openWorld({ keepsHoldings: true });
      /** Lots that the exchange has gained without a trade, and that the operator has explained. */
      const explained = { BUY: 0, SELL: 0 };
      /** All lots that the exchange has gained without a trade. */
      const hidden = { BUY: 0, SELL: 0 };
      let passedAudits = 0;
      let mismatches = 0;
      for (let step = 0; step < 60; step++) {
        const isLong = draw(2) === 0;
        const [side, openingSide, closingSide] = isLong ? (['BUY', 'buy', 'sell'] as const) : (['SELL', 'sell', 'buy'] as const);
        const lotsAtExchange = atExchange(world)[side] ?? 0;
        const lotsInBooks = futuresLedgerOf(world.engine.ledger)!.side(0, isLong).lots;
        const closableLots = Math.min(lotsInBooks, lotsAtExchange);
        const { wallets } = world.service.futures.venue;
        const hasBothSides = [true, false].every((ofLong) => wallets.position(0, 0, ofLong).lots > 1);
        const event = draw(8);
        if (event < 2) trade(world, openingSide, 1 + draw(3));
        else if (event === 2 && closableLots > 0) trade(world, closingSide, 1 + draw(closableLots), true);
        else if (event === 3) tradeOneManually(world, side, 'OPEN');
        else if (event === 4 && lotsAtExchange > 0) tradeOneManually(world, isLong ? 'SELL' : 'BUY', 'CLOSE');
        else if (event === 5 && hasBothSides) {
          const byLots = draw(2) === 0 ? 1 : -1;
          changeWithoutTrade(world, byLots);
          hidden.BUY += byLots;
          hidden.SELL += byLots;
        } else if (event === 6) world = await world.restart();
        else continue;
        world.passTime(2000);
        // The operator explains each difference until an audit passes.
        while (world.audit('full').kind !== 'ok') {
          mismatches++;
          ignoreAll(world);
          if (world.haltCodes.includes('MISMATCH')) Object.assign(explained, hidden);
          resumeAll(world);
          world.passTime(2000);
        }
        passedAudits++;
        const { exchange, engine } = world;
        const bookedLots = [true, false].map((ofLong) => {
          const accountQty = exchange.externalPositions.find((position) => position.isLong === ofLong)?.qty ?? '0';
          const strategyLots = futuresLedgerOf(engine.ledger)!.side(0, ofLong).lots;
          return strategyLots + Number(accountQty) * (ofLong ? 1 : -1) + explained[ofLong ? 'BUY' : 'SELL'];
        });
        const { BUY: longLots = 0, SELL: shortLots = 0 } = atExchange(world);
        expect({ step, bookedLots }).toEqual({ step, bookedLots: [longLots, shortLots] });
      }
      expect(passedAudits).toBeGreaterThan(20);
      expect(mismatches).toBeGreaterThan(4);
      expect(world.fillCount).toBeGreaterThan(5);
    },
  );
});
