// Tests entry prices in the bot's books: they equal the traded prices, in whatever unit values are rounded.

import { expect, test } from 'vitest';
import { fillOf } from '../../test/fixtures/fills.ts';
import { inverseContract, linearContract } from '../../test/fixtures/futuresVenue.ts';
import { FuturesLedger } from './futuresLedger.ts';

const TERMS = { leverage: 5, isCross: true, isNet: true };

test.each([
  ['inverse', inverseContract()],
  ['linear', linearContract({ marginDigits: 2 }, { quoteDigits: 2 })],
] as const)('an %s contract: the entry price stays the same when lots at one price are bought and sold', (_, contract) => {
  const ledger = new FuturesLedger([contract], 1, () => TERMS);
  const trade = (isBuy: boolean, lots: number, price: number) =>
    ledger.fill(0, 0, isBuy, fillOf({ lots, price, notional: ledger.scale(0).valueOfLots(lots, price) }), false);
  ledger.deposit(0, ledger.cashAsset, 1e12);
  trade(true, 3, 412_345);
  trade(true, 4, 412_345);
  expect(ledger.entryPrice(0, 0)).toBe(41_234.5);
  trade(false, 2, 400_001);
  expect(ledger.entryPrice(0, 0)).toBe(41_234.5);
  // The sale beyond zero opens a position on the other side at its own price.
  trade(false, 6, 420_001);
  expect([ledger.lots(0, 0), ledger.entryPrice(0, 0)]).toEqual([-1, 42_000.1]);
});

test('a holding of both sides is not one-sided, because its value is rounded twice and may move against the price', () => {
  const contract = inverseContract({ marginDigits: 3 }, { baseDigits: 3 });
  const ledger = new FuturesLedger([contract], 1, () => ({ ...TERMS, isNet: false }));
  ledger.deposit(0, ledger.cashAsset, 1e9);
  expect(ledger.isOneSided(0)).toBe(true);
  const openPosition = (isBuy: boolean, lots: number) =>
    ledger.fill(0, 0, isBuy, fillOf({ lots, price: 400_000, notional: ledger.scale(0).valueOfLots(lots, 400_000) }), false);
  openPosition(true, 301);
  expect(ledger.isOneSided(0)).toBe(true);
  openPosition(false, 300);
  expect(ledger.isOneSided(0)).toBe(false);
  const values = Array.from({ length: 1_000 }, (_, offset) => ledger.holdingValue(0, 400_000 + offset));
  const moves = values.slice(1).map((value, index) => Math.sign(value - values[index]!));
  expect(new Set(moves)).toEqual(new Set([-1, 0, 1]));
});

test('the entry price of lots at two prices is the mean by coins for an inverse contract, and by lots for a linear one', () => {
  const entryPriceOf = (contract: ReturnType<typeof inverseContract>) => {
    const ledger = new FuturesLedger([contract], 1, () => TERMS);
    ledger.deposit(0, ledger.cashAsset, 1e12);
    const buy = (lots: number, price: number) =>
      ledger.fill(0, 0, true, fillOf({ lots, price, notional: ledger.scale(0).valueOfLots(lots, price) }), false);
    buy(3, 400_000);
    buy(1, 200_000);
    return ledger.entryPrice(0, 0);
  };
  expect([entryPriceOf(linearContract()), entryPriceOf(inverseContract())]).toEqual([35_000, 32_000]);
});

test('an inverse contract of a cheap coin with a fine price has its exact value', () => {
  // 10 USD a contract, prices of 5 digits, coins of 8: a lot at one tick has a value of 10^14 units, and that of 100 lots exceeds a double.
  const contract = inverseContract({ multiplier: 10, multiplierDigits: 0 }, { priceDigits: 5 });
  const ledger = new FuturesLedger([contract], 1, () => TERMS);
  const scale = ledger.scale(0);
  for (const [lots, ticks] of [[100, 38_500], [9_007, 12_345], [1_000_000, 38_523], [3, 99_999_999]] as const) {
    const numerator = BigInt(lots) * 10n ** 14n;
    const denominator = BigInt(ticks);
    expect(scale.valueOfLots(lots, ticks)).toBe(Number((2n * numerator + denominator) / (2n * denominator)));
    expect(scale.notionalUp(ticks, lots)).toBe(Number((numerator + denominator - 1n) / denominator));
    expect(scale.notionalDown(ticks, lots)).toBe(Number(numerator / denominator));
  }
  expect(scale.valueOfLots(1_000_000_000, 1)).toBe(Infinity);
  ledger.deposit(0, ledger.cashAsset, 1e12);
  ledger.fill(0, 0, true, fillOf({ lots: 1_000, price: 38_500, notional: scale.valueOfLots(1_000, 38_500) }), false);
  const marked = new Float64Array(1);
  ledger.markRows(0, marked, 0, 1, Int32Array.of(40_000), 0);
  // 10,000 USD are 25,974.025974.. coins at 0.385, and 25,000 at 0.4.
  expect(marked[0]! - 1e12).toBe(2_597_402_597_403 - 2_500_000_000_000);
}); // prettier-ignore
