// Tests a bot that is killed and restarted: it sends and books nothing twice, and forgets no order.

import { describe, expect, it } from 'vitest';
import { DEFAULT_ABSENCE_BOUNDS } from '../../src/orders/prove/absenceBounds.ts';
import { BTC, ETH, RestWorld } from '../fixtures/restFixture.ts';
import { spotTrader, futuresTrader } from '../fixtures/restOthers.ts';
import { INVERSE, PERPETUAL, TRADERS } from '../service/futuresFixture.ts';
import { LIMIT_TERMS } from './restTerms.ts';

/** How long an order may still arrive after an incident: the least wait before its absence is proven. */
const INCIDENT_MS = DEFAULT_ABSENCE_BOUNDS.deltaIncidentMs;
/** The request that creates an order, as `sentCounts` has it. */
const CREATE_REQUEST = 'POST /sapi/v1/order';

describe('after a restart', () => {
  it('a working order continues after a restart: what it fills meanwhile is booked once', async () => {
    const firstWorld = await RestWorld.open();
    const id = firstWorld.placeOrder(LIMIT_TERMS);
    firstWorld.passTime(200);
    spotTrader(firstWorld).placeLimit('bob', 'SELL', '0.03', '90');
    firstWorld.settle();
    expect(firstWorld.orderById(id).filledLots).toBe(300);
    firstWorld.audit('full');
    const nextWorld = await firstWorld.restart();
    spotTrader(nextWorld).placeLimit('bob', 'SELL', '0.02', '90');
    expect(nextWorld.audit('full').kind).toBe('ok');
    expect(nextWorld.orderById(id)).toMatchObject({ lifecycle: 'working', filledLots: 500 });
    expect(nextWorld.reported.filter((line) => line.startsWith('filled'))).toEqual([`filled ${id} 200`]);
    spotTrader(nextWorld).placeLimit('bob', 'SELL', '0.05', '90');
    nextWorld.settle();
    expect(nextWorld.orderById(id)).toMatchObject({ lifecycle: 'done', reason: 'filled' });
    expect([nextWorld.placedCountOf(id), nextWorld.sentCounts.get(CREATE_REQUEST)]).toEqual([1, 1]);
  });

  it.each([
    { request: 'arrives', expectedEnd: { lifecycle: 'working' }, placedCount: 1 },
    { request: 'is lost', expectedEnd: { lifecycle: 'done', reason: 'noEffect' }, placedCount: 0 },
  ])('a create whose request $request around a restart is resolved by the next process', async ({ request, expectedEnd, placedCount }) => {
    const firstWorld = await RestWorld.open();
    firstWorld.audit('full');
    if (request === 'is lost') firstWorld.plantFault('NET.reqDrop');
    const id = firstWorld.placeOrder(LIMIT_TERMS);
    firstWorld.passTime(5);
    firstWorld.passTime(30);
    const nextWorld = await firstWorld.restart();
    nextWorld.noFaults();
    nextWorld.passUntil(() => nextWorld.orderById(id).lifecycle !== 'unknown');
    expect(nextWorld.orderById(id)).toMatchObject(expectedEnd);
    expect(nextWorld.placedCountOf(id)).toBe(placedCount);
    expect(nextWorld.sentCounts.get(CREATE_REQUEST)).toBe(1);
    expect(nextWorld.audit('full').kind).toBe('ok');
  });

  it.each([504, -1001, -1006, -1007, -1016])(
    'an incident before a restart (%i) lengthens the wait for the orders after it',
    async (code) => {
      const firstWorld = await RestWorld.open();
      firstWorld.audit('full');
      firstWorld.plantFault('BUS.unknown', { executed: 0, code });
      const id = firstWorld.placeOrder(LIMIT_TERMS);
      firstWorld.passTime(200);
      expect(firstWorld.orderById(id).lifecycle).toBe('unknown');
      const nextWorld = await firstWorld.restart();
      nextWorld.noFaults();
      const signedMs = nextWorld.nowMs;
      nextWorld.passUntil(() => nextWorld.orderById(id).lifecycle !== 'unknown', INCIDENT_MS + 100_000);
      expect(nextWorld.orderById(id).reason).toBe('noEffect');
      expect(nextWorld.nowMs - signedMs).toBeGreaterThan(INCIDENT_MS);
    },
  );

  it('a cancel is sent again after a restart until the order has ended', async () => {
    const firstWorld = await RestWorld.open();
    const id = firstWorld.placeOrder(LIMIT_TERMS);
    firstWorld.passTime(200);
    firstWorld.plantFault('NET.reqDrop', {}, 'spot.cancelOrder');
    firstWorld.cancel(id);
    firstWorld.passTime(20);
    const nextWorld = await firstWorld.restart();
    nextWorld.noFaults();
    nextWorld.passUntil(() => nextWorld.orderById(id).lifecycle === 'done', 60_000);
    expect(nextWorld.orderById(id).reason).toBe('canceled');
  });

  it('journalled totals continue after a restart: a trade that is not booked yet explains the account', async () => {
    const firstWorld = await RestWorld.open();
    const id = firstWorld.placeOrder(LIMIT_TERMS);
    firstWorld.passTime(200);
    firstWorld.audit('full');
    // The order fills, and the process dies before it has read the fill.
    spotTrader(firstWorld).placeLimit('bob', 'SELL', '0.1', '90');
    const nextWorld = await firstWorld.restart();
    expect(nextWorld.audit('full').kind).toBe('ok');
    expect(nextWorld.orderById(id)).toMatchObject({ reason: 'filled', filledLots: 1000 });
    expect(nextWorld.engine.risk.halts.causes()).toEqual([]);
  });

  it('an order that was proven absent may still arrive after a restart', async () => {
    const firstWorld = await RestWorld.open();
    firstWorld.plantFault('NET.reqDrop');
    const id = firstWorld.placeOrder(LIMIT_TERMS);
    firstWorld.passUntil(() => firstWorld.orderById(id).reason === 'noEffect');
    const nextWorld = await firstWorld.restart();
    nextWorld.noFaults();
    nextWorld.service.spot.place(0, nextWorld.orderById(id), nextWorld.clientOrderIdOf(id));
    nextWorld.audit('full');
    nextWorld.passUntil(() => nextWorld.orderById(id).reason === 'canceled', 60_000);
    expect(nextWorld.reported).toContain(`arrivedLate ${id}`);
  });

  it('money that disappears without a trade during a restart is a mismatch', async () => {
    const firstWorld = await RestWorld.open();
    firstWorld.audit('full');
    firstWorld.service.spot.venue.deposit(0, 'USDT', 1);
    const nextWorld = await firstWorld.restart();
    expect(nextWorld.audit('full').kind).toBe('mismatch');
  });
});

