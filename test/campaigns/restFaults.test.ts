// Tests random faults of an exchange behind REST: no order is sent twice or lost, and the books are exact to the last unit.

import { expect, test } from 'vitest';
import { swarm } from '../fixtures/restSwarm.ts';

/** `npm run campaign -- restFaults` sets both variables, and then prints the counts. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 1);
const CASE_COUNT = Number(ISOBAR_CASES ?? 6);
const MINUTES = ISOBAR_CASES ? 15 : 5;

test(
  `orders and books stay exact in ${CASE_COUNT} worlds from seed ${SEED}, spot and futures in turn`,
  { timeout: CASE_COUNT * 60_000 },
  async () => {
    const sum = { orders: 0, unknown: 0, fills: 0, restarts: 0 };
    for (let seed = SEED; seed < SEED + CASE_COUNT; seed++) {
      const market = seed % 2 === 0 ? 'futures' : 'spot';
      const { broken, ...counts } = await swarm(seed, MINUTES, market);
      expect(broken, `seed ${seed}, on ${market}; again: npm run campaign -- restFaults --seed ${seed} --cases 1`).toEqual([]);
      for (const name of ['orders', 'unknown', 'fills', 'restarts'] as const) sum[name] += counts[name];
      if (ISOBAR_CASES && (seed - SEED + 1) % 100 === 0) console.info(`${seed - SEED + 1} worlds: ${JSON.stringify(sum)}`);
    }
    expect(sum.orders).toBeGreaterThan(CASE_COUNT * 20);
    expect(sum.unknown).toBeGreaterThan(0);
    if (ISOBAR_CASES)
      console.info(JSON.stringify({ worlds: CASE_COUNT, minutes: CASE_COUNT * MINUTES, ...sum, duplicated: 0, forgotten: 0 }));
  },
);
