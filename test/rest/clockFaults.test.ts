// Tests faults C1 and C2 of the fault catalogue through REST: clocks that are wrong, uncertain or jump.

import { describe, expect, it } from 'vitest';
import { RestWorld, START_MS, type RestWorldOptions } from '../fixtures/restFixture.ts';
import { LIMIT_TERMS } from './restTerms.ts';

/** Opens a bot and its exchange in virtual time. */
const openWorld = (options: RestWorldOptions = {}) => RestWorld.open(options);

/** Time in which any order of these tests is resolved. */
const RESOLVED_MS = 60_000;

/** Cancels the order if it is still open. Expects that the exchange placed it once, that both books agree, and that nothing is left open. */
function expectPlacedOnceAndEnded(world: RestWorld, id: ReturnType<RestWorld['placeOrder']>): void {
  expect(world.placedCountOf(id)).toBe(1);
  expect(world.sentCounts.get('POST /sapi/v1/order')).toBe(1);
  if (world.orderById(id).lifecycle !== 'done') {
    world.cancel(id);
    world.passUntil(() => world.orderById(id).lifecycle === 'done', RESOLVED_MS);
  }
  expect(world.audit('full')).toMatchObject({ kind: 'ok' });
  expect(world.service.spot.unendedOrders().filter(({ account }) => account === 0)).toEqual([]);
  expect(world.engine.orders.active()).toEqual([]);
  expect(world.engine.orders.impossibleEvents).toBe(0);
}

describe('C1, C2: clocks', () => {
  /** Length of a step of virtual time, ms. */
  const STEP_MS = 20;

  it.each([-30_000, 30_000])('a clock that is %i ms off has no effect, because the time of the exchange is used', async (skewMs) => {
    const world = await openWorld({ skewMs });
    world.plantFault('NET.respDrop');
    const id = world.placeOrder(LIMIT_TERMS);
    world.passUntil(() => world.orderById(id).lifecycle === 'working', RESOLVED_MS);
    const signErrorMs = Math.abs(world.journal.signMs(world.orderById(id)) - world.nowMs);
    expect(signErrorMs).toBeLessThan(RESOLVED_MS);
    expectPlacedOnceAndEnded(world, id);
  });

  it('no request is signed while the time of the exchange is uncertain', async () => {
    const world = await openWorld({ parts: { serverTime: () => ({ ms: START_MS as never, uncertaintyMs: 500 }) } });
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(500);
    expect(world.orderById(id)).toMatchObject({ lifecycle: 'done', reason: 'notSent' });
    expect(world.sentCounts.get('POST /sapi/v1/order')).toBeUndefined();
  });

  it('a jump of the clock of the exchange voids earlier proofs, and stops new risk until the clock is measured again', async () => {
    const world = await openWorld();
    world.plantFault('NET.reqDrop');
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(60_000, STEP_MS);
    world.service.clockOffsetMs += 10_000;
    world.passTime(10_000, STEP_MS);
    expect(world.reported.some((report) => report.startsWith('halt raised CLOCK'))).toBe(true);
    expect(world.bounds.clockEpoch).toBeGreaterThan(0);
    expect(world.orderById(id).lifecycle).toBe('unknown');
    world.clock.measure('spot');
    world.passUntil(() => world.orderById(id).reason === 'noEffect');
    expect(world.reported).toContain('halt cleared CLOCK');
    // Without the jump, the order would have been proven absent within the first two minutes.
    expect(world.nowMs - START_MS).toBeGreaterThan(120_000);
  });
});
