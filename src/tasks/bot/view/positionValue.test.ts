// Tests value and profit of positions against figures computed by hand.

import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { inverseContract, linearContract } from '../../../../test/fixtures/futuresVenue.ts';
import { notionalOf } from '../../../model/value.ts';
import { positionMoneyText, positionProfit } from './positionValue.ts';

const decimal = (text: string): Decimal => new Decimal(text);

it('the value of coins is quantity times price', () => {
  expect(notionalOf(spotInstrument(), decimal('0.3'), decimal('99.5')).toFixed()).toBe('29.85');
  expect(positionProfit(spotInstrument(), decimal('0.3'), decimal('99.5'), decimal('100'), true).toFixed()).toBe('0.15');
});

it('the value of linear contracts is quantity times face times price', () => {
  const { multiplier, multiplierDigits } = linearContract().contract!;
  const face = decimal(String(multiplier)).div(10 ** multiplierDigits);
  expect(notionalOf(linearContract(), decimal('7'), decimal('1000')).toFixed()).toBe(face.times(7000).toFixed());
  expect(positionProfit(linearContract(), decimal('7'), decimal('1000'), decimal('900'), false).toFixed()).toBe(face.times(700).toFixed());
});

it('the value of inverse contracts is quantity times face divided by price, in coins', () => {
  const instrument = inverseContract();
  const { multiplier, multiplierDigits } = instrument.contract!;
  const face = decimal(String(multiplier)).div(10 ** multiplierDigits);
  expect(notionalOf(instrument, decimal('50'), decimal('20000')).toFixed()).toBe(face.times(50).div(20000).toFixed());
  // A long whose price has doubled gains half of its coins at the entry, which equals its value now.
  const profit = positionProfit(instrument, decimal('50'), decimal('10000'), decimal('20000'), true);
  expect(profit.toFixed()).toBe(face.times(50).div(20000).toFixed());
  expect(positionProfit(instrument, decimal('50'), decimal('10000'), decimal('20000'), false).toFixed()).toBe(profit.negated().toFixed());
  expect(positionMoneyText(decimal('0.00123456'), instrument)).toBe('0.00123456'.slice(0, 2 + instrument.quoteDigits));
});
