// Entry prices of contracts in the bot's books: those that were traded at, to whatever unit their values are rounded.

import { expect, test } from 'vitest';
import { fillOf } from '../../test/fixtures/fills.ts';
import { inverseContract, linearContract } from '../../test/fixtures/futuresVenue.ts';
import { FuturesLedger } from './futuresLedger.ts';

const TERMS = { leverage: 5, isCross: true, isNet: true };

test.each([
  ['inverse', inverseContract()],
  ['linear', linearContract({ marginDigits: 2 }, { quoteDigits: 2 })],
] as const)('an %s contract: one price stays what it is, when lots come and when they go', (_, contract) => {
  const ledger = new FuturesLedger([contract], 1, () => TERMS);
  const trade = (isBuy: boolean, lots: number, price: number) =>
    ledger.fill(0, 0, isBuy, fillOf({ lots, price, notional: ledger.scale(0).worth(lots, price) }), false);
  ledger.deposit(0, ledger.cashAsset, 1e12);
  trade(true, 3, 412_345);
  trade(true, 4, 412_345);
  expect(ledger.entryPrice(0, 0)).toBe(41_234.5);
  trade(false, 2, 400_001);
  expect(ledger.entryPrice(0, 0)).toBe(41_234.5);
  // Through zero: the other side begins at its own price.
  trade(false, 6, 420_001);
  expect([ledger.lots(0, 0), ledger.entryPrice(0, 0)]).toEqual([-1, 42_000.1]);
});

test('of two prices an inverse contract has the mean by coins, a linear one that by lots', () => {
  const average = (contract: ReturnType<typeof inverseContract>) => {
    const ledger = new FuturesLedger([contract], 1, () => TERMS);
    ledger.deposit(0, ledger.cashAsset, 1e12);
    const buy = (lots: number, price: number) =>
      ledger.fill(0, 0, true, fillOf({ lots, price, notional: ledger.scale(0).worth(lots, price) }), false);
    buy(3, 400_000);
    buy(1, 200_000);
    return ledger.entryPrice(0, 0);
  };
  expect([average(linearContract()), average(inverseContract())]).toEqual([35_000, 32_000]);
});
