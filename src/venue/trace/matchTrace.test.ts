// Tests of the matching rule that the trace names for each kind of fill and end, for every rule of docs/matching.md that can act.

import { describe, expect, test } from 'vitest';
import { futuresIntent, linearContract, openFutures } from '../../../test/fixtures/futuresVenue.ts';
import { openSpotVenue } from '../../../test/fixtures/spotVenue.ts';
import type { TimeInForce } from '../../model/order.ts';
import { fixedSlippage } from '../slippage.ts';
import { MatchTrace, type TraceContext } from './matchTrace.ts';

const ROW = 60_000;

/** Rows of one minute from 0 on. The row that opens at `openMs` is being matched. */
class MinuteRows implements TraceContext {
  openMs = 0;
  rowBefore(): number {
    return this.openMs === 0 ? -Infinity : this.openMs - ROW;
  }
  openOfRow(): number {
    return this.openMs;
  }
  entryOf: TraceContext['entryOf'] = () => 0;
  isAtCollar: TraceContext['isAtCollar'] = () => false;
}

/** Returns a spot venue whose matching is traced. `row` matches one bar. */
function traced(config: Parameters<typeof openSpotVenue>[0] = {}) {
  const opened = openSpotVenue(config);
  const rows = new MinuteRows();
  const trace = new MatchTrace(rows);
  opened.book.tracer = trace;
  const row = (at: number, open: number, high: number, low: number, volume = 0): void => {
    rows.openMs = at * ROW;
    opened.book.matchOpen(at * ROW, open, volume);
    opened.book.matchRange(at * ROW, (at + 1) * ROW, open, high, low);
  };
  const reported = () => trace.done.map(({ kind, ref, rule, also }) => [kind, ref, rule, ...also]);
  return { ...opened, rows, trace, row, reported };
}

describe('spot', () => {
  test('4: a market order at the next open', () => {
    const { market, row, reported } = traced();
    market('sell', 5, 0);
    row(0, 10_000, 10_000, 10_000);
    expect(reported()).toEqual([['fill', 1, 4]]);
  });
  test('4: a market buy whose amount is below the price of a lot is canceled', () => {
    const { market, row, reported } = traced();
    market('buy', 1, 0);
    row(0, 10_000, 10_000, 10_000);
    expect(reported()).toEqual([['cancel', 1, 4]]);
  });
  test('5: a limit that is marketable at its first open, also at its price', () => {
    const { limit, row, reported } = traced();
    limit('buy', 5, 10_000, 0);
    row(0, 10_000, 10_000, 10_000);
    expect(reported()).toEqual([['fill', 1, 5]]);
  });
  test('6: a limit that has rested, when a later open jumps over it', () => {
    const { limit, row, reported } = traced();
    limit('buy', 5, 9_900, 0);
    row(0, 10_000, 10_000, 9_950);
    row(1, 9_800, 9_800, 9_800);
    expect(reported()).toEqual([['fill', 1, 6]]);
  });
  test('7: a limit that the row trades through', () => {
    const { limit, row, reported } = traced();
    limit('sell', 5, 10_100, 0);
    row(0, 10_000, 10_101, 10_000);
    expect(reported()).toEqual([['fill', 1, 7]]);
  });
  test('8: a stop at its level; 9 and 10: a stop whose entry filled in the same row', () => {
    for (const [entryMs, leg] of [
      [-1, []],
      [0, [9]],
      [ROW, [10]],
    ] as const) {
      // prettier-ignore
      const { venue, account, book, rows, trace, reported, market } = traced();
      rows.openMs = 0;
      rows.entryOf = (ref) => (ref === 2 ? 1 : 0);
      if (entryMs >= 0) {
        market('sell', 1, entryMs);
        book.matchOpen(entryMs, 10_000, 0);
        trace.done.length = 0;
      }
      const stop = venue.place(account, 2, { ...MARKET, instrument: book.instrument, lots: 3 as never }, ROW)!;
      book.execute(stop, 9_900, ROW);
      expect(reported(), String(entryMs)).toEqual([['fill', 2, 8, ...leg]]);
    }
  });
  test('11: the cap on volume cuts a fill, and ends a market order', () => {
    const { market, limit, row, reported } = traced({ maxVolumeSharePpm: 100_000 });
    market('sell', 20, 0);
    limit('sell', 5, 10_000, 0);
    row(0, 10_000, 10_000, 10_000, 100);
    expect(reported()).toEqual([
      ['fill', 1, 4, 11],
      ['cancel', 1, 11, 4],
    ]);
  });
  test('12: slippage changes the price of a taker', () => {
    const { market, row, reported, trace } = traced({ slippage: fixedSlippage(3, 0) });
    market('sell', 5, 0);
    row(0, 10_000, 10_000, 10_000);
    expect(reported()).toEqual([['fill', 1, 4, 12]]);
    expect(trace.done[0]).toMatchObject({ quoted: 10_000, price: 9_997 });
  });
  test('no rule: a resting order that its owner cancels', () => {
    const { venue, limit, row, reported } = traced();
    const order = limit('buy', 5, 9_000, 0);
    row(0, 10_000, 10_000, 9_500);
    venue.cancel(order, ROW);
    expect(reported()).toEqual([['cancel', 1, null]]);
  });
});

