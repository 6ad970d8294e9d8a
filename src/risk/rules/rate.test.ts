// Orders of the last minute and hour, against a naive count: legs of brackets bear times before those of orders already sent.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SentOrders } from './sentOrders.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const OFF = { ordersPerMinute: Infinity, duplicateMs: 0, ordersPerFill: Infinity, countsLegs: false };
const order = { id: 1, strategy: 0, instrumentIndex: 0, side: 'buy', limit: 0, lots: 1, quoteUnits: 0, parent: 0, worstLots: 1 } as never;

/** Seconds from the newest time: `on` later, or `back` for a leg that has the time of its row's open. */
const course = fc.array(
  fc.record({ on: fc.integer({ min: 0, max: 40 }), back: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 90 })) }),
  {
    minLength: 1,
    maxLength: 60,
  },
);

function timesOf(steps: readonly { readonly on: number; readonly back: number }[]): number[] {
  let newest = HOUR_MS;
  return steps.map(({ on, back }) => {
    newest += on * 1000;
    return newest - back * 1000;
  });
}

describe('sent orders', () => {
  it('sent orders pass while fewer than the limit were sent within the last minute, whatever the order of their times', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), course, (limit, steps) => {
        const sent = new SentOrders({ ...OFF, ordersPerMinute: limit });
        const all: number[] = [];
        for (const nowMs of timesOf(steps)) {
          const mayPass = all.filter((timeMs) => timeMs > nowMs - MINUTE_MS).length < limit;
          expect(sent.mayPass(nowMs)).toBe(mayPass);
          if (!mayPass) continue;
          sent.record(order, nowMs);
          all.push(nowMs);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('sent orders: a leg at the open of its row leaves the minute together with the row, and the order after it is not one too many', () => {
    const sent = new SentOrders({ ...OFF, ordersPerMinute: 2 });
    sent.record(order, 100_000);
    sent.record(order, 60_000);
    expect(sent.mayPass(119_999)).toBe(false);
    expect(sent.mayPass(120_000)).toBe(true);
  });

  it('sent orders of an hour are counted by their times, and so are fills', () => {
    fc.assert(
      fc.property(course, (steps) => {
        const sent = new SentOrders({ ...OFF, ordersPerFill: 3 });
        const all = timesOf(steps).map((timeMs) => HOUR_MS + (timeMs - HOUR_MS) * 20);
        for (const timeMs of all) {
          sent.record(order, timeMs);
          sent.noteFill(0, timeMs);
        }
        const nowMs = Math.max(...all);
        const count = all.filter((timeMs) => timeMs > nowMs - HOUR_MS).length;
        expect(sent.lastHour(0, nowMs)).toEqual({ sent: count, fills: count });
      }),
    );
  });
});
