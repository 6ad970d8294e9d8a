// Tests that a simulated day sets the clock of an exchange that crashes meanwhile.

import { expect, test } from 'vitest';
import { runDay } from '../runDay.ts';
import { isTimed, scheduleOf } from '../schedule.ts';

const MINUTE_MS = 60_000;
const LENGTH_MS = 120 * MINUTE_MS;
/** On this day the exchange crashes while its clock is ahead, and is down when the clock is corrected. */
const SEED = 1154;

test('the clock of an exchange is right after a start if it was corrected while the exchange was down', async () => {
  const kinds: ReadonlySet<string> = new Set(['exchangeClock', 'exchangeCrash', 'ban', 'power']);
  const schedule = scheduleOf(SEED, LENGTH_MS).filter(
    (fault) => isTimed(fault) && kinds.has(fault.faultKind) && fault.atMs > 17 * MINUTE_MS && fault.atMs < 21 * MINUTE_MS,
  );
  expect(schedule.map(({ faultKind }) => faultKind)).toEqual(['exchangeClock', 'ban', 'exchangeCrash', 'power']);
  const result = await runDay(SEED, schedule, { lengthMs: LENGTH_MS });
  expect(result.violations).toEqual([]);
});
