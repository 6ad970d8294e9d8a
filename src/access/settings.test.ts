// Tests the access settings: the sources of keys, addresses and the dialect, and the settings that are rejected.

import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KEY, KeyFixture, refusal, SECRET } from '../../test/fixtures/keyFixture.ts';
import { DEFAULT_DIALECT } from '../protocol/dialect.ts';
import { sharedBanStore } from './sharedBanStore.ts';
import { refuseKeysInArguments } from './keyLike.ts';
import { accessSettings, originOf, signerOf, type AccessOptions, type AccessSettings } from './settings.ts';

let fixture: KeyFixture;
let folder = '';
beforeEach(() => {
  fixture = new KeyFixture();
  folder = fixture.folder;
});
afterEach(() => fixture.remove());

const file = (name: string, text: string, mode = 0o600): string => fixture.file(name, text, mode);

const settings = (options: AccessOptions, environment: Record<string, string> = {}): AccessSettings => accessSettings(options, environment);
const digestOf = (access: AccessSettings): string => signerOf(access).sign(Buffer.from('1588591856950GET/sapi/v1/account'));
/** Vector 2 of the exchange dialect. */
const DIGEST = '8e1cd9b70ee747b7478aa3df01f03a54b790038ad54c87039c07b4f9971cb7fa';

describe('where keys come from', () => {
  test('keys come from the environment, which no longer has them afterwards', () => {
    const environment: Record<string, string | undefined> = { ISOBAR_API_KEY: KEY, ISOBAR_API_SECRET: SECRET, OTHER: '1' };
    const access = accessSettings({}, environment);
    expect(environment).toEqual({ OTHER: '1' });
    expect(signerOf(access).apiKey).toBe(KEY);
    expect(digestOf(access)).toBe(DIGEST);
  });

  test('keys come from files that the environment names', () => {
    const environment = { ISOBAR_API_KEY_FILE: file('key', `${KEY}\n`), ISOBAR_API_SECRET_FILE: file('secret', ` ${SECRET}\r\n`, 0o400) };
    expect(digestOf(settings({}, environment))).toBe(DIGEST);
  });

  test('keys come from files that the access file names, relative to its folder', () => {
    file('keys/key', KEY);
    file('keys/secret', SECRET);
    const config = file('access.yaml', 'keyFile: keys/key\nsecretFile: keys/secret\n', 0o644);
    expect(digestOf(settings({ config }))).toBe(DIGEST);
    const { sources } = settings({ config }, { ISOBAR_API_KEY: KEY });
    expect(sources).toEqual({
      key: { kind: 'environment', variable: 'ISOBAR_API_KEY' },
      secret: { kind: 'file', path: join(folder, 'keys/secret') },
    });
  });

  test('keys come from the config of a bot, which has them itself or names the access file', () => {
    file('keys/key', KEY);
    file('keys/secret', SECRET);
    file('keys/access.yaml', "keyFile: key\nsecretFile: secret\ndialect: { baseUrl: 'https://there.example' }\n");
    const bot = 'mode: paper\nstrategy: a.ts\nexchange:';
    const keys = 'keyFile: keys/key, secretFile: keys/secret';
    const botConfig = file('bot.yaml', `${bot} { spotUrl: 'https://here.example', ${keys}, dialect: { signQuery: omit } }\n`);
    const configWithAccessFile = file('other.yaml', `${bot} { access: keys/access.yaml }\n`);
    expect([botConfig, configWithAccessFile].map((config) => digestOf(settings({ config })))).toEqual([DIGEST, DIGEST]);
    expect([botConfig, configWithAccessFile].map((config) => settings({ config }).baseUrls.spot)).toEqual([
      'https://here.example',
      'https://there.example',
    ]);
    expect(settings({ config: botConfig }).dialect.signQuery).toBe('omit');
    const invalidConfig = file('wrong.yaml', `${bot} { keyfile: keys/key }\n`);
    expect(() => settings({ config: invalidConfig })).toThrow(
      /wrong\.yaml:3 keyfile: unknown key keyfile, the nearest valid one is keyFile/,
    );
  });

  test('keys come from the environment rather than from the access file', () => {
    const config = file('access.yaml', 'keyFile: no-such\nsecretFile: no-such\n');
    expect(digestOf(settings({ config }, { ISOBAR_API_KEY: KEY, ISOBAR_API_SECRET: SECRET }))).toBe(DIGEST);
  });

  test('without keys only public calls are possible', () => {
    const access = settings({});
    expect(access.credentials).toBeNull();
    expect(refusal(() => signerOf(access)).remedy).toContain('ISOBAR_API_KEY_FILE');
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ['a key without its secret', { ISOBAR_API_KEY: KEY }, /got the key alone/],
    ['a secret without its key', { ISOBAR_API_SECRET: SECRET }, /got the secret alone/],
    ['a key as text and as a file', { ISOBAR_API_KEY: KEY, ISOBAR_API_KEY_FILE: '/x' }, /expected one of them, got both/],
    ['a key that no header can carry', { ISOBAR_API_KEY: 'two words here', ISOBAR_API_SECRET: SECRET }, /the API key: expected 8 to 256/],
    ['a secret with a line break', { ISOBAR_API_KEY: KEY, ISOBAR_API_SECRET: 'abcdefgh\nijkl' }, /the API secret: expected 8 to 256/],
  ])('credentials are rejected: %s', (_, environment, message) => {
    expect(refusal(() => settings({}, environment)).message).toMatch(message);
    expect(environment).not.toHaveProperty('ISOBAR_API_KEY');
  });
});

