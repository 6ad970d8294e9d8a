// Tests random histories of futures accounts: no money is created or lost by fills, payments, changes or liquidations.

import { expect, test } from 'vitest';
import { FuturesWorld, noCounts } from './futuresWorld.ts';

/** `npm run campaign -- futures` sets both variables. A case is a history of EVENTS events. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const CASE_COUNT = Number(ISOBAR_CASES ?? 250);
const SEED = Number(ISOBAR_SEED ?? 1);
const EVENTS = 200;
const HOUR_MS = 3_600_000;

test(`money is conserved after each of ${CASE_COUNT * EVENTS} events from seed ${SEED}`, { timeout: HOUR_MS }, () => {
  const counts = noCounts();
  for (let seed = SEED; seed < SEED + CASE_COUNT; seed++) {
    try {
      new FuturesWorld(seed, counts).run(EVENTS);
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}; again: npm run campaign -- futures --seed ${seed} --cases 1`, { cause: error });
    }
  }
  if (ISOBAR_CASES)
    console.log(`futures campaign: seeds ${SEED} to ${SEED + CASE_COUNT - 1}, ${CASE_COUNT * EVENTS} events`, JSON.stringify(counts));
  // A few cases need not contain every kind of event.
  if (CASE_COUNT < 100) return;
  for (const [eventKind, count] of Object.entries(counts)) expect(count, eventKind).toBeGreaterThan(10);
});
