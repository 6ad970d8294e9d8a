// Tests the client against a misbehaving service: it never crashes or reports a wrong outcome, and repeats only reads.

import type { Socket } from 'node:net';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { LATE_MS } from '../../src/adapters/exchange/client/restCall.ts';
import { callAsPromise } from '../../src/adapters/exchange/client/callAsPromise.ts';
import type { Outcome } from '../../src/protocol/outcome.ts';
import { always, answerBytes, dribble, measureClock, StubExchange, until, type Behaviour } from '../fixtures/stubExchange.ts';
import { selfSignedCertificate } from '../fixtures/certificates.ts';
import { BROKEN_ANSWERS } from './brokenAnswers.ts';
import { READS, WRITES } from './calls.ts';
import { CREDENTIALS, RestFixture, SECRET, type FixtureOptions } from './restClientFixture.ts';

const openFixtures: RestFixture[] = [];
afterEach(async () => {
  for (const fixture of openFixtures.splice(0)) await fixture.close();
});

/** Opens a client, which is closed after the test. */
async function fixtureOf(behaviour: Behaviour, options?: FixtureOptions): Promise<RestFixture> {
  const fixture = await RestFixture.open(behaviour, options);
  openFixtures.push(fixture);
  return fixture;
}

/** A fast clock, so that the pauses between attempts take no real time. */
const FAST_CLOCK = { speed: 500 };
const LONG_TIME_LIMIT = { timeoutMs: 600_000 };
/** A create, and a signed read. */
const ORDER_CALL = WRITES[0]!;
const OPEN_ORDERS = READS[0]!;
const CALLS = [...WRITES, ...READS];

test('a call with a good reply is acknowledged after one request', async () => {
  const fixture = await fixtureOf(() => {});
  for (const { op, args, confirmation } of CALLS) {
    fixture.answerWith(always(200, confirmation));
    const countBefore = fixture.callRequests.length;
    expect(await fixture.call(op, args), op).toMatchObject({ kind: 'acked' });
    expect(fixture.callRequests.length - countBefore, op).toBe(1);
    expect(fixture.logs.at(-1), op).toEqual({
      op,
      kind: 'acked',
      attempt: 1,
      latencyMs: expect.any(Number) as number,
      status: 200,
      code: null,
      isLate: false,
    });
  }
  const timeOutcome: Outcome<{ readonly serverTimeMs: number }> = await callAsPromise(fixture.client, 'spot.serverTime', {});
  expect(timeOutcome.kind).toBe('acked');
  await expect(callAsPromise(fixture.client, 'spot.ticker', { symbol: '' })).rejects.toThrow('symbol');
});

describe('a reply without a result leaves the outcome unknown; only reads are sent again', () => {
  const html = '<html><body><h1>502 Bad Gateway</h1></body></html>';
  const htmlHeaders = { 'content-type': 'text/html' };
  /** Behaviours of the service. `requestsOfRead`: how often a read is sent. */
  const replies: Readonly<Record<string, readonly [Behaviour, requestsOfRead: number, isLarge?: boolean]>> = {
    ...Object.fromEntries(Object.entries(BROKEN_ANSWERS).map(([name, behaviour]) => [name, [behaviour, 3] as const])),
    'HTML with 502': [always(502, html, htmlHeaders), 3],
    'HTML with 200': [always(200, html, htmlHeaders), 3],
    'nothing with 200': [always(200, ''), 3],
    'a redirect': [always(301, '', { location: '/elsewhere' }), 1],
    'a redirect that keeps the method': [always(307, '{}', { location: 'http://example.com/' }), 1],
    'a page of a firewall': [always(403, html, htmlHeaders), 1],
    'a web server that does not know the path': [
      always(404, '{"timestamp":"x","status":404,"error":"Not Found","message":"","path":"/"}'),
      1,
    ],
    'an envelope without anything in it': [always(500, '{}'), 3],
    'keys that mean something to JavaScript': [
      always(200, '{"__proto__":{"orderId":"7","code":0},"constructor":{"prototype":{"polluted":1}}}'),
      3,
    ],
    '10 MB': [always(200, Buffer.alloc(10_000_000, 32)), 3, true],
    'a body that nests a million lists': [always(200, '['.repeat(1_000_000)), 3, true],
    'bytes that are not text': [always(200, Buffer.from([0xff, 0xfe, 0, 1, 2])), 3],
  };

  test.each(Object.entries(replies))(
    'a reply without a result leaves the outcome unknown; only reads are sent again: %s',
    async (_name, [behaviour, requestsOfRead, isLarge = false]) => {
      const fixture = await fixtureOf(behaviour, FAST_CLOCK);
      // A large reply is slow to read, so only the first calls are tried. They include each way of reading a reply.
      for (const { op, args, kind } of isLarge ? [ORDER_CALL, WRITES[3]!, OPEN_ORDERS] : CALLS) {
        const countBefore = fixture.callRequests.length;
        const outcome = await fixture.call(op, args, LONG_TIME_LIMIT);
        // These calls accept an object without any known member as a reply.
        const acceptsAnyObject = outcome.kind === 'acked' && /ping|symbols|testNewOrder|batchCancel/.test(op);
        if (acceptsAnyObject) continue;
        expect(outcome.kind, op).toBe('unknown');
        expect(fixture.callRequests.length - countBefore, op).toBe(kind === 'read' ? requestsOfRead : 1);
      }
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    },
  );
});

