// Tests second copies, which a network makes of create requests: the halt that the operator reads names each of them.

import { describe, expect, it } from 'vitest';
import { atCall } from '../fixtures/plantedFaults.ts';
import { RestWorld } from '../fixtures/restFixture.ts';
import { spotTrader } from '../fixtures/restOthers.ts';
import { LIMIT_TERMS } from './restTerms.ts';

/** Returns the reason of the halt for second copies; empty without one. */
const reasonOf = ({ engine }: RestWorld): string => engine.risk.halts.causes().find(({ code }) => code === 'DUPLICATE')?.why ?? '';
/** Returns the client order ids of the copies that a text names, with their purchases, in its order. */
const copiesNamedIn = (why: string): string[] =>
  Array.from(why.matchAll(/second copy of (\w+); it has bought 0\.\d+ for/g), ([, cid]) => cid!);

/** Sends orders whose creates the network delivers twice, and runs a full audit. Returns their client order ids. */
function sendTwice(world: RestWorld, count: number): readonly string[] {
  world.plantFaults(...Array.from({ length: count }, (_, index) => atCall(index + 1, 'NET.dup', 'spot.newOrder')));
  const ids = Array.from({ length: count }, () => world.placeOrder(LIMIT_TERMS));
  world.passTime(5000);
  expect(ids.map((id) => world.placedCountOf(id))).toEqual(ids.map(() => 2));
  world.audit('full');
  return ids.map((id) => world.clientOrderIdOf(id));
}

describe('the halt for second copies', () => {
  it.each([1, 10, 11, 14])('the halt for second copies names each of %i, the newest first and with its trades', async (count) => {
    const world = await RestWorld.open();
    spotTrader(world).placeLimit('bob', 'SELL', '5', '80');
    const clientOrderIds = sendTwice(world, count);
    const why = reasonOf(world);
    expect(copiesNamedIn(why).toSorted()).toEqual(clientOrderIds.toSorted());
    expect(why).not.toContain('others');
    // Only the ten newest copies are listed with their trades. The others follow, in at least 100 characters.
    expect(why.match(/\(trades /g)).toHaveLength(Math.min(10, count));
    const olderTextLength = count > 10 ? 100 : 0;
    expect(why.lastIndexOf('(trades ')).toBeLessThan(why.length - olderTextLength);
  });

  it('the halt for second copies names the copies of an earlier process until the operator clears it', async () => {
    const world = await RestWorld.open();
    spotTrader(world).placeLimit('bob', 'SELL', '5', '80');
    const copiesBefore = sendTwice(world, 2);
    const restarted = await world.restart();
    const copiesAfter = sendTwice(restarted, 1);
    expect(copiesNamedIn(reasonOf(restarted)).toSorted()).toEqual([...copiesBefore, ...copiesAfter].toSorted());
    restarted.engine.risk.resume({ kind: 'account' }, 'DUPLICATE', 'operator', restarted.nowMs);
    restarted.exchange.clear('DUPLICATE', null);
    const copiesAfterResume = sendTwice(restarted, 1);
    expect(copiesNamedIn(reasonOf(restarted))).toEqual(copiesAfterResume);
  });

  it('after a restart, the halt names the second copy of an order that had ended before', async () => {
    const world = await RestWorld.open();
    spotTrader(world).placeLimit('bob', 'SELL', '5', '80');
    const id = world.placeOrder(LIMIT_TERMS);
    world.passUntil(() => world.orderById(id).reason === 'filled');
    // The network delivers the create again, and the process ends.
    world.service.spot.place(0, world.orderById(id), world.clientOrderIdOf(id));
    const restarted = await world.restart();
    expect(copiesNamedIn(reasonOf(restarted))).toEqual([world.clientOrderIdOf(id)]);
    expect(restarted.haltCodes).toEqual(['DUPLICATE']);
  });

  it('after a restart, an order of another owner is foreign, also if an order of the bot had ended before', async () => {
    const world = await RestWorld.open();
    spotTrader(world).placeLimit('bob', 'SELL', '0.1', '90');
    const id = world.placeOrder(LIMIT_TERMS);
    world.passUntil(() => world.orderById(id).reason === 'filled');
    world.service.spot.place(0, world.orderById(id), 'NOT-OURS-1');
    const restarted = await world.restart();
    restarted.audit('full');
    expect(restarted.haltCodes).toEqual(['ALIEN']);
  });

  it('after a restart that lost the reply, the older of two copies is the order', async () => {
    const world = await RestWorld.open();
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(5);
    world.passTime(30);
    expect(world.placedCountOf(id)).toBe(1);
    const [olderCopy] = world.service.spot.unendedOrders();
    world.service.spot.place(0, world.orderById(id), world.clientOrderIdOf(id));
    const restarted = await world.restart();
    restarted.passUntil(() => restarted.orderById(id).lifecycle === 'working');
    expect(String(restarted.orderById(id).venueId)).toBe(olderCopy!.id);
  });
});
