// Random interleavings of intents, fills, cancels, lost answers and late landings never take the truth beyond a limit that is set.

import { describe, expect, test } from 'vitest';
import { Reservations, type Reserved } from '../../src/orders/reservation.ts';
import { noCounts } from './riskCourse.ts';
import { World } from './riskWorld.ts';

/** `npm run campaign -- risk` sets both, and wants to read what was tried. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const CASES = Number(ISOBAR_CASES ?? 10_000);
const SEED = Number(ISOBAR_SEED ?? 1);
const HOUR_MS = 3_600_000;

test(`no limit is broken in ${CASES} courses of events from seed ${SEED}`, { timeout: HOUR_MS }, () => {
  const counts = noCounts();
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    let broken: string | null;
    try {
      broken = new World(seed, counts).run();
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
    }
    if (broken !== null) expect.fail(`seed ${seed} breaks ${broken}; again: npm run campaign -- risk --seed ${seed} --cases 1`);
  }
  if (ISOBAR_CASES) console.log(`risk campaign: seeds ${SEED} to ${SEED + CASES - 1}, no limit broken`, JSON.stringify(counts));
  for (const [what, count] of Object.entries(counts)) if (what !== 'denied' && CASES >= 1000) expect(count, what).toBeGreaterThan(0);
});

const CODES = [
  'PRECISION', 'QTY_MAX', 'NOTIONAL_MAX', 'COLLAR', 'OPEN_ORDERS', 'POSITION_MAX', 'POSITION_NOTIONAL', 'PORTFOLIO', 'LEVERAGE',
  'MARGIN', 'MESSAGE_RATE', 'DAILY_LOSS', 'DRAWDOWN',
]; // prettier-ignore

describe('without one rule the same courses of events break its limit', () => {
  test.each(CODES)('%s', (code) => {
    expect(firstBroken((seed) => new World(seed, noCounts(), code))).toBe(code);
  });
});

test('without the reserve of tombstones a late landing breaks a limit', () => {
  class Forgetful extends Reservations {
    override entomb(order: Reserved): void {
      this.release(order);
    }
  }
  expect(firstBroken((seed) => new World(seed, noCounts(), null, Forgetful))).not.toBeNull();
});

test('without the rest of a partly filled order the same happens', () => {
  class Hasty extends Reservations {
    override fill(order: Reserved): void {
      this.release(order);
    }
  }
  expect(firstBroken((seed) => new World(seed, noCounts(), null, Hasty))).not.toBeNull();
});

/** What is broken first, within 1000 seeds. */
function firstBroken(world: (seed: number) => World): string | null {
  for (let seed = SEED; seed < SEED + 1000; seed++) {
    const broken = world(seed).run();
    if (broken !== null) return broken;
  }
  return null;
}
