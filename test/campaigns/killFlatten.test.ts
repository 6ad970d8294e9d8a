// Tests kills that flatten over a network that loses requests and replies, with late arrivals: a position is never reversed.

import { expect, test } from 'vitest';
import { KillWorld } from './killWorld.ts';

/** `npm run campaign -- killFlatten` sets both variables. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 1);
const CASE_COUNT = Number(ISOBAR_CASES ?? 15);
/** A remainder of the spot position below this, in BTC, is dust that no order can close. */
const MAX_DUST = '0.0011';

test(`${CASE_COUNT} kills from seed ${SEED} flatten and never cross zero`, { timeout: 86_400_000 }, async () => {
  const sums = { slices: 0, withResiduals: 0, cancelled: 0 };
  for (let seed = SEED; seed < SEED + CASE_COUNT; seed++) {
    const world = new KillWorld(seed);
    const report = await world.run();
    const repeatCommand = `seed ${seed}; again: npm run campaign -- killFlatten --seed ${seed} --cases 1`;
    expect(world.violations, repeatCommand).toEqual([]);
    const { open: openOrders, spot, contracts } = world.remainder;
    expect(openOrders, `open orders, ${repeatCommand}`).toBe(0);
    if (report.residuals.length === 0) {
      const message = `left of the positions, ${repeatCommand}: ${world.slices.join('; ')}`;
      expect([spot.lessThan(MAX_DUST), contracts], message).toEqual([true, 0]);
    }
    sums.slices += world.slices.length;
    sums.withResiduals += report.residuals.length > 0 ? 1 : 0;
    sums.cancelled += report.cancelled;
  }
  const counts = `${sums.slices} slices, ${sums.cancelled} orders cancelled, ${sums.withResiduals} kills with reported residuals`;
  console.log(`${CASE_COUNT} kills: ${counts}; 0 positions reversed`);
  expect(sums.withResiduals).toBeLessThan(CASE_COUNT);
});
