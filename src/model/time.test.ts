// Tests that times as text agree with the calendar of the platform, and that days which do not exist are rejected.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatMinute, formatTime, parseTime } from './time.ts';

test('from 1970 to 2200, formatTime and parseTime agree with the calendar of the platform', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 7_258_118_399_999 }), (ms) => {
      const iso = new Date(ms).toISOString();
      expect(formatTime(ms)).toBe(iso);
      expect(parseTime(iso)).toBe(ms);
    }),
  );
});

test.each([
  ['2024-01-01', '2024-01-01T00:00:00.000Z'],
  ['2024-02-29T08:30', '2024-02-29T08:30:00.000Z'],
  ['2024-02-29 08:30:15Z', '2024-02-29T08:30:15.000Z'],
  ['2024-12-31T23:59:59.999+00:00', '2024-12-31T23:59:59.999Z'],
])('parseTime reads %s as %s', (text, iso) => expect(parseTime(text)).toBe(Date.parse(iso)));

test.each([
  '2023-02-29',
  '2024-13-01',
  '2024-00-10',
  '2024-01-32',
  '2024-04-31',
  '2024-01-01T24:00',
  '24-01-01',
  '2024-01-01T08',
  'today',
  '',
])('parseTime returns null for "%s"', (text) => expect(parseTime(text)).toBeNull());

test('formatMinute returns date, hour, minute and the zone', () =>
  expect(formatMinute(Date.UTC(2024, 7, 8, 14, 5))).toBe('2024-08-08 14:05 UTC'));
