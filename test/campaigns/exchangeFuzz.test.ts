// Malformed requests of every kind to a running exchange: it answers or closes the connection, never fails, and its state does not change.

import { expect, test } from 'vitest';
import { fuzz } from '../blackbox/fuzz.ts';
import type { Target } from '../blackbox/fuzzBytes.ts';
import { ENDPOINTS, NO_LIMITS } from '../blackbox/table.ts';
import { World } from '../blackbox/world.ts';

/** `npm run campaign -- exchangeFuzz --cases 100000` sets both, and wants to read what was answered. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 1);
const CASES = Number(ISOBAR_CASES ?? 1500);

test(`${CASES} malformed requests from seed ${SEED} change nothing`, { timeout: 3_600_000 }, async () => {
  const world = await World.open({ limits: NO_LIMITS });
  try {
    const targets: Target[] = [];
    for (const endpoint of ENDPOINTS) targets.push({ endpoint, good: await goodOf(endpoint, world) });
    const before = await world.exchange.truth();
    const tally = await fuzz(world, targets, SEED, CASES);
    expect(await world.exchange.truth()).toBe(before);
    expect([world.exchange.isAlive, world.exchange.complaints]).toEqual([true, '']);
    // It still takes an order, which shows: the state that was compared is one that changes.
    await world.restingOrder();
    expect(await world.exchange.truth()).not.toBe(before);
    const lines = Array.from(tally, ([what, count]) => `${what.padEnd(24)}${count}`);
    if (ISOBAR_CASES) console.log(lines.toSorted((a, b) => (a < b ? -1 : 1)).join('\n'));
  } finally {
    await world.close();
  }
});

/** Ids as numbers that JSON cannot write stand as text: these calls are never carried out. */
async function goodOf(endpoint: (typeof ENDPOINTS)[number], world: World): Promise<Target['good']> {
  const good = await endpoint.good(world);
  return Object.fromEntries(Object.entries(good).map(([name, value]) => [name, name === 'orderIds' || name === 'orderId' ? '5' : value]));
}
