// Tests of rules 21 to 25 of docs/matching.md: fills of market orders, of limits that take, and of limits behind a queue.

import { describe, expect, it } from 'vitest';
import { limitIntent, marketIntent, SeenEvents, spotInstrument, venueConfig } from '../../../test/fixtures/spotVenue.ts';
import { seededRng } from '../../base/number/rng.ts';
import type { TradeTape } from '../../model/bars/bars.ts';
import { fixedSlippage } from '../slippage.ts';
import { TradeMatcher, type TradeTerms } from './tradeMatcher.ts';
import { Venue } from '../venue.ts';
import type { VenueConfig } from '../venueConfig.ts';

/** One trade: price in ticks, lots, and the side of the taker. Trades are 1 ms apart. */
type TradeRow = readonly [price: number, lots: number, takerSide?: number];
const THROUGH: TradeTerms = { fillsAtTouch: false, queue: null };
const termsWithQueue = (ahead: number, cancelsPpm = 0): TradeTerms => ({
  fillsAtTouch: false,
  queue: { aheadUnits: ahead * 1e5, tradesUnits: 0, cancelsPpm },
});

/** Returns a spot market whose orders meet these trades. */
function openMarket(rows: readonly TradeRow[], terms: TradeTerms = THROUGH, config: Partial<VenueConfig> = {}) {
  const events = new SeenEvents();
  const instrument = spotInstrument();
  const venue = new Venue({ ...venueConfig({ instruments: [instrument] }), ...config }, events);
  const accountIndex = venue.openAccount('bot');
  venue.deposit(accountIndex, 'USD', 1e13);
  venue.deposit(accountIndex, 'ABC', 1e13);
  const tape: TradeTape = {
    first: Uint32Array.from({ length: rows.length + 1 }, (_, nextTrade) => nextTrade),
    price: Float64Array.from(rows, ([price]) => price),
    lots: Float64Array.from(rows, ([, lots]) => lots),
    takerSide: Int32Array.from(rows, ([, , side = 0]) => side),
  };
  const matcher = new TradeMatcher(venue.book(instrument), tape, terms);
  let nextTrade = 0;
  return {
    seen: events,
    /** Places an order that arrives before the next trade. */
    buy: (ref: number, size: number, limit: number) =>
      venue.place(
        accountIndex,
        ref,
        limit === 0 ? marketIntent(instrument, 'buy', size) : limitIntent(instrument, 'buy', size, limit),
        nextTrade,
      ),
    sell: (ref: number, size: number, limit: number) =>
      venue.place(
        accountIndex,
        ref,
        limit === 0 ? marketIntent(instrument, 'sell', size) : limitIntent(instrument, 'sell', size, limit),
        nextTrade,
      ),
    play(count = rows.length - nextTrade) {
      for (const end = nextTrade + count; nextTrade < end; nextTrade++) {
        matcher.begin(nextTrade);
        matcher.match(nextTrade, nextTrade);
      }
      return events.tape;
    },
  };
}

describe('a market order against trades (rule 22)', () => {
  it('a market order fills completely at the next trade, or with a cap a share of each trade', () => {
    const plain = openMarket([[100, 5], [101, 1]]); // prettier-ignore
    plain.sell(1, 50, 0);
    expect(plain.play()).toEqual(['1: 50 @ 100 taker 0']);
    const capped = openMarket([[100, 5], [99, 1], [98, 8], [97, 9]], THROUGH, { maxVolumeSharePpm: 500_000, slippage: fixedSlippage(2, 0) }); // prettier-ignore
    capped.sell(1, 7, 0);
    expect(capped.play()).toEqual(['1: 2 @ 98 taker 0', '1: 4 @ 96 taker 2', '1: 1 @ 95 taker 3']);
  });

  it('a market order by amount fills what its remaining amount pays for, and is canceled when that is less than a lot', () => {
    const traded = openMarket([[100, 2], [200, 50]], THROUGH, { maxVolumeSharePpm: 999_999 }); // prettier-ignore
    // A lot at 1.00 costs 100 units: 1,050 units buy one lot at 1.00, then four at 2.00; 150 units are left.
    traded.buy(1, 1_050, 0);
    traded.buy(2, 99, 0);
    expect(traded.play()).toEqual(['1: 1 @ 100 taker 0', '1: 4 @ 200 taker 1']);
    expect(traded.seen.fills.at(-1)!.status).toBe('FILLED');
    expect(traded.seen.ends).toMatchObject([{ ref: 2, status: 'CANCELED', timeMs: 0 }]);
  });
});

