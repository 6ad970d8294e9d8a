// Tests that a signer never shows its credentials, and that the wire masks credentials in replies.

import { readdirSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KEY, SECRET } from '../../test/fixtures/keyFixture.ts';
import { Secret } from '../base/text/secret.ts';
import type { WireOutcome } from '../ports/wire.ts';
import { CredentialScanner } from './credentialScanner.ts';
import { redactingWire, NOWHERE } from './redactingWire.ts';
import { accessSettings } from './settings.ts';
import { Signer } from './signer.ts';

describe('the signer', () => {
  const signer = () => new Signer(new Secret(KEY), new Secret(SECRET));

  test('the signer prints neither key nor secret', () => {
    const access = accessSettings({}, { ISOBAR_API_KEY: KEY, ISOBAR_API_SECRET: SECRET });
    const printedForms = [
      inspect(access, { depth: null, showHidden: true }),
      JSON.stringify(access),
      String(signer()),
      inspect(signer(), { customInspect: false, showHidden: true, depth: null }),
      JSON.stringify(Object.assign({}, signer())),
    ].join('\n');
    expect(printedForms).toContain('vmPU...');
    expect(printedForms).not.toContain(KEY.slice(0, 5));
    expect(printedForms).not.toContain(SECRET.slice(0, 5));
    expect(() => structuredClone(signer())).toThrow();
  });

  test('the hint of a short key shows at most a quarter of the key', () => {
    expect(new Signer(new Secret('abcdefgh'), new Secret(SECRET)).hint).toBe('ab...');
  });
});

test('only the files for signing, the trading process, alerts and checks of signatures read the text of a secret', () => {
  const root = new URL('../', import.meta.url);
  const files = readdirSync(root, { recursive: true }).map(String);
  const sources = files.filter((name) => /(?<!\.test)\.ts$/.test(name));
  const takers = sources.filter((name) => readFileSync(new URL(name, root), 'utf8').includes('.take()'));
  const alerts = ['adapters/notify/telegram.ts', 'adapters/notify/webhook.ts', 'tasks/bot/config/notifiers.ts'];
  const checks = ['paperExchange/process/file/readExchange.ts', 'adapters/external/webhookCheck.ts', 'tasks/bot/external/webhooks.ts'];
  expect(takers.toSorted()).toEqual([...alerts, ...checks, 'access/environment.ts', 'access/signer.ts'].toSorted());
});

describe('the wire', () => {
  const signer = new Signer(new Secret(KEY), new Secret(SECRET));
  const escaped = (text: string) => text.replace(/./g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const redacted = (outcome: WireOutcome, url = 'https://x.example.com/'): Promise<WireOutcome> =>
    new Promise((resolve) => {
      redactingWire((_, done) => (done(outcome), () => {}), signer)({ method: 'GET', url, headers: {}, body: new Uint8Array() }, resolve);
    });

  test('only credentials are masked in bodies, headers and causes', async () => {
    const body = Buffer.from(`{"a":"${SECRET}","b":"${escaped(KEY)}","c":"\\u0022\\\\u0041\\u0041\\n\\u00e9"}\xff`, 'latin1');
    const reply = await redacted({ kind: 'reply', status: 200, headers: { etag: SECRET, [KEY.toLowerCase()]: 'x', server: 'y' }, body });
    const mask = '*'.repeat(32);
    expect(reply).toMatchObject({ status: 200, headers: { etag: mask, [mask]: 'x', server: 'y' } });
    expect('body' in reply && Buffer.from(reply.body).toString('latin1')).toBe(
      `{"a":"${mask}","b":"${mask}","c":"\\u0022\\\\u0041A\\n\\u00e9"}\xff`,
    );
    expect(await redacted({ kind: 'failed', cause: `no ${KEY}`, bytesWritten: null })).toEqual({
      kind: 'failed',
      cause: `no ${mask}`,
      bytesWritten: null,
    });
  });

  test('a body without a credential is returned as the same object', async () => {
    const body = Buffer.from('{"a":1}');
    const reply = await redacted({ kind: 'reply', status: 200, headers: {}, body });
    expect('body' in reply && reply.body).toBe(body);
  });

  test('decoding escapes does not change the value of the JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const text = JSON.stringify(value).replace(/[a-z0-9](?=[^\\"]*")/gi, (letter) => (letter < 'm' ? letter : escaped(letter)));
        fc.pre(isJson(text));
        const reply = await redacted({ kind: 'reply', status: 200, headers: {}, body: Buffer.from(text) });
        expect('body' in reply && JSON.parse(Buffer.from(reply.body).toString())).toEqual(JSON.parse(text));
      }),
    );
  });

  test('a request to a market without an address is not sent', async () => {
    const answer = await redacted({ kind: 'failed', cause: 'sent', bytesWritten: 1 }, `${NOWHERE}/sapi/v1/ping`);
    expect(answer).toEqual({ kind: 'failed', cause: 'no address of this market was given', bytesWritten: 0 });
  });
});

/** True if the text is JSON. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('credentials in replies', () => {
  const newSigner = () => new Signer(new Secret(KEY), new Secret(SECRET));
  const swapped = (text: string) => text.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));

  test('key and secret are masked in every encoding, at any place in a text', () => {
    const signer = newSigner();
    const wraps: readonly ((text: string) => string)[] = [
      (text) => text,
      swapped,
      (text) => text.toUpperCase(),
      (text) => Buffer.from(text).toString('hex'),
      (text) => Buffer.from(swapped(text)).toString('hex').toUpperCase(),
      (text) => Buffer.from(text).toString('base64'),
      (text) => Buffer.from(text).toString('base64url'),
      (text) => Buffer.from(swapped(text)).toString('base64'),
      (text) => encodeURIComponent(text),
      (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&'),
    ];
    fc.assert(
      fc.property(fc.constantFrom(KEY, SECRET), fc.constantFrom(...wraps), fc.string(), fc.string(), (credential, wrap, before, after) => {
        const echoed = wrap(credential);
        const clean = signer.maskText(before + echoed + after);
        expect(clean).not.toContain(echoed.replace(/=+$/, '').slice(0, -2));
        expect(clean).toContain('****');
        expect(Buffer.byteLength(clean)).toBe(Buffer.byteLength(Buffer.from(before + echoed + after)));
      }),
    );
  });

  test('a secret inside a longer text in base64 is masked at every offset', () => {
    const signer = newSigner();
    for (const before of ['', 'a', 'ab', 'abc', `${KEY}:`]) {
      const clean = signer.maskText(Buffer.from(`${before}${SECRET}!`).toString('base64'));
      expect(Buffer.from(clean.replaceAll('*', 'A'), 'base64').toString()).not.toContain(SECRET.slice(2, 20));
    }
  });

  test('bytes without key or secret are returned as the same array', () => {
    const signer = newSigner();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        expect(signer.maskBytes(bytes)).toBe(bytes);
      }),
    );
    const almost = Buffer.from(`${KEY.slice(0, -1)} ${SECRET.slice(1)}`);
    expect(signer.maskBytes(almost)).toBe(almost);
  });

  test('credentials that percent-encoding changes, and overlapping ones, are masked', () => {
    const unusual = 'p@ss/w+rd&x=%20~';
    const signer = new CredentialScanner([unusual, 'aaaaaaaa'], (bytes) => Buffer.from(bytes).toString('hex'));
    expect(signer.maskText(`x${encodeURIComponent(unusual)}x${unusual}x`)).toMatch(/^x\*+x\*+x$/);
    expect(signer.maskText('aaaaaaaaaaa')).toBe('*'.repeat(11));
  });
});
