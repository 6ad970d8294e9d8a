// Tests the read lag: orders that appear late show how old the lists of an exchange are. A list that was requested before an
// acknowledgement proves nothing.

import { expect, it } from 'vitest';
import { DEFAULT_ABSENCE_BOUNDS } from '../../src/orders/prove/absenceBounds.ts';
import { RestWorld } from '../fixtures/restFixture.ts';
import { LIMIT_TERMS } from './restTerms.ts';

/** Delay after which the lists show an order, ms. */
const LAG_MS = 20_000;

it('an order that lists show 20 s late raises the read lag of the exchange to three times its delay', async () => {
  const world = await RestWorld.open();
  expect(world.bounds.readLagMs).toBe(3000);
  world.plantFault('READ.lag', { ms: LAG_MS });
  const id = world.placeOrder(LIMIT_TERMS);
  while (world.nowMs - world.engine.orders.get(id)!.createdMs < LAG_MS + 15_000) {
    world.audit('fast');
    world.passTime(1000);
  }
  expect(world.orderById(id).lifecycle).toBe('working');
  // The first fast audit after the order became visible measures its delay.
  expect(world.bounds.readLagMs).toBeGreaterThan(3 * LAG_MS - 3000);
  expect(world.bounds.readLagMs).toBeLessThan(3 * (LAG_MS + 5000));
});

it('a list that was requested before the acknowledgement does not change the measured lag of lists', async () => {
  const world = await RestWorld.open({ latencyMs: 150, bounds: { ...DEFAULT_ABSENCE_BOUNDS, readLagMs: 1 } });
  for (let delayMs = 0; delayMs < 600; delayMs += 20) {
    let isAuditDone = false;
    world.exchange.audit('fast', () => (isAuditDone = true));
    world.passTime(delayMs);
    world.placeOrder({ lots: 100, limit: 9000 - delayMs });
    world.passTime(5000);
    expect(isAuditDone).toBe(true);
  }
  expect(world.engine.orders.active()).toHaveLength(30);
  expect(world.bounds.readLagMs).toBe(1);
});
