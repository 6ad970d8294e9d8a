// Tests the fault catalogue (order safety, section 14) through REST: the right outcome, at most one order, and no forgotten order.

import { describe, expect, it } from 'vitest';
import { ENDINGS } from '../../src/model/run/run.ts';
import { atCall, atEveryCall, replaceReplies } from '../fixtures/plantedFaults.ts';
import { BTC, RestWorld, type RestWorldOptions } from '../fixtures/restFixture.ts';
import { spotTrader } from '../fixtures/restOthers.ts';
import { LIMIT_TERMS } from './restTerms.ts';

/** Opens a bot and its exchange in virtual time. */
const openWorld = (options: RestWorldOptions = {}) => RestWorld.open(options);

/** Places an order while a fault is on, and waits until its outcome is known. */
async function placeUnderFault(point: string, params: Readonly<Record<string, number | string>>, options: RestWorldOptions = {}) {
  const world = await openWorld(options);
  world.plantFault(point, params);
  const id = world.placeOrder(LIMIT_TERMS);
  world.passTime(100);
  world.passUntil(() => !['sent', 'unknown'].includes(world.orderById(id).lifecycle), 900_000);
  return { world, id };
}

/**
 * Cancels the order if it is still open. Expects that one create was sent, that the exchange placed `placedCount` orders for it, that both
 * books agree, and that no order is left.
 */
function expectOneOutcome(world: RestWorld, id: ReturnType<RestWorld['placeOrder']>, placedCount: number): void {
  expect(world.placedCountOf(id)).toBe(placedCount);
  expect(world.sentCounts.get('POST /sapi/v1/order')).toBe(1);
  if (world.orderById(id).lifecycle !== 'done') {
    world.cancel(id);
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 60_000);
  }
  expect(world.audit('full')).toMatchObject({ kind: 'ok' });
  expect(world.service.spot.unendedOrders().filter(({ account }) => account === 0)).toEqual([]);
  expect(world.engine.orders.active()).toEqual([]);
  expect(world.engine.orders.impossibleEvents).toBe(0);
}