test('an order whose reply is cut off at any byte is unknown, and is sent once', async () => {
  const wholeReply = answerBytes(200, '{"orderId":"499890200602846976"}');
  const fixture = await fixtureOf(() => {}, { speed: 20 });
  for (const hasLength of [true, false]) {
    const bytes = hasLength ? wholeReply : Buffer.from(wholeReply.toString().replace(/content-length: \d+\r\n/, ''));
    for (let length = 0; length <= bytes.length; length++) {
      fixture.answerWith((socket) => void (length === 0 ? socket.end() : socket.end(bytes.subarray(0, length))));
      const sentBefore = fixture.stub.count('POST', '/sapi/v1/order');
      const outcome = await fixture.call(ORDER_CALL.op, ORDER_CALL.args, LONG_TIME_LIMIT);
      const expected = length < bytes.length ? { kind: 'unknown' } : { kind: 'acked', value: { orderId: '499890200602846976' } };
      expect(outcome, `${length} bytes`).toMatchObject(expected);
      expect(fixture.stub.count('POST', '/sapi/v1/order') - sentBefore, `${length} bytes`).toBe(1);
    }
  }
});

test('random bytes as a reply cause no crash and no outcome but unknown, and the order is sent once', async () => {
  const fixture = await fixtureOf(() => {}, { speed: 20 });
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 400 }), fc.boolean(), async (bytes, isBody) => {
      fixture.answerWith((socket) => void socket.end(isBody ? answerBytes(200, bytes) : bytes));
      const countBefore = fixture.callRequests.length;
      expect((await fixture.call(ORDER_CALL.op, ORDER_CALL.args, LONG_TIME_LIMIT)).kind).toBe('unknown');
      expect(fixture.callRequests.length - countBefore).toBe(1);
    }),
    { numRuns: 150 },
  );
});

