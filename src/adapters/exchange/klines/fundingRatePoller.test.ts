// Tests the poller of funding rates in simulated time: it reads a rate shortly before it is charged, and never after that.

import { expect, test } from 'vitest';
import { timeMs } from '../../../base/brand.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import { RATE_LEADS_MS, FundingRatePoller, type AskRate } from './fundingRatePoller.ts';

const HOUR = 3_600_000;
const PERIOD = 8 * HOUR;
const START = Date.UTC(2026, 0, 5, 6);
/** The first funding time after the start: 08:00. */
const DUE = Date.UTC(2026, 0, 5, 8);

/** Returns a poller in simulated time, and the venue that it asks. */
function fixture() {
  const queue = new DueQueue();
  queue.runDue(START);
  const state = { sleptMs: 0, uncertaintyMs: 20, isAway: false, takesMs: 30 };
  const venueMs = (): number => queue.nowMs + state.sleptMs;
  const callTimes: number[] = [];
  const reported: string[] = [];
  /** The rate equals the hour of the next funding time. */
  const askRate: AskRate = (timeoutMs, done) => {
    callTimes.push(venueMs());
    const handle = queue.at(queue.nowMs + Math.min(timeoutMs, state.takesMs), () => {
      if (state.isAway) return done({ kind: 'unknown', cause: 'no answer', error: null, status: null } as never);
      const hour = new Date((Math.floor(venueMs() / PERIOD) + 1) * PERIOD).getUTCHours();
      done({ kind: 'acked', value: { currentFundRate: `0.00${hour}` } } as never);
    });
    return () => queue.cancel(handle);
  };
  const dayAndTime = (dueMs: number): string => new Date(dueMs).toISOString().slice(8, 16);
  const poller = new FundingRatePoller({
    scheduler: queue,
    serverTime: () => ({ ms: timeMs(venueMs()), uncertaintyMs: state.uncertaintyMs }),
    ask: askRate,
    periodMs: PERIOD,
    sink: {
      next: (dueMs) => reported.push(`next ${dayAndTime(dueMs)}`),
      rate: (dueMs, rate) => reported.push(`${dayAndTime(dueMs)} ${rate}`),
      onProblem: (problem) => reported.push(problem),
    },
  });
  poller.start();
  return { queue, state, asked: callTimes, reported, poller, runTo: (ms: number) => queue.runDue(ms - state.sleptMs) };
}

test('each funding rate is read at each lead time, and the poller then waits for the next one', () => {
  const { runTo, asked: callTimes, reported } = fixture();
  runTo(DUE + 100);
  expect(callTimes).toEqual(RATE_LEADS_MS.map((lead) => DUE - lead));
  expect(reported).toEqual(['next 05T08:00', ...RATE_LEADS_MS.map(() => '05T08:00 0.008'), 'next 05T16:00']);
  runTo(DUE + PERIOD);
  expect(callTimes).toHaveLength(2 * RATE_LEADS_MS.length);
  expect(reported.at(-1)).toBe('05T16:00 0.0016');
});

test('a funding rate without a reply is requested again at growing intervals until its funding time', () => {
  const { runTo, asked: callTimes, reported, state } = fixture();
  state.isAway = true;
  runTo(DUE - 1000);
  expect(reported.filter((text) => text === 'no answer')).toHaveLength(callTimes.length);
  expect(callTimes.length).toBeGreaterThan(RATE_LEADS_MS.length + 3);
  expect(callTimes.length).toBeLessThan(20);
  state.isAway = false;
  runTo(DUE - 1);
  const callsBefore = callTimes.length;
  runTo(DUE + HOUR);
  expect(callTimes).toHaveLength(callsBefore);
  expect(reported.at(-1)).toBe('next 05T16:00');
});

test('a funding rate is read if the exchange replies again before the funding time', () => {
  const { runTo, reported, state } = fixture();
  state.isAway = true;
  runTo(DUE - 30_000);
  state.isAway = false;
  runTo(DUE + 100);
  expect(reported).toContain('05T08:00 0.008');
});

test('a funding rate whose reply may be from after the funding time is ignored', () => {
  const { runTo, reported, state } = fixture();
  state.takesMs = 4990;
  state.uncertaintyMs = 20;
  runTo(DUE + HOUR);
  // The third reply came 10 ms before the funding time, and the uncertainty of our clock is 20 ms.
  expect(reported).toEqual(['next 05T08:00', '05T08:00 0.008', '05T08:00 0.008', 'next 05T16:00']);
});

test('a poller that slept through funding times continues with the next one', () => {
  const { runTo, reported, state, asked: callTimes } = fixture();
  runTo(START + HOUR);
  state.sleptMs = 20 * HOUR;
  runTo(Date.UTC(2026, 0, 6, 8) + 1000);
  expect(reported).toEqual(['next 05T08:00', 'next 06T08:00', '06T08:00 0.008', '06T08:00 0.008', '06T08:00 0.008', 'next 06T16:00']);
  expect(callTimes).toHaveLength(3);
});

test('the poller makes no call while the clock is unknown, or after a stop', () => {
  const { runTo, asked: callTimes, reported, state, poller, queue } = fixture();
  state.uncertaintyMs = Infinity;
  runTo(DUE + HOUR);
  expect(callTimes).toEqual([]);
  state.uncertaintyMs = 20;
  runTo(DUE + 2 * HOUR);
  expect(reported.at(-1)).toBe('next 05T16:00');
  poller.stop();
  runTo(DUE + 24 * HOUR);
  expect([callTimes.length, queue.nextMs]).toEqual([0, Infinity]);
});
