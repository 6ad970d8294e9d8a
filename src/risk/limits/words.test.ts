// Figures in denials as text: in units of the asset, exact where they can be counted.

import { expect, it } from 'vitest';
import { spotInstrument } from '../../../test/fixtures/drafts.ts';
import { linearContract } from '../../../test/fixtures/futuresVenue.ts';
import { baseText, lotsText, moneyText, priceText, quoteText, ratioText } from './words.ts';

const BTC = spotInstrument();
const BOOKS = { cashDigits: 8, cashAsset: 'USDT' };

it('money, quantities and prices have their asset', () => {
  expect(moneyText(1_753_074_373_050, BOOKS)).toBe('17530.7437305 USDT');
  expect(quoteText(5_000_000_000, BTC)).toBe('50 USDT');
  expect(baseText(1_500_000, BTC)).toBe('1.5 BTC');
  expect(lotsText(1500, BTC)).toBe('1.5 BTC');
  expect(lotsText(12, linearContract({}))).toBe('12 contracts');
  expect(priceText(10_050, BTC)).toBe('100.5 USDT');
  expect(ratioText({ numerator: 3, denominator: 100 })).toBe('0.03');
});

it('a value that is not a number is unknown, and one above 2^53 is rounded', () => {
  expect(moneyText(NaN, BOOKS)).toBe('unknown USDT');
  expect(moneyText(2 ** 60, BOOKS)).toBe('11529215046.06847 USDT');
  expect(moneyText(Infinity, BOOKS)).toBe('Infinity USDT');
});
