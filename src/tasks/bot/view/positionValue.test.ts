// Value and profit of positions, compared with figures computed by hand.

import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { inverseContract, linearContract } from '../../../../test/fixtures/futuresVenue.ts';
import { notionalOf } from '../../../model/value.ts';
import { moneyText, profitOf } from './positionValue.ts';

const d = (text: string): Decimal => new Decimal(text);

it('coins are worth their price', () => {
  expect(notionalOf(spotInstrument(), d('0.3'), d('99.5')).toFixed()).toBe('29.85');
  expect(profitOf(spotInstrument(), d('0.3'), d('99.5'), d('100'), true).toFixed()).toBe('0.15');
});

it('linear contracts are worth face times price', () => {
  const { multiplier, multiplierDigits } = linearContract().contract!;
  const face = d(String(multiplier)).div(10 ** multiplierDigits);
  expect(notionalOf(linearContract(), d('7'), d('1000')).toFixed()).toBe(face.times(7000).toFixed());
  expect(profitOf(linearContract(), d('7'), d('1000'), d('900'), false).toFixed()).toBe(face.times(700).toFixed());
});

it('inverse contracts are worth face divided by price, in coins', () => {
  const instrument = inverseContract();
  const { multiplier, multiplierDigits } = instrument.contract!;
  const face = d(String(multiplier)).div(10 ** multiplierDigits);
  expect(notionalOf(instrument, d('50'), d('20000')).toFixed()).toBe(face.times(50).div(20000).toFixed());
  // Long, and the price has doubled: half of the coins at the entry are won.
  const profit = profitOf(instrument, d('50'), d('10000'), d('20000'), true);
  expect(profit.toFixed()).toBe(face.times(50).div(20000).toFixed());
  expect(profitOf(instrument, d('50'), d('10000'), d('20000'), false).toFixed()).toBe(profit.negated().toFixed());
  expect(moneyText(d('0.00123456'), instrument)).toBe('0.00123456'.slice(0, 2 + instrument.quoteDigits));
});
