// Tests the poller of funding rates in simulated time: it reads a rate shortly before it is charged, and never after that.

import { expect, test } from 'vitest';
import { timeMs } from '../../../base/brand.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import { RATE_LEADS_MS, FundingRatePoller, type AskRate } from './fundingRatePoller.ts';

const HOUR_MS = 3_600_000;
const PERIOD_MS = 8 * HOUR_MS;
const START_MS = Date.UTC(2026, 0, 5, 6);
/** The first funding time after the start: 08:00. */
const DUE_MS = Date.UTC(2026, 0, 5, 8);

/** Returns a poller in simulated time, and the venue that it asks. */
function fixture() {
  const queue = new DueQueue();
  queue.runDue(START_MS);
  const state = { sleptMs: 0, uncertaintyMs: 20, isAway: false, replyDelayMs: 30 };
  const venueMs = (): number => queue.nowMs + state.sleptMs;
  const callTimes: number[] = [];
  const reported: string[] = [];
  /** The rate equals the hour of the next funding time. */
  const askRate: AskRate = (timeoutMs, done) => {
    callTimes.push(venueMs());
    const handle = queue.at(queue.nowMs + Math.min(timeoutMs, state.replyDelayMs), () => {
      if (state.isAway) return done({ kind: 'unknown', cause: 'no answer', error: null, status: null } as never);
      const hour = new Date((Math.floor(venueMs() / PERIOD_MS) + 1) * PERIOD_MS).getUTCHours();
      done({ kind: 'acked', value: { currentFundRate: `0.00${hour}` } } as never);
    });
    return () => queue.cancel(handle);
  };
  const dayAndTime = (dueMs: number): string => new Date(dueMs).toISOString().slice(8, 16);
  const poller = new FundingRatePoller({
    scheduler: queue,
    serverTime: () => ({ ms: timeMs(venueMs()), uncertaintyMs: state.uncertaintyMs }),
    ask: askRate,
    periodMs: PERIOD_MS,
    sink: {
      next: (dueMs) => reported.push(`next ${dayAndTime(dueMs)}`),
      rate: (dueMs, rate) => reported.push(`${dayAndTime(dueMs)} ${rate}`),
      onProblem: (problem) => reported.push(problem),
    },
  });
  poller.start();
  return { queue, state, callTimes, reported, poller, runTo: (ms: number) => queue.runDue(ms - state.sleptMs) };
}

test('each funding rate is read at each lead time, and the poller then waits for the next one', () => {
  const { runTo, callTimes, reported } = fixture();
  runTo(DUE_MS + 100);
  expect(callTimes).toEqual(RATE_LEADS_MS.map((lead) => DUE_MS - lead));
  expect(reported).toEqual(['next 05T08:00', ...RATE_LEADS_MS.map(() => '05T08:00 0.008'), 'next 05T16:00']);
  runTo(DUE_MS + PERIOD_MS);
  expect(callTimes).toHaveLength(2 * RATE_LEADS_MS.length);
  expect(reported.at(-1)).toBe('05T16:00 0.0016');
});

test('a funding rate without a reply is requested again at growing intervals until its funding time', () => {
  const { runTo, callTimes, reported, state } = fixture();
  state.isAway = true;
  runTo(DUE_MS - 1000);
  expect(reported.filter((text) => text === 'no answer')).toHaveLength(callTimes.length);
  expect(callTimes.length).toBeGreaterThan(RATE_LEADS_MS.length + 3);
  expect(callTimes.length).toBeLessThan(20);
  state.isAway = false;
  runTo(DUE_MS - 1);
  const callsBefore = callTimes.length;
  runTo(DUE_MS + HOUR_MS);
  expect(callTimes).toHaveLength(callsBefore);
  expect(reported.at(-1)).toBe('next 05T16:00');
});

test('a funding rate is read if the exchange replies again before the funding time', () => {
  const { runTo, reported, state } = fixture();
  state.isAway = true;
  runTo(DUE_MS - 30_000);
  state.isAway = false;
  runTo(DUE_MS + 100);
  expect(reported).toContain('05T08:00 0.008');
});

test('a funding rate whose reply may be from after the funding time is ignored', () => {
  const { runTo, reported, state } = fixture();
  state.replyDelayMs = 4990;
  state.uncertaintyMs = 20;
  runTo(DUE_MS + HOUR_MS);
  // The third reply came 10 ms before the funding time, and the uncertainty of our clock is 20 ms.
  expect(reported).toEqual(['next 05T08:00', '05T08:00 0.008', '05T08:00 0.008', 'next 05T16:00']);
});

test('a poller that slept through funding times continues with the next one', () => {
  const { runTo, reported, state, callTimes } = fixture();
  runTo(START_MS + HOUR_MS);
  state.sleptMs = 20 * HOUR_MS;
  runTo(Date.UTC(2026, 0, 6, 8) + 1000);
  expect(reported).toEqual(['next 05T08:00', 'next 06T08:00', '06T08:00 0.008', '06T08:00 0.008', '06T08:00 0.008', 'next 06T16:00']);
  expect(callTimes).toHaveLength(3);
});

test('the poller makes no call while the clock is unknown, or after a stop', () => {
  const { runTo, callTimes, reported, state, poller, queue } = fixture();
  state.uncertaintyMs = Infinity;
  runTo(DUE_MS + HOUR_MS);
  expect(callTimes).toEqual([]);
  state.uncertaintyMs = 20;
  runTo(DUE_MS + 2 * HOUR_MS);
  expect(reported.at(-1)).toBe('next 05T16:00');
  poller.stop();
  runTo(DUE_MS + 24 * HOUR_MS);
  expect([callTimes.length, queue.nextMs]).toEqual([0, Infinity]);
});
