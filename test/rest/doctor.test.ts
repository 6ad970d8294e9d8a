// Tests `isobar doctor` against a stub exchange over real sockets. Each fault fails its own check with its own fix.

import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { storeInstrument } from '../../src/adapters/catalog/bars/appendBars.ts';
import { parseInstrument } from '../../src/adapters/catalog/records/instrumentRecord.ts';
import { CHECK_NAMES } from '../../src/tasks/doctor/checkPlan.ts';
import { ERROR_CODES } from '../../src/protocol/errors/errorCodes.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { resultLines } from '../../src/cli/doctor/doctorText.ts';
import { selfSignedCertificate } from '../fixtures/certificates.ts';
import { DoctorFixture, failures, checkNamed } from '../fixtures/doctorFixture.ts';
import { errorOf, ok, STUB_KEY, STUB_SECRET, type StubOptions } from '../fixtures/signedStub.ts';

const fixture = new DoctorFixture();
afterAll(async () => {
  const longLines = fixture.results.flatMap((result) => resultLines(result, false)).filter((line) => line.length > 100);
  await fixture.remove();
  // A word that is longer than its column, such as a path, has a line of its own.
  expect(longLines.filter((line) => !line.includes('/'))).toEqual([]);
});

/** A request that changes an order or a setting. */
const WRITES = /^POST \/(sapi|fapi|v1)(?!.*\/order\/test$)/;

describe('a healthy exchange', () => {
  test('a healthy exchange passes on both markets, and no order or setting is changed', async () => {
    const stub = await fixture.stub();
    const examined = await fixture.examine(stub.url, { markets: ['spot', 'futures'] });
    expect(failures(examined)).toEqual([]);
    expect(examined.report.ok).toBe(true);
    const names = examined.report.checks.map(({ name }) => name.replace(/^(spot|futures)\./, ''));
    expect([...new Set(names)].toSorted()).toEqual([...CHECK_NAMES].toSorted());
    expect(examined.report.checks.filter(({ status, name }) => status === 'warning' && !name.endsWith('clock'))).toEqual([]);
    expect(stub.calls.filter(({ call }) => WRITES.test(call))).toEqual([]);
    expect(stub.count('POST /sapi/v1/order/test')).toBe(1);
    expect(stub.calls.length).toBeLessThan(60);
    expect(examined.report.dialect).toEqual({ signQuery: 'include', klinesRange: 'none', positionsFrom: 'positions' });
  });

  test('the test order is the least that the records allow, at the last price', async () => {
    const stub = await fixture.stub();
    const { report } = await fixture.examine(stub.url, { symbols: ['ETHUSDT'] });
    const [order] = stub.calls.filter(({ call }) => call === 'POST /sapi/v1/order/test');
    expect(JSON.parse(order?.body ?? '')).toMatchObject({ symbol: 'ETHUSDT', side: 'BUY', type: 'LIMIT', price: 60000.5, volume: 0.00001 });
    expect(report.ok).toBe(true);
  });
});

const ACCOUNT = 'GET /sapi/v1/account';
const TEST_ORDER = 'POST /sapi/v1/order/test';
/** Codes whose last fix is not the general advice. */
const CODES_WITH_OWN_FIX = [-1022, -1021];
/** The check that a code fails, if it is not that of the signature. */
const CHECK_OF_CODE: Readonly<Record<number, string>> = { [-2015]: 'spot.permission', [-1004]: 'spot.permission', [-2200]: 'spot.ip' };

