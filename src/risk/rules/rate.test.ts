// Tests the count of orders of the last minute and hour against a naive count, with times of bracket legs before those of earlier orders.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SentOrders } from './sentOrders.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Limits that are all off. */
const OFF = { ordersPerMinute: Infinity, duplicateMs: 0, ordersPerFill: Infinity, countsLegs: false };
const order = { id: 1, strategy: 0, instrumentIndex: 0, side: 'buy', limit: 0, lots: 1, quoteUnits: 0, parent: 0, worstLots: 1 } as never;

/** Draws steps: each order is `laterS` seconds after the newest time, minus `earlierS` for a leg that has the time of its row's open. */
const stepsArbitrary = fc.array(
  fc.record({ laterS: fc.integer({ min: 0, max: 40 }), earlierS: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 90 })) }),
  {
    minLength: 1,
    maxLength: 60,
  },
);

/** Returns the times of the orders, ms. */
function timesOf(steps: readonly { readonly laterS: number; readonly earlierS: number }[]): number[] {
  let newestMs = HOUR_MS;
  return steps.map(({ laterS, earlierS }) => {
    newestMs += laterS * 1000;
    return newestMs - earlierS * 1000;
  });
}

describe('sent orders', () => {
  it('sent orders pass while fewer than the limit were sent within the last minute, in any order of their times', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), stepsArbitrary, (limit, steps) => {
        const sent = new SentOrders({ ...OFF, ordersPerMinute: limit });
        const sentTimes: number[] = [];
        for (const nowMs of timesOf(steps)) {
          const mayPass = sentTimes.filter((timeMs) => timeMs > nowMs - MINUTE_MS).length < limit;
          expect(sent.mayPass(nowMs)).toBe(mayPass);
          if (!mayPass) continue;
          sent.record(order, nowMs);
          sentTimes.push(nowMs);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('sent orders no longer count a leg one minute after the open of its row', () => {
    const sent = new SentOrders({ ...OFF, ordersPerMinute: 2 });
    sent.record(order, 100_000);
    sent.record(order, 60_000);
    expect(sent.mayPass(119_999)).toBe(false);
    expect(sent.mayPass(120_000)).toBe(true);
  });

  it('sent orders and fills of the last hour are counted by their times', () => {
    fc.assert(
      fc.property(stepsArbitrary, (steps) => {
        const sent = new SentOrders({ ...OFF, ordersPerFill: 3 });
        const sentTimes = timesOf(steps).map((timeMs) => HOUR_MS + (timeMs - HOUR_MS) * 20);
        for (const timeMs of sentTimes) {
          sent.record(order, timeMs);
          sent.noteFill(0, timeMs);
        }
        const nowMs = Math.max(...sentTimes);
        const count = sentTimes.filter((timeMs) => timeMs > nowMs - HOUR_MS).length;
        expect(sent.lastHour(0, nowMs)).toEqual({ sent: count, fills: count });
      }),
    );
  });
});

it('counts the orders of the last hour quickly after a replay of many orders', () => {
  const sent = new SentOrders({ ...OFF, ordersPerFill: 3 });
  for (let index = 0; index < 300_000; index++) sent.record(order, index * 1000);
  const before = process.cpuUsage();
  expect(sent.lastHour(0, 300_000 * 1000).sent).toBe(3599);
  const { user, system } = process.cpuUsage(before);
  // Removing them one by one takes some 5 s.
  expect((user + system) / 1e6).toBeLessThan(2);
});
