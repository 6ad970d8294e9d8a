// Tests that every trade is booked once: in any order of rows, over restarts, and when there are too many ids to keep.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BookedTradeIds } from './bookedTradeIds.ts';

const leg = (id: number, timeMs = id) => ({ tradeId: String(id), side: 'buy' as const, timeMs });

describe('BookedTradeIds', () => {
  it('BookedTradeIds books each leg once, in any order and however often it is read', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 200 }), (ids) => {
        const tradeIds = new BookedTradeIds(10);
        const booked: number[] = [];
        let counted = 0;
        for (const id of ids) {
          if (tradeIds.countsInTotals(leg(id))) counted++;
          if (!tradeIds.isNew(leg(id))) continue;
          booked.push(id);
          tradeIds.add(leg(id));
        }
        const expected = new Set(ids.filter((id) => id >= 10));
        expect(booked.toSorted((a, b) => a - b)).toEqual(Array.from(expected).toSorted((a, b) => a - b));
        expect(counted).toBe(expected.size);
      }),
    );
  });

  it("BookedTradeIds does not book trade ids of an earlier process again, and counts those after the journal's totals", () => {
    const tradeIds = new BookedTradeIds(0);
    for (const id of [3, 4, 5]) tradeIds.restore(String(id), 'buy');
    tradeIds.noteTotalsUpTo('4');
    expect([3, 4, 5, 6].map((id) => tradeIds.isNew(leg(id)))).toEqual([false, false, false, true]);
    expect([3, 4, 5, 6].map((id) => tradeIds.countsInTotals(leg(id)))).toEqual([false, false, true, true]);
    // A page that reaches back to it has every trade that must be counted.
    expect(tradeIds.cursorBefore(Infinity)).toBe('4');
  });

  it('BookedTradeIds does not count a trade again that no journal has and that the totals of the journal include', () => {
    const tradeIds = new BookedTradeIds(0);
    tradeIds.restore('3', 'buy');
    // Trade 4 is of a foreign order on which the operator has not decided yet.
    tradeIds.noteTotalsUpTo('4');
    expect([3, 4, 5].map((id) => tradeIds.countsInTotals(leg(id)))).toEqual([false, false, true]);
    expect(tradeIds.isNew(leg(4))).toBe(true);
  });

  it('BookedTradeIds distinguishes the two legs of a trade with ourselves', () => {
    const tradeIds = new BookedTradeIds(0);
    tradeIds.add(leg(7));
    expect(tradeIds.isNew({ ...leg(7), side: 'sell' })).toBe(true);
  });

  it('BookedTradeIds deletes old ids, and does not book their trades again', () => {
    const tradeIds = new BookedTradeIds(0);
    for (let id = 1; id <= 30_000; id++) {
      expect(tradeIds.isNew(leg(id))).toBe(true);
      tradeIds.add(leg(id));
    }
    expect([1, 15_000, 30_000].map((id) => tradeIds.isNew(leg(id)))).toEqual([false, false, false]);
    expect(tradeIds.countedUpToId).toBe('30000');
  });

  it('BookedTradeIds stores all ids of the last two hours, and few that are older', () => {
    const MINUTE_MS = 60_000;
    const tradeIds = new BookedTradeIds(0);
    for (let id = 1; id <= 200; id++) tradeIds.restore(String(id), 'buy');
    // A trade that is not attributed yet, 110 minutes old at the end: it is booked when its order is found.
    const lateTrade = leg(1890, 1890 * MINUTE_MS);
    for (let id = 201; id <= 2000; id++) if (id !== 1890) tradeIds.add(leg(id, id * MINUTE_MS));
    expect(tradeIds.isNew(lateTrade)).toBe(true);
    expect([1, 200, 201, 1000, 2000].map((id) => tradeIds.isNew(leg(id, id * MINUTE_MS)))).toEqual([false, false, false, false, false]);
    expect(tradeIds.size).toBeLessThan(600);
  });

  it('BookedTradeIds needs trades from before its start while it has booked none', () => {
    const tradeIds = new BookedTradeIds(10);
    expect(tradeIds.cursorBefore(Infinity)).toBeNull();
    for (const id of [8, 9, 12]) tradeIds.noteListed(leg(id));
    expect([tradeIds.cursorBefore(Infinity), tradeIds.isNew(leg(12)), tradeIds.isNew(leg(9))]).toEqual(['9', true, false]);
    tradeIds.add(leg(12));
    expect([tradeIds.cursorBefore(Infinity), tradeIds.cursorBefore(12)]).toEqual(['12', '9']);
  });

  it('BookedTradeIds needs every trade while the totals include none, until all are counted', () => {
    const tradeIds = new BookedTradeIds(0);
    for (const id of [3, 4]) tradeIds.restore(String(id), 'buy');
    tradeIds.noteTotalsUpTo('0');
    expect([tradeIds.cursorBefore(Infinity), tradeIds.needsAll]).toEqual([null, true]);
    for (const id of [3, 4]) tradeIds.countsInTotals(leg(id));
    tradeIds.noteAllCounted();
    expect([tradeIds.cursorBefore(Infinity), tradeIds.needsAll]).toEqual(['4', false]);
  });

  it('BookedTradeIds counts from the totals only if every trade after them was counted', () => {
    const tradeIds = new BookedTradeIds(0);
    for (const id of [3, 4, 5]) tradeIds.restore(String(id), 'buy');
    tradeIds.noteTotalsUpTo('3');
    tradeIds.countsInTotals(leg(4));
    tradeIds.noteAllCounted();
    expect(tradeIds.cursorBefore(Infinity)).toBe('3');
    tradeIds.countsInTotals(leg(5));
    tradeIds.noteAllCounted();
    expect([tradeIds.cursorBefore(Infinity), tradeIds.countsInTotals(leg(5)), tradeIds.countsInTotals(leg(6))]).toEqual(['5', false, true]);
  });
});