describe('N1 to N8: the network', () => {
  it('N1: a request that is lost is proved to have no effect after the absence horizon, and never sent again', async () => {
    const { world, id } = await placeUnderFault('NET.reqDrop', {});
    expect(world.orderById(id)).toMatchObject({ lifecycle: 'done', reason: 'noEffect' });
    // It is proved only after the admission window and the longest delay of the lists.
    expect(world.nowMs - world.journal.signMs(world.orderById(id))).toBeGreaterThan(65_000);
    expectOneOutcome(world, id, 0);
  });

  it('N2: an order whose reply is lost is found in the first list', async () => {
    const { world, id } = await placeUnderFault('NET.respDrop', {});
    expect(world.orderById(id).lifecycle).toBe('working');
    expect(world.reported.filter((line) => line.includes('found'))).toHaveLength(1);
    expectOneOutcome(world, id, 1);
  });

  it.each([4900, 4990, 5010, 5100])(
    'N3: a request that arrives after %i ms places one order if it is in time, and else none',
    async (ms) => {
      const { world, id } = await placeUnderFault('NET.reqDelay', { ms });
      // The admission window is 5 s, and the request travels for another 20 ms.
      const isAdmitted = ms < 4980;
      expect(world.orderById(id)).toMatchObject(
        isAdmitted ? { lifecycle: 'working' } : { lifecycle: 'done', reason: 'refused', code: '-1021' },
      );
      expectOneOutcome(world, id, isAdmitted ? 1 : 0);
    },
  );

  it('N3: a reply after the time limit resolves an unknown order', async () => {
    const world = await openWorld();
    world.plantFaults(
      atCall(1, 'NET.respDelay', 'spot.newOrder', { ms: 15_000 }),
      atEveryCall('NET.reqDrop', 'spot.openOrders'),
      atEveryCall('NET.reqDrop', 'spot.myTrades'),
    );
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(11_000);
    expect(world.orderById(id).lifecycle).toBe('unknown');
    world.passTime(5000);
    expect(world.orderById(id).lifecycle).toBe('working');
    expect(world.engine.risk.halts.causes().filter(({ code }) => code === 'UNKNOWN_OUTCOME')).toEqual([]);
    world.noFaults();
    expectOneOutcome(world, id, 1);
  });

  it.each([
    ['truncated', 'NET.truncate', { bytes: 7 }],
    ['HTML 502', 'NET.replace', { status: 502, body: '<html>bad gateway</html>' }],
    ['403 of a proxy', 'NET.replace', { status: 403, body: '{"message":"forbidden"}' }],
    ['2xx without an id', 'NET.replace', { status: 200, body: '{}' }],
    ['empty', 'NET.replace', { status: 200, body: '' }],
    ['3xx', 'NET.replace', { status: 302, body: '' }],
  ] as const)('N4: a reply that is %s leaves the outcome unknown, and the order is found', async (_, point, params) => {
    const { world, id } = await placeUnderFault(point, params);
    expect(world.reported.some((line) => line.startsWith(`unknown ${id}`))).toBe(true);
    expect(world.orderById(id).lifecycle).toBe('working');
    expectOneOutcome(world, id, 1);
  });

  it('N4: an acknowledgement of another order leaves the order unknown', async () => {
    const body = JSON.stringify({ symbol: 'BTCUSDT', orderId: 999, clientOrderId: 'SOMEBODY-ELSE', side: 'BUY', type: 'LIMIT', price: '90', origQty: '0.1', status: 0 }); // prettier-ignore
    const { world, id } = await placeUnderFault('NET.replace', { status: 200, body });
    expect(world.reported.some((line) => line.startsWith('halt raised ECHO'))).toBe(true);
    expect(world.orderById(id)).toMatchObject({ lifecycle: 'working', venueId: expect.not.stringMatching(/^999$/) });
    expect(world.placedCountOf(id)).toBe(1);
  });

  it('N5: an order without a connection ends as not sent, and the next order may be sent', async () => {
    const world = await openWorld();
    world.isRefused = true;
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(500);
    expect(world.orderById(id)).toMatchObject({ lifecycle: 'done', reason: 'notSent' });
    world.isRefused = false;
    const nextOrder = world.placeOrder(LIMIT_TERMS);
    world.passTime(500);
    expect(world.orderById(nextOrder).lifecycle).toBe('working');
    expectOneOutcome(world, nextOrder, 1);
  });

  it('N6: of two orders with one client order id one counts and the other is cancelled, and the account is halted', async () => {
    const world = await openWorld();
    world.plantFault('NET.dup');
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(200);
    expect(world.placedCountOf(id)).toBe(2);
    expect(world.audit('full').kind).toBe('mismatch');
    world.passTime(1000);
    expect(world.haltCodes).toContain('DUPLICATE');
    expect(world.service.spot.unendedOrders().filter(({ account }) => account === 0)).toHaveLength(1);
    expect(world.orderById(id).lifecycle).toBe('working');
  });

  it('N7: during a partition an unknown order keeps its exposure, and is found when the network recovers', async () => {
    const world = await openWorld();
    world.plantFault('NET.respDrop');
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(30);
    world.plantFaults({ point: 'NET.reqDrop', p: 1 });
    world.passTime(300_000, 50);
    expect(world.orderById(id).lifecycle).toBe('unknown');
    expect(world.engine.reservations.openOrdersTotal).toBe(1);
    world.noFaults();
    world.passUntil(() => world.orderById(id).lifecycle === 'working', 60_000);
    expectOneOutcome(world, id, 1);
  });

  it('N8: while reads fail no order is proved absent, however long this lasts', async () => {
    const world = await openWorld();
    world.plantFaults(atCall(1, 'NET.reqDrop', 'spot.newOrder'), atEveryCall('NET.reqDrop', 'spot.myTrades'));
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(200_000, 50);
    expect(world.orderById(id).lifecycle).toBe('unknown');
    expect(world.audit('fast')).toMatchObject({
      kind: 'gap',
      differences: [{ what: expect.stringMatching(/^lists of BTCUSDT, the account did/) }],
    });
    world.noFaults();
    world.passUntil(() => world.orderById(id).reason === 'noEffect');
    expectOneOutcome(world, id, 0);
  });
});

