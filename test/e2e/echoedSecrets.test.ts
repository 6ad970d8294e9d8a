// Tests that no key or secret reaches a terminal or a file when a service sends both back in every reply.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiFixture, KEY, SECRET } from '../fixtures/apiFixture.ts';
import { credentialsIn, ECHO, PLAIN_ECHO } from '../fixtures/canary.ts';
import { answerBytes, StubExchange, withTime, type SeenRequest } from '../fixtures/stubExchange.ts';
import { EXPECTED_REQUESTS } from '../protocol/expectedRequests.ts';

const fixture = new ApiFixture();
let stub: StubExchange;
/** The credentials in files, as an alternative to environment variables. */
let credentials: Readonly<Record<string, string>>;

beforeAll(async () => {
  const key = fixture.write('key', `${KEY}\n`, 0o600);
  const secret = fixture.write('secret', `${SECRET}\n`, 0o600);
  credentials = { ISOBAR_API_KEY_FILE: key, ISOBAR_API_SECRET_FILE: secret };
  stub = await StubExchange.start(withTime((socket, request) => void socket.write(answerTo(request)), Date.now));
});
afterAll(async () => {
  await stub.close();
  fixture.remove();
});

const SYMBOL = { symbol: 'BTCUSDT', baseAsset: 'BTC', quoteAsset: 'USDT', pricePrecision: 2, QuantityPrecision: 5 };
const CONTRACT = {
  symbol: 'E-BTC-USDT',
  pricePrecision: 1,
  side: 1,
  maxMarketVolume: 5_000_000,
  multiplier: 0.0001,
  minOrderVolume: 1,
  maxLever: 150,
  minLever: 1,
  marginCoin: 'USDT',
  multiplierCoin: 'BTC',
  type: 'E',
  contractId: 1,
  status: 1,
};

/** Returns closed minutes and the running one, each with an extra member of the service. */
const klines = (): readonly object[] => {
  const newestMs = Math.floor(Date.now() / 60_000) * 60_000;
  const idx = Array.from({ length: 20 }, (_, minutesAgo) => newestMs - minutesAgo * 60_000);
  return idx.map((openMs) => ({ idx: openMs, open: '2', high: '3', low: '1', close: '2', vol: '1', note: SECRET }));
};

/** Returns market data that can be stored, in rows that contain the credentials. All other requests are rejected with a reason. */
function answerTo({ target }: SeenRequest): Buffer {
  const header = { 'x-echo': PLAIN_ECHO };
  const path = target.split('?')[0] ?? '';
  if (path.endsWith('/ping')) return answerBytes(200, '{}', header);
  if (path.endsWith('/symbols')) {
    const namedByCredential = [KEY, SECRET].map((name) => ({ ...SYMBOL, symbol: name, baseAsset: name, quoteAsset: ECHO }));
    return answerBytes(200, JSON.stringify([{ ...SYMBOL, note: ECHO }, ...namedByCredential]), header);
  }
  if (path.endsWith('/contracts')) {
    const namedByCredential = [KEY, SECRET].map((name) => ({ ...CONTRACT, symbol: `E-${name}-USDT`, multiplierCoin: name, type: ECHO }));
    return answerBytes(200, JSON.stringify([{ ...CONTRACT, note: ECHO }, ...namedByCredential]), header);
  }
  if (path.endsWith('/klines')) return answerBytes(200, JSON.stringify(klines()), header);
  return answerBytes(400, `{"code":-1121,"msg":"${ECHO}","data":{"${KEY}":"${SECRET}"}}`, header);
}

const urls = () => ['--spot-url', stub.origin, '--futures-url', stub.origin];
const shownCredentials = ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) =>
  credentialsIn(Buffer.from(stdout + stderr));