describe('a difference that the operator has accepted', () => {
  /** Accepts a difference and restarts at once. Returns the next bot, and the results of the audits before and after. */
  const acceptAndRestart = async (firstWorld: RestWorld) => {
    const kindBefore = firstWorld.audit('full').kind;
    firstWorld.exchange.clear('MISMATCH', null);
    const nextWorld = await firstWorld.restart();
    return { nextWorld, kinds: [kindBefore, nextWorld.audit('full').kind] };
  };

  it('an accepted difference of money stays accepted after a restart without an audit in between', async () => {
    const firstWorld = await RestWorld.open();
    firstWorld.audit('full');
    firstWorld.service.spot.venue.deposit(0, 'USDT', 1);
    const { nextWorld, kinds } = await acceptAndRestart(firstWorld);
    expect(kinds).toEqual(['mismatch', 'ok']);
    expect(nextWorld.haltCodes).toEqual([]);
  });

  it('an accepted difference stays exact beside a trade that no audit has counted yet', async () => {
    const firstWorld = await RestWorld.open();
    firstWorld.audit('full');
    firstWorld.service.spot.venue.deposit(0, 'USDT', 1);
    firstWorld.placeOrder({ lots: 1000, limit: 9000 });
    firstWorld.passTime(200);
    expect(firstWorld.audit('full').kind).toBe('mismatch');
    spotTrader(firstWorld).placeLimit('bob', 'SELL', '0.1', '90');
    firstWorld.passTime(10_000);
    const { nextWorld, kinds } = await acceptAndRestart(firstWorld);
    expect(kinds).toEqual(['mismatch', 'ok']);
    expect(nextWorld.haltCodes).toEqual([]);
  });

  it('each of two differences that were accepted in turn stays accepted, and a third one is found', async () => {
    const first = await RestWorld.open();
    first.audit('full');
    first.service.spot.venue.deposit(0, 'USDT', 1);
    const { nextWorld: second } = await acceptAndRestart(first);
    second.service.spot.venue.deposit(0, 'USDT', 2);
    const { nextWorld: third, kinds } = await acceptAndRestart(second);
    expect(kinds).toEqual(['mismatch', 'ok']);
    third.service.spot.venue.deposit(0, 'USDT', 4);
    expect(third.audit('full')).toMatchObject({ kind: 'mismatch' });
  });

  it('an accepted difference of contracts stays accepted after a restart without an audit in between', async () => {
    const firstWorld = await RestWorld.open({
      instruments: [PERPETUAL],
      service: { instruments: [BTC, ETH, PERPETUAL, INVERSE], accounts: TRADERS },
      parts: { contractSettingsTarget: () => ({ positionType: 1, leverage: 10, positionModel: 1 }) },
    });
    futuresTrader(firstWorld).placeOrder('bob', 'SELL', 10, 1000);
    const id = firstWorld.placeOrder({ lots: 10, limit: 10_000, timeInForce: 'IOC' });
    firstWorld.passUntil(() => firstWorld.orderById(id).lifecycle === 'done', 20_000);
    expect(firstWorld.audit('full').kind).toBe('ok');
    firstWorld.service.futures.venue.wallets.position(0, 0, true).lots -= 3;
    const { nextWorld, kinds } = await acceptAndRestart(firstWorld);
    expect(kinds).toEqual(['mismatch', 'ok']);
    expect(nextWorld.haltCodes).toEqual([]);
  });

  it('clearing a mismatch of one instrument accepts no difference of the account', async () => {
    const world = await RestWorld.open();
    world.audit('full');
    world.service.spot.venue.deposit(0, 'USDT', 1);
    expect(world.audit('full').kind).toBe('mismatch');
    world.exchange.clear('MISMATCH', 0);
    expect(world.audit('full').kind).toBe('mismatch');
  });
});

