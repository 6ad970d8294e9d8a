// Tests the ledger of a spot account against its fills, to the last unit.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decimal } from '../base/number/decimal.ts';
import { ConfigError, InvariantError } from '../base/errors.ts';
import { lots } from '../base/brand.ts';
import { spotInstrument } from '../../test/fixtures/drafts.ts';
import { fillOf } from '../../test/fixtures/fills.ts';
import { SpotLedger } from './spotLedger.ts';

const BTC = spotInstrument('BTC', { baseDigits: 8, quantityDigits: 5 });
const ETH = spotInstrument('ETH', { priceDigits: 3, quantityDigits: 2, baseDigits: 4 });
const INSTRUMENTS = [BTC, ETH];

/** One random fill. */
interface FillStep {
  readonly strategy: number;
  readonly index: number;
  readonly isBuy: boolean;
  readonly ticks: number;
  /** Share of the possible purchase or sale, in thousandths. */
  readonly thousandths: number;
  readonly feePpm: number;
  readonly feeInBase: boolean;
}
const stepArbitrary: fc.Arbitrary<FillStep> = fc.record({
  strategy: fc.nat({ max: 2 }),
  index: fc.nat({ max: 1 }),
  isBuy: fc.boolean(),
  ticks: fc.integer({ min: 4_000_000, max: 5_000_000 }),
  thousandths: fc.integer({ min: 1, max: 1000 }),
  feePpm: fc.constantFrom(0, 750, 1000, 1333),
  feeInBase: fc.boolean(),
});

/** Keeps the same books in decimals, from fills alone. */
class Oracle {
  /** By strategy: its cash. */
  readonly quote = [0, 1, 2].map(() => new Decimal(0));
  /** By strategy and instrument: the coins held. */
  readonly base = [0, 1, 2].map(() => [new Decimal(0), new Decimal(0)]);
  fill({ strategy, index, isBuy }: FillStep, qty: Decimal, notional: Decimal, fee: Decimal, feeInBase: boolean): void {
    const direction = isBuy ? 1 : -1;
    this.quote[strategy] = this.quote[strategy]!.minus(notional.times(direction)).minus(feeInBase ? 0 : fee);
    const holdings = this.base[strategy]!;
    holdings[index] = holdings[index]!.plus(qty.times(direction)).minus(feeInBase ? fee : 0);
  }
}

test('cash and holdings of a spot ledger equal the sum of its fills to the last unit', () => {
  fc.assert(
    fc.property(fc.array(stepArbitrary, { maxLength: 40 }), (steps) => {
      const ledger = new SpotLedger(INSTRUMENTS, 3);
      const oracle = new Oracle();
      for (const strategy of [0, 1, 2]) {
        ledger.deposit(strategy, 'USDT', 10 ** 12 * (strategy + 1));
        oracle.quote[strategy] = new Decimal(10_000 * (strategy + 1));
      }
      for (const step of steps) bookStep(ledger, oracle, step);
      ledger.assertReconciled();
      for (const strategy of [0, 1, 2]) {
        expect(new Decimal(ledger.cash(strategy)).div(1e8).eq(oracle.quote[strategy]!)).toBe(true);
        for (const index of [0, 1]) {
          const holding = new Decimal(ledger.base(strategy, index)).div(Decimal.pow(10, INSTRUMENTS[index]!.baseDigits));
          expect(holding.eq(oracle.base[strategy]![index]!)).toBe(true);
        }
      }
    }),
    { numRuns: 500 },
  );
});

/** Books a fill in the ledger and in the oracle, at most for the money that is there. */
function bookStep(ledger: SpotLedger, oracle: Oracle, step: FillStep): void {
  const { strategy, index, isBuy, ticks, feePpm } = step;
  const { priceDigits, quantityDigits, quoteDigits, baseDigits } = INSTRUMENTS[index]!;
  const unitsPerLot = ticks * 10 ** (quoteDigits - priceDigits - quantityDigits);
  const maxLots = isBuy ? Math.floor(ledger.cash(strategy) / (unitsPerLot * 1.002)) : ledger.lots(strategy, index);
  const lotsFilled = Math.floor((maxLots * step.thousandths) / 1000);
  if (lotsFilled < 1) return;
  const feeInBase = isBuy && step.feeInBase;
  const boughtUnits = lotsFilled * 10 ** (baseDigits - quantityDigits);
  const fee = Math.round(((feeInBase ? boughtUnits : lotsFilled * unitsPerLot) * feePpm) / 1e6);
  ledger.fill(strategy, index, isBuy, fillOf({ price: ticks, lots: lotsFilled, notional: lotsFilled * unitsPerLot, fee, feeInBase }));
  const qty = new Decimal(lotsFilled).div(Decimal.pow(10, quantityDigits));
  oracle.fill(
    step,
    qty,
    qty.times(ticks).div(Decimal.pow(10, priceDigits)),
    new Decimal(fee).div(Decimal.pow(10, feeInBase ? baseDigits : quoteDigits)),
    feeInBase,
  );
  expect(ledger.cost(strategy, index)).toBeGreaterThanOrEqual(0);
}

