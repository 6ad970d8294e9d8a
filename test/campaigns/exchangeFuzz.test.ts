// Tests a running exchange with malformed requests of every kind: it answers or closes the connection, and its state does not change.

import { expect, test } from 'vitest';
import { fuzz } from '../blackbox/fuzz.ts';
import type { Target } from '../blackbox/fuzzBytes.ts';
import { ENDPOINTS, NO_LIMITS } from '../blackbox/table.ts';
import { World } from '../blackbox/world.ts';

/** `npm run campaign -- exchangeFuzz --cases 100000` sets both variables. The output then has the kinds of replies. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 1);
const CASE_COUNT = Number(ISOBAR_CASES ?? 1500);

test(`${CASE_COUNT} malformed requests from seed ${SEED} do not change the state of the exchange`, { timeout: 3_600_000 }, async () => {
  const world = await World.open({ limits: NO_LIMITS });
  try {
    const targets: Target[] = [];
    for (const endpoint of ENDPOINTS) targets.push({ endpoint, validArgs: await validArgsOf(endpoint, world) });
    const stateBefore = await world.exchange.readTruth();
    const counts = await fuzz(world, targets, SEED, CASE_COUNT);
    expect(await world.exchange.readTruth()).toBe(stateBefore);
    expect([world.exchange.isAlive, world.exchange.errorOutput]).toEqual([true, '']);
    // A valid order changes the state, so the comparison above is not empty.
    await world.placeRestingOrder();
    expect(await world.exchange.readTruth()).not.toBe(stateBefore);
    const lines = Array.from(counts, ([replyKind, count]) => `${replyKind.padEnd(24)}${count}`);
    if (ISOBAR_CASES) console.log(lines.toSorted().join('\n'));
  } finally {
    await world.close();
  }
});

/** Returns valid arguments of an endpoint. Ids are replaced by '5', because JSON cannot write the real ones as numbers. */
async function validArgsOf(endpoint: (typeof ENDPOINTS)[number], world: World): Promise<Target['validArgs']> {
  const validArgs = await endpoint.validArgs(world);
  return Object.fromEntries(
    Object.entries(validArgs).map(([name, value]) => [name, name === 'orderIds' || name === 'orderId' ? '5' : value]),
  );
}
