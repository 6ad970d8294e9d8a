// Tests two orders that the exchange acknowledges with one id: both are unknown until both are found.

import { describe, expect, it } from 'vitest';
import { atCall, atEveryCall, replaceReplies } from '../fixtures/plantedFaults.ts';
import { RestWorld, type RestWorldOptions } from '../fixtures/restFixture.ts';
import { LIMIT_TERMS, haltsWith } from './restTerms.ts';

/** Opens a bot and its exchange in virtual time. */
const openWorld = (options: RestWorldOptions = {}) => RestWorld.open(options);

describe('two orders that are acknowledged with one id', () => {
  /** Places two buys, and both replies name the id of the first. Reads of open orders are lost, so both stay unknown. */
  async function placeTwo(ofSecond: { readonly instrument?: number } = {}) {
    const world = await openWorld();
    const firstOrder = world.placeOrder(LIMIT_TERMS);
    world.passTime(200);
    const body = `{"orderId":${world.orderById(firstOrder).venueId}}`;
    world.plantFaults(
      replaceReplies('spot.newOrder', body),
      atEveryCall('NET.reqDrop', 'spot.openOrders'),
      atEveryCall('NET.reqDrop', 'spot.queryOrder'),
    );
    const secondOrder = world.placeOrder({ ...LIMIT_TERMS, limit: 8900, ...ofSecond });
    world.passTime(100);
    return { world, first: firstOrder, second: secondOrder };
  }

  it('both orders are unknown and halt their symbol with ECHO, and no audit passes before both are found', async () => {
    const { world, first, second } = await placeTwo();
    expect([first, second].map((id) => world.orderById(id).lifecycle)).toEqual(['unknown', 'unknown']);
    expect(haltsWith(world, 'ECHO')).toMatchObject([
      { scope: { kind: 'symbol', instrument: 0 }, why: expect.stringContaining(world.clientOrderIdOf(second)) },
    ]);
    // No audit passes even after the operator has cleared the halt.
    world.exchange.clear('ECHO', 0);
    expect(world.audit('fast').kind).toBe('mismatch');
    world.noFaults();
    world.passUntil(() => [first, second].every((id) => world.orderById(id).lifecycle === 'working'), 120_000);
    expect(world.orderById(first).venueId).not.toBe(world.orderById(second).venueId);
    expect(world.audit('full').kind).toBe('ok');
    // The halt waits for the operator.
    expect(world.haltCodes).toContain('ECHO');
    for (const id of [first, second]) world.cancel(id);
    world.passUntil(() => [first, second].every((id) => world.orderById(id).lifecycle === 'done'), 60_000);
    expect(world.service.spot.unendedOrders().filter(({ account }) => account === 0)).toEqual([]);
  });

  it('after a restart, no audit passes before two orders that were acknowledged with one id are both found', async () => {
    const { world: worldBefore, first, second } = await placeTwo();
    const world = await worldBefore.restart();
    expect([first, second].map((id) => world.orderById(id).lifecycle)).toEqual(['unknown', 'unknown']);
    world.plantFaults(atEveryCall('NET.reqDrop', 'spot.openOrders'), atEveryCall('NET.reqDrop', 'spot.queryOrder'));
    expect(world.audit('fast').kind).toBe('mismatch');
    world.noFaults();
    world.passUntil(() => [first, second].every((id) => world.orderById(id).lifecycle === 'working'), 120_000);
    expect(world.orderById(first).venueId).not.toBe(world.orderById(second).venueId);
    expect(world.audit('full').kind).toBe('ok');
  });

  it('two orders of two symbols that are acknowledged with one id are both unknown too', async () => {
    const { world, first, second } = await placeTwo({ instrument: 1 });
    expect([first, second].map((id) => world.orderById(id).lifecycle)).toEqual(['unknown', 'unknown']);
    world.noFaults();
    world.passUntil(() => [first, second].every((id) => world.orderById(id).lifecycle === 'working'), 120_000);
    expect(world.audit('full').kind).toBe('ok');
  });

  it('a second order that is acknowledged with the id of a second copy of the first is unknown, and found', async () => {
    const world = await openWorld();
    world.plantFault('NET.dup');
    world.placeOrder(LIMIT_TERMS);
    world.passTime(200);
    world.audit('full');
    const copyVenueId = /order (\d+) of/.exec(haltsWith(world, 'DUPLICATE')[0]!.why)![1]!;
    world.plantFault('NET.replace', { status: 200, body: `{"orderId":${copyVenueId}}` }, 'spot.newOrder');
    // A reduction opens no new risk while the second copy is open.
    const reduction = world.placeOrder({ side: 'sell', lots: 1000, limit: 12_000 });
    world.passUntil(() => world.orderById(reduction).lifecycle === 'working', 120_000);
    expect(world.haltCodes).toContain('ECHO');
    expect(String(world.orderById(reduction).venueId)).not.toBe(copyVenueId);
  });

  it('two orders that are acknowledged with one id are both found after a restart', async () => {
    const { world, first, second } = await placeTwo();
    world.noFaults();
    const restarted = await world.restart();
    restarted.passUntil(() => [first, second].every((id) => restarted.orderById(id).lifecycle === 'working'), 120_000);
    expect(restarted.audit('full').kind).toBe('ok');
  });

  it('one of two orders with the same id that is being cancelled is cancelled once it is found', async () => {
    const world = await openWorld();
    const firstOrder = world.placeOrder(LIMIT_TERMS);
    world.passTime(200);
    const body = `{"orderId":${world.orderById(firstOrder).venueId}}`;
    world.plantFaults(
      atCall(1, 'NET.replace', 'spot.newOrder', { status: 200, body }),
      atEveryCall('NET.reqDrop', 'spot.cancelOrder'),
      atEveryCall('NET.reqDrop', 'spot.queryOrder'),
    );
    world.cancel(firstOrder);
    world.passTime(50);
    world.placeOrder({ ...LIMIT_TERMS, limit: 8900 });
    world.passTime(100);
    world.noFaults();
    world.passUntil(() => world.orderById(firstOrder).lifecycle === 'done', 120_000);
    expect(world.service.spot.unendedOrders().filter(({ account }) => account === 0)).toHaveLength(1);
  });
});
