// Tests of market impact: ten sizes computed by hand from the formula of docs/matching.md, and its effect on orders, caps and limits.

import { Decimal } from 'decimal.js';
import { describe, expect, test } from 'vitest';
import { openSpotVenue } from '../../test/fixtures/spotVenue.ts';
import { fixedSlippage, impactTicks, NO_SLIPPAGE, withAddedPpm, withImpact, type FillBar, type SlippageModel } from './slippage.ts';

const ROW_MS = 60_000;
/**
 * A bar from 98.00 to 104.50 with 1.2345 coins, and a coefficient of 0.8: its volatility is ln(104.5 / 98) / sqrt(4 ln 2) = 0.03856779596.
 */
const BAR: FillBar = { open: 10_000, high: 10_450, low: 9_800, close: 10_200, volumeLots: 1234.5 };
const COEFFICIENT_PPM = 800_000;

/** Lots, the exact ticks 0.8 x 0.03856779596 x sqrt(lots / 1234.5) x 10 000, and these ticks rounded up. */
const WORKED_SIZES: readonly [lots: number, exactTicks: string, ticks: number][] = [
  [1, '8.7815', 9],
  [2, '12.4189', 13],
  [5, '19.6361', 20],
  [10, '27.7696', 28],
  [50, '62.0947', 63],
  [100, '87.8151', 88],
  [500, '196.3606', 197],
  [1000, '277.6958', 278],
  [1234, '308.4799', 309],
  [5000, '620.9466', 621],
];

/** Computes the formula in decimals of 40 digits. */
function inDecimals(coefficient: number, price: number, lots: number, { high, low, volumeLots }: FillBar): Decimal {
  const Wide = Decimal.clone({ precision: 40 });
  const volatility = new Wide(high).div(low).ln().div(new Wide(2).ln().times(4).sqrt());
  const share = new Wide(lots).div(Decimal.max(1, volumeLots));
  return volatility.times(coefficient).times(share.sqrt()).times(price);
}

describe('the square-root model', () => {
  test.each(WORKED_SIZES)('market impact of %d lots is %s ticks, rounded up to %d', (lots, exactTicks, ticks) => {
    expect(inDecimals(0.8, 10_000, lots, BAR).toFixed(4)).toBe(exactTicks);
    expect(impactTicks(COEFFICIENT_PPM, 10_000, lots, BAR)).toBe(ticks);
  });

  test('any bar, also with a high many times its low, gives the ticks of the formula in decimals', () => {
    let seed = 29;
    const drawBelow = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let sample = 0; sample < 400; sample++) {
      const low = 1 + drawBelow(10 ** (1 + drawBelow(7)));
      const high = low * (1 + drawBelow(40)) + drawBelow(low);
      const bar = { open: low, high, low, close: high, volumeLots: drawBelow(1e6) / 8 };
      const price = low + drawBelow(high - low + 1);
      const lots = 1 + drawBelow(1e6);
      const coefficientPpm = 1 + drawBelow(3_000_000);
      const exactTicks = inDecimals(coefficientPpm / 1e6, price, lots, bar);
      const ticks = impactTicks(coefficientPpm, price, lots, bar);
      const isNearWhole = exactTicks.minus(exactTicks.round()).abs().lt('1e-6');
      if (!isNearWhole) expect({ sample, ticks }).toEqual({ sample, ticks: exactTicks.ceil().toNumber() });
    }
  });

  test('a bar without a range has no volatility and no impact', () => {
    expect(impactTicks(COEFFICIENT_PPM, 10_000, 1000, { open: 1, high: 10_000, low: 10_000, close: 1, volumeLots: 5 })).toBe(0);
  });

  test.each([0, 0.25, 1])('a volume of %d lots counts as one lot', (volumeLots) => {
    // sqrt(4 / 1) x 0.8 x 0.03856779596 x 10 000 = 617.08
    expect(impactTicks(COEFFICIENT_PPM, 10_000, 4, { ...BAR, volumeLots })).toBe(618);
  });
});