describe('a request that was never sent is NOT_SENT, with proof', () => {
  test('a request is NOT_SENT after a refused connection', async () => {
    const stub = await StubExchange.start(() => {});
    const { origin } = stub;
    await stub.close();
    const fixture = await fixtureOf(() => {}, { ...FAST_CLOCK, origin });
    for (const { op, args, kind } of CALLS) {
      const loggedBefore = fixture.logs.filter((entry) => entry.op === op).length;
      const outcome = await fixture.call(op, args, LONG_TIME_LIMIT);
      expect(outcome, op).toMatchObject({ kind: 'notSent', cause: expect.stringContaining('ECONNREFUSED') as string });
      expect(fixture.logs.filter((entry) => entry.op === op).length - loggedBefore, op).toBe(kind === 'read' ? 3 : 1);
    }
  });

  test('a request is NOT_SENT if the host name does not exist or the certificate is not trusted', async () => {
    const untrustedStub = await StubExchange.start(always(200, '{}'), { ...selfSignedCertificate('IP:127.0.0.1') });
    for (const origin of ['https://no-such-host.invalid', untrustedStub.origin]) {
      const fixture = await fixtureOf(() => {}, { ...FAST_CLOCK, origin });
      for (const { op, args } of [ORDER_CALL, OPEN_ORDERS])
        expect((await fixture.call(op, args, LONG_TIME_LIMIT)).kind, origin).toBe('notSent');
    }
    expect([untrustedStub.bytesIn, untrustedStub.requests.length]).toEqual([0, 0]);
    await untrustedStub.close();
  });

  test('a request is NOT_SENT after a time limit or a cancel in the queue for a connection', async () => {
    const fixture = await fixtureOf(() => {}, { wire: { connections: 1 } });
    fixture.answerWith(always(200, '[]'));
    await fixture.call(OPEN_ORDERS.op, OPEN_ORDERS.args);
    fixture.answerWith(() => {});
    const sentCall = fixture.start(ORDER_CALL.op, ORDER_CALL.args);
    await until(() => fixture.stub.count('POST', '/sapi/v1/order') === 1);
    const queuedWithLimit = fixture.start(ORDER_CALL.op, ORDER_CALL.args, { timeoutMs: 30 });
    const queuedCall = fixture.start(ORDER_CALL.op, ORDER_CALL.args);
    expect(await queuedWithLimit.outcome).toEqual({ kind: 'notSent', cause: 'no answer within 30 ms' });
    queuedCall.cancel();
    expect(await queuedCall.outcome).toEqual({ kind: 'notSent', cause: 'cancelled' });
    sentCall.cancel();
    expect(await sentCall.outcome).toEqual({ kind: 'unknown', cause: 'cancelled', status: null, error: null });
    fixture.answerWith(always(200, '[]'));
    await fixture.call(OPEN_ORDERS.op, OPEN_ORDERS.args);
    expect(fixture.stub.count('POST', '/sapi/v1/order')).toBe(1);
  });

  test('a request is NOT_SENT after a cancel during the measurement of the clock, at once after the call, or a second cancel', async () => {
    const fixture = await fixtureOf(() => {});
    fixture.stub.behaviour = () => {};
    const cancelledTwice = fixture.start(ORDER_CALL.op, ORDER_CALL.args);
    await until(() => fixture.stub.requests.length === 1);
    cancelledTwice.cancel();
    cancelledTwice.cancel();
    expect(await cancelledTwice.outcome).toEqual({ kind: 'notSent', cause: 'cancelled' });
    const cancelledAtOnce = fixture.start('futures.ping', {});
    cancelledAtOnce.cancel();
    expect((await cancelledAtOnce.outcome).kind).toBe('notSent');
    expect(fixture.callRequests).toEqual([]);
  });
});

