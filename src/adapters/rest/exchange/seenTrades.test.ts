// Every trade counts once: in whatever order rows come, over restarts, and when there are too many to keep.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeenTrades } from './seenTrades.ts';

const leg = (id: number, timeMs = id) => ({ tradeId: String(id), side: 'buy' as const, timeMs });

describe('SeenTrades', () => {
  it('books each leg once, in any order and however often it is read', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 200 }), (ids) => {
        const seen = new SeenTrades(10);
        const booked: number[] = [];
        let counted = 0;
        for (const id of ids) {
          if (seen.countsInTotals(leg(id))) counted++;
          if (!seen.isNew(leg(id))) continue;
          booked.push(id);
          seen.add(leg(id));
        }
        const expected = new Set(ids.filter((id) => id >= 10));
        expect(booked.toSorted((a, b) => a - b)).toEqual(Array.from(expected).toSorted((a, b) => a - b));
        expect(counted).toBe(expected.size);
      }),
    );
  });

  it('of an earlier life books nothing again, and counts what came after the totals were noted', () => {
    const seen = new SeenTrades(0);
    for (const id of [3, 4, 5]) seen.restore(String(id), 'buy');
    seen.totalsUpTo('4');
    expect([3, 4, 5, 6].map((id) => seen.isNew(leg(id)))).toEqual([false, false, false, true]);
    expect([3, 4, 5, 6].map((id) => seen.countsInTotals(leg(id)))).toEqual([false, false, true, true]);
    // A page that reaches back to it holds everything that has to be counted.
    expect(seen.cursorBefore(Infinity)).toBe('4');
  });

  it('keeps both legs of a trade with ourselves apart', () => {
    const seen = new SeenTrades(0);
    seen.add(leg(7));
    expect(seen.isNew({ ...leg(7), side: 'sell' })).toBe(true);
  });

  it('forgets old ones without taking them for new', () => {
    const seen = new SeenTrades(0);
    for (let id = 1; id <= 30_000; id++) {
      expect(seen.isNew(leg(id))).toBe(true);
      seen.add(leg(id));
    }
    expect([1, 15_000, 30_000].map((id) => seen.isNew(leg(id)))).toEqual([false, false, false]);
    expect(seen.newestId).toBe('30000');
  });
});
