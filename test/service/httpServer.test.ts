// Over real sockets: bytes as they are sent, keep-alive, limits of size, faults of the network, and the control port.

import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { demoKey, demoSettings } from '../../src/paperExchange/process/demo.ts';
import type { ExchangeSettings } from '../../src/paperExchange/process/file/settings.ts';
import { runExchange, type RunningExchange } from '../../src/paperExchange/process/runExchange.ts';

const key = demoKey(1);
const opened: RunningExchange[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/** Without prices: the book has what the test brings. */
async function open(crash = () => {}, settings: ExchangeSettings = { ...demoSettings(1), prices: new Map() }): Promise<RunningExchange> {
  const running = await runExchange(settings, { host: '127.0.0.1', port: 0, controlPort: 0, crash });
  opened.push(running);
  return running;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function http(url: string, method: string, headers: Readonly<Record<string, string>>, body: string, agent?: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { 'Content-Length': Buffer.byteLength(body), ...headers }, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString() }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function call({ url, service }: RunningExchange, method: string, target: string, body = '', agent?: Agent): Promise<Answer> {
  const ts = String(service.nowMs);
  const sign = createHmac('sha256', key.secret)
    .update(ts + method + target + body)
    .digest('hex');
  return http(
    url + target,
    method,
    { 'Content-Type': 'application/json', 'X-CH-APIKEY': key.apiKey, 'X-CH-TS': ts, 'X-CH-SIGN': sign },
    body,
    agent,
  );
}

const control = async ({ controlUrl }: RunningExchange, method: string, path: string, body?: unknown): Promise<Answer> =>
  http(controlUrl + path, method, {}, body === undefined ? '' : JSON.stringify(body));

const ORDER = '{"symbol":"BTCUSDT","volume":0.01,"side":"BUY","type":"LIMIT","price":1.00}';

describe('the server', () => {
  it('places and fills an order, and reports the balance that follows', async () => {
    const of = await open(undefined, demoSettings(1));
    const made = await call(of, 'POST', '/sapi/v1/order', '{"symbol":"BTCUSDT","volume":0.01,"side":"BUY","type":"LIMIT","price":90000.0}');
    const id = /"orderId":(\d{19})/.exec(made.body)![1];
    expect((await call(of, 'GET', `/sapi/v1/order?orderId=${id}&symbol=BTCUSDT`)).body).toContain('"status":"FILLED"');
    expect((await call(of, 'GET', '/sapi/v1/account')).body).toContain('"asset":"BTC","free":1.00999,"locked":0');
  });

  it('the server keeps a connection for many requests', async () => {
    const of = await open();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<unknown>();
    agent.on('free', (socket: { localPort?: number }) => ports.add(socket.localPort));
    for (let at = 0; at < 5; at++) expect((await call(of, 'GET', '/sapi/v1/ping', '', agent)).body).toBe('{}');
    expect(ports.size).toBe(1);
    agent.destroy();
  });

  it('the server refuses a body that is too large, and survives bytes that are no HTTP', async () => {
    const of = await open();
    const large = await call(of, 'POST', '/sapi/v1/order', `{"symbol":"${'x'.repeat(300_000)}"}`).catch((error: unknown) => error);
    expect(large instanceof Error || (large as Answer).status === 413).toBe(true);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(of.url).port), '127.0.0.1', () => socket.end('GET \u0000 nonsense\r\n\r\n'));
      socket.on('close', () => resolve());
      socket.on('error', () => resolve());
      socket.resume();
    });
    expect((await call(of, 'GET', '/sapi/v1/ping')).status).toBe(200);
  });

  it('the server names the port that it cannot have', async () => {
    const of = await open();
    const again = runExchange(
      { ...demoSettings(1), prices: new Map() },
      { host: '127.0.0.1', port: Number(new URL(of.url).port), controlPort: null, crash: () => {} },
    );
    await expect(again).rejects.toThrow(/cannot listen on 127\.0\.0\.1:\d+: EADDRINUSE/);
  });
});