describe.each(ERROR_CODES)('$code', ({ code, http, advice }) => {
  test('the code in reply to the signed read and to the test order fails with its remedy', async () => {
    const stub = await fixture.stub({ answers: { [ACCOUNT]: errorOf(code, '/sapi', http[0]) } });
    const withFailedRead = await fixture.examine(stub.url);
    const name = CHECK_OF_CODE[code] ?? 'spot.signature';
    expect(failures(withFailedRead)).toEqual([name]);
    const atRead = checkNamed(withFailedRead, name);
    expect(atRead).toMatchObject({ code, detail: expect.stringContaining(String(code)), serviceText: `the service says: said ${code}` });
    expect(atRead.fix.at(-1) === advice).toBe(!CODES_WITH_OWN_FIX.includes(code));
    expect(withFailedRead.report.checks.filter(({ status }) => status === 'skipped').length).toBeGreaterThanOrEqual(5);
    expect(checkNamed(withFailedRead, 'limits').status).toBe(code === -1003 ? 'warning' : 'ok');

    stub.options = { answers: { [TEST_ORDER]: errorOf(code, '/sapi', http[0]) } };
    const withFailedOrder = await fixture.examine(stub.url);
    const atOrder = checkNamed(withFailedOrder, 'spot.testOrder');
    // The doctor has chosen the size and the price of the test order.
    const isDoctorsChoice = [-1136, -1138, -1015, -2017, 10015].includes(code);
    expect(atOrder).toMatchObject({ code, status: isDoctorsChoice ? 'warning' : 'failed' });
    expect(atOrder.fix[0]).not.toBe(atRead.fix[0]);
    expect(checkNamed(withFailedOrder, 'spot.permission').status).toBe('ok');
    expect(stub.count(TEST_ORDER), 'an order is sent once').toBe(1);
  });
});

/** A fault of the exchange, and the check that must find it. */
interface Symptom {
  readonly options: StubOptions;
  readonly check: string;
  readonly code: number;
  readonly fix: RegExp;
}

const SYMPTOMS: Readonly<Record<string, Symptom>> = {
  'a trading side with another clock': { options: { stepMs: 7000 }, check: 'spot.signature', code: -1021, fix: /own clocks differ/ },
  'an address that is not listed': {
    options: { isAddressListed: false },
    check: 'spot.ip',
    code: -2200,
    fix: /public address of this computer/,
  },
  'a key without spot': {
    options: { permissions: { spot: false, futures: false, trade: true } },
    check: 'spot.permission',
    code: -2015,
    fix: /one of three/,
  },
  'a key that may not trade': {
    options: { permissions: { spot: true, futures: true, trade: false } },
    check: 'spot.testOrder',
    code: -2015,
    fix: /may read but not trade/,
  },
};

test.each(Object.entries(SYMPTOMS))('the doctor explains the symptom: %s', async (_, { options, check, code, fix }) => {
  const stub = await fixture.stub(options);
  const examined = await fixture.examine(stub.url);
  expect(failures(examined)).toEqual([check]);
  expect(checkNamed(examined, check).code).toBe(code);
  expect(checkNamed(examined, check).fix[0]).toMatch(fix);
});

