// Tests the central claim of the rate limiter: on any network the exchange never receives more than the limit in any window.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WindowUse, type Flight } from './windowUse.ts';

const WINDOW_MS = 2000;
const START_MS = 1_700_000_000_000;

/** When a call is attempted, and how long the network takes. */
interface CallTiming {
  /** Ms from the call before to this attempt; null sends at the first moment with room. */
  readonly gapMs: number | null;
  /** Network delays out and back, ms. */
  readonly outMs: number;
  readonly backMs: number;
  readonly weight: number;
}

/** Network delays in ms: none, up to 800, or about a window. */
const delay = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 800, noNaN: true }), fc.double({ min: 1900, max: 2100, noNaN: true }));
const callTiming: fc.Arbitrary<CallTiming> = fc.record({
  gapMs: fc.oneof(
    fc.constant(null),
    fc.constant(0),
    fc.double({ min: 0, max: 50, noNaN: true }),
    fc.double({ min: 0, max: 3000, noNaN: true }),
  ),
  outMs: delay,
  backMs: delay,
  weight: fc.integer({ min: 1, max: 3 }),
});

/** An exchange with the slowest clock that the guard interval covers: its window takes 8 ms longer. */
const SLOWEST = WINDOW_MS / (WINDOW_MS + 8);
const clockRate = fc.oneof(fc.constant(SLOWEST), fc.double({ min: SLOWEST, max: 2 - SLOWEST, noNaN: true }));

/** Sends as many calls as the limiter allows. Returns the time at which each was received, on our clock with fractions of a ms. */
function receivedBy(calls: readonly CallTiming[], limit: number): { atMs: number; weight: number }[] {
  const use = new WindowUse(WINDOW_MS);
  let flying: { flight: Flight; answeredMs: number }[] = [];
  const received: { atMs: number; weight: number }[] = [];
  let nowMs = START_MS;
  const passTo = (ms: number): void => {
    nowMs = ms;
    for (const { flight, answeredMs } of flying.toSorted((a, b) => a.answeredMs - b.answeredMs)) {
      if (answeredMs <= nowMs) use.endFlight(flight, false, Math.floor(answeredMs));
    }
    flying = flying.filter(({ answeredMs }) => answeredMs > nowMs);
    use.removeExpired(Math.floor(nowMs));
  };
  for (const { gapMs, outMs, backMs, weight } of calls) {
    passTo(nowMs + (gapMs ?? 0));
    if (gapMs === null) {
      while (use.all + weight > limit) passTo(Math.max(nowMs, Math.min(use.nextMs, ...flying.map(({ answeredMs }) => answeredMs))));
    }
    if (use.all + weight > limit) continue;
    flying.push({ flight: use.addFlight('cancel', weight, Math.floor(nowMs)), answeredMs: nowMs + outMs + backMs });
    received.push({ atMs: nowMs + outMs, weight });
  }
  return received;
}

/** Returns the largest count in any window of the exchange, by its clock: `rate` times as fast as ours, `skewMs` off, in whole ms. */
function maxInAWindow(received: readonly { atMs: number; weight: number }[], rate: number, skewMs: number): number {
  const times = received.map(({ atMs, weight }) => ({ ms: Math.floor((atMs - START_MS) * rate + skewMs), weight }));
  const callsInWindow = (endMs: number) => times.filter(({ ms }) => ms > endMs - WINDOW_MS && ms <= endMs);
  return Math.max(0, ...times.map(({ ms }) => callsInWindow(ms).reduce((sum, { weight }) => sum + weight, 0)));
}

describe('requests that count from sending until a window after their answer', () => {
  it('requests that count from sending until a window after their answer never exceed the limit on the clock of the exchange', () => {
    fc.assert(
      fc.property(
        fc.array(callTiming, { maxLength: 120 }),
        fc.integer({ min: 3, max: 8 }),
        clockRate,
        fc.double({ min: -3_600_000, max: 3_600_000, noNaN: true }),
        (calls, limit, rate, skewMs) => maxInAWindow(receivedBy(calls, limit), rate, skewMs) <= limit,
      ),
      { numRuns: 600 },
    );
  });

  it('requests that count from sending until a window after their answer can fill the limit exactly, so no rule that sends more is safe', () => {
    // The first call is received as late as possible and the next as early as possible: exactly a window apart.
    const slowCall: CallTiming = { gapMs: 0, outMs: 800, backMs: 0, weight: 1 };
    const fastCall: CallTiming = { gapMs: 0, outMs: 0, backMs: 0, weight: 1 };
    const receivedAfter = (gapMs: number) => receivedBy([slowCall, { ...fastCall, gapMs }], 1).length;
    expect(receivedAfter(800 + WINDOW_MS - 1)).toBe(1);
    expect(receivedAfter(800 + WINDOW_MS + 15)).toBe(2);
  });

  it('requests that count from sending until a window after their answer also keep to a limit on fixed windows, and to a bucket that refills', () => {
    fc.assert(
      fc.property(fc.array(callTiming, { maxLength: 120 }), fc.integer({ min: 3, max: 8 }), fc.nat(WINDOW_MS), (calls, limit, phaseMs) => {
        const received = receivedBy(calls, limit).toSorted((a, b) => a.atMs - b.atMs);
        const callsByWindow = new Map<number, number>();
        let level = 0;
        let lastMs = -Infinity;
        for (const { atMs, weight } of received) {
          const window = Math.floor((atMs + phaseMs) / WINDOW_MS);
          callsByWindow.set(window, (callsByWindow.get(window) ?? 0) + weight);
          level = Math.max(0, level - ((atMs - lastMs) * limit) / WINDOW_MS) + weight;
          lastMs = atMs;
          if (level > limit + 1e-6) return false;
        }
        return Math.max(0, ...callsByWindow.values()) <= limit;
      }),
      { numRuns: 300 },
    );
  });

  it('requests without a reply count for longer, because their arrival time is unknown', () => {
    const use = new WindowUse(WINDOW_MS);
    use.endFlight(use.addFlight('cancel', 1, 0), true, 3000);
    use.removeExpired(3000 + 5000 + WINDOW_MS);
    expect(use.all).toBe(1);
    use.removeExpired(3000 + 5000 + WINDOW_MS + 10);
    expect(use.all).toBe(0);
    expect(use.nextMs).toBe(Infinity);
  });

  it('requests that count from sending until a window after their answer use their share from the moment of sending', () => {
    const use = new WindowUse(WINDOW_MS);
    use.addFlight('steady', 2, 0);
    use.addFlight('order', 1, 0);
    use.addFlight('reconcile', 4, 0);
    expect([use.sentBy('steady'), use.sentBy('order'), use.all]).toEqual([2, 1, 7]);
    use.removeExpired(WINDOW_MS);
    expect([use.sentBy('steady'), use.sentBy('order'), use.all]).toEqual([0, 0, 7]);
  });
});
