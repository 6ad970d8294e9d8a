// Tests second copies of several creates: the halt that the operator reads names each of them.

import { describe, expect, it } from 'vitest';
import { RestWorld } from '../fixtures/restFixture.ts';
import { bob } from '../fixtures/restOthers.ts';

const LIMIT = { lots: 1000, limit: 9000 } as const;

const haltOf = ({ engine }: RestWorld): string => engine.risk.halts.causes().find(({ code }) => code === 'DUPLICATE')?.why ?? '';
/** Returns the client order ids of the copies that a text names, with their purchases, in its order. */
const namedIn = (why: string): string[] => Array.from(why.matchAll(/second copy of (\w+); it has bought 0\.\d+ for/g), ([, cid]) => cid!);

/** Sends orders whose creates a network delivers twice, and compares everything. Returns their client order ids. */
function sendTwice(world: RestWorld, count: number): readonly string[] {
  const schedule = Array.from(
    { length: count },
    (_, index) => ({ point: 'NET.dup', op: 'spot.newOrder', nth: index + 1, params: {} }) as const,
  );
  world.faulty.faults.set({ seed: 1, schedule });
  const ids = Array.from({ length: count }, () => world.order(LIMIT));
  world.pass(5000);
  expect(ids.map((id) => world.placedOf(id))).toEqual(ids.map(() => 2));
  world.audit('full');
  return ids.map((id) => world.clientOrderIdOf(id));
}

describe('the halt for second copies', () => {
  it.each([1, 10, 11, 14])('the halt for second copies names each of %i, the newest first and with its trades', async (count) => {
    const world = await RestWorld.open();
    bob(world).limit('bob', 'SELL', '5', '80');
    const cids = sendTwice(world, count);
    const why = haltOf(world);
    expect(namedIn(why).toSorted()).toEqual(cids.toSorted());
    expect(why).not.toContain('others');
    expect(why.match(/\(trades /g)).toHaveLength(Math.min(10, count));
    expect(why.lastIndexOf('(trades ')).toBeLessThan(why.length - (count > 10 ? 100 : 0));
  });

  it('the halt for second copies names the copies of an earlier process until the operator clears it', async () => {
    const world = await RestWorld.open();
    bob(world).limit('bob', 'SELL', '5', '80');
    const before = sendTwice(world, 2);
    const restarted = await world.restart();
    const after = sendTwice(restarted, 1);
    expect(namedIn(haltOf(restarted)).toSorted()).toEqual([...before, ...after].toSorted());
    restarted.engine.risk.resume({ kind: 'account' }, 'DUPLICATE', 'operator', restarted.nowMs);
    restarted.exchange.clear('DUPLICATE', null);
    const later = sendTwice(restarted, 1);
    expect(namedIn(haltOf(restarted))).toEqual(later);
  });

  it('after a restart, the halt names the second copy of an order that had ended before', async () => {
    const world = await RestWorld.open();
    bob(world).limit('bob', 'SELL', '5', '80');
    const id = world.order(LIMIT);
    world.until(() => world.get(id).reason === 'filled');
    // The network delivers the create again, and the process ends.
    world.service.spot.place(0, world.get(id), world.clientOrderIdOf(id));
    const restarted = await world.restart();
    expect(namedIn(haltOf(restarted))).toEqual([world.clientOrderIdOf(id)]);
    expect(restarted.engine.risk.halts.causes().map(({ code }) => code)).toEqual(['DUPLICATE']);
  });

  it('after a restart, an order of another owner is foreign, also if an order of the bot had ended before', async () => {
    const world = await RestWorld.open();
    bob(world).limit('bob', 'SELL', '0.1', '90');
    const id = world.order(LIMIT);
    world.until(() => world.get(id).reason === 'filled');
    world.service.spot.place(0, world.get(id), 'NOT-OURS-1');
    const restarted = await world.restart();
    restarted.audit('full');
    expect(restarted.engine.risk.halts.causes().map(({ code }) => code)).toEqual(['ALIEN']);
  });

  it('after a restart that lost the reply, the older of two copies is the order', async () => {
    const world = await RestWorld.open();
    const id = world.order(LIMIT);
    world.pass(5);
    world.pass(30);
    expect(world.placedOf(id)).toBe(1);
    const [olderCopy] = world.service.spot.live();
    world.service.spot.place(0, world.get(id), world.clientOrderIdOf(id));
    const restarted = await world.restart();
    restarted.until(() => restarted.get(id).lifecycle === 'working');
    expect(String(restarted.get(id).venueId)).toBe(olderCopy!.id);
  });
});