describe('key and signature', () => {
  test('a wrong secret is reported', async () => {
    const stub = await fixture.stub();
    const examined = await fixture.examine(stub.url, {}, fixture.environment({ ISOBAR_API_SECRET: 'x'.repeat(32) }));
    expect(failures(examined)).toEqual(['spot.signature']);
    expect(checkNamed(examined, 'spot.signature')).toMatchObject({
      code: -1022,
      fix: [expect.stringContaining('does not belong to the key')],
    });
  });

  test('a key of another exchange is reported', async () => {
    const stub = await fixture.stub();
    const examined = await fixture.examine(stub.url, {}, fixture.environment({ ISOBAR_API_KEY: 'y'.repeat(32) }));
    expect(failures(examined)).toEqual(['spot.permission']);
    expect(checkNamed(examined, 'spot.ip')).toMatchObject({ status: 'skipped', detail: 'because permission failed (-2015)' });
  });

  test.each(['include', 'omit', 'either'] as const)(
    'a service that signs its queries in another way is reported: %s',
    async (signQuery) => {
      const stub = await fixture.stub({ signQuery });
      const examined = await fixture.examine(stub.url, { markets: ['spot', 'futures'] });
      const isDefaultAccepted = signQuery !== 'omit';
      expect(failures(examined)).toEqual(isDefaultAccepted ? [] : ['spot.signQuery', 'futures.signQuery']);
      expect(examined.report.dialect.signQuery).toBe(isDefaultAccepted ? 'include' : 'omit');
      if (isDefaultAccepted) return;
      expect(checkNamed(examined, 'spot.signQuery').fix[0]).toContain('set dialect.signQuery to omit');
      const config = fixture.write('omit.yaml', 'dialect:\n  signQuery: omit\n');
      expect(failures(await fixture.examine(stub.url, { config }))).toEqual([]);
    },
  );

  test('a prefix that is not signed is reported', async () => {
    const stub = await fixture.stub({ prefix: '/spot/open', isPrefixSigned: false });
    const config = fixture.write('prefix.yaml', 'dialect:\n  pathPrefix:\n    spot: /spot/open\n');
    const examined = await fixture.examine(stub.url, { config });
    expect(failures(examined)).toEqual(['spot.signature']);
    expect(examined.report.dialect.signPathPrefix).toBe(false);
    expect(checkNamed(examined, 'spot.signature').fix).toEqual([expect.stringContaining('set dialect.signPathPrefix to false')]);
    const fixedConfig = fixture.write('mended.yaml', 'dialect:\n  pathPrefix:\n    spot: /spot/open\n  signPathPrefix: false\n');
    expect(failures(await fixture.examine(stub.url, { config: fixedConfig }))).toEqual([]);
    const withoutPrefix = await fixture.examine(stub.url);
    expect(checkNamed(withoutPrefix, 'spot.ping').fix[0]).toContain('dialect.pathPrefix.spot');
  });

  test('a key for spot alone is reported at futures', async () => {
    const stub = await fixture.stub({ permissions: { spot: true, futures: false, trade: true } });
    const examined = await fixture.examine(stub.url, { markets: ['spot', 'futures'] });
    expect(failures(examined)).toEqual(['futures.permission']);
    expect(checkNamed(examined, 'futures.permission').fix[0]).toContain('spot accepts this key');
  });

  test('without a key the public checks still run', async () => {
    const stub = await fixture.stub();
    const examined = await fixture.examine(stub.url, {}, {});
    expect(failures(examined)).toEqual(['key']);
    expect(checkNamed(examined, 'spot.symbols').status).toBe('ok');
    expect(checkNamed(examined, 'spot.signature').detail).toBe('because key failed');
    expect(stub.calls.every(({ headers }) => headers['x-ch-apikey'] === undefined)).toBe(true);
  });

  test('a key file that others can read, and a key without its secret, are reported', async () => {
    const stub = await fixture.stub();
    const keyFile = fixture.write('loose.key', STUB_KEY, 0o644);
    const withReadableFile = await fixture.examine(stub.url, {}, { ISOBAR_API_KEY_FILE: keyFile, ISOBAR_API_SECRET: STUB_SECRET });
    expect(checkNamed(withReadableFile, 'key')).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('0644'),
      fix: [`chmod 600 ${keyFile}`],
    });
    expect(checkNamed(withReadableFile, 'spot.symbols').status).toBe('ok');
    const keyOnly = await fixture.examine(stub.url, {}, { ISOBAR_API_KEY: STUB_KEY });
    expect(checkNamed(keyOnly, 'key').detail).toContain('got the key alone');
  });

  test('the sources of key and secret are reported', async () => {
    const stub = await fixture.stub();
    fixture.write('own/key', STUB_KEY);
    fixture.write('own/secret', STUB_SECRET, 0o400);
    const config = fixture.write('own/access.yaml', 'keyFile: key\nsecretFile: secret\n');
    const fileSources = checkNamed(await fixture.examine(stub.url, { config }, {}), 'key').more.join('\n');
    expect(fileSources).toContain(`own/key (mode 0600)`);
    expect(fileSources).toContain(`own/secret (mode 0400)`);
    const environment = { ISOBAR_API_KEY: STUB_KEY, ISOBAR_API_SECRET_FILE: fixture.write('other', STUB_SECRET) };
    fixture.write('own/key', 'z'.repeat(32));
    const mixedSources = checkNamed(await fixture.examine(stub.url, { config }, environment), 'key').more.join('\n');
    expect(mixedSources).toContain('from the environment (ISOBAR_API_KEY)');
    expect(mixedSources).toContain('other (mode 0600)');
  });
});