describe('the control port', () => {
  const openOrders = async (of: RunningExchange) => ((await call(of, 'GET', '/sapi/v1/openOrders')).body.match(/orderId/g) ?? []).length;
  const fault = (of: RunningExchange, point: string, params = {}, op = 'spot.newOrder') =>
    control(of, 'POST', '/faults', { seed: 1, schedule: [{ point, op, nth: 1, params }] });

  /** Once a fault holds a request or an answer back. */
  const held = async (of: RunningExchange): Promise<void> => {
    while ((JSON.parse((await control(of, 'GET', '/truth')).body) as { held: number }).held === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it.each<[string, object, string | number, number]>([
    ['NET.reqDrop', {}, 'socket', 0],
    ['NET.respDrop', {}, 'socket', 1],
    ['NET.dup', {}, 200, 2],
    ['NET.truncate', { bytes: 20 }, 'aborted', 1],
    ['NET.replace', { status: 502, body: '<html>' }, 502, 1],
    ['GW.code', { code: -2016 }, 400, 0],
    ['GW.code', { code: -1001 }, 500, 0],
    ['GW.code', { code: -1016 }, 503, 0],
    ['GW.code', { code: -1000 }, 500, 0],
    ['BUS.unknown', { executed: 1, code: -1007 }, 504, 1],
    ['BUS.unknown', { executed: 0, code: -1006 }, 500, 0],
    ['BUS.unknown', { executed: 1, code: 504 }, 504, 1],
  ])('the control port: %s %j: %s, %i orders', async (point, params, expected, orders) => {
    const of = await open();
    expect(JSON.parse((await fault(of, point, params)).body)).toEqual({ active: 1 });
    const got = await call(of, 'POST', '/sapi/v1/order', ORDER).then(
      ({ status }) => status,
      (error: Error) => (/hang up|reset/.test(error.message) ? 'socket' : error.message),
    );
    expect(got).toBe(expected);
    expect(await openOrders(of)).toBe(orders);
    // The next request succeeds.
    expect((await call(of, 'POST', '/sapi/v1/order', ORDER)).status).toBe(200);
  });

  it('the control port delays requests and answers on the time of the exchange', async () => {
    const of = await open();
    await control(of, 'POST', '/clock', { pause: true });
    await fault(of, 'NET.respDelay', { ms: 60_000 });
    let isDone = false;
    const waiting = call(of, 'POST', '/sapi/v1/order', ORDER).then((answer) => ((isDone = true), answer));
    await held(of);
    expect(await openOrders(of)).toBe(1);
    expect(isDone).toBe(false);
    await control(of, 'POST', '/clock', { stepMs: 60_000 });
    expect((await waiting).status).toBe(200);
  });

  it('a request that arrives late is outside of its window', async () => {
    const of = await open();
    await control(of, 'POST', '/clock', { pause: true });
    await fault(of, 'NET.reqDelay', { ms: 5001 });
    const waiting = call(of, 'POST', '/sapi/v1/order', ORDER);
    await held(of);
    await control(of, 'POST', '/clock', { stepMs: 5001 });
    expect((await waiting).body).toBe('{"code":-1021,"msg":"INVALID_TIMESTAMP"}');
  });

  it('the control port answers others while a long step of a synthetic market is made', async () => {
    const of = await open(undefined, demoSettings(1));
    await control(of, 'POST', '/clock', { pause: true });
    const before = of.service.nowMs;
    const stepMs = 3 * 3_600_000;
    const done = new AbortController();
    const stepping = control(of, 'POST', '/clock', { stepMs }).finally(() => done.abort());
    const seen = new Set<number>();
    while (!done.signal.aborted) {
      const { status } = await call(of, 'GET', '/sapi/v1/time');
      if (status === 200) seen.add(of.service.nowMs);
    }
    expect(JSON.parse((await stepping).body)).toEqual({ now: before + stepMs });
    expect(of.service.nowMs).toBe(before + stepMs);
    // Some saw the time in between; each of them a whole part of the step.
    const between = [...seen].filter((ms) => ms > before && ms < before + stepMs);
    expect(between.length).toBeGreaterThan(0);
    expect(between.filter((ms) => (ms - before) % 1_800_000 !== 0)).toEqual([]);
  });

  it('the control port moves time, and reports the truth', async () => {
    const of = await open();
    await control(of, 'POST', '/clock', { pause: true });
    const before = (JSON.parse((await control(of, 'GET', '/truth')).body) as { now: number }).now;
    const moved = JSON.parse((await control(of, 'POST', '/clock', { stepMs: 3_600_000 })).body) as { now: number };
    expect(moved.now).toBe(before + 3_600_000);
    expect(JSON.parse((await control(of, 'POST', '/clock', { jumpMs: -2000 })).body)).toEqual({ now: moved.now - 2000 });
    expect((await call(of, 'GET', '/sapi/v1/account')).body).toContain('-1021');
    await control(of, 'POST', '/clock', { jumpMs: 2000 });
    await call(of, 'POST', '/sapi/v1/order', ORDER);
    const truth = JSON.parse((await control(of, 'GET', '/truth')).body) as Readonly<Record<string, unknown>>;
    expect(truth).toMatchObject({
      accounts: [{ name: 'demo', uid: '10001' }],
      orders: [{ account: 'demo', status: 'NEW', isInBook: true }],
    });
  });

  it('the control port refuses what it does not know, and ends the exchange', async () => {
    let isDown = false;
    const of = await open(() => void (isDown = true));
    const refusals = [
      control(of, 'GET', '/faults'),
      control(of, 'POST', '/faults', { schedule: [{ point: 'NET.none', nth: 1 }] }),
      control(of, 'POST', '/faults', { schedule: [{ point: 'NET.dup', nth: 1, p: 1 }] }),
      control(of, 'POST', '/faults', { schedule: [{ point: 'BUS.delay', nth: 1 }] }),
      control(of, 'POST', '/clock', {}),
      // An exchange that loops without end answers no client any more, not even a signal.
      control(of, 'POST', '/clock', { speed: 1e99 }),
      control(of, 'POST', '/clock', { stepMs: 9e15 }),
      control(of, 'POST', '/clock', { jumpMs: -9e15 }),
      // It cannot be known which of the two is meant.
      control(of, 'POST', '/clock', { stepMs: 1, jumpMs: 5 }),
      control(of, 'POST', '/clock', { stepMs: 1, jump: 5 }),
      control(of, 'POST', '/faults', { schedul: [] }),
      control(of, 'POST', '/faults', [{ point: 'NET.dup', nth: 1 }]),
      control(of, 'POST', '/crash', {}),
    ];
    expect((await Promise.all(refusals)).map(({ status }) => status)).toEqual([404, ...refusals.slice(1).map(() => 400)]);
    const wrong: readonly (readonly [point: string, params: unknown, says: string])[] = [
      ['NET.respDelay', { ms: -5 }, 'params.ms of NET.respDelay, a whole number from 0'],
      ['NET.truncate', { bytes: -1 }, 'params.bytes of NET.truncate, a whole number from 0'],
      // The first request would have ended the exchange.
      ['NET.replace', { status: 0, body: '' }, 'params.status of NET.replace, a whole number from 200 to 599'],
      ['NET.replace', { status: 200, body: 1 }, 'params.body of NET.replace, which is text'],
      ['BUS.unknown', { executed: 7, code: 504 }, 'params.executed of BUS.unknown, a whole number from 0 to 1'],
      ['NET.dup', { ms: 5 }, 'no params.ms of NET.dup'],
      ['NET.dup', [], 'params to be an object'],
    ];
    for (const [point, params, message] of wrong) {
      const { status, body } = await control(of, 'POST', '/faults', { schedule: [{ point, nth: 1, params }] });
      expect([status, (JSON.parse(body) as { error: string }).error]).toEqual([400, expect.stringContaining(message)]);
    }
    expect((await control(of, 'POST', '/faults', { schedule: [{ point: 'NET.dup', nht: 1, p: 1 }] })).body).toContain('got nht');
    const fromPage = await http(`${of.controlUrl}/crash`, 'POST', { Origin: 'http://example.com' }, '{"at":"now"}');
    expect([fromPage.status, isDown]).toEqual([403, false]);
    await control(of, 'POST', '/crash', { at: 'now' });
    expect(isDown).toBe(true);
  });
});

describe('connections', () => {
  it('connections are as many as the settings say: one more is closed as it comes', async () => {
    const demo = demoSettings(1);
    const { url } = await open(undefined, { ...demo, prices: new Map(), httpServer: { maxConnections: 2 } });
    const { port } = new URL(url);
    const sockets = Array.from({ length: 2 }, () => connect(Number(port), '127.0.0.1'));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    // The server has taken both once it answers the second.
    sockets[1]!.write('GET /api/v1/ping HTTP/1.1\r\nHost: a\r\n\r\n');
    await new Promise((resolve) => sockets[1]!.once('data', resolve));
    const third = connect(Number(port), '127.0.0.1');
    await new Promise((resolve) => third.once('close', resolve).once('error', resolve));
    for (const socket of sockets) socket.destroy();
  });

  it('connections that bring half a body are closed after the time for a request', async () => {
    const demo = demoSettings(1);
    const { url } = await open(undefined, { ...demo, prices: new Map(), httpServer: { requestTimeoutMs: 50 } });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.write('POST /sapi/v1/order HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"symbol"');
    await new Promise((resolve) => socket.once('close', resolve));
    expect(text).toMatch(/^HTTP\/1.1 408 /);
  });
});
