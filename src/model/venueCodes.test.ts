// Tests that the table of error codes is complete, and that each code has a text.

import { expect, test } from 'vitest';
import { VENUE_CODES, venueCodeText } from './venueCodes.ts';

test('the table of venue codes has 41 different codes', () => {
  const codes = Object.values(VENUE_CODES).map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  expect(codes).toHaveLength(41);
});

test('the text of a venue code is its name, else its meaning, else its number', () => {
  expect(venueCodeText(-2017)).toBe('balance_not_enough');
  expect(venueCodeText(35)).toBe('forbidden to order; the account may be restricted');
  expect(venueCodeText(-9)).toBe('-9');
});