describe('the connection', () => {
  test('an unknown host fails the connection check', async () => {
    const examined = await fixture.examine('https://no-such-host.invalid');
    expect(failures(examined)).toEqual(['spot.dns']);
    expect(checkNamed(examined, 'spot.dns').fix[0]).toMatch(/spelling of --spot-url|offline/);
    expect(checkNamed(examined, 'spot.testOrder').detail).toBe('because dns failed');
  });

  test('an address without a listening service fails the connection check', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const examined = await fixture.examine(`http://127.0.0.1:${port}`);
    expect(failures(examined)).toEqual(['spot.tls']);
    expect(checkNamed(examined, 'spot.tls')).toMatchObject({
      detail: expect.stringContaining('ECONNREFUSED'),
      fix: [expect.any(String), expect.any(String)],
    });
  });

  test('a self-signed certificate fails the connection check', async () => {
    const stub = await fixture.stub({}, selfSignedCertificate('IP:127.0.0.1'));
    const examined = await fixture.examine(stub.url);
    expect(failures(examined)).toEqual(['spot.tls']);
    expect(checkNamed(examined, 'spot.tls').detail).toContain('is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)');
    expect(stub.calls).toEqual([]);
  });

  test('https to a port that speaks http fails the connection check', async () => {
    const stub = await fixture.stub();
    const examined = await fixture.examine(stub.url.replace('http:', 'https:'));
    expect(failures(examined)).toEqual(['spot.tls']);
    expect(checkNamed(examined, 'spot.tls').detail).toContain('does not use TLS');
  });

  test('a host that accepts connections and sends nothing fails its check, with TLS and without', async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const overTls = await fixture.examine(`https://127.0.0.1:${port}`, { timeoutMs: 200 });
    expect(failures(overTls)).toEqual(['spot.tls']);
    expect(checkNamed(overTls, 'spot.tls').detail).toContain('TIMEOUT');
    const withoutTls = await fixture.examine(`http://127.0.0.1:${port}`, { timeoutMs: 200 });
    expect(failures(withoutTls)).toEqual(['spot.ping']);
    expect(checkNamed(withoutTls, 'spot.ping')).toMatchObject({
      detail: expect.stringContaining('no answer'),
      fix: [expect.stringContaining('--timeout'), expect.any(String)],
    });
    await new Promise((resolve) => {
      server.close(resolve);
      server.unref();
      resolve(null);
    });
  });

  test.each([
    [200, '<html>hello</html>', 'a web page'],
    [301, '', 'has moved'],
    [403, '<html>blocked</html>', 'firewall'],
    [407, '', 'a proxy of your network'],
    [429, '', 'limits the rate of this address'],
    [502, '<html>bad gateway</html>', 'maintenance'],
  ])('the doctor explains a reply of HTTP %i with %j', async (status, body, fix) => {
    const stub = await fixture.stub({ answers: { 'GET /sapi/v1/ping': { status, body } } });
    const examined = await fixture.examine(stub.url);
    expect(failures(examined)).toEqual(['spot.ping']);
    expect(checkNamed(examined, 'spot.ping').fix.join(' ')).toContain(fix);
  });

  test('a ban ends all checks, and is reported', async () => {
    const stub = await fixture.stub({ answers: { [ACCOUNT]: errorOf(-1003, '/sapi', 418) } });
    const examined = await fixture.examine(stub.url);
    expect(failures(examined)).toEqual(['spot.signature', 'limits']);
    expect(checkNamed(examined, 'limits').detail).toContain('banned');
    expect(stub.calls.at(-1)?.call).toBe(ACCOUNT);
  });

  test('a service that answers everything but the account call is reported', async () => {
    const stub = await fixture.stub({ answers: { [ACCOUNT]: 'hang' } });
    const examined = await fixture.examine(stub.url, { timeoutMs: 200 });
    expect(failures(examined)).toEqual(['spot.signature']);
  });
});

