// Part 8 of the specification: counts, sliding windows, who they count on, and bans.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpointOf, OPS } from '../../src/protocol/endpoints/endpoints.ts';
import { SlidingWindow } from '../../src/paperExchange/limits/slidingWindow.ts';
import { ACCOUNTS, codeOf, Fixture } from './serviceFixture.ts';

const ACCOUNT = '/sapi/v1/account';
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

describe('the counts of the specification', () => {
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
  it.each(Object.entries(counts))('the counts of the specification: %s: %i in two seconds', (name, count) => {
    const op = OPS.find((each) => each === `spot.${name}`)!;
    const { method, path } = endpointOf(op);
    const fixture = new Fixture();
    const send = () => fixture.send(method, path, method === 'POST' ? '{}' : '', {}).status;
    expect(times(count, send)).not.toContain(429);
    expect(send()).toBe(429);
    fixture.pass(1999);
    expect(send()).toBe(429);
    fixture.pass(1);
    expect(times(count, send)).not.toContain(429);
  });

  it.each(['ping', 'serverTime', 'symbols', 'depth', 'ticker', 'recentTrades', 'klines', 'testNewOrder'])(
    'there is no limit for %s',
    (name) => {
      const { method, path } = endpointOf(OPS.find((each) => each === `spot.${name}`)!);
      const setup = new Fixture();
      expect(times(300, () => setup.send(method, path, method === 'POST' ? '{}' : '', {}).status)).not.toContain(429);
    },
  );
});

describe('who it counts on', () => {
  const limits = { 'spot.public': { count: 3, windowMs: 1000 } };
  it('limits count by key, from any address; other keys count separately', () => {
    const fixture = new Fixture();
    times(20, (at) => fixture.get(ACCOUNT, { ip: `10.0.0.${at}` }));
    expect(fixture.get(ACCOUNT, { ip: '10.0.1.1' })).toMatchObject({ status: 429, body: '{"code":-1003,"msg":"TOO_MANY_REQUESTS"}' });
    expect(fixture.get(ACCOUNT, { as: 'bob' }).status).toBe(200);
  });

  it('the address, for public calls; the key where the credentials are right, the address again where they are wrong', () => {
    const setup = new Fixture({ limits });
    const status = (headers: Record<string, string>, ip = '10.0.0.1') => setup.open('/sapi/v1/ping', { headers, ip }).status;
    expect(times(4, () => status({}))).toEqual([200, 200, 200, 429]);
    expect(status({}, '10.0.0.2')).toBe(200);
    expect(times(4, () => status({ 'x-ch-apikey': 'alice-Key' }))).toEqual([200, 200, 200, 429]);
    expect(status({ 'x-ch-apikey': 'bob-Key' })).toBe(200);
    expect(status({ 'x-ch-apikey': 'nobody' })).toBe(429);
    expect(status({ 'x-ch-apikey': 'bob-Key', 'x-ch-ts': '1', 'x-ch-sign': 'wrong' })).toBe(429);
  });

  it('the address, for requests that are refused before the limit', () => {
    const rig = new Fixture();
    expect(times(21, () => rig.get(ACCOUNT, { secret: 'wrong' }).status).slice(-2)).toEqual([401, 429]);
    expect(rig.get(ACCOUNT).status).toBe(200);
  });

  it('elements of a batch, where a switch asks for it', () => {
    const body = { symbol: 'BTCUSDT', orderIds: times(10, (at) => at + 1) };
    const sent = (batchWeight: string) => {
      const otherFixture = new Fixture({}, { batchWeight });
      return times(6, () => otherFixture.post('/sapi/v1/batchCancel', body).status);
    };
    expect(sent('1')).not.toContain(429);
    expect(sent('elements')).toEqual([200, 200, 200, 200, 200, 429]);
  });
});

describe('bans', () => {
  const breaking = (fixture: Fixture, count: number, ip = '10.0.0.1') => times(count, () => fixture.get(ACCOUNT, { ip }).status);
  it('bans come after twenty refusals within a minute, hold for every call from the address, and double', () => {
    const setup = new Fixture({ accounts: ACCOUNTS }, { retryAfter: 'on' });
    breaking(setup, 20, '10.0.0.2');
    expect(breaking(setup, 20)).toEqual(times(20, () => 429));
    const banned = setup.open('/sapi/v1/ping', { ip: '10.0.0.1' });
    expect(banned).toMatchObject({ status: 418, headers: { 'Retry-After': '300' } });
    expect(codeOf(banned)).toBe(-1003);
    expect(setup.get(ACCOUNT, { as: 'bob', ip: '10.0.0.1' }).status).toBe(418);
    expect(setup.get(ACCOUNT, { as: 'bob', ip: '10.0.0.3' }).status).toBe(200);
    setup.pass(299_999);
    expect(setup.open('/sapi/v1/ping', { ip: '10.0.0.1' }).status).toBe(418);
    setup.pass(1);
    expect(breaking(setup, 41).slice(-2)).toEqual([429, 418]);
    setup.pass(599_999);
    expect(setup.open('/sapi/v1/ping', { ip: '10.0.0.1' }).status).toBe(418);
    setup.pass(1);
    expect(setup.open('/sapi/v1/ping', { ip: '10.0.0.1' }).status).toBe(200);
  });

  it('bans do not come where refusals lie further apart', () => {
    const rig = new Fixture({ limits: { 'spot.account': { count: 1, windowMs: 3_600_000 } } });
    breaking(rig, 1);
    for (let at = 0; at < 40; at++) {
      expect(breaking(rig, 1)).toEqual([429]);
      rig.pass(3200);
    }
  });

  it('bans have length and threshold from the profile, and no header unless asked for', () => {
    const otherFixture = new Fixture({}, { banAfter: 2, banMs: 50 });
    expect(breaking(otherFixture, 23).slice(-3)).toEqual([429, 429, 418]);
    expect(otherFixture.open('/sapi/v1/ping', { ip: '10.0.0.1' }).headers).toEqual({});
    otherFixture.pass(50);
    expect(otherFixture.open('/sapi/v1/ping', { ip: '10.0.0.1' }).status).toBe(200);
  });
});

describe('a sliding window', () => {
  it('a sliding window lets in what a list of all times would', () => {
    const step = fc.record({ gap: fc.nat(30), weight: fc.integer({ min: 1, max: 4 }) });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 50 }),
        fc.array(step, { maxLength: 60 }),
        (count, windowMs, steps) => {
          const window = new SlidingWindow(count, windowMs);
          let let_in: number[] = [];
          let now = 0;
          for (const { gap, weight } of steps) {
            now += gap;
            let_in = let_in.filter((time) => time > now - windowMs);
            const fits = let_in.length + weight <= count;
            expect(window.waitMs(now, weight) === 0 || !fits).toBe(true);
            expect(window.admit(now, weight)).toBe(fits);
            if (fits) let_in.push(...times(weight, () => now));
          }
        },
      ),
    );
  });
});