const MARKET = {
  side: 'sell',
  role: 'market',
  quoteUnits: 0 as never,
  limit: 0 as never,
  reduceOnly: false,
  timeInForce: null,
  slot: '',
} as const;
const PRICE = 400_000;

/** Returns a contract with one buy of 10 lots that has a time in force. `row` matches one bar. */
function force(timeInForce: TimeInForce, limit: number, isAtCollar = false) {
  const contract = linearContract();
  const { venue } = openFutures([contract], {});
  const book = venue.book(contract);
  const rows = new MinuteRows();
  rows.isAtCollar = () => isAtCollar;
  const trace = new MatchTrace(rows);
  book.tracer = trace;
  book.lastPrice = PRICE;
  venue.place(0, 1, futuresIntent(contract, 'buy', 10, { limit, timeInForce }), 0);
  const row = (at: number, open: number, high: number, low: number): void => {
    rows.openMs = at * ROW;
    book.matchOpen(at * ROW, open, 100);
    book.matchRange(at * ROW, (at + 1) * ROW, open, high, low);
  };
  return { row, reported: () => trace.done.map(({ kind, rule, also }) => [kind, rule, ...also]) };
}

describe('futures', () => {
  test('13: IOC and FOK fill at the open or are canceled', () => {
    for (const timeInForce of ['IOC', 'FOK'] as const) {
      const forced = force(timeInForce, PRICE);
      forced.row(0, PRICE, PRICE, PRICE);
      expect(forced.reported()).toEqual([['fill', 13]]);
      const over = force(timeInForce, PRICE - 1);
      over.row(0, PRICE, PRICE, PRICE - 10);
      expect(over.reported()).toEqual([['cancel', 13]]);
    }
  });
  test('4: a market order is an IOC limit at its collar', () => {
    const forced = force('IOC', PRICE, true);
    forced.row(0, PRICE, PRICE, PRICE);
    expect(forced.reported()).toEqual([['fill', 4, 13]]);
  });
  test('14: POST_ONLY is canceled when it would take, or fills at its limit at a later open beyond it; 7: it fills inside a row', () => {
    const over = force('POST_ONLY', PRICE);
    over.row(0, PRICE, PRICE, PRICE);
    expect(over.reported()).toEqual([['cancel', 14]]);
    const jumped = force('POST_ONLY', PRICE - 10);
    jumped.row(0, PRICE, PRICE, PRICE - 5);
    jumped.row(1, PRICE - 20, PRICE - 20, PRICE - 20);
    expect(jumped.reported()).toEqual([['fill', 14]]);
    const reached = force('POST_ONLY', PRICE - 10);
    reached.row(0, PRICE, PRICE, PRICE - 11);
    expect(reached.reported()).toEqual([['fill', 7]]);
  });
});
