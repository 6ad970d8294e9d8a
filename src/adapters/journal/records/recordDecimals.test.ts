// Tests the conversion of journal decimals to whole numbers, and the errors for numbers that have no exact result.

import { expect, test } from 'vitest';
import { ConfigError } from '../../../base/errors.ts';
import { scaledFromRecord } from './recordDecimals.ts';

test('a decimal of a journal becomes the number of its smallest units', () => {
  expect(scaledFromRecord('12.5', 3)).toBe(12_500);
});

test('a decimal that is finer than the digits of its instrument is an error that names the number of decimals', () => {
  const scaleTooFine = () => scaledFromRecord('1.234', 2);
  expect(scaleTooFine).toThrow(ConfigError);
  expect(scaleTooFine).toThrow('journal: expected a number of at most 2 decimals, got 1.234');
});

test('a decimal beyond the safe integers is an error that names the maximum', () => {
  expect(() => scaledFromRecord('90071992.5', 9)).toThrow('journal: expected a number below 2^53 units of 10^-9, got 90071992.5');
});
