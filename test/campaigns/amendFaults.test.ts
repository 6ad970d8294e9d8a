// Tests moved stops at the exchange under random faults and restarts: each position always has a stop that closes at most the position.

import { expect, test } from 'vitest';
import { stopSwarm } from '../fixtures/stopSwarm.ts';

/** `npm run campaign -- amendFaults` sets both variables. The output then has the counts. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 1);
const CASE_COUNT = Number(ISOBAR_CASES ?? 2);
const BARS = ISOBAR_CASES ? 60 : 24;

test(
  `moved stops protect their positions in ${CASE_COUNT} simulated worlds from seed ${SEED}`,
  { timeout: CASE_COUNT * 120_000 },
  async () => {
    /** Sums over all worlds. `unknown`: moves whose reply was lost. `fired`: stops that the exchange has triggered. */
    const totals = { moves: 0, moved: 0, unknown: 0, fired: 0, restarts: 0 };
    for (let seed = SEED; seed < SEED + CASE_COUNT; seed++) {
      const { broken, ...counts } = await stopSwarm(seed, BARS);
      expect(broken, `seed ${seed}; again: npm run campaign -- amendFaults --seed ${seed} --cases 1`).toEqual([]);
      for (const name of ['moves', 'moved', 'unknown', 'fired', 'restarts'] as const) totals[name] += counts[name];
      if (ISOBAR_CASES && (seed - SEED + 1) % 10 === 0) console.info(`${seed - SEED + 1} worlds: ${JSON.stringify(totals)}`);
    }
    expect(totals.moved).toBeGreaterThan(CASE_COUNT * 3);
    if (ISOBAR_CASES)
      console.info(JSON.stringify({ worlds: CASE_COUNT, bars: CASE_COUNT * BARS, ...totals, withoutStopMs: 0, leftOver: 0 }));
  },
);
