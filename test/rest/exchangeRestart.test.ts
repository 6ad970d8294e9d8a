// Tests a bot that is killed and restarted: it sends and books nothing twice, and forgets no order.

import { describe, expect, it } from 'vitest';
import { BTC, ETH, RestWorld } from '../fixtures/restFixture.ts';
import { bob, trader } from '../fixtures/restOthers.ts';
import { INVERSE, PERPETUAL, TRADERS } from '../service/futuresFixture.ts';

const LIMIT = { lots: 1000, limit: 9000 } as const;
const CREATE = 'POST /sapi/v1/order';

describe('after a restart', () => {
  it('a working order continues after a restart: what it fills meanwhile is booked once', async () => {
    const before = await RestWorld.open();
    const id = before.order(LIMIT);
    before.pass(200);
    bob(before).limit('bob', 'SELL', '0.03', '90');
    before.settle();
    expect(before.get(id).filledLots).toBe(300);
    before.audit('full');
    const after = await before.restart();
    bob(after).limit('bob', 'SELL', '0.02', '90');
    expect(after.audit('full').kind).toBe('ok');
    expect(after.get(id)).toMatchObject({ lifecycle: 'working', filledLots: 500 });
    expect(after.reported.filter((line) => line.startsWith('filled'))).toEqual([`filled ${id} 200`]);
    bob(after).limit('bob', 'SELL', '0.05', '90');
    after.settle();
    expect(after.get(id)).toMatchObject({ lifecycle: 'done', reason: 'filled' });
    expect([after.placedOf(id), after.sent.get(CREATE)]).toEqual([1, 1]);
  });

  it.each([
    { request: 'arrives', resolved: { lifecycle: 'working' }, placed: 1 },
    { request: 'is lost', resolved: { lifecycle: 'done', reason: 'noEffect' }, placed: 0 },
  ])('a create whose request $request around a restart is resolved by the next process', async ({ request, resolved, placed }) => {
    const before = await RestWorld.open();
    before.audit('full');
    if (request === 'is lost') before.fault('NET.reqDrop');
    const id = before.order(LIMIT);
    before.pass(5);
    before.pass(30);
    const after = await before.restart();
    after.noFaults();
    after.until(() => after.get(id).lifecycle !== 'unknown');
    expect(after.get(id)).toMatchObject(resolved);
    expect(after.placedOf(id)).toBe(placed);
    expect(after.sent.get(CREATE)).toBe(1);
    expect(after.audit('full').kind).toBe('ok');
  });

  it.each([504, -1001, -1006, -1007, -1016])(
    'an incident before a restart (%i) lengthens the wait for the orders after it',
    async (code) => {
      const before = await RestWorld.open();
      before.audit('full');
      before.fault('BUS.unknown', { executed: 0, code });
      const id = before.order(LIMIT);
      before.pass(200);
      expect(before.get(id).lifecycle).toBe('unknown');
      const after = await before.restart();
      after.noFaults();
      const signedMs = after.nowMs;
      after.until(() => after.get(id).lifecycle !== 'unknown', 700_000);
      expect(after.get(id).reason).toBe('noEffect');
      expect(after.nowMs - signedMs).toBeGreaterThan(600_000);
    },
  );

  it('a cancel is sent again after a restart until the order has ended', async () => {
    const before = await RestWorld.open();
    const id = before.order(LIMIT);
    before.pass(200);
    before.fault('NET.reqDrop', {}, 'spot.cancelOrder');
    before.cancel(id);
    before.pass(20);
    const after = await before.restart();
    after.noFaults();
    after.until(() => after.get(id).lifecycle === 'done', 60_000);
    expect(after.get(id).reason).toBe('canceled');
  });

  it('journalled totals continue after a restart: a trade that is not booked yet explains the account', async () => {
    const before = await RestWorld.open();
    const id = before.order(LIMIT);
    before.pass(200);
    before.audit('full');
    // The order fills, and the process dies before it has read the fill.
    bob(before).limit('bob', 'SELL', '0.1', '90');
    const after = await before.restart();
    expect(after.audit('full').kind).toBe('ok');
    expect(after.get(id)).toMatchObject({ reason: 'filled', filledLots: 1000 });
    expect(after.engine.risk.halts.causes()).toEqual([]);
  });

  it('an order that was proven absent may still arrive after a restart', async () => {
    const before = await RestWorld.open();
    before.fault('NET.reqDrop');
    const id = before.order(LIMIT);
    before.until(() => before.get(id).reason === 'noEffect');
    const after = await before.restart();
    after.noFaults();
    after.service.spot.place(0, after.get(id), after.clientOrderIdOf(id));
    after.audit('full');
    after.until(() => after.get(id).reason === 'canceled', 60_000);
    expect(after.reported).toContain(`landed ${id}`);
  });

  it('money that disappears without a trade during a restart is a mismatch', async () => {
    const before = await RestWorld.open();
    before.audit('full');
    before.service.spot.venue.deposit(0, 'USDT', 1);
    const after = await before.restart();
    expect(after.audit('full').kind).toBe('mismatch');
  });
});

