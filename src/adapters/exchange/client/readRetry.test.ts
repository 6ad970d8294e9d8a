// Tests which outcomes are retried, in a table of all outcomes, and the pauses between attempts.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { timeMs } from '../../../base/brand.ts';
import type { Effect } from '../../../protocol/endpoints/endpoint.ts';
import { ERROR_CODES } from '../../../protocol/errors/errorCodes.ts';
import { errorCodeOf, type Outcome } from '../../../protocol/outcome.ts';
import { isWrongTime, mayRetry, retryPauseMs } from './readRetry.ts';
import { retryAfterMs } from './retryAfter.ts';

const refused = (code: number, status = 400): Outcome<never> => ({ kind: 'refused', status, code, msg: '' });
/** Returns an unknown outcome. `code` undefined: the reply had no error. */
const unknown = (status: number | null, code?: number | null): Outcome<never> => ({
  kind: 'unknown',
  cause: '',
  status,
  error: code === undefined ? null : { code, msg: '', isStrict: true },
});

describe('mayRetry', () => {
  test.each<[string, Outcome<unknown>, boolean]>([
    ['a reply', { kind: 'acked', value: [] }, false],
    ['a request that was not sent', { kind: 'notSent', cause: 'ECONNREFUSED' }, true],
    ['a missing reply', unknown(null), true],
    ['a broken reply', unknown(200), true],
    ['HTML with 502', unknown(502), true],
    ['an unknown error with 200', unknown(200, null), false],
    ['an unknown code with 200', unknown(200, -9999), false],
    ['an unknown code with 500', unknown(500, -9999), true],
    ['a listed code that says wait, with 500', unknown(500, -1001), true],
    ['a listed code that says never, with 500', unknown(500, -1000), false],
    ['a redirect', unknown(302), false],
    ['a firewall', unknown(403), false],
    ['a limit of a firewall', unknown(429), true],
    ['a limit of the service', refused(-1003, 429), true],
    ['a ban', refused(-1003, 418), false],
    ['a ban of a firewall', unknown(418), false],
    ['an invalid key', refused(-2015, 401), false],
    ['the wrong time', refused(-1021), false],
  ])('mayRetry decides for a read whether to retry after %s', (_name, outcome, expected) => {
    expect(mayRetry('read', outcome)).toBe(expected);
    for (const effect of ['create', 'cancel', 'setting', 'test'] satisfies readonly Effect[]) expect(mayRetry(effect, outcome)).toBe(false);
  });

  test('mayRetry of a refused read is true for five codes, and not for a wrong timestamp', () => {
    expect(ERROR_CODES.filter(({ code }) => mayRetry('read', refused(code))).map(({ code }) => code)).toEqual([
      -1001, -1003, -1006, -1007, -1016,
    ]);
    expect([isWrongTime(refused(-1021)), isWrongTime(unknown(500, -1021)), isWrongTime(unknown(null))]).toEqual([true, true, false]);
  });

  test('errorCodeOf returns the code of a refused or unknown outcome, and null without a code', () => {
    const outcomes = [refused(35), unknown(500, 35), unknown(500), { kind: 'notSent', cause: '' } as const];
    expect(outcomes.map(errorCodeOf)).toEqual([35, 35, null, null]);
  });
});

test('retry pauses double up to 4 s, and each is drawn from the upper half', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, random) => {
      const max = Math.min(4000, 250 * 2 ** (attempt - 1));
      expect(retryPauseMs(attempt, random)).toBeGreaterThanOrEqual(max / 2);
      expect(retryPauseMs(attempt, random)).toBeLessThanOrEqual(max);
    }),
  );
});

test('Retry-After is read as seconds or as a date on the clock of the service, and other text is ignored', () => {
  const now = timeMs(Date.UTC(2026, 10, 21, 8, 0, 0));
  const pauseOf = (header: string | undefined) => retryAfterMs(header, now);
  expect(pauseOf('120')).toBe(120_000);
  expect(pauseOf(' 0 ')).toBe(0);
  expect(pauseOf('Sat, 21 Nov 2026 08:00:30 GMT')).toBe(30_000);
  expect(pauseOf('Sat, 21 Nov 2026 07:00:30 GMT'), 'a date in the past').toBe(0);
  for (const invalidHeader of [
    undefined,
    '',
    '-1',
    '1.5',
    'soon',
    '9999999999',
    'Sat, 21 Nvo 2026 08:00:30 GMT',
    'Sat, 21 ovD 2026 08:00:30 GMT',
    'Sat, 41 Nov 2026 08:00:30 GMT',
    'Saturday, 21-Nov-26 08:00:30 GMT',
  ]) {
    expect(pauseOf(invalidHeader), invalidHeader).toBeNull();
  }
});
