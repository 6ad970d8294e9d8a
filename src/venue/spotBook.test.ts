// Tests of the matching rules of docs/matching.md, one by one.

import { describe, expect, test } from 'vitest';
import { limitIntent, marketIntent, openSpotVenue } from '../../test/fixtures/spotVenue.ts';
import { fixedSlippage } from './slippage.ts';

// Rows of a minute: opens at 0, 60 000, ...
const ROW = 60_000;

describe('the arrival of orders', () => {
  test('an order matches only rows that open at or after its arrival', () => {
    const { book, sink, market, limit } = openSpotVenue();
    market('sell', 10, 1);
    limit('buy', 10, 9_000, 1);
    book.matchOpen(0, 8_000, 0);
    book.matchRange(0, ROW, 8_000, 8_000, 7_000);
    expect(sink.tape).toEqual([]);
    book.matchOpen(ROW, 8_500, 0);
    expect(sink.tape).toEqual(['1: 10 @ 8500 taker 60000', '2: 10 @ 8500 taker 60000']);
  });

  test('an order that arrives with the open of a row matches that row', () => {
    const { book, sink, market } = openSpotVenue();
    market('sell', 10, ROW);
    book.matchOpen(ROW, 8_500, 0);
    expect(sink.tape).toEqual(['1: 10 @ 8500 taker 60000']);
  });

  test('orders fill in the order of their arrival', () => {
    const { book, sink, market, limit } = openSpotVenue();
    limit('buy', 1, 10_000, 0);
    market('sell', 2, 0);
    limit('buy', 3, 10_001, 0);
    book.matchOpen(0, 10_000, 0);
    expect(sink.fills.map(({ ref }) => ref)).toEqual([1, 2, 3]);
  });
});

describe('the open of a row', () => {
  test('a market order fills at the open of a row, as taker', () => {
    const { book, sink, market } = openSpotVenue();
    market('buy', 10_000 * 7 + 9_999, 0);
    market('sell', 5, 0);
    book.matchOpen(0, 10_000, 0);
    expect(sink.tape).toEqual(['1: 7 @ 10000 taker 0', '2: 5 @ 10000 taker 0']);
    expect(sink.fills.map(({ status }) => status)).toEqual(['FILLED', 'FILLED']);
  });

  test('a market buy fills the whole lots that its amount pays for, and the rest of the amount is free again', () => {
    const { venue, account, book, sink, market } = openSpotVenue();
    market('buy', 29_999, 0);
    expect(venue.locked(account, 'USD')).toBe(29_999);
    book.matchOpen(0, 10_000, 0);
    expect(sink.fills[0]).toMatchObject({ lots: 2, notional: 20_000, status: 'FILLED' });
    expect(venue.locked(account, 'USD')).toBe(0);
    expect(venue.free(account, 'USD')).toBe(1e12 - 20_000);
  });

  test('a market buy whose amount is below the price of a lot is canceled', () => {
    const { venue, account, book, sink, market } = openSpotVenue();
    market('buy', 9_999, 0);
    book.matchOpen(0, 10_000, 0);
    expect(sink.fills).toEqual([]);
    expect(sink.ends).toEqual([{ id: 1, ref: 1, status: 'CANCELED', timeMs: 0 }]);
    expect(venue.free(account, 'USD')).toBe(1e12);
  });

  test.each([
    ['buy', 10_000, 10_000],
    ['buy', 10_001, 10_000],
    ['sell', 10_000, 10_000],
    ['sell', 9_999, 10_000],
  ] as const)('a %s at %i is marketable at an open of %i and fills at the open as taker', (side, price, open) => {
    const { book, sink, limit } = openSpotVenue();
    limit(side, 10, price, 0);
    book.matchOpen(0, open, 0);
    expect(sink.tape).toEqual([`1: 10 @ ${open} taker 0`]);
  });

  test('a gap over a resting limit fills it at the open, not at the limit', () => {
    const { book, sink, limit } = openSpotVenue();
    limit('buy', 10, 9_900, 0);
    limit('sell', 10, 10_400, 0);
    book.matchOpen(0, 10_000, 0);
    book.matchRange(0, ROW, 10_000, 10_100, 9_950);
    expect(sink.tape).toEqual([]);
    book.matchOpen(ROW, 9_700, 0);
    book.matchOpen(2 * ROW, 10_500, 0);
    expect(sink.tape).toEqual(['1: 10 @ 9700 taker 60000', '2: 10 @ 10500 taker 120000']);
  });
});