describe('X1 to X9: the exchange', () => {
  it.each([
    [504, 1],
    [504, 0],
    [-1006, 1],
    [-1006, 0],
    [-1007, 1],
    [-1007, 0],
    [-1001, 1],
    [-1016, 0],
    [-1000, 1],
  ])('X1, X2: the outcome of a create with code %i, executed %i, is unknown until the lists prove it', async (code, executed) => {
    const { world, id } = await placeUnderFault('BUS.unknown', { executed, code });
    expect(world.reported.some((line) => line.startsWith(`unknown ${id} ${code}`))).toBe(true);
    if (executed === 1) expect(world.orderById(id).lifecycle).toBe('working');
    else {
      expect(world.orderById(id)).toMatchObject({ lifecycle: 'done', reason: 'noEffect' });
      // Codes for an internal delay of the exchange lengthen the wait to ten minutes.
      const waitedMs = world.nowMs - world.journal.signMs(world.orderById(id));
      expect(waitedMs > 600_000).toBe(code !== -1000);
    }
    expectOneOutcome(world, id, executed);
  });

  it('X1: an unknown order that has filled at once is found by its trades', async () => {
    const world = await openWorld();
    spotTrader(world).placeLimit('bob', 'SELL', '0.1', '90');
    world.plantFault('NET.respDrop');
    const id = world.placeOrder(LIMIT_TERMS);
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 60_000);
    expect(world.orderById(id)).toMatchObject({ reason: 'filled', filledLots: 1000 });
    expectOneOutcome(world, id, 1);
  });

  it('X1: three unknown orders within five minutes are an incident, which ends after ten minutes without one', async () => {
    const world = await openWorld();
    world.plantFaults(atEveryCall('BUS.unknown', 'spot.cancelOrder', { executed: 0, code: -1007 }));
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(200);
    world.cancel(id);
    world.passTime(20_000);
    expect(world.haltCodes).toContain('INCIDENT');
    world.noFaults();
    world.passTime(700_000, 50);
    expect(world.haltCodes).not.toContain('INCIDENT');
    expect(world.orderById(id)).toMatchObject({ lifecycle: 'done', reason: 'canceled' });
  });

  it('X3: after -1003 creates wait, and cancels continue', async () => {
    const world = await openWorld();
    const resting = world.placeOrder(LIMIT_TERMS);
    world.passTime(200);
    world.plantFault('GW.code', { code: -1003 });
    const refused = world.placeOrder({ side: 'sell', lots: 1000, limit: 11_000 });
    world.passTime(100);
    expect(world.orderById(refused)).toMatchObject({ reason: 'refused', code: '-1003' });
    const waiting = world.placeOrder({ side: 'sell', lots: 999, limit: 11_000 });
    world.cancel(resting);
    world.passTime(500);
    expect(world.orderById(waiting).lifecycle).toBe('sent');
    expect(world.sentCounts.get('POST /sapi/v1/cancel')).toBe(1);
    world.passTime(3000);
    expect(world.orderById(waiting).lifecycle).toBe('working');
  });

  it('X3: while the address is banned no call is sent, and new orders are denied', async () => {
    const world = await openWorld({
      service: { limits: { 'spot.openOrders': { count: 1, windowMs: 60_000 } } },
      switches: { banAfter: 1 },
    });
    world.passTime(61_000);
    world.audit('full');
    world.audit('full');
    const requestCount = () => Array.from(world.sentCounts.values()).reduce((sum, count) => sum + count, 0);
    const countBefore = requestCount();
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(10_000);
    expect(ENDINGS[world.engine.orders.columns().ending[id - 1]!]).toBe('denied');
    expect(requestCount()).toBe(countBefore);
    expect(world.haltCodes).toContain('BANNED');
    world.passTime(400_000, 50);
    world.audit('fast');
    expect(world.haltCodes).not.toContain('BANNED');
  });

  it.each([
    [-2016, 'LOCKED'],
    [35, 'LOCKED'],
    [-2015, 'KEY'],
    [-2200, 'KEY'],
  ])('X4: %i stops everything until the operator resumes', async (code, problem) => {
    const { world, id } = await placeUnderFault('GW.code', { code });
    expect(world.orderById(id)).toMatchObject({ lifecycle: 'done', reason: 'refused', code: String(code) });
    expect(world.haltCodes).toContain(problem);
    const readCount = () => world.sentCounts.get('GET /sapi/v1/openOrders') ?? 0;
    const countBefore = readCount();
    world.audit('full');
    // A client that keeps asking with a rejected key looks like an attacker, so it stops reading too.
    expect(readCount() > countBefore).toBe(problem === 'LOCKED');
    world.exchange.clear(problem as 'KEY', null);
    expect(world.audit('full').kind).toBe('ok');
  });

  it('X5: an order that fills during a slow cancel keeps its exposure until its end is confirmed', async () => {
    const world = await openWorld();
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(200);
    world.plantFault('BUS.cancelDelay', { ms: 20_000 }, 'spot.cancelOrder');
    world.cancel(id);
    world.passTime(5000);
    expect(world.orderById(id).lifecycle).toBe('cancelSent');
    expect(world.engine.reservations.openOrdersTotal).toBe(1);
    spotTrader(world).placeLimit('bob', 'SELL', '0.04', '90');
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 60_000);
    expect(world.orderById(id)).toMatchObject({ reason: 'canceled', filledLots: 400 });
    expectOneOutcome(world, id, 1);
  });

  it.each([-1145, -2013, -1112])('X5: %i in answer to a cancel proves nothing: the order is read, and cancelled again', async (code) => {
    const world = await openWorld();
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(200);
    world.plantFault('GW.code', { code }, 'spot.cancelOrder');
    world.cancel(id);
    world.passTime(1000);
    expect(world.orderById(id).lifecycle).toBe('cancelSent');
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 60_000);
    expect(world.orderById(id).reason).toBe('canceled');
    expect(world.sentCounts.get('POST /sapi/v1/cancel')).toBe(2);
    expectOneOutcome(world, id, 1);
  });

  it('X6: an order that arrives after it was proven absent is adopted, cancelled and reported', async () => {
    const world = await openWorld();
    // The request is in a queue of the exchange that does not check the time, so the exchange breaks its own admission rule.
    world.plantFault('NET.reqDrop');
    const id = world.placeOrder(LIMIT_TERMS);
    world.passUntil(() => world.orderById(id).reason === 'noEffect');
    world.noFaults();
    world.service.spot.place(0, world.orderById(id), world.clientOrderIdOf(id));
    expect(world.audit('full').kind).toBe('ok');
    expect(world.reported).toContain(`arrivedLate ${id}`);
    expect(world.haltCodes).toContain('LATE_LANDING');
    world.passUntil(() => world.orderById(id).lifecycle === 'done' && world.orderById(id).reason === 'canceled', 60_000);
    expectOneOutcome(world, id, 1);
  });

  it('X6: an order that was refused, and has filled anyway, is booked', async () => {
    const world = await openWorld();
    world.plantFault('GW.code', { code: -1100 });
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(200);
    expect(world.orderById(id).reason).toBe('refused');
    spotTrader(world).placeLimit('bob', 'SELL', '0.1', '90');
    world.service.spot.place(0, world.orderById(id), world.clientOrderIdOf(id));
    world.audit('full');
    world.passUntil(() => world.orderById(id).filledLots === 1000, 30_000);
    expect(world.orderById(id)).toMatchObject({ lifecycle: 'done', reason: 'filled' });
    expect(world.balance('BTC')).toBe(10e8 + 0.1e8 - 0.0002e8);
    expect(world.audit('full').kind).toBe('ok');
  });

  it.each(['inclusive', 'exclusive'])(
    'X7: lists without client order ids, pages that begin %s: the order is identified by its terms',
    async (fromId) => {
      const { world, id } = await placeUnderFault('NET.respDrop', {}, { switches: { openOrdersClientId: 'off', fromId } });
      expect(world.orderById(id).lifecycle).toBe('working');
      expectOneOutcome(world, id, 1);
    },
  );

  it('X8: an order with a status that the bot does not know counts as live, and is reported', async () => {
    const world = await openWorld();
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(200);
    const row = { symbol: 'BTCUSDT', orderId: 0, clientOrderId: world.clientOrderIdOf(id), price: '90', origQty: '0.1', executedQty: '0', type: 'LIMIT', side: 'BUY', status: 'MELTED' }; // prettier-ignore
    // The id has more digits than a number of JavaScript can hold.
    const rowText = JSON.stringify(row).replace('"orderId":0', `"orderId":${world.orderById(id).venueId}`);
    world.plantFaults(replaceReplies('spot.queryOrder', rowText));
    world.cancel(id);
    world.passTime(5000);
    expect(world.orderById(id).lifecycle).toBe('cancelSent');
    expect(world.reported.some((line) => line.startsWith('halt raised STATUS'))).toBe(true);
    world.noFaults();
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 60_000);
    expectOneOutcome(world, id, 1);
  });

  it('X9: both legs of a trade with ourselves are booked once', async () => {
    const world = await openWorld();
    const buy = world.placeOrder(LIMIT_TERMS);
    world.passTime(200);
    const sell = world.placeOrder({ side: 'sell', lots: 1000, limit: 9000 });
    world.passTime(2000);
    world.settle();
    for (const id of [buy, sell]) expect(world.orderById(id)).toMatchObject({ lifecycle: 'done', reason: 'filled', filledLots: 1000 });
    expect(world.audit('full').kind).toBe('ok');
    expect(world.engine.ledger.cashTotal - 50_000 * 1e8).toBe(world.balance('USDT') - 100_000 * 1e8);
  });

  it('after an unattributed order by hand, new risk is denied until the operator has attributed it', async () => {
    const world = await openWorld();
    const venueId = spotTrader(world).placeLimit('alice', 'BUY', '0.5', '50');
    expect(world.audit('full').kind).toBe('mismatch');
    expect(world.haltCodes).toContain('ALIEN');
    world.exchange.ignore(venueId);
    expect(world.audit('full').kind).toBe('ok');
  });

  it('a balance that no trade explains is a mismatch', async () => {
    const world = await openWorld();
    expect(world.audit('full').kind).toBe('ok');
    world.service.spot.venue.deposit(0, BTC.base, 1);
    expect(world.audit('full')).toMatchObject({ kind: 'mismatch', differences: [{ code: 'MISMATCH' }] });
    expect(world.audit('full').kind).toBe('mismatch');
    // The operator explains the difference: holdings count from then on.
    world.exchange.clear('MISMATCH', null);
    expect(world.audit('full').kind).toBe('ok');
    world.service.spot.venue.deposit(0, BTC.base, 1);
    expect(world.audit('full').kind).toBe('mismatch');
  });

  it('a mismatch that stays also names later differences, because the operator who clears it accepts them too', async () => {
    const world = await openWorld();
    expect(world.audit('full').kind).toBe('ok');
    const reasons = (): readonly string[] =>
      world.engine.risk.halts.causes().flatMap(({ code, why }) => (code === 'MISMATCH' ? [why] : []));
    world.service.spot.venue.deposit(0, BTC.base, 1);
    world.audit('full');
    expect(reasons()).toEqual([expect.not.stringContaining(`${BTC.quote}: `)]);
    world.service.spot.venue.deposit(0, BTC.quote, 1);
    world.audit('full');
    expect(reasons()).toEqual([expect.stringMatching(new RegExp(`${BTC.base}: .*${BTC.quote}: |${BTC.quote}: .*${BTC.base}: `))]);
    world.exchange.clear('MISMATCH', null);
    expect(world.audit('full').kind).toBe('ok');
  });
});
