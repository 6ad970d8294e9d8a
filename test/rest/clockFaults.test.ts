// Tests faults C1 and C2 of the fault catalogue through REST: clocks that are wrong, uncertain or jump.

import { describe, expect, it } from 'vitest';
import { RestWorld, START_MS, type RestWorldOptions } from '../fixtures/restFixture.ts';

const LIMIT = { lots: 1000, limit: 9000 } as const;
/** Opens a bot and its exchange in virtual time. */
const open = (options: RestWorldOptions = {}) => RestWorld.open(options);

/** Time in which any order of these tests is resolved. */
const RESOLVED_MS = 60_000;

/** Cancels the order if it is still open. Expects that the exchange placed it once, that both books agree, and that nothing is left open. */
function expectPlacedOnceAndEnded(world: RestWorld, id: ReturnType<RestWorld['order']>): void {
  expect(world.placedOf(id)).toBe(1);
  expect(world.sent.get('POST /sapi/v1/order')).toBe(1);
  if (world.get(id).lifecycle !== 'done') {
    world.cancel(id);
    world.until(() => world.get(id).lifecycle === 'done', RESOLVED_MS);
  }
  expect(world.audit('full')).toMatchObject({ kind: 'ok' });
  expect(world.service.spot.live().filter(({ account }) => account === 0)).toEqual([]);
  expect(world.engine.orders.active()).toEqual([]);
  expect(world.engine.orders.impossibleEvents).toBe(0);
}

describe('C1, C2: clocks', () => {
  /** Length of a step of virtual time, ms. */
  const STEP_MS = 20;

  it.each([-30_000, 30_000])('a clock that is %i ms off has no effect, because the time of the exchange is used', async (skewMs) => {
    const world = await open({ skewMs });
    world.fault('NET.respDrop');
    const id = world.order(LIMIT);
    world.until(() => world.get(id).lifecycle === 'working', RESOLVED_MS);
    const signErrorMs = Math.abs(world.journal.signMs(world.get(id)) - world.nowMs);
    expect(signErrorMs).toBeLessThan(RESOLVED_MS);
    expectPlacedOnceAndEnded(world, id);
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
    world.pass(60_000, STEP_MS);
    world.service.clockOffsetMs += 10_000;
    world.pass(10_000, STEP_MS);
    expect(world.reported.some((report) => report.startsWith('trouble CLOCK'))).toBe(true);
    expect(world.bounds.clockEpoch).toBeGreaterThan(0);
    expect(world.get(id).lifecycle).toBe('unknown');
    world.clock.measure('spot');
    world.until(() => world.get(id).reason === 'noEffect');
    expect(world.reported).toContain('over CLOCK');
    // Without the jump, the order would have been proven absent within the first two minutes.
    expect(world.nowMs - START_MS).toBeGreaterThan(120_000);
  });
});