describe('time limits', () => {
  test('time limits end the wait for silence, for a slow loris and for an endless trickle, of reads and of orders', async () => {
    const fixture = await fixtureOf(() => {}, { speed: 50 });
    fixture.answerWith(always(200, '[]'));
    await fixture.call(OPEN_ORDERS.op, OPEN_ORDERS.args);
    const trickle = (socket: Socket): void => dribble(socket, answerBytes(200, 'x'.repeat(1_000_000)));
    for (const behaviour of [() => {}, trickle]) {
      fixture.answerWith(behaviour);
      for (const { op, args } of [ORDER_CALL, OPEN_ORDERS]) {
        const countBefore = fixture.callRequests.length;
        const startMs = fixture.scheduler.nowMs;
        expect(await fixture.call(op, args)).toEqual({ kind: 'unknown', cause: 'no answer within 10000 ms', status: null, error: null });
        expect(fixture.scheduler.nowMs - startMs).toBeGreaterThanOrEqual(10_000);
        expect(fixture.scheduler.nowMs - startMs).toBeLessThan(60_000);
        expect(fixture.callRequests.length - countBefore).toBe(1);
      }
    }
  });

  test('time limits cover all attempts: the last reply counts, and an attempt without time is not waited for', async () => {
    const fixture = await fixtureOf(always(503, '{}'));
    await fixture.call('futures.ping', {}, { attempts: 1 });
    const startMs = fixture.scheduler.nowMs;
    // The third attempt would be sent after 375 ms at the earliest.
    const outcome = await fixture.call('futures.ping', {}, { attempts: 5, timeoutMs: 370 });
    expect(outcome).toMatchObject({ kind: 'unknown', status: 503 });
    expect(fixture.scheduler.nowMs - startMs).toBeLessThan(370);
    expect(fixture.callRequests.length).toBeLessThanOrEqual(3);
  });

  test('a late reply is reported once, and a later one is not', async () => {
    /** The connections of the requests, which the service has not answered. */
    const unansweredSockets: Socket[] = [];
    const fixture = await fixtureOf((socket) => void unansweredSockets.push(socket), { speed: 100 });
    const lateOutcomes: Outcome<unknown>[] = [];
    const options = { timeoutMs: 20_000, late: (outcome: Outcome<unknown>) => void lateOutcomes.push(outcome) };
    await measureClock(fixture.clock, 'spot');
    /** The time limit is a fifth of a second of this computer, so the request may arrive after it if the computer is busy. */
    const expectNoAnswer = async (call: Promise<Outcome<unknown>>): Promise<void> => {
      const countBefore = unansweredSockets.length;
      expect((await call).kind).toBe('unknown');
      await until(() => unansweredSockets.length > countBefore);
    };
    await expectNoAnswer(fixture.call(ORDER_CALL.op, ORDER_CALL.args, options));
    unansweredSockets.at(-1)!.write(answerBytes(200, '{"orderId":"7"}'));
    await until(() => lateOutcomes.length === 1);
    expect(lateOutcomes).toEqual([{ kind: 'acked', value: expect.objectContaining({ orderId: '7' }) as unknown }]);
    expect(fixture.logs.map(({ kind, isLate }) => [kind, isLate])).toEqual(expect.arrayContaining([['unknown', false], ['acked', true]])); // prettier-ignore

    await expectNoAnswer(fixture.call(ORDER_CALL.op, ORDER_CALL.args, options));
    unansweredSockets.at(-1)!.write(answerBytes(400, '{"code":-2017,"msg":"balance_not_enough"}'));
    await until(() => lateOutcomes.length === 2);
    expect(lateOutcomes[1]).toMatchObject({ kind: 'refused', code: -2017 });

    // A read does not wait for a late reply.
    await expectNoAnswer(fixture.call(OPEN_ORDERS.op, OPEN_ORDERS.args, options));
    await until(() => unansweredSockets.at(-1)!.destroyed);
    await expectNoAnswer(fixture.call(ORDER_CALL.op, ORDER_CALL.args, options));
    const startMs = fixture.scheduler.nowMs;
    await until(() => unansweredSockets.at(-1)!.destroyed);
    expect(fixture.scheduler.nowMs - startMs).toBeGreaterThan(LATE_MS - 2000);
    expect([lateOutcomes.length, fixture.stub.count('POST', '/sapi/v1/order')]).toEqual([2, 3]);
  });
});