describe('the clock', () => {
  test.each([
    [0, 'ok', /agrees with the service's, ±\d+ ms/],
    [2400, 'warning', /^your clock is 2.4\d\d ms behind, ±\d+ ms$|^your clock is 2.3\d\d ms behind/],
    [-3_600_000, 'warning', /^your clock is 60 min ahead, ±\d+ ms$/],
  ])('the clock is checked at %i ms', async (aheadMs, status, text) => {
    const stub = await fixture.stub({ aheadMs });
    const examined = await fixture.examine(stub.url);
    expect(checkNamed(examined, 'spot.clock')).toMatchObject({ status, detail: expect.stringMatching(text) });
    expect(failures(examined), 'signed with the time of the service').toEqual([]);
    if (status === 'warning') expect(checkNamed(examined, 'spot.clock').fix[0]).toContain('timedatectl');
  });

  test('a service that does not report its time fails the check of the clock', async () => {
    const stub = await fixture.stub({ answers: { 'GET /sapi/v1/time': { status: 500, body: '' } } });
    expect(failures(await fixture.examine(stub.url))).toEqual(['spot.clock']);
  });
});

describe('instruments', () => {
  test('a symbol that is not listed is reported', async () => {
    const stub = await fixture.stub();
    const examined = await fixture.examine(stub.url, { symbols: ['BTCUSDC', 'ETHUSDT'] });
    expect(failures(examined)).toEqual(['spot.symbols']);
    expect(checkNamed(examined, 'spot.symbols').fix).toEqual(['BTCUSDC: did you mean BTCUSDT?']);
  });

  const RECORD = {
    base: 'BTC',
    quote: 'USDT',
    pricePrecision: 2,
    quantityPrecision: 5,
    minQuantity: '0.00001',
    makerFee: '0.001',
    takerFee: '0.001',
  };
  /** Stores the record with these members changed. */
  const storeRecord = (catalog: string, changes: object) =>
    storeInstrument(catalog, parseInstrument(JSON.stringify({ ...RECORD, ...changes }), 'record', 'spot', 'BTCUSDT'));

  test("records of the catalog that differ from the exchange's instruments are reported", async () => {
    const stub = await fixture.stub();
    const catalog = `${fixture.folder}/catalog`;
    storeRecord(catalog, {});
    const withEqualRecord = await fixture.examine(stub.url, { catalog, symbols: ['BTCUSDT'] });
    expect(checkNamed(withEqualRecord, 'spot.precision')).toMatchObject({ status: 'ok', detail: expect.stringContaining('BTCUSDT') });
    storeRecord(catalog, { quantityPrecision: 6 });
    const withChangedRecord = await fixture.examine(stub.url, { catalog, symbols: ['BTCUSDT'] });
    expect(failures(withChangedRecord)).toEqual(['spot.precision']);
    expect(checkNamed(withChangedRecord, 'spot.precision').more[0]).toContain('quantityPrecision 6 -> 5');
    expect(checkNamed(withChangedRecord, 'spot.precision').fix.at(-1)).toContain('isobar data instruments --market spot --symbol BTCUSDT');
  });

  test('klines that accept a range of times are reported for the dialect', async () => {
    const stub = await fixture.stub();
    const barAt = (openMs: number) => ok([{ idx: openMs, open: 1, close: 1, high: 1, low: 1, vol: 1 }]);
    stub.options = {
      answers: { 'GET /sapi/v1/klines': ({ target }) => barAt(Number(new URL(target, 'http://x').searchParams.get('startTime'))) },
    };
    const examined = await fixture.examine(stub.url);
    expect(examined.report.dialect.klinesRange).toBe('startEnd');
    expect(failures(examined)).toEqual([]);
  });
});

test('without an address the doctor checks nothing', async () => {
  await expect(fixture.examine('', { markets: null, spotUrl: undefined, futuresUrl: undefined })).rejects.toThrow(ConfigError);
  await expect(fixture.examine('', { markets: ['futures'], spotUrl: 'http://127.0.0.1:1', futuresUrl: undefined })).rejects.toThrow(
    '--futures-url',
  );
});

test('the documentation has every check', () => {
  const page = readFileSync(new URL('../../docs/doctor.md', import.meta.url), 'utf8');
  expect(CHECK_NAMES.filter((name) => !new RegExp(`^\\| .*\`${name}\``, 'm').test(page))).toEqual([]);
});
