// Tests faults C1 and C2 of the fault catalogue through REST: clocks that are wrong, uncertain or jump.

import { describe, expect, it } from 'vitest';
import { RestWorld, START_MS, type RestWorldOptions } from '../fixtures/restFixture.ts';

const LIMIT = { lots: 1000, limit: 9000 } as const;
const open = (options: RestWorldOptions = {}) => RestWorld.open(options);

/** Expects after any fault: no fill twice, equal books, and no open order once the order is cancelled. */
function expectSound(world: RestWorld, id: ReturnType<RestWorld['order']>, placed: number): void {
  expect(world.placedOf(id)).toBe(placed);
  expect(world.sent.get('POST /sapi/v1/order')).toBe(1);
  if (world.get(id).lifecycle !== 'done') {
    world.cancel(id);
    world.until(() => world.get(id).lifecycle === 'done', 60_000);
  }
  expect(world.audit('full')).toMatchObject({ kind: 'ok' });
  expect(world.service.spot.live().filter(({ account }) => account === 0)).toEqual([]);
  expect(world.engine.orders.active()).toEqual([]);
  expect(world.engine.orders.impossibleEvents).toBe(0);
}

describe('C1, C2: clocks', () => {
  it.each([-30_000, 30_000])('a clock that is %i ms off has no effect, because the time of the exchange is used', async (skewMs) => {
    const world = await open({ skewMs });
    world.fault('NET.respDrop');
    const id = world.order(LIMIT);
    world.until(() => world.get(id).lifecycle === 'working', 60_000);
    expect(Math.abs(world.journal.signMs(world.get(id)) - world.nowMs)).toBeLessThan(60_000);
    expectSound(world, id, 1);
  });

  it('no request is signed while the time of the exchange is uncertain', async () => {
    const world = await open({ parts: { serverTime: () => ({ ms: START_MS as never, uncertaintyMs: 500 }) } });
    const id = world.order(LIMIT);
    world.pass(500);
    expect(world.get(id)).toMatchObject({ lifecycle: 'done', reason: 'notSent' });
    expect(world.sent.get('POST /sapi/v1/order')).toBeUndefined();
  });

  it('a jump of the clock of the exchange voids earlier proofs, and stops new risk until the clock is measured again', async () => {
    const world = await open();
    world.fault('NET.reqDrop');
    const id = world.order(LIMIT);
    world.pass(60_000, 20);
    world.service.clockOffsetMs += 10_000;
    world.pass(10_000, 20);
    expect(world.reported.some((report) => report.startsWith('trouble CLOCK'))).toBe(true);
    expect(world.bounds.clockEpoch).toBeGreaterThan(0);
    expect(world.get(id).lifecycle).toBe('unknown');
    world.clock.measure('spot');
    world.until(() => world.get(id).reason === 'noEffect');
    expect(world.reported).toContain('over CLOCK');
    // The time since the jump.
    expect(world.nowMs - START_MS).toBeGreaterThan(120_000);
  });
});
