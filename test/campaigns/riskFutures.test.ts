// Random interleavings of intents, fills, cancels, lost answers, late landings and funding on contracts never take the truth beyond a limit.

import { describe, expect, test } from 'vitest';
import { Reservations, type Reserved } from '../../src/orders/reservation.ts';
import { noCounts } from './riskCourse.ts';
import { FuturesRiskWorld } from './riskFuturesWorld.ts';

/** `npm run campaign -- riskFutures` sets both, and wants to read what was tried. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const CASES = Number(ISOBAR_CASES ?? 6000);
const SEED = Number(ISOBAR_SEED ?? 1);
const HOUR_MS = 3_600_000;

test(`no limit is broken in ${CASES} courses of events from seed ${SEED}`, { timeout: HOUR_MS }, () => {
  const counts = noCounts();
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    let broken: string | null;
    try {
      broken = new FuturesRiskWorld(seed, counts).run();
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
    }
    if (broken !== null) expect.fail(`seed ${seed} breaks ${broken}; again: npm run campaign -- riskFutures --seed ${seed} --cases 1`);
  }
  if (ISOBAR_CASES) console.log(`risk of futures: seeds ${SEED} to ${SEED + CASES - 1}, no limit broken`, JSON.stringify(counts));
  for (const [what, count] of Object.entries(counts)) if (what !== 'denied' && CASES >= 1000) expect(count, what).toBeGreaterThan(0);
});

const CODES = [
  'NOT_TRADING', 'PRECISION', 'QTY_MAX', 'NOTIONAL_MAX', 'COLLAR', 'OPEN_ORDERS', 'CONTRACT_TAKEN', 'POSITION_MAX', 'POSITION_NOTIONAL',
  'PORTFOLIO', 'LEVERAGE', 'TIER', 'MARGIN', 'MESSAGE_RATE', 'DAILY_LOSS', 'DRAWDOWN',
]; // prettier-ignore

describe('without one rule the same courses of events break its limit', () => {
  test.each(CODES)('%s', (code) => {
    expect(firstBroken((seed) => new FuturesRiskWorld(seed, noCounts(), code))).toBe(code);
  });
});

class Forgetful extends Reservations {
  override entomb(order: Reserved): void {
    this.release(order);
  }
}
class Hasty extends Reservations {
  override fill(order: Reserved): void {
    this.release(order);
  }
}
class Stale extends Reservations {
  override sellUnitsAt(index: number): number {
    return super.sellUnitsAt(index, 1e-9);
  }
}
/** Takes the higher price for the worst one, whatever the contract. */
class Linear extends Reservations {
  override assess(order: Reserved, markTicks: number): void {
    super.assess(order, markTicks);
    if (order.limit > 0) order.worstTicks = Math.max(order.limit, markTicks);
    order.worstUnits = order.quoteUnits > 0 ? order.worstUnits : this.scale(order.instrumentIndex).notionalUp(order.worstTicks, order.worstLots);
  }
}

test.each([
  ['the reserve of tombstones', Forgetful],
  ['the rest of a partly filled order', Hasty],
  ['open sells at the mark', Stale],
  ['the lower price of an inverse contract as the worse one', Linear],
])('without %s a limit is broken', (_, kind) => {
  expect(firstBroken((seed) => new FuturesRiskWorld(seed, noCounts(), null, kind))).not.toBeNull();
});

/** What is broken first, within 5000 seeds that are the same ones for every campaign. */
function firstBroken(world: (seed: number) => FuturesRiskWorld): string | null {
  for (let seed = 1; seed <= 5000; seed++) {
    const broken = world(seed).run();
    if (broken !== null) return broken;
  }
  return null;
}