describe('inside a row', () => {
  test.each([
    { limitRule: 'through', side: 'buy', price: 9_900, extreme: 9_899, fills: true },
    { limitRule: 'through', side: 'buy', price: 9_900, extreme: 9_900, fills: false },
    { limitRule: 'touch', side: 'buy', price: 9_900, extreme: 9_900, fills: true },
    { limitRule: 'touch', side: 'buy', price: 9_900, extreme: 9_901, fills: false },
    { limitRule: 'through', side: 'sell', price: 10_100, extreme: 10_101, fills: true },
    { limitRule: 'through', side: 'sell', price: 10_100, extreme: 10_100, fills: false },
    { limitRule: 'touch', side: 'sell', price: 10_100, extreme: 10_100, fills: true },
    { limitRule: 'touch', side: 'sell', price: 10_100, extreme: 10_099, fills: false },
  ] as const)(
    'with the limit rule $limitRule, a resting $side at $price in a row with an extreme of $extreme fills at its limit as maker: $fills',
    ({ limitRule, side, price, extreme, fills }) => {
      const { book, sink, limit } = openSpotVenue({ limitRule });
      limit(side, 10, price, 0);
      const [high, low] = side === 'buy' ? [10_050, extreme] : [extreme, 9_950];
      book.matchOpen(0, 10_000, 0);
      book.matchRange(0, ROW, 10_000, high, low);
      expect(sink.tape).toEqual(fills ? [`1: 10 @ ${price} maker 60000`] : []);
    },
  );

  test('maker and taker pay their own rates', () => {
    const { book, sink, limit, market } = openSpotVenue({ fees: { in: 'quote', rounding: 'halfUp' } });
    limit('buy', 1_000, 9_900, 0);
    market('sell', 1_000, 0);
    book.matchOpen(0, 10_000, 0);
    book.matchRange(0, ROW, 10_000, 10_000, 9_000);
    expect(sink.fills.map(({ fee, isMaker }) => [fee, isMaker])).toEqual([
      [20_000, false],
      [9_900, true],
    ]);
  });
});

