// Tests days with two bots on one exchange: each with its own journal, operator and observer, and each cut off for times.

import { expect, test } from 'vitest';
import { scheduleOf, type ScheduledFault } from '../schedule.ts';
import { runDay } from '../runDay.ts';
import { cutClient } from './pairDay.ts';

const LENGTH_MS = 7_200_000;

// On the day of an odd seed each bot has its own account; on that of an even one they share it.
test.each([31_003, 31_002])('a day with two bots has no violation (seed %i)', async (seed) => {
  const result = await runDay(seed, scheduleOf(seed, LENGTH_MS), { lengthMs: LENGTH_MS });
  expect(result.violations, `again: npm run sim -- --hours 2 --seed ${seed} --loud`).toEqual([]);
  expect(result.ordersOfSecondBot).toBeGreaterThan(3);
  expect(result.orders).toBeGreaterThan(result.ordersOfSecondBot);
});

// On the day of seed 31010 the reservation of an exit that was proven absent ends between two tries to bring its stop back; restarts follow.
// On that of seed 31137 a position closes before the bot can read its funding, and the other bot's account has its own payments.
// On that of seed 31501 both bots have one account, and each a contract of its own.
test.each([31_003, 31_010, 31_137, 31_501])('a day of contracts with two bots has no violation (seed %i)', async (seed) => {
  const result = await runDay(seed, scheduleOf(seed, LENGTH_MS), { lengthMs: LENGTH_MS, futures: true });
  expect(result.violations, `again: npm run sim -- --hours 2 --futures --seed ${seed} --loud`).toEqual([]);
  expect(result.ordersOfSecondBot).toBeGreaterThan(3);
  expect(result.orders).toBeGreaterThan(result.ordersOfSecondBot);
});

test('both bots of a day have faults, and only days with two bots have faults of a second one', () => {
  const kindsOf = (seed: number, bot: 1 | 2): Set<string> =>
    new Set(scheduleOf(seed, LENGTH_MS).flatMap((fault: ScheduledFault) => ((fault.bot ?? 1) === bot ? [fault.faultKind] : [])));
  for (const bot of [1, 2] as const)
    expect(Array.from(kindsOf(31_001, bot))).toEqual(expect.arrayContaining(['cutClient', 'loseReply', 'kill']));
  for (const seed of [1, 1001, 30_001]) expect(kindsOf(seed, 2).size).toBe(0);
});

test('a client is cut off in one direction or in both, for up to about ten minutes', () => {
  const cuts = Array.from({ length: 60 }, (_, index) => {
    const network = { requestsLostUntilMs: -Infinity, repliesLostUntilMs: -Infinity };
    cutClient(network, 1000, index / 60);
    return network;
  });
  const directions = new Set(
    cuts.map(({ requestsLostUntilMs, repliesLostUntilMs }) => `${requestsLostUntilMs > 0} ${repliesLostUntilMs > 0}`),
  );
  expect(directions).toEqual(new Set(['true false', 'false true', 'true true']));
  const lengths = cuts.map(({ requestsLostUntilMs, repliesLostUntilMs }) => Math.max(requestsLostUntilMs, repliesLostUntilMs) - 1000);
  expect(Math.min(...lengths)).toBeGreaterThanOrEqual(5000);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(605_000);
});