describe('the access file', () => {
  /** An access file with every option, each with a value that is not the default. */
  const FILE_WITH_ALL_OPTIONS = `dialect:
  baseUrl: https://spot.example.com/
  futuresBaseUrl: https://futures.example.com
  pathPrefix: { spot: /spot/open, futures: /futures/open }
  signPathPrefix: false
  signQuery: omit
  contentTypeOnGet: false
  recvWindow: 3000
  symbolCase: lower
  batchCancelIdsField: orderId
  clientIdQueryName: newClientorderId
  queryByClientId: works
  conditionPath: /fapi/v1/conditionOrder
  cancelTriggerPath: /fapi/v1/cancel_trigger_order
  marketOpen: v101
  futuresVersionHeader: '101'
  positionsFrom: account
  intervals: { spot: { 1h: 1hour, 4h: null }, futures: { 1M: 1mon } }
  klinesRange: startEnd
  limits: { banMinMs: 600000, spot.newOrder: { count: 10, windowMs: 1000, weight: 2 } }
`;

  test('the access file can set every option of the dialect', () => {
    const { dialect, baseUrls, limits } = settings({ config: file('a.yaml', FILE_WITH_ALL_OPTIONS) });
    expect(dialect).toEqual({
      pathPrefix: { spot: '/spot/open', futures: '/futures/open' },
      signPathPrefix: false,
      signQuery: 'omit',
      contentTypeOnGet: false,
      recvWindow: 3000,
      symbolCase: 'lower',
      batchCancelIdsField: 'orderId',
      clientIdQueryName: 'newClientorderId',
      queryByClientId: 'works',
      conditionPath: '/fapi/v1/conditionOrder',
      cancelTriggerPath: '/fapi/v1/cancel_trigger_order',
      marketOpen: 'v101',
      futuresVersionHeader: '101',
      positionsFrom: 'account',
      intervals: { spot: { '1h': '1hour', '4h': null }, futures: { '1M': '1mon' } },
      klinesRange: 'startEnd',
    });
    expect(Object.keys(dialect).toSorted()).toEqual(Object.keys(DEFAULT_DIALECT).toSorted());
    for (const [name, value] of Object.entries(dialect))
      expect(value, name).not.toEqual(Object.entries(DEFAULT_DIALECT).find(([key]) => key === name)?.[1]);
    expect(baseUrls).toEqual({ spot: 'https://spot.example.com', futures: 'https://futures.example.com' });
    expect(limits).toEqual({ banMinMs: 600000, overrides: { 'spot.newOrder': { count: 10, windowMs: 1000, weight: 2 } } });
  });

  test('without an access file, and with an empty dialect, the dialect is the default one', () => {
    expect(settings({}).dialect).toEqual(DEFAULT_DIALECT);
    expect(settings({ config: file('a.yaml', 'dialect: {}\n') }).dialect).toEqual(DEFAULT_DIALECT);
  });

  test.each<[string, RegExp]>([
    ['dialect: { signQuerry: omit }', /a\.yaml:1 dialect\.signQuerry: unknown key signQuerry, the nearest valid one is signQuery/],
    ['dialect:\n  signQuery: maybe', /a\.yaml:2 dialect\.signQuery: expected one of include, omit, got 'maybe'/],
    ['dialect: { recvWindow: 6000 }', /dialect\.recvWindow: expected a whole number \(ms, 1 to 5000\), got 6000/],
    ['dialect: { pathPrefix: { spot: spot/open } }', /dialect\.pathPrefix\.spot: expected empty, or a path/],
    ['dialect: { baseUrl: http://api.example.com }', /dialect\.baseUrl: expected https/],
    [
      'dialect: { baseUrl: https://user:pass@api.example.com }',
      /dialect\.baseUrl: expected a URL without a user name, got https:\/\/\.\.\.@/,
    ],
    ['dialect: { intervals: { spot: { 2h: x } } }', /unknown key 2h/],
    [
      'dialect: { limits: { spot.newOrdr: { count: 1 } } }',
      /dialect\.limits\.spot\.newOrdr: unknown key spot\.newOrdr, the nearest valid one is spot\.newOrder/,
    ],
    ['dialect: { limits: { spot.newOrder: { count: 0 } } }', /count: expected a whole number \(calls, 1 to/],
    ['keyfile: x', /unknown key keyfile, the nearest valid one is keyFile/],
    ['- a', /expected an access file: keyFile, secretFile, socketUrl, dialect, got a list/],
  ])('an access file is rejected: %s', (text, message) => {
    expect(refusal(() => settings({ config: file('a.yaml', text) })).message).toMatch(message);
  });

  test.each([
    'apiKey',
    'api_key',
    'API-SECRET',
    'secret',
    'key',
    'secretKey',
    'apiSecretKey',
    'ISOBAR_API_SECRET',
    'password',
    'accessToken',
    'passphrase',
  ])('a key in the access file is rejected, and not shown: %s', (name) => {
    for (const text of [`${name}: ${SECRET}\n`, `dialect:\n  x: [{ ${name}: ${SECRET} }]\n`]) {
      const error = refusal(() => settings({ config: file('a.yaml', text) }));
      expect(error.message).toMatch(/a\.yaml:\d .*expected no secret in a config file, got an API key/);
      expect(error.remedy).toContain('ISOBAR_API_KEY_FILE');
      expect(inspect(error)).not.toContain(SECRET);
    }
  });

  test.each([
    `keyFile: ${KEY}\nsecretFile: x`,
    `dialect: { signQuery: ${KEY} }`,
    `keyFile: *${KEY}`,
    `${KEY}: x`,
    `keyFile: "${KEY}`,
    KEY,
    `{${KEY}`,
  ])('a key in the wrong place is not shown: %s', (text) => {
    expect(inspect(refusal(() => settings({ config: file('a.yaml', text) })))).not.toContain(KEY);
  });
});

describe('addresses', () => {
  test('an address comes from the option, else from the environment, else from the access file', () => {
    const config = file('a.yaml', 'dialect: { baseUrl: https://c.example.com, futuresBaseUrl: https://f.example.com }');
    const environment = { ISOBAR_SPOT_URL: 'https://b.example.com' };
    expect(settings({ config, spotUrl: 'http://127.0.0.1:8080/' }, environment).baseUrls.spot).toBe('http://127.0.0.1:8080');
    expect(settings({ config }, environment).baseUrls).toEqual({ spot: 'https://b.example.com', futures: 'https://f.example.com' });
  });

  test('a market without an address is an error that names the option and the variable', () => {
    const error = refusal(() => originOf(settings({}), 'futures'));
    expect(error.message).toMatch(/^--futures-url: /);
    expect(error.remedy).toMatch(/ISOBAR_FUTURES_URL.*dialect\.futuresBaseUrl/);
  });
});

describe('arguments', () => {
  test.each([
    '--api-key=abc',
    '--api-key',
    '--apiKey',
    '--secret=abc',
    '--api_secret',
    '-key',
    'apiKey=abc',
    'ISOBAR_API_SECRET=abc',
    '--token',
    '--api-key-secret=abc',
  ])('the argument %s is rejected', (argument) => {
    const error = refusal(() => refuseKeysInArguments(['api', 'spot.account', argument, SECRET]));
    expect(error.message).toMatch(/^-{0,2}[\w-]+: a key is not taken from the command line/);
    expect(error.message).not.toMatch(/abc/);
    expect(error.remedy).toContain('ISOBAR_API_KEY');
  });

  test.each(['--config=x', 'symbol=BTCUSDT', 'key=3', 'token=5', '--set', 'params.key=3', 'secret.yaml', '--keyframes', 'orderId=1', '-p'])(
    'the argument %s is accepted',
    (argument) => {
      expect(() => refuseKeysInArguments([argument])).not.toThrow();
    },
  );
});

describe('bans', () => {
  const ban = (untilMs: number) => ({ sinceMs: 1, untilMs, strikes: 1 });

  test('of the bans of several addresses the one that ends last counts', () => {
    const bans = sharedBanStore(folder, ['https://a.example.com', 'http://127.0.0.1:80']);
    expect(bans.read()).toBeNull();
    sharedBanStore(folder, ['https://a.example.com']).write(ban(5));
    sharedBanStore(folder, ['http://127.0.0.1:80']).write(ban(7));
    expect(bans.read()).toEqual(ban(7));
    bans.write(ban(9));
    expect(sharedBanStore(folder, ['https://a.example.com']).read()).toEqual(ban(9));
    expect(sharedBanStore(folder, ['https://b.example.com']).read()).toBeNull();
    file('bans/a.example.com.json', 'x');
    expect(bans.read()).toMatchObject({ unreadable: expect.stringContaining('a.example.com.json') });
  });
});