/** Returns a value as an argument of the command line: ids are separated by commas, orders are JSON. */
function argumentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((element) => typeof element === 'string') ? value.join(',') : JSON.stringify(value);
}
const argumentsOf = (args: Readonly<Record<string, unknown>>) =>
  Object.entries(args).map(([name, value]) => `${name}=${argumentText(value)}`);

test.each(EXPECTED_REQUESTS)(
  'isobar api $op shows no credential that the service sends back',
  async ({ op, args, method, target, security }) => {
    const before = stub.count(method, target.split('?')[0]!);
    const results = [];
    for (const json of [[], ['--json']]) {
      results.push(
        await fixture.runHere(['api', op, ...argumentsOf(args), '--verbose', '--timeout', '5', ...json, ...urls()], credentials),
      );
    }
    expect(results.map(shownCredentials)).toEqual([[], []]);
    // The request was sent, with the key if the call has one, and the command printed something.
    expect(stub.count(method, target.split('?')[0]!)).toBeGreaterThanOrEqual(before + 2);
    expect(results.every(({ stderr }) => stderr.includes(op))).toBe(true);
    const request = stub.requests.findLast((candidate) => candidate.method === method && candidate.target === target);
    expect(request?.headers.find(([name]) => name.toLowerCase() === 'x-ch-apikey')?.[1]).toBe(security === 'NONE' ? undefined : KEY);
  },
);

test('isobar data download and instruments store no credential that the service sends back', async () => {
  const markets = [
    ['--market', 'spot', '--symbol', 'BTCUSDT'],
    ['--market', 'futures', '--symbol', 'E-BTC-USDT'],
  ];
  for (const marketOptions of markets) {
    const downloaded = await fixture.run(['data', 'download', ...marketOptions, '--interval', '1m', ...urls()], credentials);
    expect([downloaded.code, shownCredentials(downloaded)]).toEqual([0, []]);
    expect(downloaded.stdout).toContain('19 new bars');
  }
  const refreshed = await fixture.runHere(
    ['data', 'instruments', '--json', '--catalog', join(fixture.folder, 'data'), ...urls()],
    credentials,
  );
  expect([refreshed.code, shownCredentials(refreshed)]).toEqual([0, []]);
});

test('isobar data record shows no credential until it is stopped', async () => {
  const args = ['data', 'record', '--symbol', 'BTCUSDT', '--interval', '1m', '--json', '--catalog', 'recorded', ...urls()];
  const recorded = await fixture.run(args, credentials, (child) => child.stdout?.once('data', () => child.kill('SIGINT')));
  expect(recorded.stdout.length).toBeGreaterThan(0);
  expect(shownCredentials(recorded)).toEqual([]);
});

test('isobar doctor shows no credential on either market', async () => {
  const symbols = ['--symbol', 'BTCUSDT,E-BTC-USDT', '--timeout', '5', '--catalog', join(fixture.folder, 'data')];
  for (const options of [[], ['--json', '--bundle', join(fixture.folder, 'bundle.json')]]) {
    expect(shownCredentials(await fixture.runHere(['doctor', ...symbols, ...options, ...urls()], credentials))).toEqual([]);
  }
});

test('no file contains a byte of a credential or of a signature', () => {
  const sent = stub.requests.flatMap(({ headers }) => headers.filter(([name]) => name.toLowerCase() === 'x-ch-sign'));
  const signatures = sent.map(([, sign]) => ['a signature', sign.slice(0, 12)] as const);
  expect(signatures.length).toBeGreaterThan(40);
  const files = fixture.written();
  expect(files.filter(({ path }) => path.endsWith('.arrow')).length).toBeGreaterThanOrEqual(2);
  expect(files.some(({ path }) => path.endsWith('bundle.json'))).toBe(true);
  expect(files.map(({ path, bytes }) => [path, credentialsIn(bytes, signatures)]).filter(([, hits]) => hits?.length)).toEqual([]);
  expect(credentialsIn(Buffer.concat(fixture.printed), signatures)).toEqual([]);
});
