// Tests random histories of futures accounts that trade with each other: profits equal losses, and all deposits are accounted for.

import { expect, test } from 'vitest';
import { noPairedCounts, PairedWorld } from './pairedWorld.ts';

/** `npm run campaign -- futuresPaired` sets both variables. A case is a history of EVENTS events. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const CASE_COUNT = Number(ISOBAR_CASES ?? 100);
const SEED = Number(ISOBAR_SEED ?? 1);
const EVENTS = 200;
const HOUR_MS = 3_600_000;

test(`money between accounts is conserved after each of ${CASE_COUNT * EVENTS} events from seed ${SEED}`, { timeout: HOUR_MS }, () => {
  const counts = noPairedCounts();
  for (let seed = SEED; seed < SEED + CASE_COUNT; seed++) {
    try {
      new PairedWorld(seed, counts).run(EVENTS);
    } catch (error) {
      const repeatCommand = `npm run campaign -- futuresPaired --seed ${seed} --cases 1`;
      throw new Error(`seed ${seed}: ${String(error)}; again: ${repeatCommand}`, { cause: error });
    }
  }
  if (ISOBAR_CASES)
    console.log(`futuresPaired: seeds ${SEED} to ${SEED + CASE_COUNT - 1}, ${CASE_COUNT * EVENTS} events`, JSON.stringify(counts));
  for (const [eventKind, count] of Object.entries(counts)) if (CASE_COUNT >= 100) expect(count, eventKind).toBeGreaterThan(10);
});
