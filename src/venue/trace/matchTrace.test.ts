// Tests of the matching rule that the trace names for each kind of fill and end, for every rule of docs/matching.md that can act.

import { describe, expect, test } from 'vitest';
import { futuresIntent, linearContract, openFutures } from '../../../test/fixtures/futuresVenue.ts';
import { openSpotVenue } from '../../../test/fixtures/spotVenue.ts';
import type { TimeInForce } from '../../model/order.ts';
import { fixedSlippage } from '../slippage.ts';
import { MatchTrace, type TraceContext } from './matchTrace.ts';

const ROW_MS = 60_000;

/** Rows of one minute from 0 on. The row that opens at `openMs` is being matched. */
class MinuteRows implements TraceContext {
  openMs = 0;
  rowBefore(): number {
    return this.openMs === 0 ? -Infinity : this.openMs - ROW_MS;
  }
  openOfRow(): number {
    return this.openMs;
  }
  entryOf: TraceContext['entryOf'] = () => 0;
  isAtCollar: TraceContext['isAtCollar'] = () => false;
}

/** Returns a spot venue whose matching is traced. `row` matches one bar. */
function openTracedVenue(config: Parameters<typeof openSpotVenue>[0] = {}) {
  const opened = openSpotVenue(config);
  const rows = new MinuteRows();
  const trace = new MatchTrace(rows);
  opened.book.tracer = trace;
  const row = (rowNumber: number, open: number, high: number, low: number, volume = 0): void => {
    rows.openMs = rowNumber * ROW_MS;
    opened.book.matchOpen(rowNumber * ROW_MS, open, volume);
    opened.book.matchRange(rowNumber * ROW_MS, (rowNumber + 1) * ROW_MS, open, high, low);
  };
  const reported = () => trace.recordedActs.map(({ kind, ref, rule, also }) => [kind, ref, rule, ...also]);
  return { ...opened, rows, trace, row, reported };
}

const MARKET = {
  side: 'sell',
  role: 'market',
  quoteUnits: 0 as never,
  limit: 0 as never,
  reduceOnly: false,
  timeInForce: null,
  slot: '',
} as const;

describe('the trace of a spot venue', () => {
  test('rule 4 fills a market order at the next open', () => {
    const { market, row, reported } = openTracedVenue();
    market('sell', 5, 0);
    row(0, 10_000, 10_000, 10_000);
    expect(reported()).toEqual([['fill', 1, 4]]);
  });
  test('rule 4 cancels a market buy whose amount is below the price of a lot', () => {
    const { market, row, reported } = openTracedVenue();
    market('buy', 1, 0);
    row(0, 10_000, 10_000, 10_000);
    expect(reported()).toEqual([['cancel', 1, 4]]);
  });
  test('rule 5 fills a limit that is marketable at its first open, also at its price', () => {
    const { limit, row, reported } = openTracedVenue();
    limit('buy', 5, 10_000, 0);
    row(0, 10_000, 10_000, 10_000);
    expect(reported()).toEqual([['fill', 1, 5]]);
  });
  test('rule 6 fills a resting limit when a later open jumps over it', () => {
    const { limit, row, reported } = openTracedVenue();
    limit('buy', 5, 9_900, 0);
    row(0, 10_000, 10_000, 9_950);
    row(1, 9_800, 9_800, 9_800);
    expect(reported()).toEqual([['fill', 1, 6]]);
  });
  test('rule 7 fills a limit that the row trades through', () => {
    const { limit, row, reported } = openTracedVenue();
    limit('sell', 5, 10_100, 0);
    row(0, 10_000, 10_101, 10_000);
    expect(reported()).toEqual([['fill', 1, 7]]);
  });
  test('rule 8 fills a stop at its level, with rule 9 or 10 if its entry filled in the same row', () => {
    for (const [entryMs, leg] of [
      [-1, []],
      [0, [9]],
      [ROW_MS, [10]],
    ] as const) {
      // prettier-ignore
      const { venue, account, book, rows, trace, reported, market } = openTracedVenue();
      rows.openMs = 0;
      rows.entryOf = (ref) => (ref === 2 ? 1 : 0);
      if (entryMs >= 0) {
        market('sell', 1, entryMs);
        book.matchOpen(entryMs, 10_000, 0);
        trace.recordedActs.length = 0;
      }
      const stop = venue.place(account, 2, { ...MARKET, instrument: book.instrument, lots: 3 as never }, ROW_MS)!;
      book.execute(stop, 9_900, ROW_MS);
      expect(reported(), String(entryMs)).toEqual([['fill', 2, 8, ...leg]]);
    }
  });
  test('rule 11 cuts a fill by the cap on volume, and ends a market order', () => {
    const { market, limit, row, reported } = openTracedVenue({ maxVolumeSharePpm: 100_000 });
    market('sell', 20, 0);
    limit('sell', 5, 10_000, 0);
    row(0, 10_000, 10_000, 10_000, 100);
    expect(reported()).toEqual([
      ['fill', 1, 4, 11],
      ['cancel', 1, 11, 4],
    ]);
  });
  test('rule 12 changes the price of a taker by slippage', () => {
    const { market, row, reported, trace } = openTracedVenue({ slippage: fixedSlippage(3, 0) });
    market('sell', 5, 0);
    row(0, 10_000, 10_000, 10_000);
    expect(reported()).toEqual([['fill', 1, 4, 12]]);
    expect(trace.recordedActs[0]).toMatchObject({ quoted: 10_000, price: 9_997 });
  });
  test('a resting order that its owner cancels has no rule', () => {
    const { venue, limit, row, reported } = openTracedVenue();
    const order = limit('buy', 5, 9_000, 0);
    row(0, 10_000, 10_000, 9_500);
    venue.cancel(order, ROW_MS);
    expect(reported()).toEqual([['cancel', 1, null]]);
  });
});

