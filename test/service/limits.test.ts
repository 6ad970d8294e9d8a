// Tests part 8 of the specification: counts, sliding windows, keys and addresses, and bans.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpointOf, OPS } from '../../src/protocol/endpoints/endpoints.ts';
import { SlidingWindow } from '../../src/paperExchange/limits/slidingWindow.ts';
import { ACCOUNTS, codeOf, ServiceFixture } from './serviceFixture.ts';

/** A call with a limit of 20 in two seconds. */
const ACCOUNT = '/sapi/v1/account';
const ACCOUNT_COUNT = 20;

/** Returns the results of `count` calls of `build`. */
const repeat = <T>(count: number, build: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => build(index));

describe('the counts of the specification', () => {
  /** Calls in two seconds. */
  const counts = {
    newOrder: 100,
    cancelOrder: 100,
    batchCancel: 50,
    queryOrder: 20,
    openOrders: 20,
    myTrades: 20,
    account: 20,
    batchOrders: 50,
  };
  it.each(Object.entries(counts))('the call %s is limited to %i requests in two seconds', (name, count) => {
    const op = OPS.find((candidate) => candidate === `spot.${name}`)!;
    const { method, path } = endpointOf(op);
    const fixture = new ServiceFixture();
    const send = () => fixture.send(method, path, method === 'POST' ? '{}' : '', {}).status;
    expect(repeat(count, send)).not.toContain(429);
    expect(send()).toBe(429);
    fixture.passTime(1999);
    expect(send()).toBe(429);
    fixture.passTime(1);
    expect(repeat(count, send)).not.toContain(429);
  });

  it.each(['ping', 'serverTime', 'symbols', 'depth', 'ticker', 'recentTrades', 'klines', 'testNewOrder'])(
    'there is no limit for %s',
    (name) => {
      const { method, path } = endpointOf(OPS.find((candidate) => candidate === `spot.${name}`)!);
      const fixture = new ServiceFixture();
      expect(repeat(300, () => fixture.send(method, path, method === 'POST' ? '{}' : '', {}).status)).not.toContain(429);
    },
  );
});

describe('keys and addresses', () => {
  const threeInOneSecond = { 'spot.public': { count: 3, windowMs: 1000 } };
  it('a limit counts the calls of a key from all addresses, and other keys separately', () => {
    const fixture = new ServiceFixture();
    repeat(ACCOUNT_COUNT, (index) => fixture.get(ACCOUNT, { ip: `10.0.0.${index}` }));
    expect(fixture.get(ACCOUNT, { ip: '10.0.1.1' })).toMatchObject({ status: 429, body: '{"code":-1003,"msg":"TOO_MANY_REQUESTS"}' });
    expect(fixture.get(ACCOUNT, { as: 'bob' }).status).toBe(200);
  });

  it('a public call counts for the key if the credentials are valid, else for the address', () => {
    const fixture = new ServiceFixture({ limits: threeInOneSecond });
    const pingStatus = (headers: Record<string, string>, ip = '10.0.0.1') => fixture.getPublic('/sapi/v1/ping', { headers, ip }).status;
    expect(repeat(4, () => pingStatus({}))).toEqual([200, 200, 200, 429]);
    expect(pingStatus({}, '10.0.0.2')).toBe(200);
    expect(repeat(4, () => pingStatus({ 'x-ch-apikey': 'alice-Key' }))).toEqual([200, 200, 200, 429]);
    expect(pingStatus({ 'x-ch-apikey': 'bob-Key' })).toBe(200);
    expect(pingStatus({ 'x-ch-apikey': 'nobody' })).toBe(429);
    expect(pingStatus({ 'x-ch-apikey': 'bob-Key', 'x-ch-ts': '1', 'x-ch-sign': 'wrong' })).toBe(429);
  });

  it('a request that is refused before the limit counts for the address', () => {
    const fixture = new ServiceFixture();
    const statuses = repeat(ACCOUNT_COUNT + 1, () => fixture.get(ACCOUNT, { secret: 'wrong' }).status);
    expect(statuses.slice(-2)).toEqual([401, 429]);
    expect(fixture.get(ACCOUNT).status).toBe(200);
  });

  it('under batchWeight: elements each element of a batch counts as a call', () => {
    const body = { symbol: 'BTCUSDT', orderIds: repeat(10, (index) => index + 1) };
    const statuses = (batchWeight: string) => {
      const fixture = new ServiceFixture({}, { batchWeight });
      return repeat(6, () => fixture.post('/sapi/v1/batchCancel', body).status);
    };
    expect(statuses('1')).not.toContain(429);
    expect(statuses('elements')).toEqual([200, 200, 200, 200, 200, 429]);
  });
});

