// Tests the rule for acts by hand at the end of a simulated day.

import { expect, test } from 'vitest';
import { runDay } from '../runDay.ts';
import { isTimed, scheduleOf } from '../schedule.ts';

const MINUTE_MS = 60_000;
const LENGTH_MS = 120 * MINUTE_MS;
/** On this day a person sells twice within the 13th minute. The first sale leaves no buyers for the second one. */
const SEED = 1090;

test('a sale by hand that has ended without a fill need not be reported', async () => {
  const schedule = scheduleOf(SEED, LENGTH_MS).filter(
    (fault) => isTimed(fault) && (fault.faultKind === 'kill' || fault.faultKind === 'manualSale') && fault.atMs < 13 * MINUTE_MS,
  );
  expect(schedule.map(({ faultKind }) => faultKind)).toEqual(['kill', 'manualSale', 'manualSale']);
  const result = await runDay(SEED, schedule, { lengthMs: LENGTH_MS });
  expect(result.violations).toEqual([]);
});