describe('legs of an entry', () => {
  test('a target that the sink places when its entry fills at the open is matched on the same row', () => {
    const { venue, account, instrument, book, sink, market } = openSpotVenue();
    sink.onFill = (order) => {
      if (order.ref === 1) venue.place(account, 100, limitIntent(instrument, 'sell', 1, 10_200), 0);
    };
    market('buy', 10_000, 0);
    book.matchOpen(0, 10_000, 0);
    book.matchRange(0, ROW, 10_000, 10_300, 9_900);
    expect(sink.tape).toEqual(['1: 1 @ 10000 taker 0', '100: 1 @ 10200 maker 60000']);
  });

  test('a target that is marketable at the open of its entry fills there, placed inside the call of the sink or after it', () => {
    const { venue, account, instrument, book, sink, market } = openSpotVenue();
    sink.onFill = (order) => {
      if (order.ref === 1) venue.place(account, 100, limitIntent(instrument, 'sell', 1, 9_900), 0);
    };
    market('buy', 10_000, 0);
    book.matchOpen(0, 10_000, 0);
    expect(sink.fills.map(({ ref }) => ref)).toEqual([1, 100]);
    venue.place(account, 101, limitIntent(instrument, 'sell', 1, 9_800), 0);
    book.matchRange(0, ROW, 10_000, 10_300, 9_900);
    expect(sink.tape).toEqual(['1: 1 @ 10000 taker 0', '100: 1 @ 10000 taker 0', '101: 1 @ 10000 taker 0']);
  });

  test('a target of an entry that fills inside the row arrives with the end of the row and waits for the next one', () => {
    const { venue, account, instrument, book, sink, limit } = openSpotVenue();
    sink.onFill = (order, { timeMs }) => {
      if (order.ref === 1) venue.place(account, 100, limitIntent(instrument, 'sell', 1, 10_200), timeMs);
    };
    limit('buy', 1, 9_950, 0);
    book.matchOpen(0, 10_000, 0);
    book.matchRange(0, ROW, 10_000, 10_300, 9_900);
    expect(sink.tape).toEqual(['1: 1 @ 9950 maker 60000']);
    book.matchOpen(ROW, 10_000, 0);
    book.matchRange(ROW, 2 * ROW, 10_000, 10_300, 9_900);
    expect(sink.tape).toEqual(['1: 1 @ 9950 maker 60000', '100: 1 @ 10200 maker 120000']);
  });

  test('the stop of an entry that fills in a row is executed at its trigger if the row reaches it, also in the sink’s call', () => {
    const { venue, account, instrument, book, sink, limit } = openSpotVenue();
    sink.onFill = (order, { timeMs }) => {
      if (order.ref !== 1) return;
      const stop = venue.place(account, 100, marketIntent(instrument, 'sell', 1), timeMs);
      book.execute(stop!, 9_920, timeMs);
    };
    limit('buy', 1, 9_950, 0);
    limit('buy', 2, 9_940, 0);
    book.matchRange(0, ROW, 10_000, 10_000, 9_900);
    expect(sink.tape).toEqual(['1: 1 @ 9950 maker 60000', '100: 1 @ 9920 taker 60000', '2: 2 @ 9940 maker 60000']);
    expect(book.working).toBe(0);
  });

  test('a stop is never executed before it arrived, nor a limit beyond its limit', () => {
    const { book, market, limit } = openSpotVenue();
    const stop = market('sell', 1, ROW);
    expect(() => book.execute(stop, 9_920, ROW - 1)).toThrow('before its arrival');
    const sell = limit('sell', 1, 10_000, 0);
    expect(() => book.execute(sell, 9_999, 0)).toThrow('beyond its limit');
  });

  test('an order that the sink cancels during a row is not matched any more', () => {
    const { venue, book, sink, limit } = openSpotVenue();
    const second = { order: limit('buy', 1, 9_900, 0) };
    const third = limit('buy', 1, 9_900, 0);
    sink.onFill = (order) => {
      if (order === second.order) venue.cancel(third, ROW);
    };
    book.matchRange(0, ROW, 10_000, 10_000, 9_000);
    expect(sink.tape).toEqual(['1: 1 @ 9900 maker 60000']);
    expect(sink.ends).toMatchObject([{ ref: 2, status: 'CANCELED' }]);
    expect(book.working).toBe(0);
  });

  test('a record that the sink releases and reuses in the same call is matched as the new order', () => {
    const { venue, account, instrument, book, sink, market } = openSpotVenue();
    sink.onFill = (order) => {
      if (order.status !== 'FILLED') return;
      venue.release(order);
      if (sink.fills.length === 1) venue.place(account, 50, limitIntent(instrument, 'buy', 1, 9_000), 0);
    };
    market('sell', 1, 0);
    market('sell', 2, 0);
    book.matchOpen(0, 10_000, 0);
    expect(sink.fills.map(({ ref }) => ref)).toEqual([1, 2]);
    expect(book.working).toBe(1);
  });

  test('a record that the sink reuses for a market order of a later row is not canceled with the current row', () => {
    const { venue, account, instrument, book, sink, market } = openSpotVenue();
    sink.onFill = (order) => {
      venue.release(order);
      expect(venue.place(account, 50, marketIntent(instrument, 'sell', 1), ROW)).toBe(order);
    };
    market('sell', 1, 0);
    book.matchOpen(0, 10_000, 0);
    expect([sink.fills.length, sink.ends.length, book.working]).toEqual([1, 0, 1]);
  });

  test('an order that the sink places inside the row does not fill in that row, even if it is marketable at its open', () => {
    const { venue, account, instrument, book, sink, limit } = openSpotVenue();
    sink.onFill = (order) => {
      if (order.ref === 1) venue.place(account, 100, limitIntent(instrument, 'buy', 1, 10_500), 0);
    };
    limit('buy', 1, 9_900, 0);
    book.matchOpen(0, 10_000, 0);
    book.matchRange(0, ROW, 10_000, 10_100, 9_800);
    book.matchOpen(ROW, 10_200, 0);
    expect(sink.tape).toEqual(['1: 1 @ 9900 maker 60000', '100: 1 @ 10200 taker 60000']);
  });

  test('a row cannot be matched from inside a call of the sink', () => {
    const { book, sink, market } = openSpotVenue();
    sink.onFill = () => book.matchOpen(ROW, 10_000, 0);
    market('sell', 1, 0);
    expect(() => book.matchOpen(0, 10_000, 0)).toThrow('outside the calls of the sink');
  });
});

