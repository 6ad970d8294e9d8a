// Tests random interleavings of intents, fills, cancels, lost replies and late arrivals: no account exceeds a limit that is set.

import { describe, expect, test } from 'vitest';
import {
  courseCountOf,
  expectNoBrokenLimit,
  firstBrokenLimit,
  ReservationsWithoutAbsentHold,
  ReservationsFreedByFirstFill,
  FIRST_SEED,
} from './riskCampaign.ts';
import { zeroCounts } from './riskCourse.ts';
import { SpotRiskWorld } from './riskWorld.ts';

const COURSES = courseCountOf(2000);
/** A removed rule must show in one of this many courses of events, from `FIRST_SEED` on. */
const MAX_COURSES = 1000;
const HOUR_MS = 3_600_000;

test(`no limit is broken in ${COURSES} courses of events from seed ${FIRST_SEED}`, { timeout: HOUR_MS }, () => {
  expectNoBrokenLimit('risk', COURSES, (seed, counts) => new SpotRiskWorld(seed, counts));
});

/** Deny codes of the rules. Each rule is left out once. */
const DENY_CODES = [
  'PRECISION', 'QTY_MAX', 'NOTIONAL_MAX', 'COLLAR', 'OPEN_ORDERS', 'POSITION_MAX', 'POSITION_NOTIONAL', 'PORTFOLIO', 'LEVERAGE',
  'MARGIN', 'MESSAGE_RATE', 'DAILY_LOSS', 'DRAWDOWN',
]; // prettier-ignore

describe('without one rule the same courses of events break its limit', () => {
  test.each(DENY_CODES)('without one rule the same courses of events break its limit: %s', (code) => {
    expect(firstBrokenLimit(FIRST_SEED, MAX_COURSES, (seed) => new SpotRiskWorld(seed, zeroCounts(), { withoutRule: code }))).toBe(code);
  });
});

test.each([
  ['the reserve of orders that are proven absent', ReservationsWithoutAbsentHold],
  ['the rest of a partly filled order', ReservationsFreedByFirstFill],
])('without %s a limit is broken', (_, ReservationsClass) => {
  expect(firstBrokenLimit(FIRST_SEED, MAX_COURSES, (seed) => new SpotRiskWorld(seed, zeroCounts(), { ReservationsClass }))).not.toBeNull();
});
