// Tests times by cron patterns: strictly later, in order, and at the clock of their zone through both changes of summer time.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { cronTimes } from './cron.ts';

const msOf = (text: string): number => Date.parse(text);
const iso = (ms: number): string => new Date(ms).toISOString();

describe('cronTimes', () => {
  it('cronTimes returns the next time in UTC, never the present one', () => {
    const nextTime = cronTimes('0 8 * * 1-5', 'UTC');
    // From a Friday to the same day, and then to the Monday after it.
    expect(iso(nextTime(msOf('2026-11-20T07:59:59.999Z')))).toBe('2026-11-20T08:00:00.000Z');
    expect(iso(nextTime(msOf('2026-11-20T08:00:00.000Z')))).toBe('2026-11-23T08:00:00.000Z');
  });

  it('cronTimes moves a time in the gap of summer time to its end, and returns a repeated hour once', () => {
    const nextTime = cronTimes('30 2 * * *', 'Europe/Berlin');
    const spring = nextTime(msOf('2026-03-28T12:00:00Z'));
    expect(iso(spring)).toBe('2026-03-29T01:00:00.000Z');
    const autumn = nextTime(msOf('2026-10-24T12:00:00Z'));
    expect([iso(autumn), iso(nextTime(autumn))]).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z']);
  });

  it('cronTimes returns the first later minute that matches the pattern', () => {
    const fieldArbitrary = (min: number, max: number) =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min, max }).map(String),
        fc.integer({ min: 2, max: 9 }).map((n) => `*/${n}`),
      );
    const matches = (text: string, value: number): boolean =>
      text === '*' || (text.startsWith('*/') ? value % Number(text.slice(2)) === 0 : Number(text) === value);
    fc.assert(
      fc.property(fieldArbitrary(0, 59), fieldArbitrary(0, 23), fc.integer({ min: 0, max: 2e9 }), (minute, hour, second) => {
        const fromMs = second * 1000;
        const nextMs = cronTimes(`${minute} ${hour} * * *`, 'UTC')(fromMs);
        let ms = Math.floor(fromMs / 60_000) * 60_000 + 60_000;
        while (!(matches(minute, new Date(ms).getUTCMinutes()) && matches(hour, new Date(ms).getUTCHours()))) ms += 60_000;
        expect(iso(nextMs)).toBe(iso(ms));
      }),
      { numRuns: 100 },
    );
  });

  it('cronTimes returns Infinity for a pattern without a time, and rejects an invalid pattern or zone', () => {
    expect(cronTimes('0 0 30 2 *', 'UTC')(0)).toBe(Infinity);
    for (const [pattern, zone] of [
      ['every day', 'UTC'],
      ['61 * * * *', 'UTC'],
      ['0 8 * * *', 'Mars/Olympus'],
    ] as const)
      expect(() => cronTimes(pattern, zone)).toThrow(ConfigError);
    expect(() => cronTimes('0 8 * * *', 'Europe/Berln')).toThrow(
      "cron '0 8 * * *': expected a time zone such as UTC or Europe/Berlin, got 'Europe/Berln'",
    );
  });
});
