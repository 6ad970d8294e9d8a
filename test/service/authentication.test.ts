// Tests part 5 of the specification: headers, the time window, signatures, keys, and the order of checks 4 to 9.

import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ACCOUNTS, ALL_PERMISSIONS, codeOf, ServiceFixture, START_MS, type RequestOptions } from './serviceFixture.ts';

const ACCOUNT_PATH = '/sapi/v1/account';

describe('headers', () => {
  it.each<[fault: string, headers: Record<string, string | undefined>, code: number, status: number]>([
    ['no key', { 'x-ch-apikey': undefined }, -1002, 401],
    ['an empty key', { 'x-ch-apikey': '' }, -1002, 401],
    ['no timestamp', { 'x-ch-ts': undefined }, -1023, 401],
    ['no signature', { 'x-ch-sign': undefined }, -1024, 401],
    ['no Content-Type', { 'content-type': undefined }, -1017, 400],
    ['another Content-Type', { 'content-type': 'text/plain' }, -1017, 400],
    ['an unknown key', { 'x-ch-apikey': 'nobody' }, -2015, 401],
    ['a key in another case', { 'x-ch-apikey': 'ALICE-KEY' }, -2015, 401],
    ['a wrong signature', { 'x-ch-sign': '0'.repeat(64) }, -1022, 401],
    ['a short signature', { 'x-ch-sign': 'abc' }, -1022, 401],
  ])('a signed call with %s gets its code', (_, headers, code, status) => {
    for (const answer of [
      new ServiceFixture().get(ACCOUNT_PATH, { headers }),
      new ServiceFixture().post('/sapi/v1/order', {}, { headers }),
    ]) {
      expect([codeOf(answer), answer.status]).toEqual([code, status]);
      expect(JSON.parse(answer.body)).toEqual({ code, msg: expect.any(String) as string });
    }
  });

  it('a charset in Content-Type and a signature in capitals are accepted', () => {
    const fixture = new ServiceFixture();
    expect(fixture.get(ACCOUNT_PATH, { headers: { 'content-type': 'application/json; charset=utf-8' } }).status).toBe(200);
    const sign = createHmac('sha256', 'alice-Secret').update(`${START_MS}GET${ACCOUNT_PATH}`).digest('hex');
    expect(fixture.get(ACCOUNT_PATH, { headers: { 'x-ch-sign': sign.toUpperCase() } }).status).toBe(200);
  });

  it('under contentType: post a GET needs no Content-Type, and a POST needs one', () => {
    const fixture = new ServiceFixture({}, { contentType: 'post' });
    const headers = { 'content-type': undefined };
    expect(codeOf(fixture.get(ACCOUNT_PATH, { headers }))).toBe(0);
    expect(codeOf(fixture.post('/sapi/v1/cancel', {}, { headers }))).toBe(-1017);
  });
});

describe('the window', () => {
  /** Returns the code of a read with this timestamp. */
  const codeAt = (timestamp: number | string, options: RequestOptions = {}, target = ACCOUNT_PATH): number =>
    codeOf(new ServiceFixture().get(target, { timestamp, ...options }));

  it.each([
    [-5001, -1021],
    [-5000, 0],
    [-4999, 0],
    [999, 0],
    [1000, -1021],
    [1001, -1021],
  ])('a timestamp %i ms from the clock of the exchange gets the code %i', (offset, code) => {
    expect(codeAt(START_MS + offset)).toBe(code);
  });

  it.each(['recvWindow', 'recvwindow', 'recWindow'])(
    'the parameter %s sets the length of the window, in queries and bodies, as text and as a number',
    (name) => {
      for (const [age, code] of [
        [299, 0],
        [300, 0],
        [301, -1021],
      ] as const) {
        expect(codeAt(START_MS - age, {}, `${ACCOUNT_PATH}?${name}=300`)).toBe(code);
        const order = { symbol: 'BTCUSDT', volume: 1, side: 'BUY', type: 'LIMIT', price: 1 };
        for (const value of [300, '300']) {
          expect(codeOf(new ServiceFixture().post('/sapi/v1/order/test', { ...order, [name]: value }, { timestamp: START_MS - age }))).toBe(
            code,
          );
        }
      }
    },
  );

  it('an invalid recvWindow counts as 5000 for the window, and the later check of parameters rejects it', () => {
    expect(codeAt(START_MS - 5001, {}, `${ACCOUNT_PATH}?recvWindow=0`)).toBe(-1021);
    expect(codeAt(START_MS - 5000, {}, `${ACCOUNT_PATH}?recvWindow=0`)).toBe(-1102);
  });

  it('the window may be longer than 5000', () => expect(codeAt(START_MS - 60_000, {}, `${ACCOUNT_PATH}?recvWindow=60000`)).toBe(0));

  it.each(['', 'x', '1.5', '-1', '1e12'])('the timestamp "%s" is rejected', (timestamp) => {
    expect(codeAt(timestamp)).toBe(timestamp === '' ? -1023 : -1021);
  });

  it('the window follows a jump of the clock of the exchange', () => {
    const fixture = new ServiceFixture();
    fixture.service.clockOffsetMs = 60_000;
    expect(codeOf(fixture.get(ACCOUNT_PATH))).toBe(-1021);
    expect(codeOf(fixture.get(ACCOUNT_PATH, { timestamp: START_MS + 60_000 }))).toBe(0);
    expect(fixture.getPublic('/sapi/v1/time').body).toBe(`{"serverTime":${START_MS + 60_000},"timezone":"UTC"}`);
  });
});

