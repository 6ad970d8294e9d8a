// Random interleavings of intents, fills, cancels, lost answers and late landings never take the truth beyond a limit that is set.

import { describe, expect, test } from 'vitest';
import { noCounts, World } from './riskWorld.ts';

/** `npm run campaign -- risk` sets both. */
const CASES = Number(process.env['ISOBAR_CASES'] ?? 3000);
const SEED = Number(process.env['ISOBAR_SEED'] ?? 1);
const HOUR_MS = 3_600_000;

test(`no limit is broken in ${CASES} courses of events from seed ${SEED}`, { timeout: HOUR_MS }, () => {
  const counts = noCounts();
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    let broken: string | null;
    try {
      broken = new World(seed, counts, null).run();
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
    }
    if (broken !== null) expect.fail(`seed ${seed} breaks ${broken}; again: npm run campaign -- risk --seed ${seed} --cases 1`);
  }
  console.log(`risk campaign: seeds ${SEED} to ${SEED + CASES - 1}, no limit broken`, JSON.stringify(counts));
  for (const [what, count] of Object.entries(counts)) if (what !== 'denied' && CASES >= 1000) expect(count, what).toBeGreaterThan(0);
});

const CODES = [
  'PRECISION', 'QTY_MAX', 'NOTIONAL_MAX', 'COLLAR', 'OPEN_ORDERS', 'POSITION_MAX', 'POSITION_NOTIONAL', 'PORTFOLIO', 'LEVERAGE',
  'MARGIN', 'MESSAGE_RATE', 'DAILY_LOSS', 'DRAWDOWN',
]; // prettier-ignore

describe('without one rule the same courses of events break its limit', () => {
  test.each(CODES)('%s', (code) => {
    const found = firstBroken(code);
    expect(found).toBe(code);
  });
});

/** What is broken first, within 1000 seeds, when a rule is left out. A world that cannot pay for its orders breaks its own ledger. */
function firstBroken(code: string): string | null {
  for (let seed = SEED; seed < SEED + 1000; seed++) {
    const broken = new World(seed, noCounts(), code).run();
    if (broken !== null) return broken;
  }
  return null;
}
