// Tests which combinations of config, option and environment start a bot in paper mode or with real money.

import { expect, test } from 'vitest';
import { ConfigError } from '../../../base/errors.ts';
import { checkMode, fingerprintOf, type Mode, type ModeRequest } from './mode.ts';

const OWN_FINGERPRINT = 'a1b2c3d4e5f6';
/** The address of the exchange in each case. `both`: spot on this computer and futures elsewhere. */
const URLS = {
  loopback: 'http://127.0.0.1:8080',
  name: 'http://localhost:8080',
  remote: 'https://api.example.com',
  plain: 'http://api.example.com',
  both: 'mixed',
} as const;

/** Returns the message of the error for a mode; null if it is allowed. */
function errorOf(request: ModeRequest): string | null {
  try {
    checkMode(request);
    return null;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

/** One case: a mode, the option `--live`, a time scale, a name in `URLS`, and the fingerprint that was confirmed. */
interface Combination extends Pick<ModeRequest, 'mode' | 'isFlagged' | 'timeScale' | 'confirmed'> {
  readonly url: keyof typeof URLS;
}

const combinations: Combination[] = [];
for (const mode of ['paper', 'live'] satisfies Mode[])
  for (const isFlagged of [false, true])
    for (const timeScale of [1, 60])
      for (const url of Object.keys(URLS) as (keyof typeof URLS)[])
        for (const confirmed of [null, OWN_FINGERPRINT, 'another12345']) combinations.push({ mode, isFlagged, timeScale, url, confirmed });

test.each(combinations)(
  'only a safe combination starts: mode $mode, --live $isFlagged, time scale $timeScale, address $url, confirmed $confirmed',
  ({ url, ...combination }) => {
    const urls = url === 'both' ? { spot: URLS.loopback, futures: URLS.remote } : { spot: URLS[url], futures: URLS[url] };
    const { mode, isFlagged, timeScale, confirmed } = combination;
    const isOnThisComputer = url === 'loopback' || url === 'name';
    const isSafePaper = mode === 'paper' && !isFlagged && isOnThisComputer;
    const isConfirmed = confirmed === OWN_FINGERPRINT;
    const isSafeLive = mode === 'live' && isFlagged && timeScale === 1 && url === 'remote' && isConfirmed;
    const error = errorOf({ ...combination, urls, fingerprint: OWN_FINGERPRINT });
    if (isSafePaper || isSafeLive) expect(error).toBeNull();
    else expect(error).toMatch(/\S/);
  },
);

test('the list of mode combinations is complete', () => expect(combinations).toHaveLength(2 * 2 * 2 * 5 * 3));

test('an address that only resembles one of this computer is rejected for paper', () => {
  const request = { mode: 'paper', isFlagged: false, timeScale: 1, fingerprint: OWN_FINGERPRINT, confirmed: null } as const;
  for (const url of ['http://127.0.0.1.example.com', 'http://localhost.example.com', 'https://127.1.example.org', 'http://10.0.0.1:8080']) {
    expect(errorOf({ ...request, urls: { spot: url } })).toContain('expected a paper exchange on this computer');
  }
  for (const url of ['http://127.9.9.9:1', 'http://[::1]:8080']) expect(errorOf({ ...request, urls: { spot: url } })).toBeNull();
});

test('the error of a live bot names the missing condition', () => {
  const request: ModeRequest = {
    mode: 'live',
    isFlagged: true,
    timeScale: 1,
    urls: { spot: URLS.remote },
    fingerprint: OWN_FINGERPRINT,
    confirmed: null,
  };
  expect(errorOf({ ...request, isFlagged: false })).toBe('mode: live trades real money');
  expect(errorOf({ ...request, timeScale: 2 })).toBe('timeScale: expected 1 in live, got 2');
  expect(errorOf({ ...request, urls: { spot: URLS.plain } })).toContain('expected the https address of a real exchange');
  expect(errorOf(request)).toBe(`the account ${OWN_FINGERPRINT} was never confirmed`);
  expect(errorOf({ ...request, confirmed: 'other' })).toBe(`the account is ${OWN_FINGERPRINT}, confirmed was other`);
});

test('a fingerprint identifies a key without showing it', () => {
  const key = 'kD3Fa81GqzLm0xYw';
  const fingerprint = fingerprintOf(key);
  expect(fingerprint).toMatch(/^[0-9a-f]{12}$/);
  expect(fingerprint).toBe(fingerprintOf(key));
  expect(fingerprint).not.toBe(fingerprintOf(`${key}x`));
});