describe('a cap on the share of the volume', () => {
  const capped = { maxVolumeSharePpm: 100_000 } as const;

  test('under a cap on volume, the lots of a row are shared by arrival, and the remainder of a limit rests', () => {
    const { book, sink, limit } = openSpotVenue(capped);
    limit('buy', 60, 10_000, 0);
    const second = limit('buy', 60, 10_000, 0);
    const third = limit('buy', 60, 9_900, 0);
    book.matchOpen(0, 10_000, 1_009);
    book.matchRange(0, ROW, 10_000, 10_000, 9_000);
    expect(sink.tape).toEqual(['1: 60 @ 10000 taker 0', '2: 40 @ 10000 taker 0']);
    expect(second).toMatchObject({ status: 'PARTIALLY_FILLED', filledLots: 40 });
    expect(third).toMatchObject({ status: 'NEW', filledLots: 0 });
    book.matchOpen(ROW, 10_100, 300);
    book.matchRange(ROW, 2 * ROW, 10_100, 10_100, 9_000);
    expect(sink.tape.slice(2)).toEqual(['2: 20 @ 10000 maker 120000', '3: 10 @ 9900 maker 120000']);
  });

  test('under a cap on volume, the part of a market order that the row does not fill is canceled', () => {
    const { venue, account, book, sink, market } = openSpotVenue(capped);
    market('sell', 60, 0);
    market('buy', 10_000 * 60, 0);
    market('sell', 60, 0);
    book.matchOpen(0, 10_000, 1_000);
    expect(sink.fills.map(({ ref, lots, status }) => [ref, lots, status])).toEqual([
      [1, 60, 'FILLED'],
      [2, 40, 'PARTIALLY_FILLED'],
    ]);
    expect(sink.ends.map(({ ref, status }) => [ref, status])).toEqual([
      [2, 'CANCELED'],
      [3, 'CANCELED'],
    ]);
    expect([venue.locked(account, 'USD'), venue.locked(account, 'ABC')]).toEqual([0, 0]);
  });

  test('under a cap on volume, a market order waits while a row has no volume at all', () => {
    const { book, sink, market } = openSpotVenue(capped);
    market('sell', 5, 0);
    book.matchOpen(0, 10_000, 0);
    book.matchRange(0, ROW, 10_000, 10_000, 10_000);
    expect([sink.fills.length, sink.ends.length, book.working]).toEqual([0, 0, 1]);
    book.matchOpen(ROW, 9_000, 50);
    expect(sink.tape).toEqual(['1: 5 @ 9000 taker 60000']);
  });

  test('without a cap, the volume of a row is ignored', () => {
    const { book, sink, market } = openSpotVenue();
    market('sell', 5, 0);
    book.matchOpen(0, 10_000, 0);
    expect(sink.fills).toHaveLength(1);
  });

  test('under a cap on volume, an executed stop uses the volume that the row has left', () => {
    const { book, sink, limit, market } = openSpotVenue(capped);
    limit('buy', 8, 10_000, 0);
    book.matchOpen(0, 10_000, 100);
    book.execute(market('sell', 5, ROW), 9_900, ROW);
    expect(sink.tape).toEqual(['1: 8 @ 10000 taker 0', '2: 2 @ 9900 taker 60000']);
    expect(sink.ends).toMatchObject([{ ref: 2, status: 'CANCELED' }]);
  });
});