describe('one round trip', () => {
  test('one round trip has its entry price, realised profit and fees, with the fee in quote', () => {
    const ledger = new SpotLedger([BTC], 1);
    ledger.deposit(0, 'USDT', 10_000e8);
    ledger.fill(0, 0, true, fillOf({ price: 4_000_000, lots: 10_000, notional: 4000e8, fee: 4e8, feeInBase: false }));
    ledger.fill(0, 0, true, fillOf({ price: 5_000_000, lots: 10_000, notional: 5000e8, fee: 5e8, feeInBase: false }));
    expect(ledger.entryPrice(0, 0)).toBe(45_000);
    expect(ledger.cash(0)).toBe(991e8);
    expect(ledger.equityUnits(0, [4_600_000])).toBe(991e8 + 9200e8);
    ledger.fill(0, 0, false, fillOf({ price: 4_600_000, lots: 5000, notional: 2300e8, fee: 2.3e8, feeInBase: false }));
    expect([ledger.realised(0), ledger.fees(0), ledger.cost(0, 0)]).toEqual([50e8, 11.3e8, 6750e8]);
    ledger.fill(0, 0, false, fillOf({ price: 4_600_000, lots: 15_000, notional: 6900e8, fee: 6.9e8, feeInBase: false }));
    expect([ledger.realised(0), ledger.fees(0), ledger.cost(0, 0)]).toEqual([200e8, 18.2e8, 0]);
    expect(ledger.entryPrice(0, 0)).toBeNaN();
    expect(ledger.cash(0)).toBe(10_000e8 + 200e8 - 18.2e8);
  });

  test('one round trip with a fee in the bought coin reduces the holding by the fee, and its dust counts as flat', () => {
    const ledger = new SpotLedger([BTC], 1);
    ledger.deposit(0, 'USDT', 10_000e8);
    ledger.fill(0, 0, true, fillOf({ price: 4_000_000, lots: 10_000, notional: 4000e8, fee: 10_000, feeInBase: true }));
    expect([ledger.base(0, 0), ledger.cash(0)]).toEqual([9_990_000, 6000e8]);
    expect([ledger.cost(0, 0), ledger.fees(0), ledger.entryPrice(0, 0)]).toEqual([3996e8, 4e8, 40_000]);
    expect([ledger.lots(0, 0), ledger.isFlat(0, 0), ledger.dust(0, 0)]).toEqual([9990, false, 0]);
    ledger.fill(0, 0, false, fillOf({ price: 4_000_000, lots: 9989, notional: 3995.6e8, fee: 0, feeInBase: false }));
    expect([ledger.base(0, 0), ledger.lots(0, 0), ledger.isFlat(0, 0), ledger.dust(0, 0)]).toEqual([1000, 1, true, 1000]);
    ledger.assertReconciled();
  });
});

test('coins that were deposited at a price make neither profit nor loss when they are sold at this price', () => {
  const ledger = new SpotLedger(INSTRUMENTS, 2);
  ledger.deposit(1, 'ETH', 20_000, 4000e8);
  expect(ledger.entryPrice(1, 1)).toBe(2000);
  ledger.fill(1, 1, false, fillOf({ price: 2_000_000, lots: 200, notional: 4000e8, fee: 0, feeInBase: false }));
  expect([ledger.realised(1), ledger.cash(1), ledger.cash(0), ledger.cashTotal]).toEqual([0, 4000e8, 0, 4000e8]);
});

test('a missing mark makes the equity of its holding unknown, and that of no other holding', () => {
  const ledger = new SpotLedger(INSTRUMENTS, 2);
  ledger.deposit(0, 'USDT', 5);
  ledger.deposit(1, 'BTC', 7);
  expect(ledger.equityUnits(0, [NaN, NaN])).toBe(5);
  expect(ledger.equityUnits(1, [NaN, 1])).toBeNaN();
  expect(ledger.equityTotalUnits([NaN, 1])).toBeNaN();
  expect(ledger.equityTotalUnits([100, NaN])).toBe(5 + 7);
});

test('a sale beyond the holding throws, and so does an amount that is not an exact integer', () => {
  const ledger = new SpotLedger([BTC], 1);
  expect(() => ledger.fill(0, 0, false, fillOf({ price: 1, lots: 1, notional: 10, fee: 0, feeInBase: false }))).toThrow(InvariantError);
  ledger.deposit(0, 'USDT', Number.MAX_SAFE_INTEGER);
  expect(() => ledger.deposit(0, 'USDT', 1)).toThrow(InvariantError);
  expect(() => ledger.deposit(0, 'USDT', 0.5)).toThrow(InvariantError);
  expect(() => ledger.deposit(0, 'USDT', NaN)).toThrow(InvariantError);
});

test('a ledger has one quote asset, and each base asset in one instrument only', () => {
  expect(() => new SpotLedger([BTC, spotInstrument('ETH', { quote: 'EUR' })], 1)).toThrow(ConfigError);
  expect(() => new SpotLedger([BTC, spotInstrument('ETH', { quoteDigits: 6 })], 1)).toThrow(ConfigError);
  expect(() => new SpotLedger([BTC, BTC], 1)).toThrow(ConfigError);
  expect(() => new SpotLedger([BTC], 1).deposit(0, 'DOGE', 1)).toThrow(/no instrument of the run trades DOGE/);
  expect(new SpotLedger([spotInstrument('BTC', { minLots: lots(0) })], 1).isFlat(0, 0)).toBe(false);
});