const openWith = (slippage: SlippageModel, overrides: object = {}) => {
  const opened = openSpotVenue({ slippage, ...overrides });
  opened.book.bar = BAR;
  return opened;
};

describe('orders with market impact', () => {
  test('takers pay impact at the open and at a stop, makers do not', () => {
    const { book, sink, market, limit } = openWith(withImpact(NO_SLIPPAGE, COEFFICIENT_PPM));
    market('sell', 100, 0);
    limit('buy', 100, 9_900, 0);
    const stop = market('sell', 10, ROW_MS);
    book.matchOpen(0, 10_000, 1234);
    book.matchRange(0, ROW_MS, 10_000, 10_450, 9_800);
    book.execute(stop, 9_850, ROW_MS);
    // At 9 850: 27.7696 x 0.985 = 27.353, hence 28.
    expect(sink.tape).toEqual(['1: 100 @ 9912 taker 0', '2: 100 @ 9900 maker 60000', '3: 10 @ 9822 taker 60000']);
  });

  test('impact never moves a fill beyond its limit', () => {
    const { book, sink, limit } = openWith(withImpact(NO_SLIPPAGE, COEFFICIENT_PPM));
    limit('buy', 100, 10_050, 0);
    limit('buy', 100, 10_100, 0);
    limit('sell', 100, 9_950, 0);
    book.matchOpen(0, 10_000, 1234);
    expect(sink.fills.map(({ price }) => price)).toEqual([10_050, 10_088, 9_950]);
  });

  test('a market buy by amount pays the impact of the lots that it could buy at the quoted price, and buys fewer', () => {
    const { book, sink, market } = openWith(withImpact(NO_SLIPPAGE, COEFFICIENT_PPM));
    market('buy', 1_000_000, 0);
    book.matchOpen(0, 10_000, 1234);
    // 100 lots at the quoted price pay 88 ticks more: 1 000 000 / 10 088 = 99.1.
    expect(sink.fills.map(({ price, lots }) => [price, lots])).toEqual([[10_088, 99]]);
  });

  test('under a cap only the lots that fill in the bar count', () => {
    const { book, sink, market } = openWith(withImpact(NO_SLIPPAGE, COEFFICIENT_PPM), { maxVolumeSharePpm: 81_038 });
    market('sell', 5000, 0);
    book.matchOpen(0, 10_000, 1234);
    // 8.1 % of 1 234 lots are 100 of them.
    expect(sink.fills.map(({ price, lots }) => [price, lots])).toEqual([[9_912, 100]]);
  });

  test('impact is added to fixed slippage, to a share of the price and to a model', () => {
    const fixed = fixedSlippage(3, 200);
    const priceWith = (model: SlippageModel) => {
      const { book, sink, market } = openWith(model);
      market('sell', 100, 0);
      book.matchOpen(0, 10_000, 1234);
      return sink.fills[0]?.price;
    };
    expect(priceWith(fixed)).toBe(9_995);
    expect(priceWith(withImpact(fixed, COEFFICIENT_PPM))).toBe(9_907);
    expect(priceWith(withImpact({ ticks: () => 7 }, COEFFICIENT_PPM))).toBe(9_905);
    expect(priceWith(withAddedPpm(withImpact(fixed, COEFFICIENT_PPM), 150))).toBe(9_905);
    expect(withImpact(fixed, 0)).toBe(fixed);
    expect(withAddedPpm(fixed, 0)).toBe(fixed);
  });

  test('a book needs the bar only for a slippage model that reads it', () => {
    expect(openSpotVenue().book.readsBar).toBe(false);
    expect(openSpotVenue({ slippage: fixedSlippage(1, 5) }).book.readsBar).toBe(false);
    expect(openSpotVenue({ slippage: withAddedPpm(fixedSlippage(1, 5), 5) }).book.readsBar).toBe(false);
    expect(openSpotVenue({ slippage: withImpact(NO_SLIPPAGE, 1) }).book.readsBar).toBe(true);
    expect(openSpotVenue({ slippage: { ticks: () => 0 } }).book.readsBar).toBe(true);
  });
});