describe('a foreign order that waits for a decision', () => {
  /** Returns the venue order ids of the foreign orders that wait for a decision. */
  const foreignOf = ({ exchange }: RestWorld) => exchange.foreignOrders.map(({ venueId }) => venueId);
  /** Restarts with the halts that the journal has. */
  const restartWithHalts = (firstWorld: RestWorld) => firstWorld.restart({ keepsHalts: true });
  /** Sells 2 BTC of the account by hand, and trades of the bot follow. Without `isCounted`, no audit has seen the trades of the bot. */
  const sellManually = async ({ isCounted = true } = {}): Promise<{ firstWorld: RestWorld; orderId: string }> => {
    const firstWorld = await RestWorld.open();
    const ownOrder = firstWorld.placeOrder({ lots: 1000, limit: 9000 });
    firstWorld.passTime(200);
    spotTrader(firstWorld).placeLimit('bob', 'BUY', '2', '110');
    const orderId = spotTrader(firstWorld).placeLimit('alice', 'SELL', '2', '110');
    firstWorld.passTime(100);
    expect(firstWorld.audit('full').kind).toBe('mismatch');
    // More trades than the first page of a start has.
    for (let fill = 0; fill < 50; fill++) spotTrader(firstWorld).placeLimit('bob', 'SELL', '0.002', '90');
    firstWorld.settle();
    expect(firstWorld.orderById(ownOrder).filledLots).toBe(1000);
    firstWorld.passTime(60_000);
    if (isCounted) firstWorld.audit('full');
    return { firstWorld, orderId };
  };

  it('a foreign order that ended before a restart still waits for a decision; once ignored, its fill belongs to the account', async () => {
    const { firstWorld, orderId } = await sellManually();
    const nextWorld = await restartWithHalts(firstWorld);
    expect([foreignOf(nextWorld), nextWorld.haltCodes]).toEqual([[orderId], ['ALIEN']]);
    expect(nextWorld.audit('full').kind).toBe('mismatch');
    nextWorld.exchange.ignore(orderId);
    expect(nextWorld.unattributedFills).toMatchObject([{ side: 'sell', qty: '2', price: '110' }]);
    expect([foreignOf(nextWorld), nextWorld.audit('full').kind]).toEqual([[], 'ok']);
    // The decision lasts: the next start has nothing to decide.
    expect(foreignOf(await nextWorld.restart())).toEqual([]);
  });

  it('the next start withdraws a halt for a foreign order that the journal knows as the bot’s, with the reason', async () => {
    const firstWorld = await RestWorld.open();
    const id = firstWorld.placeOrder({ lots: 1000, limit: 9000 });
    firstWorld.passTime(200);
    spotTrader(firstWorld).placeLimit('bob', 'SELL', '0.1', '90');
    firstWorld.passUntil(() => firstWorld.orderById(id).reason === 'filled', 60_000);
    const venueId = String(firstWorld.orderById(id).venueId);
    // The state after a process has taken a slice of its own kill for a foreign order.
    firstWorld.notes.set(`${BTC.id} foreign ${venueId}`, 'order ');
    firstWorld.engine.risk.halts.raise({ kind: 'account' }, 'HALT_NEW', 'ALIEN', `order ${venueId} is foreign`, firstWorld.nowMs);
    const nextWorld = await restartWithHalts(firstWorld);
    expect([foreignOf(nextWorld), nextWorld.haltCodes]).toEqual([[], []]);
    expect(nextWorld.reported).toContain(`halt cleared ALIEN: order ${venueId} of BTCUSDT is an order of this bot, by the journal`);
    expect(nextWorld.audit('full').kind).toBe('ok');
  });

  it('trades after the first one of an account are read without a gap after a restart', async () => {
    const { firstWorld, orderId } = await sellManually({ isCounted: false });
    firstWorld.exchange.ignore(orderId);
    firstWorld.engine.risk.resume({ kind: 'account' }, 'ALIEN', 'operator', firstWorld.nowMs);
    // The journal has counted the first trade alone.
    expect(firstWorld.notes.get(`${BTC.id} counted`)).toBe('1');
    expect((await restartWithHalts(firstWorld)).audit('full').kind).toBe('ok');
  });

  it('a foreign order stays foreign over two restarts', async () => {
    const { firstWorld, orderId } = await sellManually();
    const third = await restartWithHalts(await restartWithHalts(firstWorld));
    expect([foreignOf(third), third.haltCodes]).toEqual([[orderId], ['ALIEN']]);
  });

  it('after the operator has cleared the halt without a decision, a restart does not wait for one', async () => {
    const { firstWorld } = await sellManually();
    firstWorld.engine.risk.resume({ kind: 'account' }, 'ALIEN', 'operator', firstWorld.nowMs);
    firstWorld.exchange.clear('ALIEN', null);
    const nextWorld = await restartWithHalts(firstWorld);
    expect([foreignOf(nextWorld), nextWorld.haltCodes]).toEqual([[], []]);
  });
});