describe('bans', () => {
  /** Number of refused calls within a minute after which an address is banned. */
  const REFUSALS_BEFORE_BAN = 20;
  const statusesOfReads = (fixture: ServiceFixture, count: number, ip = '10.0.0.1') =>
    repeat(count, () => fixture.get(ACCOUNT, { ip }).status);
  it('an address is banned for all calls after twenty refusals within a minute, and the next ban is twice as long', () => {
    const fixture = new ServiceFixture({ accounts: ACCOUNTS }, { retryAfter: 'on' });
    // The calls from another address use up the limit of the key.
    statusesOfReads(fixture, ACCOUNT_COUNT, '10.0.0.2');
    expect(statusesOfReads(fixture, REFUSALS_BEFORE_BAN)).toEqual(repeat(REFUSALS_BEFORE_BAN, () => 429));
    const banned = fixture.getPublic('/sapi/v1/ping', { ip: '10.0.0.1' });
    expect(banned).toMatchObject({ status: 418, headers: { 'Retry-After': '300' } });
    expect(codeOf(banned)).toBe(-1003);
    expect(fixture.get(ACCOUNT, { as: 'bob', ip: '10.0.0.1' }).status).toBe(418);
    expect(fixture.get(ACCOUNT, { as: 'bob', ip: '10.0.0.3' }).status).toBe(200);
    fixture.passTime(299_999);
    expect(fixture.getPublic('/sapi/v1/ping', { ip: '10.0.0.1' }).status).toBe(418);
    fixture.passTime(1);
    expect(statusesOfReads(fixture, ACCOUNT_COUNT + REFUSALS_BEFORE_BAN + 1).slice(-2)).toEqual([429, 418]);
    fixture.passTime(599_999);
    expect(fixture.getPublic('/sapi/v1/ping', { ip: '10.0.0.1' }).status).toBe(418);
    fixture.passTime(1);
    expect(fixture.getPublic('/sapi/v1/ping', { ip: '10.0.0.1' }).status).toBe(200);
  });

  it('refusals that are more than 3 s apart cause no ban', () => {
    const fixture = new ServiceFixture({ limits: { 'spot.account': { count: 1, windowMs: 3_600_000 } } });
    statusesOfReads(fixture, 1);
    for (let refusal = 1; refusal <= 2 * REFUSALS_BEFORE_BAN; refusal++) {
      expect(statusesOfReads(fixture, 1)).toEqual([429]);
      fixture.passTime(3200);
    }
  });

  it('length and threshold of a ban follow the profile, and Retry-After is off by default', () => {
    const fixture = new ServiceFixture({}, { banAfter: 2, banMs: 50 });
    expect(statusesOfReads(fixture, 23).slice(-3)).toEqual([429, 429, 418]);
    expect(fixture.getPublic('/sapi/v1/ping', { ip: '10.0.0.1' }).headers).toEqual({});
    fixture.passTime(50);
    expect(fixture.getPublic('/sapi/v1/ping', { ip: '10.0.0.1' }).status).toBe(200);
  });
});

describe('a sliding window', () => {
  it('a sliding window admits the same requests as a list of all times', () => {
    const stepArbitrary = fc.record({ gapMs: fc.nat(30), weight: fc.integer({ min: 1, max: 4 }) });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 50 }),
        fc.array(stepArbitrary, { maxLength: 60 }),
        (count, windowMs, steps) => {
          const window = new SlidingWindow(count, windowMs);
          let admittedTimes: number[] = [];
          let nowMs = 0;
          for (const { gapMs, weight } of steps) {
            nowMs += gapMs;
            admittedTimes = admittedTimes.filter((time) => time > nowMs - windowMs);
            const fits = admittedTimes.length + weight <= count;
            expect(window.waitMs(nowMs, weight) === 0 || !fits).toBe(true);
            expect(window.admit(nowMs, weight)).toBe(fits);
            if (fits) admittedTimes.push(...repeat(weight, () => nowMs));
          }
        },
      ),
    );
  });
});
