// Paper and live cannot be confused: of all combinations of config, option and environment, only these start.

import { expect, test } from 'vitest';
import { ConfigError } from '../../../base/errors.ts';
import { checkMode, fingerprintOf, type Mode, type ModeRequest } from './mode.ts';

const OWN = 'a1b2c3d4e5f6';
const URLS = {
  loopback: 'http://127.0.0.1:8080',
  name: 'http://localhost:8080',
  remote: 'https://api.example.com',
  plain: 'http://api.example.com',
  both: 'mixed',
} as const;

function refusalOf(adopted: ModeRequest): string | null {
  try {
    checkMode(adopted);
    return null;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

const combinations = (['paper', 'live'] satisfies Mode[]).flatMap((mode) =>
  [false, true].flatMap((isFlagged) =>
    [1, 60].flatMap((timeScale) =>
      (Object.keys(URLS) as (keyof typeof URLS)[]).flatMap((url) =>
        [null, OWN, 'another12345'].map((confirmed) => ({ mode, isFlagged, timeScale, url, confirmed })),
      ),
    ),
  ),
);

test.each(combinations)('$mode, --live $isFlagged, x$timeScale, $url, confirmed $confirmed', ({ url, ...text }) => {
  const urls = url === 'both' ? { spot: URLS.loopback, futures: URLS.remote } : { spot: URLS[url], futures: URLS[url] };
  const mayPaper = text.mode === 'paper' && !text.isFlagged && (url === 'loopback' || url === 'name');
  const mayLive = text.mode === 'live' && text.isFlagged && text.timeScale === 1 && url === 'remote' && text.confirmed === OWN;
  const refusal = refusalOf({ ...text, urls, fingerprint: OWN });
  if (mayPaper || mayLive) expect(refusal).toBeNull();
  else expect(refusal).toMatch(/\S/);
});

test('the test covers all combinations', () => expect(combinations).toHaveLength(2 * 2 * 2 * 5 * 3));

test('an address that only looks like this computer is another one', () => {
  const adopted = { mode: 'paper', isFlagged: false, timeScale: 1, fingerprint: OWN, confirmed: null } as const;
  for (const url of ['http://127.0.0.1.example.com', 'http://localhost.example.com', 'https://127.1.example.org', 'http://10.0.0.1:8080']) {
    expect(refusalOf({ ...adopted, urls: { spot: url } })).toContain('expected a paper exchange on this computer');
  }
  for (const url of ['http://127.9.9.9:1', 'http://[::1]:8080']) expect(refusalOf({ ...adopted, urls: { spot: url } })).toBeNull();
});

test('each missing condition for live is named, with the command that confirms it', () => {
  const adopted: ModeRequest = {
    mode: 'live',
    isFlagged: true,
    timeScale: 1,
    urls: { spot: URLS.remote },
    fingerprint: OWN,
    confirmed: null,
  };
  expect(refusalOf({ ...adopted, isFlagged: false })).toBe('mode: live trades real money');
  expect(refusalOf({ ...adopted, timeScale: 2 })).toBe('timeScale: expected 1 in live, got 2');
  expect(refusalOf({ ...adopted, urls: { spot: URLS.plain } })).toContain('expected the https address of a real exchange');
  expect(refusalOf(adopted)).toBe(`the account ${OWN} was never confirmed`);
  expect(refusalOf({ ...adopted, confirmed: 'other' })).toBe(`the account is ${OWN}, confirmed was other`);
});

test('a fingerprint names the account and not its key', () => {
  const key = 'kD3Fa81GqzLm0xYw';
  const print = fingerprintOf(key);
  expect(print).toMatch(/^[0-9a-f]{12}$/);
  expect(print).toBe(fingerprintOf(key));
  expect(print).not.toBe(fingerprintOf(`${key}x`));
});
