// Tests the text of figures in denials: amounts in units of the asset, exact up to 2^53 units.

import { expect, it } from 'vitest';
import { spotInstrument } from '../../../test/fixtures/drafts.ts';
import { linearContract } from '../../../test/fixtures/futuresVenue.ts';
import { baseText, lotsText, limitMoneyText, limitPriceText, quoteText, ratioText } from './limitTexts.ts';

const BTC = spotInstrument();
const BOOKS = { cashDigits: 8, cashAsset: 'USDT' };

it('the text of money, quantities and prices ends with the asset', () => {
  expect(limitMoneyText(1_753_074_373_050, BOOKS)).toBe('17530.7437305 USDT');
  expect(quoteText(5_000_000_000, BTC)).toBe('50 USDT');
  expect(baseText(1_500_000, BTC)).toBe('1.5 BTC');
  expect(lotsText(1500, BTC)).toBe('1.5 BTC');
  expect(lotsText(12, linearContract({}))).toBe('12 contracts');
  expect(limitPriceText(10_050, BTC)).toBe('100.5 USDT');
  expect(ratioText({ numerator: 3, denominator: 100 })).toBe('0.03');
});

it('NaN is printed as unknown', () => {
  expect(limitMoneyText(NaN, BOOKS)).toBe('unknown USDT');
});

it('amounts above 2^53 units are printed with the digits of a double', () => {
  expect(limitMoneyText(2 ** 60, BOOKS)).toBe('11529215046.06847 USDT');
  expect(limitMoneyText(Infinity, BOOKS)).toBe('Infinity USDT');
});