describe('the signature', () => {
  const query = '/sapi/v1/order?symbol=BTC%2FUSDT&orderId=1';
  const textWithQuery = `${START_MS}GET${query}`;
  const textWithoutQuery = `${START_MS}GET/sapi/v1/order`;
  it.each([
    ['either', textWithQuery, false],
    ['either', textWithoutQuery, false],
    ['include', textWithQuery, false],
    ['include', textWithoutQuery, true],
    ['omit', textWithQuery, true],
    ['omit', textWithoutQuery, false],
    ['either', textWithQuery.replace('%2F', '/'), true],
  ])('under signQuery: %s a signature over %s is refused: %s', (signQuery, signedText, isRefused) => {
    // A right signature meets the unknown symbol next.
    expect(codeOf(new ServiceFixture({}, { signQuery }).get(query, { signedText }))).toBe(isRefused ? -1022 : -1121);
  });

  it.each([
    ['', false],
    ['&recvWindow=5000', false],
    ['&recWindow=5001', true],
    ['&recvWindow=5000&recWindow=60000', true],
    ['&recWindow=60000&recvWindow=5000', true],
    ['&recvwindow=99999999999999999999', true],
    ['&surplus=1', true],
    ['&__proto__=1', true],
  ])('under signQuery: either a signature over the bare path with %s in the query is refused: %s', (options, isRefused) => {
    expect(codeOf(new ServiceFixture().get(`${query}${options}`, { signedText: textWithoutQuery }))).toBe(isRefused ? -1022 : -1121);
    expect(codeOf(new ServiceFixture().get(`${query}${options}`, { signedText: `${textWithQuery}${options}` }))).toBe(-1121);
  });

  it('the signature covers the bytes of the body as they were sent', () => {
    const body = '{ "symbol":"BTCUSDT",\n"orderId": "5" }';
    const fixture = new ServiceFixture();
    expect(codeOf(fixture.post('/sapi/v1/cancel', body))).toBe(-2013);
    expect(
      codeOf(fixture.post('/sapi/v1/cancel', body, { signedText: `${START_MS}POST/sapi/v1/cancel${JSON.stringify(JSON.parse(body))}` })),
    ).toBe(-1022);
  });

  it('a replayed request is refused under replayedRequest: refuse', () => {
    for (const [replayedRequest, code] of [
      ['accept', 0],
      ['refuse', -1022],
    ] as const) {
      const fixture = new ServiceFixture({}, { replayedRequest });
      expect([codeOf(fixture.get(ACCOUNT_PATH)), codeOf(fixture.get(ACCOUNT_PATH))]).toEqual([0, code]);
      expect(codeOf(fixture.get(ACCOUNT_PATH, { timestamp: START_MS + 1 }))).toBe(0);
    }
  });
});

