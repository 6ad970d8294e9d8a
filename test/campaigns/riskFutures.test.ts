// Tests random interleavings of intents, fills, cancels, lost replies, late arrivals and funding on contracts: no account exceeds a limit.

import { describe, expect, test } from 'vitest';
import { Reservations } from '../../src/orders/reserve/reservation.ts';
import type { ReservedOrder } from '../../src/orders/reserve/worstCase.ts';
import {
  courseCountOf,
  expectNoBrokenLimit,
  firstBrokenLimit,
  ReservationsWithoutAbsentHold,
  ReservationsFreedByFirstFill,
  FIRST_SEED,
} from './riskCampaign.ts';
import { zeroCounts } from './riskCourse.ts';
import { FuturesRiskWorld } from './riskFuturesWorld.ts';

const COURSES = courseCountOf(1000);
/** A planted fault must be found in courses from this seed on. They do not depend on the first seed of the campaign. */
const FIRST_FAULT_SEED = 1;
/** A planted fault must be found within this number of courses. */
const MAX_COURSES = 5000;
const HOUR_MS = 3_600_000;

test(`no limit is broken in ${COURSES} courses of events from seed ${FIRST_SEED}`, { timeout: HOUR_MS }, () => {
  expectNoBrokenLimit('riskFutures', COURSES, (seed, counts) => new FuturesRiskWorld(seed, counts));
});

/** Deny codes of the rules. Each rule is left out once. */
const DENY_CODES = [
  'NOT_TRADING', 'PRECISION', 'QTY_MAX', 'NOTIONAL_MAX', 'COLLAR', 'OPEN_ORDERS', 'CONTRACT_TAKEN', 'POSITION_MAX', 'POSITION_NOTIONAL',
  'PORTFOLIO', 'LEVERAGE', 'TIER', 'MARGIN', 'MESSAGE_RATE', 'DAILY_LOSS', 'DRAWDOWN',
]; // prettier-ignore

describe('without one rule the same courses of events break its limit', () => {
  test.each(DENY_CODES)('without one rule the same courses of events break its limit: %s', (code) => {
    expect(firstBrokenLimit(FIRST_FAULT_SEED, MAX_COURSES, (seed) => new FuturesRiskWorld(seed, zeroCounts(), { withoutRule: code }))).toBe(
      code,
    );
  });
});

/** Values open sells near a price of 0 instead of at the mark. */
class SellsWithoutMark extends Reservations {
  override sellUnitsAt(index: number): number {
    return super.sellUnitsAt(index, 1e-9);
  }
}
/** Takes the higher price for the worst one, whatever the contract. */
class LinearOnly extends Reservations {
  override assess(order: ReservedOrder, markTicks: number): void {
    super.assess(order, markTicks);
    if (order.limit > 0) order.worstTicks = Math.max(order.limit, markTicks);
    order.worstUnits =
      order.quoteUnits > 0 ? order.worstUnits : this.scale(order.instrumentIndex).notionalUp(order.worstTicks, order.worstLots);
  }
}

test.each([
  ['the reserve of orders that are proven absent', ReservationsWithoutAbsentHold],
  ['the rest of a partly filled order', ReservationsFreedByFirstFill],
  ['open sells at the mark', SellsWithoutMark],
  ['the lower price of an inverse contract as the worse one', LinearOnly],
])('without %s a limit is broken', (_, ReservationsClass) => {
  expect(
    firstBrokenLimit(FIRST_FAULT_SEED, MAX_COURSES, (seed) => new FuturesRiskWorld(seed, zeroCounts(), { ReservationsClass })),
  ).not.toBeNull();
});
