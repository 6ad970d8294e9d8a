// Tests that, on any network, the exchange never receives more calls than the limit in any window, if each call counts until a window
// after its reply.

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
const SLOWEST_CLOCK_RATE = WINDOW_MS / (WINDOW_MS + 8);
const clockRate = fc.oneof(
  fc.constant(SLOWEST_CLOCK_RATE),
  fc.double({ min: SLOWEST_CLOCK_RATE, max: 2 - SLOWEST_CLOCK_RATE, noNaN: true }),
);

/** Sends as many calls as the limiter allows. Returns the time at which each was received, on our clock with fractions of a ms. */
function receivedBy(calls: readonly CallTiming[], limit: number): { atMs: number; weight: number }[] {
  const use = new WindowUse(WINDOW_MS);
  let inFlight: { flight: Flight; repliedMs: number }[] = [];
  const received: { atMs: number; weight: number }[] = [];
  let nowMs = START_MS;
  const advanceTo = (ms: number): void => {
    nowMs = ms;
    for (const { flight, repliedMs } of inFlight.toSorted((a, b) => a.repliedMs - b.repliedMs)) {
      if (repliedMs <= nowMs) use.endFlight(flight, false, Math.floor(repliedMs));
    }
    inFlight = inFlight.filter(({ repliedMs }) => repliedMs > nowMs);
    use.removeExpired(Math.floor(nowMs));
  };
  for (const { gapMs, outMs, backMs, weight } of calls) {
    advanceTo(nowMs + (gapMs ?? 0));
    if (gapMs === null) {
      while (use.all + weight > limit) advanceTo(Math.max(nowMs, Math.min(use.nextMs, ...inFlight.map(({ repliedMs }) => repliedMs))));
    }
    if (use.all + weight > limit) continue;
    inFlight.push({ flight: use.addFlight('cancel', weight, Math.floor(nowMs)), repliedMs: nowMs + outMs + backMs });
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

describe('calls that count from sending until a window after their reply', () => {
  it('calls that count until a window after their reply never exceed the limit on the clock of the exchange', () => {
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

  it('calls that count until a window after their reply can fill the limit exactly, so no rule that sends more is safe', () => {
    // The first call is received as late as possible and the next as early as possible: exactly a window apart.
    const slowCall: CallTiming = { gapMs: 0, outMs: 800, backMs: 0, weight: 1 };
    const fastCall: CallTiming = { gapMs: 0, outMs: 0, backMs: 0, weight: 1 };
    const receivedAfter = (gapMs: number) => receivedBy([slowCall, { ...fastCall, gapMs }], 1).length;
    expect(receivedAfter(800 + WINDOW_MS - 1)).toBe(1);
    expect(receivedAfter(800 + WINDOW_MS + 15)).toBe(2);
  });

  it('calls that count until a window after their reply also stay within a limit on fixed windows, and on a refilling bucket', () => {
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

  it('calls without a reply count for longer, because their arrival time is unknown', () => {
    const use = new WindowUse(WINDOW_MS);
    use.endFlight(use.addFlight('cancel', 1, 0), true, 3000);
    use.removeExpired(3000 + 5000 + WINDOW_MS);
    expect(use.all).toBe(1);
    use.removeExpired(3000 + 5000 + WINDOW_MS + 10);
    expect(use.all).toBe(0);
    expect(use.nextMs).toBe(Infinity);
  });

  it('calls use the share of their priority only for a window from the moment of sending', () => {
    const use = new WindowUse(WINDOW_MS);
    use.addFlight('steady', 2, 0);
    use.addFlight('order', 1, 0);
    use.addFlight('reconcile', 4, 0);
    expect([use.sentBy('steady'), use.sentBy('order'), use.all]).toEqual([2, 1, 7]);
    use.removeExpired(WINDOW_MS);
    expect([use.sentBy('steady'), use.sentBy('order'), use.all]).toEqual([0, 0, 7]);
  });
});
