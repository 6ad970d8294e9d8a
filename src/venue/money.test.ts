// Tests of products and shares against an independent computation in decimals.

import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { spotInstrument } from '../../test/fixtures/spotVenue.ts';
import { MAX_EXACT, type Rounding } from '../base/number/exact.ts';
import { MoneyScale, PpmShares } from './money.ts';

const Exact = Decimal.clone({ precision: 80 });
const MODES: Readonly<Record<Rounding, Decimal.Rounding>> = {
  down: Decimal.ROUND_DOWN,
  up: Decimal.ROUND_UP,
  halfUp: Decimal.ROUND_HALF_UP,
  halfEven: Decimal.ROUND_HALF_EVEN,
};

const digits = fc.record({
  priceDigits: fc.integer({ min: 0, max: 8 }),
  quantityDigits: fc.integer({ min: 0, max: 8 }),
  quoteDigits: fc.integer({ min: 0, max: 10 }),
});

/** Generates whole numbers of every size up to 2^bits. */
const whole = (bits: number) => fc.integer({ min: 1, max: bits }).chain((top) => fc.integer({ min: 1, max: 2 ** top - 1 }));

function oracleNotional(price: number, lots: number, of: { priceDigits: number; quantityDigits: number; quoteDigits: number }): Decimal {
  const scale = Exact.pow(10, of.quoteDigits - of.priceDigits - of.quantityDigits);
  return new Exact(price).times(lots).times(scale).toDecimalPlaces(0, Decimal.ROUND_HALF_UP);
}

describe('MoneyScale', () => {
  test('a notional is price x lots, rounded half up at the unit, and Infinity above every balance', () => {
    fc.assert(
      fc.property(digits, whole(48), whole(48), (of, price, lots) => {
        const money = new MoneyScale(spotInstrument({ ...of, baseDigits: 8 }));
        const expected = oracleNotional(price, lots, of);
        expect(money.notional(price, lots)).toBe(expected.lte(MAX_EXACT - 8) ? expected.toNumber() : Infinity);
      }),
      { numRuns: 3_000 },
    );
  });

  test('the affordable lots cost no more than the amount, and one more lot would', () => {
    fc.assert(
      fc.property(digits, whole(50), whole(36), (of, amount, price) => {
        const scale = Exact.pow(10, of.quoteDigits - of.priceDigits - of.quantityDigits);
        const expected = new Exact(amount).div(new Exact(price).times(scale)).floor();
        const money = new MoneyScale(spotInstrument({ ...of, baseDigits: 8 }));
        const lots = money.affordable(amount, price);
        expect(lots).toBe(expected.lte(MAX_EXACT - 8) ? expected.toNumber() : Infinity);
        fc.pre(lots !== Infinity);
        expect(money.notional(price, lots)).toBeLessThanOrEqual(amount);
      }),
      { numRuns: 3_000 },
    );
  });

  test('an instrument with a base asset coarser than a lot is rejected', () => {
    expect(() => new MoneyScale(spotInstrument({ quantityDigits: 6, baseDigits: 5 }))).toThrow(
      'expected baseDigits >= quantityDigits, got 5 < 6',
    );
  });
});

describe('PpmShares', () => {
  test('a share in ppm of any amount is exact in each rounding mode', () => {
    fc.assert(
      fc.property(
        whole(53),
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.constantFrom<Rounding>('down', 'up', 'halfUp', 'halfEven'),
        (units, ppm, rounding) => {
          const expected = new Exact(units).times(ppm).div(1_000_000).toDecimalPlaces(0, MODES[rounding]);
          expect(new PpmShares(rounding).of(units, ppm)).toBe(expected.toNumber());
        },
      ),
      { numRuns: 5_000 },
    );
  });

  test('a share that is rounded half up is floor((units * ppm + 500000) / 1e6)', () => {
    fc.assert(
      fc.property(whole(43), fc.integer({ min: 0, max: 1_000 }), (units, ppm) => {
        fc.pre(units * ppm + 500_000 <= MAX_EXACT);
        expect(new PpmShares('halfUp').of(units, ppm)).toBe(Math.floor((units * ppm + 500_000) / 1_000_000));
      }),
      { numRuns: 3_000 },
    );
  });
});
