// Tests when a run without progress counts as stalled: a busy machine does not end it, a loop or a wait without end does.

import { expect, test } from 'vitest';
import { POLL_MS, StallDetector } from './stallDetector.ts';

const LIMIT_MS = 1000;
const SILENT_RUN = { version: '1 1', isGuarded: true, phase: 'proof', doneMs: null, thread: 7 } as const;

/**
 * Returns after how many checks a run without progress counts as stalled; null: not within `maxLimits` times the limit. `cpuMs`: processor time
 * that it gets in each.
 */
function checksUntilStall(cpuMs: number | null, isAsleep = false, maxLimits = 30): number | null {
  let usedMs = 0;
  const detector = new StallDetector(SILENT_RUN, LIMIT_MS, () => (cpuMs === null ? null : { cpuMs: (usedMs += cpuMs), isAsleep }));
  const maxChecks = (maxLimits * LIMIT_MS) / POLL_MS;
  for (let count = 1; count <= maxChecks; count++) if (detector.check() !== null) return count;
  return null;
}

test('a thread that uses its processor without progress is stalled after the limit', () => {
  expect(checksUntilStall(POLL_MS)).toBe(LIMIT_MS / POLL_MS);
});

test('a thread that gets a tenth of a processor is not stalled after five times the limit', () => {
  expect(checksUntilStall(POLL_MS / 10, false, 5)).toBeNull();
});

test('a thread that waits for a disk without end is stalled after twenty times the limit', () => {
  // The first check has no earlier one to compare with.
  expect(checksUntilStall(0)).toBe((20 * LIMIT_MS) / POLL_MS + 1);
});

test('a thread that sleeps without progress is stalled after the limit', () => {
  expect(checksUntilStall(0, true)).toBe(LIMIT_MS / POLL_MS);
});

test('where the system does not say what a thread does, all time counts', () => {
  expect(checksUntilStall(null)).toBe(LIMIT_MS / POLL_MS);
});