describe('reads are repeated', () => {
  test('reads are repeated until they are answered, with new signatures, after growing pauses', async () => {
    let failuresLeft = 2;
    const timestamps: number[] = [];
    const fixture = await fixtureOf(() => {}, { speed: 20 });
    fixture.answerWith((socket, request) => {
      timestamps.push(Number(request.headers.find(([name]) => name === 'X-CH-TS')?.[1]));
      socket.write(failuresLeft-- > 0 ? answerBytes(500, '{"code":-1001,"msg":"DISCONNECTED"}') : answerBytes(200, '[]'));
    });
    expect(await fixture.call(OPEN_ORDERS.op, OPEN_ORDERS.args, LONG_TIME_LIMIT)).toMatchObject({ kind: 'acked' });
    expect(timestamps).toHaveLength(3);
    const pauses = timestamps.slice(1).map((timeMs, index) => timeMs - timestamps[index]!);
    expect(pauses[0]).toBeGreaterThanOrEqual(125);
    expect(pauses[1]).toBeGreaterThanOrEqual(250);
    expect(fixture.logs.filter(({ op }) => op === 'spot.openOrders').map(({ attempt, kind }) => [attempt, kind])).toEqual([[1, 'unknown'], [2, 'unknown'], [3, 'acked']]); // prettier-ignore
  });

  test('reads are repeated over a connection that was reset while it was idle', async () => {
    const fixture = await fixtureOf(always(200, '[]'), { speed: 20 });
    for (let round = 0; round < 20; round++) {
      expect((await fixture.call(OPEN_ORDERS.op, OPEN_ORDERS.args, LONG_TIME_LIMIT)).kind).toBe('acked');
      fixture.stub.resetAll();
    }
    const sentBefore = fixture.stub.count('POST', '/sapi/v1/order');
    fixture.answerWith(always(200, '{"orderId":"7"}'));
    let ackedCount = 0;
    for (let round = 0; round < 20; round++) {
      fixture.stub.resetAll();
      const { kind } = await fixture.call(ORDER_CALL.op, ORDER_CALL.args);
      expect(['acked', 'unknown', 'notSent']).toContain(kind);
      if (kind === 'acked') ackedCount++;
    }
    const sentCount = fixture.stub.count('POST', '/sapi/v1/order') - sentBefore;
    expect(sentCount).toBeLessThanOrEqual(20);
    expect(sentCount).toBeGreaterThanOrEqual(ackedCount);
  });

  test('reads have at most five attempts, even if the option allows more', async () => {
    const fixture = await fixtureOf(always(503, ''), FAST_CLOCK);
    await fixture.call('futures.ping', {}, { attempts: 1000, ...LONG_TIME_LIMIT });
    expect(fixture.callRequests).toHaveLength(5);
  });

  test('reads are repeated after 429 when the class is free again, and not after 418', async () => {
    let failuresLeft = 1;
    const fixture = await fixtureOf(() => {}, { speed: 20 });
    fixture.answerWith(
      (socket) =>
        void socket.write(failuresLeft-- > 0 ? answerBytes(429, '{"code":-1003,"msg":"TOO_MANY_REQUESTS"}') : answerBytes(200, '[]')),
    );
    const startMs = fixture.scheduler.nowMs;
    expect((await fixture.call(OPEN_ORDERS.op, OPEN_ORDERS.args, LONG_TIME_LIMIT)).kind).toBe('acked');
    expect(fixture.scheduler.nowMs - startMs).toBeGreaterThanOrEqual(2000);
    fixture.answerWith(always(418, '{"code":-1003,"msg":"TOO_MANY_REQUESTS"}'));
    const countBefore = fixture.callRequests.length;
    expect(await fixture.call(OPEN_ORDERS.op, OPEN_ORDERS.args, LONG_TIME_LIMIT)).toMatchObject({ kind: 'refused', status: 418 });
    expect(await fixture.call(ORDER_CALL.op, ORDER_CALL.args)).toMatchObject({ kind: 'notSent' });
    expect(await fixture.call(OPEN_ORDERS.op, OPEN_ORDERS.args, LONG_TIME_LIMIT)).toMatchObject({ kind: 'notSent' });
    expect(fixture.callRequests.length - countBefore, 'a ban stops everything').toBe(1);
  });
});