describe('slippage', () => {
  test('slippage worsens the fills of takers up to their limit, and none of makers', () => {
    const { book, sink, market, limit } = openSpotVenue({ slippage: fixedSlippage(3, 100) });
    market('sell', 1, 0);
    market('buy', 10_000 * 2, 0);
    limit('buy', 1, 10_002, 0);
    limit('sell', 1, 9_999, 0);
    limit('buy', 1, 9_900, 0);
    book.matchOpen(0, 10_000, 0);
    book.matchRange(0, ROW, 10_000, 10_000, 9_800);
    book.execute(market('sell', 1, ROW), 9_850, ROW);
    expect(sink.tape).toEqual([
      '1: 1 @ 9996 taker 0',
      '2: 1 @ 10004 taker 0',
      '3: 1 @ 10002 taker 0',
      '4: 1 @ 9999 taker 0',
      '5: 1 @ 9900 maker 60000',
      '6: 1 @ 9846 taker 60000',
    ]);
  });

  test('slippage never makes a price less than one tick', () => {
    const { book, sink, market } = openSpotVenue({ slippage: fixedSlippage(100, 0) });
    market('sell', 1, 0);
    book.matchOpen(0, 50, 0);
    expect(sink.tape).toEqual(['1: 1 @ 1 taker 0']);
  });

  test.each([-1, 0.5, NaN])('a slippage model that returns %d ticks throws', (worse) => {
    const { book, market } = openSpotVenue({ slippage: { ticks: () => worse } });
    market('sell', 1, 0);
    expect(() => book.matchOpen(0, 10_000, 0)).toThrow('whole number of ticks');
  });
});

describe('the money of a limit buy', () => {
  test('a fill of a limit buy below its limit frees the difference at once', () => {
    const { venue, account, book, limit } = openSpotVenue({ maxVolumeSharePpm: 1_000_000 });
    limit('buy', 10, 10_000, 0);
    expect(venue.locked(account, 'USD')).toBe(100_000);
    book.matchOpen(0, 9_000, 4);
    expect(venue.locked(account, 'USD')).toBe(60_000);
    expect(venue.free(account, 'USD')).toBe(1e12 - 60_000 - 36_000);
  });

  test('with fees in quote, a limit buy holds the higher fee too, and the part that a maker does not pay is free again', () => {
    const { venue, account, book, limit } = openSpotVenue({ fees: { in: 'quote', rounding: 'halfUp' } });
    limit('buy', 1_000, 10_000, 0);
    expect(venue.locked(account, 'USD')).toBe(10_000_000 + 20_000);
    book.matchRange(0, ROW, 10_100, 10_100, 9_000);
    expect(venue.locked(account, 'USD')).toBe(0);
    expect(venue.free(account, 'USD')).toBe(1e12 - 10_000_000 - 10_000);
  });

  test('the fee that a limit buy holds is the maker fee when that is the higher one', () => {
    const { venue, account, limit } = openSpotVenue({ fees: { in: 'quote', rounding: 'halfUp', makerPpm: 3_000, takerPpm: 1_000 } });
    limit('buy', 1_000, 10_000, 0);
    expect(venue.locked(account, 'USD')).toBe(10_000_000 + 30_000);
  });

  test('the rounding of partial fills never overdraws an account, because the venue waives the missing units', () => {
    // 15 lots at 1 tick: a fee of 7.5 units at 50 %, held as 8; fifteen parts of 0.5 each would round up to 15.
    const { venue, sink, instrument, book } = openSpotVenue({
      fees: { in: 'quote', rounding: 'halfUp', makerPpm: 500_000, takerPpm: 500_000 },
      maxVolumeSharePpm: 1_000_000,
    });
    const poor = venue.openAccount('poor');
    venue.deposit(poor, 'USD', 23);
    expect(venue.place(poor, 1, limitIntent(instrument, 'buy', 15, 1), 0)).not.toBeNull();
    for (let row = 0; row < 15; row++) {
      book.matchOpen(row * ROW, 1, 1);
      venue.assertConserved();
    }
    expect(sink.fills).toHaveLength(15);
    expect(sink.fills.reduce((sum, { fee }) => sum + fee, 0)).toBe(8);
    expect([venue.free(poor, 'USD'), venue.locked(poor, 'USD'), venue.free(poor, 'ABC')]).toEqual([0, 0, 1_500]);
  });
});
