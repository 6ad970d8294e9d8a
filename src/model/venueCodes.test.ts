// The code table is complete, and each code has a text.

import { expect, test } from 'vitest';
import { VENUE_CODES, venueCodeText } from './venueCodes.ts';

test('each code occurs once, and there are 41', () => {
  const codes = Object.values(VENUE_CODES).map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  expect(codes).toHaveLength(41);
});

test('the text of a code is its name, or its meaning, or its number', () => {
  expect(venueCodeText(-2017)).toBe('balance_not_enough');
  expect(venueCodeText(35)).toBe('forbidden to order; the account may be restricted');
  expect(venueCodeText(-9)).toBe('-9');
});
