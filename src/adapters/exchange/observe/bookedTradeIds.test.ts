// Every trade is booked once: in any order of rows, over restarts, and when there are too many ids to keep.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BookedTradeIds } from './bookedTradeIds.ts';

const leg = (id: number, timeMs = id) => ({ tradeId: String(id), side: 'buy' as const, timeMs });

describe('BookedTradeIds', () => {
  it('BookedTradeIds books each leg once, in any order and however often it is read', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 200 }), (ids) => {
        const seen = new BookedTradeIds(10);
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

  it("BookedTradeIds does not book trade ids of an earlier process again, and counts those after the journal's totals", () => {
    const seen = new BookedTradeIds(0);
    for (const id of [3, 4, 5]) seen.restore(String(id), 'buy');
    seen.noteTotalsUpTo('4');
    expect([3, 4, 5, 6].map((id) => seen.isNew(leg(id)))).toEqual([false, false, false, true]);
    expect([3, 4, 5, 6].map((id) => seen.countsInTotals(leg(id)))).toEqual([false, false, true, true]);
    // A page that reaches back to it has every trade that must be counted.
    expect(seen.cursorBefore(Infinity)).toBe('4');
  });

  it('BookedTradeIds distinguishes the two legs of a trade with ourselves', () => {
    const seen = new BookedTradeIds(0);
    seen.add(leg(7));
    expect(seen.isNew({ ...leg(7), side: 'sell' })).toBe(true);
  });

  it('BookedTradeIds deletes old ids, and does not book their trades again', () => {
    const seen = new BookedTradeIds(0);
    for (let id = 1; id <= 30_000; id++) {
      expect(seen.isNew(leg(id))).toBe(true);
      seen.add(leg(id));
    }
    expect([1, 15_000, 30_000].map((id) => seen.isNew(leg(id)))).toEqual([false, false, false]);
    expect(seen.newestId).toBe('30000');
  });

  it('BookedTradeIds stores all ids of the last two hours, and few that are older', () => {
    const MINUTE = 60_000;
    const seen = new BookedTradeIds(0);
    for (let id = 1; id <= 200; id++) seen.restore(String(id), 'buy');
    // A trade that is not attributed yet, 110 minutes old at the end: it is booked when its order is found.
    const late = leg(1890, 1890 * MINUTE);
    for (let id = 201; id <= 2000; id++) if (id !== 1890) seen.add(leg(id, id * MINUTE));
    expect(seen.isNew(late)).toBe(true);
    expect([1, 200, 201, 1000, 2000].map((id) => seen.isNew(leg(id, id * MINUTE)))).toEqual([false, false, false, false, false]);
    expect(seen.size).toBeLessThan(600);
  });

  it('BookedTradeIds needs trades from before its start while it has booked none', () => {
    const seen = new BookedTradeIds(10);
    expect(seen.cursorBefore(Infinity)).toBeNull();
    for (const id of [8, 9, 12]) seen.noteListed(leg(id));
    expect([seen.cursorBefore(Infinity), seen.isNew(leg(12)), seen.isNew(leg(9))]).toEqual(['9', true, false]);
    seen.add(leg(12));
    expect([seen.cursorBefore(Infinity), seen.cursorBefore(12)]).toEqual(['12', '9']);
  });

  it('BookedTradeIds needs every trade while the totals include none, until all are counted', () => {
    const seen = new BookedTradeIds(0);
    for (const id of [3, 4]) seen.restore(String(id), 'buy');
    seen.noteTotalsUpTo('0');
    expect([seen.cursorBefore(Infinity), seen.needsAll]).toEqual([null, true]);
    for (const id of [3, 4]) seen.countsInTotals(leg(id));
    seen.noteAllCounted();
    expect([seen.cursorBefore(Infinity), seen.needsAll]).toEqual(['4', false]);
  });

  it('BookedTradeIds counts from the totals only if every trade after them was counted', () => {
    const seen = new BookedTradeIds(0);
    for (const id of [3, 4, 5]) seen.restore(String(id), 'buy');
    seen.noteTotalsUpTo('3');
    seen.countsInTotals(leg(4));
    seen.noteAllCounted();
    expect(seen.cursorBefore(Infinity)).toBe('3');
    seen.countsInTotals(leg(5));
    seen.noteAllCounted();
    expect([seen.cursorBefore(Infinity), seen.countsInTotals(leg(5)), seen.countsInTotals(leg(6))]).toEqual(['5', false, true]);
  });
});