describe('keys', () => {
  /** Returns a key with these permissions in place of all. */
  const keyOf = (apiKey: string, overrides: object, ips: readonly string[] | null = null) => ({
    apiKey: `${apiKey}-Key`,
    secret: `${apiKey}-Secret`,
    permissions: { ...ALL_PERMISSIONS, ...overrides },
    ips,
  });
  const accounts = [
    {
      ...ACCOUNTS[0]!,
      keys: [
        keyOf('alice', {}),
        keyOf('reader', { trade: false }),
        keyOf('trader', { read: false }),
        keyOf('futures', { markets: ['futures'] }),
        keyOf('home', {}, ['127.0.0.1', '10.1.0.0/16', '2001:db8::1']),
      ],
    },
    { ...ACCOUNTS[1]!, closed: true },
  ];
  const order = { symbol: 'BTCUSDT', volume: 1, side: 'BUY', type: 'LIMIT', price: 1 };
  const openFixture = () => new ServiceFixture({ accounts, denyIps: ['6.6.6.6'] });

  it.each([
    ['reader', 0, -2015],
    ['trader', -2015, 0],
    ['futures', -2015, -2015],
    ['bob', -1004, -1004],
  ])('the key of %s gets the code %i for a read and %i for an order', (account, expectedReadCode, expectedTradeCode) => {
    expect([
      codeOf(openFixture().get(ACCOUNT_PATH, { as: account })),
      codeOf(openFixture().post('/sapi/v1/order', order, { as: account })),
    ]).toEqual([expectedReadCode, expectedTradeCode]);
  });

  it.each([
    ['127.0.0.1', 0],
    ['::ffff:127.0.0.1', 0],
    ['10.1.255.7', 0],
    ['10.2.0.1', -2015],
    ['2001:DB8::1', 0],
    ['::1', -2015],
    ['6.6.6.6', -2200],
  ])('a key with a list of addresses gets from %s the code %i', (ip, code) => {
    expect(codeOf(openFixture().get(ACCOUNT_PATH, { as: 'home', ip }))).toBe(code);
  });

  it('a denied address gets -2200: from the list of a key under ipListCode: -2200, and from the deny list for every call', () => {
    expect(codeOf(new ServiceFixture({ accounts }, { ipListCode: '-2200' }).get(ACCOUNT_PATH, { as: 'home', ip: '1.2.3.4' }))).toBe(-2200);
    const denied = openFixture().getPublic('/sapi/v1/ping', { ip: '6.6.6.6' });
    expect([denied.status, codeOf(denied)]).toEqual([403, -2200]);
  });
});

describe('the order of checks', () => {
  /** Each case breaks one check and all later ones, and gets the code of the first. */
  it('a request with several faults gets the code of the first check', () => {
    const invalidOptions: RequestOptions = {
      as: 'nobody',
      timestamp: 1,
      headers: { 'content-type': undefined, 'x-ch-apikey': undefined, 'x-ch-ts': undefined, 'x-ch-sign': undefined },
    };
    const withHeaders = (headers: Record<string, string>): RequestOptions => ({
      ...invalidOptions,
      headers: { ...invalidOptions.headers, ...headers },
    });
    const json = { 'content-type': 'application/json' };
    const cases: [RequestOptions, number][] = [
      [invalidOptions, -1017],
      [withHeaders(json), -1002],
      [withHeaders({ ...json, 'x-ch-apikey': 'nobody' }), -1023],
      [withHeaders({ ...json, 'x-ch-apikey': 'nobody', 'x-ch-ts': '1' }), -1024],
      [withHeaders({ ...json, 'x-ch-apikey': 'nobody', 'x-ch-ts': '1', 'x-ch-sign': 'x' }), -2015],
      [withHeaders({ ...json, 'x-ch-apikey': 'alice-Key', 'x-ch-ts': '1', 'x-ch-sign': 'x' }), -1021],
      [withHeaders({ ...json, 'x-ch-apikey': 'alice-Key', 'x-ch-ts': String(START_MS), 'x-ch-sign': 'x' }), -1022],
      [{ as: 'alice' }, -1102],
    ];
    for (const [options, code] of cases) expect(codeOf(new ServiceFixture().post('/sapi/v1/order', 'no JSON', options))).toBe(code);
  });
});
