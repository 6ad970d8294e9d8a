// Tests the comparison of the trades and the equity of isobar with those of another tool.

import { describe, expect, it } from 'vitest';
import { compareBooks, type Book } from './books.ts';

/** Two trades: their times, prices, size and profit, in the order of `books.ts`. */
const BOOK: Book = {
  trades: [
    [1, 2, 100, 110, 3, 30],
    [3, 5, 110, 100, 3, -30],
  ],
  equity: [1000, 1030, 1000],
};

/** The places of values in a trade. */
const [ENTRY_TIME, EXIT_PRICE, PNL] = [0, 3, 5];
/** Returns the book with another value in one trade. */
const changeTrade = (tradeIndex: number, place: number, value: number): Book => ({
  ...BOOK,
  trades: BOOK.trades.map((trade, index) => (index === tradeIndex ? trade.with(place, value) : trade)),
});

describe('compareBooks', () => {
  it('compareBooks finds equal books equal, rounding included', () => {
    expect(compareBooks(BOOK, BOOK)).toEqual({ equal: true, trades: 2, bars: 3, maxApart: 0, first: '' });
    expect(compareBooks(BOOK, { ...BOOK, equity: [1000, 1030 + 1e-9, 1000] }).equal).toBe(true);
  });
  it('compareBooks names the first trade that differs', () => {
    expect(compareBooks(BOOK, changeTrade(1, EXIT_PRICE, 100.01)).first).toBe('trade 2, exit price: isobar 100, tool 100.01');
    expect(compareBooks(BOOK, changeTrade(0, ENTRY_TIME, 2)).first).toBe('trade 1, entry time: isobar 1, tool 2');
    expect(compareBooks(BOOK, changeTrade(0, PNL, NaN)).equal).toBe(false);
  });
  it('compareBooks names a missing trade on either side', () => {
    expect(compareBooks(BOOK, { ...BOOK, trades: BOOK.trades.slice(0, 1) }).first).toBe('trade 2 is missing in the tool');
    expect(compareBooks({ ...BOOK, trades: [] }, BOOK).first).toBe('trade 1 is missing in isobar');
  });
  it('compareBooks finds an equity that differs, and one of another length', () => {
    expect(compareBooks(BOOK, { ...BOOK, equity: [1000, 1030.001, 1000] }).first).toBe('equity at bar 1: isobar 1030, tool 1030.001');
    expect(compareBooks(BOOK, { ...BOOK, equity: [1000] }).first).toBe('isobar has 3 bars of equity, the tool 1');
  });
});