describe('a limit order against trades (rules 23 and 24)', () => {
  it('a limit order takes while trades are within its limit, and rests once a trade lies beyond it', () => {
    const rows: TradeRow[] = [[100, 9], [99, 2], [101, 9], [100, 9], [99, 9], [98, 9]]; // prettier-ignore
    const traded = openMarket(rows, THROUGH, { maxVolumeSharePpm: 500_000 });
    traded.play(1);
    traded.buy(1, 9, 100);
    expect(traded.play()).toEqual(['1: 1 @ 99 taker 1', '1: 4 @ 100 maker 4', '1: 4 @ 100 maker 5']);
  });

  it('a limit order beyond the last trade rests, and fills at its limit when a trade goes through it or touches it', () => {
    const rows: TradeRow[] = [[100, 9], [99, 9], [98, 9]]; // prettier-ignore
    for (const [terms, expectedFill] of [[THROUGH, '1: 5 @ 99 maker 2'], [{ ...THROUGH, fillsAtTouch: true }, '1: 5 @ 99 maker 1']] as const) {
      const traded = openMarket(rows, terms);
      traded.play(1);
      traded.buy(1, 5, 99);
      expect(traded.play()).toEqual([expectedFill]);
    } // prettier-ignore
  });

  it('a limit order that takes fills with slippage up to its limit', () => {
    const traded = openMarket([[100, 9], [99, 9]], THROUGH, { slippage: fixedSlippage(5, 0) }); // prettier-ignore
    traded.play(1);
    traded.buy(1, 5, 101);
    expect(traded.play()).toEqual(['1: 5 @ 101 taker 1']);
  });
});

describe('the queue before a resting limit (rule 25)', () => {
  it('a resting limit fills with the trades that exceed the volume ahead of it', () => {
    const traded = openMarket([[100, 1], [99, 4], [99, 3], [99, 8], [99, 2]], termsWithQueue(6)); // prettier-ignore
    traded.play(1);
    traded.buy(1, 10, 99);
    expect(traded.play()).toEqual(['1: 1 @ 99 maker 2', '1: 8 @ 99 maker 3', '1: 1 @ 99 maker 4']);
  });

  it('the queue ignores trades whose taker is on the side of the order, and ends with a trade through the limit', () => {
    const traded = openMarket([[100, 1], [99, 50, 1], [99, 5, -1], [98, 1, 1]], termsWithQueue(6)); // prettier-ignore
    traded.play(1);
    traded.buy(1, 10, 99);
    expect(traded.play()).toEqual(['1: 10 @ 99 maker 3']);
  });

  it('cancels reduce the queue, rounded against the order', () => {
    // 7 lots ahead, 30 % of them cancelled: 4.9, so 5.
    const traded = openMarket([[100, 1], [99, 5], [99, 1]], termsWithQueue(7, 300_000)); // prettier-ignore
    traded.play(1);
    traded.buy(1, 2, 99);
    expect(traded.play()).toEqual(['1: 1 @ 99 maker 2']);
  });

  it('own orders at one limit fill by arrival, with the same volume ahead of both', () => {
    const traded = openMarket([[100, 1], [99, 9], [99, 4]], termsWithQueue(5)); // prettier-ignore
    traded.play(1);
    traded.buy(1, 3, 99);
    traded.buy(2, 3, 99);
    // Of the 9 lots, 5 were ahead and 3 fill the first order. For the second order 6 are left, 5 of them are ahead.
    expect(traded.play()).toEqual(['1: 3 @ 99 maker 1', '2: 1 @ 99 maker 1', '2: 2 @ 99 maker 2']);
  });

  it('the queue may be a multiple of the average of the 100 previous trades', () => {
    const lotsOfTrades = [...Array.from({ length: 50 }, () => 1000), 103, ...Array.from({ length: 99 }, () => 1)];
    const before = lotsOfTrades.map((tradeLots): TradeRow => [100, tradeLots]);
    // 100 trades of 202 lots: 2.02 each, times 2.5, is 5.05, so 6 lots are ahead.
    const terms: TradeTerms = { fillsAtTouch: false, queue: { aheadUnits: null, tradesUnits: 2.5e8, cancelsPpm: 0 } };
    const traded = openMarket([...before, [99, 6], [99, 1]], terms);
    traded.play(150);
    traded.buy(1, 1, 99);
    expect(traded.play()).toEqual(['1: 1 @ 99 maker 151']);
  });

  it('an order never fills before trades have used up the volume ahead of it', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const rng = seededRng(seed);
      const int = (from: number, to: number) => from + Math.floor(rng.next() * (to - from + 1));
      const rows = Array.from({ length: 80 }, (): TradeRow => [int(98, 101), int(1, 9), int(-1, 1)]);
      rows[0] = [101, 1];
      const ahead = int(0, 60);
      const traded = openMarket(rows, termsWithQueue(ahead));
      traded.play(1);
      traded.buy(1, 5, 99);
      traded.buy(2, 7, 99);
      traded.play();
      const through = rows.findIndex(([price], nextTrade) => nextTrade > 0 && price < 99);
      for (const { timeMs, ref } of traded.seen.fills) {
        if (through >= 0 && timeMs >= through) continue;
        const before = rows.slice(1, timeMs + 1).reduce((sum, [price, lots, side]) => sum + (price === 99 && side !== 1 ? lots : 0), 0);
        expect(before, `seed ${seed}, order ${ref}`).toBeGreaterThan(ahead);
      }
    }
  });
});