const PRICE = 400_000;

/** Returns a contract with one buy of 10 lots that has a time in force. `row` matches one bar. */
function tracedBuyInForce(timeInForce: TimeInForce, limit: number, isAtCollar = false) {
  const contract = linearContract();
  const { venue } = openFutures([contract], {});
  const book = venue.book(contract);
  const rows = new MinuteRows();
  rows.isAtCollar = () => isAtCollar;
  const trace = new MatchTrace(rows);
  book.tracer = trace;
  book.lastPrice = PRICE;
  venue.place(0, 1, futuresIntent(contract, 'buy', 10, { limit, timeInForce }), 0);
  const row = (rowNumber: number, open: number, high: number, low: number): void => {
    rows.openMs = rowNumber * ROW_MS;
    book.matchOpen(rowNumber * ROW_MS, open, 100);
    book.matchRange(rowNumber * ROW_MS, (rowNumber + 1) * ROW_MS, open, high, low);
  };
  return { row, reported: () => trace.recordedActs.map(({ kind, rule, also }) => [kind, rule, ...also]) };
}

describe('the trace of a futures venue', () => {
  test('rule 13 fills IOC and FOK orders at the open or cancels them', () => {
    for (const timeInForce of ['IOC', 'FOK'] as const) {
      const filledBuy = tracedBuyInForce(timeInForce, PRICE);
      filledBuy.row(0, PRICE, PRICE, PRICE);
      expect(filledBuy.reported()).toEqual([['fill', 13]]);
      const canceledBuy = tracedBuyInForce(timeInForce, PRICE - 1);
      canceledBuy.row(0, PRICE, PRICE, PRICE - 10);
      expect(canceledBuy.reported()).toEqual([['cancel', 13]]);
    }
  });
  test('rule 4 applies to an IOC limit at the market-order collar', () => {
    const filledBuy = tracedBuyInForce('IOC', PRICE, true);
    filledBuy.row(0, PRICE, PRICE, PRICE);
    expect(filledBuy.reported()).toEqual([['fill', 4, 13]]);
  });
  test('rule 14 cancels a POST_ONLY order that would take, or fills it at a later open; rule 7 fills it in a row', () => {
    const canceledBuy = tracedBuyInForce('POST_ONLY', PRICE);
    canceledBuy.row(0, PRICE, PRICE, PRICE);
    expect(canceledBuy.reported()).toEqual([['cancel', 14]]);
    const jumpedBuy = tracedBuyInForce('POST_ONLY', PRICE - 10);
    jumpedBuy.row(0, PRICE, PRICE, PRICE - 5);
    jumpedBuy.row(1, PRICE - 20, PRICE - 20, PRICE - 20);
    expect(jumpedBuy.reported()).toEqual([['fill', 14]]);
    const reachedBuy = tracedBuyInForce('POST_ONLY', PRICE - 10);
    reachedBuy.row(0, PRICE, PRICE, PRICE - 11);
    expect(reachedBuy.reported()).toEqual([['fill', 7]]);
  });
});