describe('the clock of the service', () => {
  /** A service that refuses a request by its time, as the exchange does. */
  const refusingByTime =
    (fixture: () => RestFixture): Behaviour =>
    (socket, request) => {
      const timestamp = Number(request.headers.find(([name]) => name === 'X-CH-TS')?.[1]);
      const nowMs = fixture().scheduler.nowMs + fixture().aheadMs;
      const isInTime = timestamp < nowMs + 1000 && nowMs - timestamp <= 5000;
      socket.write(
        isInTime
          ? answerBytes(200, request.method === 'GET' ? '[]' : '{"orderId":"7"}')
          : answerBytes(400, '{"code":-1021,"msg":"INVALID_TIMESTAMP"}'),
      );
    };

  test('the clock of the service may be an hour off in either direction, and may jump: a read during the jump is repeated once', async () => {
    for (const aheadMs of [-3_600_000, 3_600_000]) {
      const fixture: RestFixture = await fixtureOf(
        refusingByTime(() => fixture),
        { aheadMs },
      );
      expect((await fixture.call(ORDER_CALL.op, ORDER_CALL.args)).kind).toBe('acked');
      fixture.aheadMs = 0;
      const countBefore = fixture.callRequests.length;
      expect((await fixture.call(OPEN_ORDERS.op, OPEN_ORDERS.args)).kind).toBe('acked');
      expect(fixture.callRequests.length - countBefore).toBe(2);
      expect((await fixture.call(ORDER_CALL.op, ORDER_CALL.args)).kind, 'the next call').toBe('acked');
    }
  });

  test('a write during a jump of the clock is refused once, and the next one is accepted', async () => {
    const fixture: RestFixture = await fixtureOf(refusingByTime(() => fixture));
    expect((await fixture.call(ORDER_CALL.op, ORDER_CALL.args)).kind).toBe('acked');
    const { ms: msBefore } = fixture.clock.now('spot');
    fixture.aheadMs = 3_600_000;
    expect(await fixture.call(ORDER_CALL.op, ORDER_CALL.args)).toMatchObject({ kind: 'refused', code: -1021 });
    await until(() => fixture.clock.now('spot').ms - msBefore > 3_500_000);
    expect((await fixture.call(ORDER_CALL.op, ORDER_CALL.args)).kind).toBe('acked');
    expect(fixture.stub.count('POST', '/sapi/v1/order')).toBe(3);
  });

  test('a service that refuses every request by its time causes no endless loop', async () => {
    const fixture = await fixtureOf(always(400, '{"code":-1021,"msg":"INVALID_TIMESTAMP"}'), { speed: 10 });
    for (let index = 0; index < 10; index++) {
      expect(await fixture.call(OPEN_ORDERS.op, OPEN_ORDERS.args)).toMatchObject({ kind: 'refused', code: -1021 });
      expect(await fixture.call(ORDER_CALL.op, ORDER_CALL.args)).toMatchObject({ kind: 'refused', code: -1021 });
    }
    // The first read is sent twice; the clock is measured at the start and once more.
    expect([fixture.callRequests.length, fixture.stub.requests.length - fixture.callRequests.length]).toEqual([21, 10]);
  });

  test('our own clock replaces that of a service that does not report its time', async () => {
    const fixture = await fixtureOf(() => {});
    fixture.stub.behaviour = (socket, { target }) =>
      void socket.write(target.endsWith('/time') ? answerBytes(500, '') : answerBytes(200, '[]'));
    expect((await fixture.call(OPEN_ORDERS.op, OPEN_ORDERS.args)).kind).toBe('acked');
    expect(fixture.clock.isMeasured('spot')).toBe(false);
  });
});

test('the log of calls has facts, and neither secrets nor text of the service', async () => {
  const echoHeaders: Behaviour = (socket, request) =>
    void socket.write(
      answerBytes(400, `{"code":-1022,"msg":${JSON.stringify(JSON.stringify(request.headers))}}`, { 'x-echo': CREDENTIALS.apiKey }),
    );
  const fixture = await fixtureOf(echoHeaders);
  for (const { op, args } of CALLS) await fixture.call(op, args);
  const logText = JSON.stringify(fixture.logs);
  expect(fixture.logs.length).toBeGreaterThan(CALLS.length);
  const signatures = fixture.stub.requests.flatMap(({ headers }) =>
    headers.filter(([name]) => name === 'X-CH-SIGN').map(([, value]) => value),
  );
  expect(signatures.length).toBeGreaterThan(10);
  for (const secret of [SECRET, CREDENTIALS.apiKey, 'X-CH', ...signatures]) expect(logText).not.toContain(secret);
  expect(Object.keys(fixture.logs[0]!).toSorted()).toEqual(['attempt', 'code', 'isLate', 'kind', 'latencyMs', 'op', 'status']);
});

test('ended calls leave no timer and no connection, and closing ends all calls', async () => {
  const activeResources = (kind: RegExp): number => process.getActiveResourcesInfo().filter((name) => kind.test(name)).length;
  const timersBefore = activeResources(/Timeout/);
  const socketsBefore = activeResources(/TCPSocket/);
  const fixture = await fixtureOf(always(200, '{}'), { speed: 20, wire: { connections: 8 } });
  const outcomes = await Promise.all(Array.from({ length: 30 }, () => fixture.call('futures.ping', {})));
  expect(outcomes.every(({ kind }) => kind === 'acked')).toBe(true);
  fixture.answerWith(() => {});
  const unansweredCall = fixture.start(ORDER_CALL.op, ORDER_CALL.args);
  await until(() => fixture.stub.count('POST', '/sapi/v1/order') === 1);
  unansweredCall.cancel();
  await unansweredCall.outcome;
  // The server's ends of the connections, which this test has opened.
  await until(() => activeResources(/TCPSocket/) - socketsBefore <= fixture.stub.open && activeResources(/Timeout/) <= timersBefore);
  await fixture.close();
  openFixtures.pop();
  await until(() => activeResources(/TCPSocket/) <= socketsBefore && fixture.stub.open === 0);
});