describe('a difference that the operator has accepted', () => {
  /** Accepts a difference and restarts at once. Returns the next bot, and the results of the audits before and after. */
  const acceptAndRestart = async (before: RestWorld) => {
    const kindBefore = before.audit('full').kind;
    before.exchange.clear('MISMATCH', null);
    const after = await before.restart();
    return { after, kinds: [kindBefore, after.audit('full').kind] };
  };

  it('an accepted difference of money stays accepted after a restart without an audit in between', async () => {
    const before = await RestWorld.open();
    before.audit('full');
    before.service.spot.venue.deposit(0, 'USDT', 1);
    const { after, kinds } = await acceptAndRestart(before);
    expect(kinds).toEqual(['mismatch', 'ok']);
    expect(after.haltCodes).toEqual([]);
  });

  it('an accepted difference stays exact beside a trade that no audit has counted yet', async () => {
    const before = await RestWorld.open();
    before.audit('full');
    before.service.spot.venue.deposit(0, 'USDT', 1);
    before.order({ lots: 1000, limit: 9000 });
    before.pass(200);
    expect(before.audit('full').kind).toBe('mismatch');
    bob(before).limit('bob', 'SELL', '0.1', '90');
    before.pass(10_000);
    const { after, kinds } = await acceptAndRestart(before);
    expect(kinds).toEqual(['mismatch', 'ok']);
    expect(after.haltCodes).toEqual([]);
  });

  it('each of two differences that were accepted in turn stays accepted, and a third one is found', async () => {
    const first = await RestWorld.open();
    first.audit('full');
    first.service.spot.venue.deposit(0, 'USDT', 1);
    const { after: second } = await acceptAndRestart(first);
    second.service.spot.venue.deposit(0, 'USDT', 2);
    const { after: third, kinds } = await acceptAndRestart(second);
    expect(kinds).toEqual(['mismatch', 'ok']);
    third.service.spot.venue.deposit(0, 'USDT', 4);
    expect(third.audit('full')).toMatchObject({ kind: 'mismatch' });
  });

  it('an accepted difference of contracts stays accepted after a restart without an audit in between', async () => {
    const before = await RestWorld.open({
      instruments: [PERPETUAL],
      service: { instruments: [BTC, ETH, PERPETUAL, INVERSE], accounts: TRADERS },
      parts: { contractSettingsTarget: () => ({ positionType: 1, leverage: 10, positionModel: 1 }) },
    });
    trader(before).order('bob', 'SELL', 10, 1000);
    const id = before.order({ lots: 10, limit: 10_000, timeInForce: 'IOC' });
    before.until(() => before.get(id).lifecycle === 'done', 20_000);
    expect(before.audit('full').kind).toBe('ok');
    before.service.futures.venue.wallets.position(0, 0, true).lots -= 3;
    const { after, kinds } = await acceptAndRestart(before);
    expect(kinds).toEqual(['mismatch', 'ok']);
    expect(after.haltCodes).toEqual([]);
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
  const restartWithHalts = (before: RestWorld) => before.restart({ keepsHalts: true });
  /** Sells 2 BTC of the account by hand, and trades of the bot follow. Without `isCounted`, no audit has seen the trades of the bot. */
  const sellManually = async ({ isCounted = true } = {}): Promise<{ before: RestWorld; orderId: string }> => {
    const before = await RestWorld.open();
    const own = before.order({ lots: 1000, limit: 9000 });
    before.pass(200);
    bob(before).limit('bob', 'BUY', '2', '110');
    const orderId = bob(before).limit('alice', 'SELL', '2', '110');
    before.pass(100);
    expect(before.audit('full').kind).toBe('mismatch');
    // More trades than the first page of a start has.
    for (let fill = 0; fill < 50; fill++) bob(before).limit('bob', 'SELL', '0.002', '90');
    before.settle();
    expect(before.get(own).filledLots).toBe(1000);
    before.pass(60_000);
    if (isCounted) before.audit('full');
    return { before, orderId };
  };

  it('a foreign order that has ended before a restart still waits for a decision, and once it is ignored its fill is a position of the account', async () => {
    const { before, orderId } = await sellManually();
    const after = await restartWithHalts(before);
    expect([foreignOf(after), after.haltCodes]).toEqual([[orderId], ['ALIEN']]);
    expect(after.audit('full').kind).toBe('mismatch');
    after.exchange.ignore(orderId);
    expect(after.external).toMatchObject([{ side: 'sell', qty: '2', price: '110' }]);
    expect([foreignOf(after), after.audit('full').kind]).toEqual([[], 'ok']);
    // The decision lasts: the next start has nothing to decide.
    expect(foreignOf(await after.restart())).toEqual([]);
  });

  it('a halt for a foreign order that the journal knows as an order of the bot is withdrawn by the next start, with the reason', async () => {
    const before = await RestWorld.open();
    const id = before.order({ lots: 1000, limit: 9000 });
    before.pass(200);
    bob(before).limit('bob', 'SELL', '0.1', '90');
    before.until(() => before.get(id).reason === 'filled', 60_000);
    const venueId = String(before.get(id).venueId);
    // The state after a process has taken a slice of its own kill for a foreign order.
    before.notes.set(`${BTC.id} foreign ${venueId}`, 'order ');
    before.engine.risk.halts.raise({ kind: 'account' }, 'HALT_NEW', 'ALIEN', `order ${venueId} is foreign`, before.nowMs);
    const after = await restartWithHalts(before);
    expect([foreignOf(after), after.haltCodes]).toEqual([[], []]);
    expect(after.reported).toContain(`over ALIEN: order ${venueId} of BTCUSDT is an order of this bot, by the journal`);
    expect(after.audit('full').kind).toBe('ok');
  });

  it('trades after the first one of an account are read without a gap after a restart', async () => {
    const { before, orderId } = await sellManually({ isCounted: false });
    before.exchange.ignore(orderId);
    before.engine.risk.resume({ kind: 'account' }, 'ALIEN', 'operator', before.nowMs);
    // The journal has counted the first trade alone.
    expect(before.notes.get(`${BTC.id} counted`)).toBe('1');
    expect((await restartWithHalts(before)).audit('full').kind).toBe('ok');
  });

  it('a foreign order stays foreign over two restarts', async () => {
    const { before, orderId } = await sellManually();
    const third = await restartWithHalts(await restartWithHalts(before));
    expect([foreignOf(third), third.haltCodes]).toEqual([[orderId], ['ALIEN']]);
  });

  it('after the operator has cleared the halt without a decision, a restart does not wait for one', async () => {
    const { before } = await sellManually();
    before.engine.risk.resume({ kind: 'account' }, 'ALIEN', 'operator', before.nowMs);
    before.exchange.clear('ALIEN', null);
    const after = await restartWithHalts(before);
    expect([foreignOf(after), after.haltCodes]).toEqual([[], []]);
  });
});
