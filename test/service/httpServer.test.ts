// Tests the exchange over real sockets: keep-alive, size limits, planted network faults, and the control port.

import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { demoKey, demoSettings } from '../../src/paperExchange/process/demo.ts';
import type { ExchangeSettings } from '../../src/paperExchange/process/file/settings.ts';
import { runExchange, type RunningExchange } from '../../src/paperExchange/process/runExchange.ts';

const key = demoKey(1);
const runningExchanges: RunningExchange[] = [];
afterEach(async () => {
  for (const exchange of runningExchanges.splice(0)) await exchange.close();
});

/** Starts an exchange. Without prices the book has only the orders of the test. */
async function startExchange(
  crash = () => {},
  settings: ExchangeSettings = { ...demoSettings(1), prices: new Map() },
): Promise<RunningExchange> {
  const running = await runExchange(settings, { host: '127.0.0.1', port: 0, controlPort: 0, crash });
  runningExchanges.push(running);
  return running;
}

/** The reply to a request. */
interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Sends a request, and resolves with the reply. */
function http(url: string, method: string, headers: Readonly<Record<string, string>>, body: string, agent?: Agent): Promise<HttpReply> {
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

/** Sends a signed request, and resolves with the reply. */
function signedCall({ url, service }: RunningExchange, method: string, target: string, body = '', agent?: Agent): Promise<HttpReply> {
  const timestamp = String(service.nowMs);
  const signature = createHmac('sha256', key.secret)
    .update(timestamp + method + target + body)
    .digest('hex');
  return http(
    url + target,
    method,
    { 'Content-Type': 'application/json', 'X-CH-APIKEY': key.apiKey, 'X-CH-TS': timestamp, 'X-CH-SIGN': signature },
    body,
    agent,
  );
}

/** Sends a request to the control port. */
const controlCall = async ({ controlUrl }: RunningExchange, method: string, path: string, body?: unknown): Promise<HttpReply> =>
  http(controlUrl + path, method, {}, body === undefined ? '' : JSON.stringify(body));

const ORDER_BODY = '{"symbol":"BTCUSDT","volume":0.01,"side":"BUY","type":"LIMIT","price":1.00}';

describe('the server', () => {
  it('the server fills an order, and reports the new balance', async () => {
    const exchange = await startExchange(undefined, demoSettings(1));
    const created = await signedCall(
      exchange,
      'POST',
      '/sapi/v1/order',
      '{"symbol":"BTCUSDT","volume":0.01,"side":"BUY","type":"LIMIT","price":90000.0}',
    );
    const id = /"orderId":(\d{19})/.exec(created.body)![1];
    expect((await signedCall(exchange, 'GET', `/sapi/v1/order?orderId=${id}&symbol=BTCUSDT`)).body).toContain('"status":"FILLED"');
    expect((await signedCall(exchange, 'GET', '/sapi/v1/account')).body).toContain('"asset":"BTC","free":1.00999,"locked":0');
  });

  it('the server serves many requests over one connection', async () => {
    const exchange = await startExchange();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<unknown>();
    agent.on('free', (socket: { localPort?: number }) => ports.add(socket.localPort));
    for (let index = 0; index < 5; index++) expect((await signedCall(exchange, 'GET', '/sapi/v1/ping', '', agent)).body).toBe('{}');
    expect(ports.size).toBe(1);
    agent.destroy();
  });

  it('a body that is too large is rejected, and bytes that are not HTTP do not end the server', async () => {
    const exchange = await startExchange();
    const replyToLarge = await signedCall(exchange, 'POST', '/sapi/v1/order', `{"symbol":"${'x'.repeat(300_000)}"}`).catch(
      (error: unknown) => error,
    );
    expect(replyToLarge instanceof Error || (replyToLarge as HttpReply).status === 413).toBe(true);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(exchange.url).port), '127.0.0.1', () => socket.end('GET \u0000 nonsense\r\n\r\n'));
      socket.on('close', () => resolve());
      socket.on('error', () => resolve());
      socket.resume();
    });
    expect((await signedCall(exchange, 'GET', '/sapi/v1/ping')).status).toBe(200);
  });

  it('the error for a port in use names the port', async () => {
    const exchange = await startExchange();
    const secondExchange = runExchange(
      { ...demoSettings(1), prices: new Map() },
      { host: '127.0.0.1', port: Number(new URL(exchange.url).port), controlPort: null, crash: () => {} },
    );
    await expect(secondExchange).rejects.toThrow(/cannot listen on 127\.0\.0\.1:\d+: EADDRINUSE/);
    await expect(secondExchange).rejects.toMatchObject({ remedy: 'choose another port, or 0 for a free one' });
  });

  it('the error for an address of another computer advises another address, not another port', async () => {
    // 192.0.2.0/24 is reserved for documents: no computer has an address in it.
    const exchange = runExchange(
      { ...demoSettings(1), prices: new Map() },
      { host: '192.0.2.1', port: 0, controlPort: null, crash: () => {} },
    );
    await expect(exchange).rejects.toMatchObject({
      message: 'cannot listen on 192.0.2.1:0: EADDRNOTAVAIL',
      remedy: 'choose an address of this computer, such as 127.0.0.1',
    });
  });
});

describe('the control port', () => {
  /** Returns the number of open orders. */
  const openOrderCount = async (exchange: RunningExchange) =>
    ((await signedCall(exchange, 'GET', '/sapi/v1/openOrders')).body.match(/orderId/g) ?? []).length;
  /** Plants a fault at the first call of an operation. */
  const scheduleFault = (exchange: RunningExchange, point: string, params = {}, op = 'spot.newOrder') =>
    controlCall(exchange, 'POST', '/faults', { seed: 1, schedule: [{ point, op, nth: 1, params }] });

  /** Waits until a fault holds a request or a reply back. */
  const untilHeld = async (exchange: RunningExchange): Promise<void> => {
    while ((JSON.parse((await controlCall(exchange, 'GET', '/truth')).body) as { held: number }).held === 0)
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
  ])('the fault %s %j ends a create with %s and leaves %i orders', async (point, params, expectedOutcome, orderCount) => {
    const exchange = await startExchange();
    expect(JSON.parse((await scheduleFault(exchange, point, params)).body)).toEqual({ active: 1 });
    const outcome = await signedCall(exchange, 'POST', '/sapi/v1/order', ORDER_BODY).then(
      ({ status }) => status,
      (error: Error) => (/hang up|reset/.test(error.message) ? 'socket' : error.message),
    );
    expect(outcome).toBe(expectedOutcome);
    expect(await openOrderCount(exchange)).toBe(orderCount);
    // The next request succeeds.
    expect((await signedCall(exchange, 'POST', '/sapi/v1/order', ORDER_BODY)).status).toBe(200);
  });

  it('a delayed reply waits for the clock of the exchange', async () => {
    const exchange = await startExchange();
    await controlCall(exchange, 'POST', '/clock', { pause: true });
    await scheduleFault(exchange, 'NET.respDelay', { ms: 60_000 });
    let isDone = false;
    const waiting = signedCall(exchange, 'POST', '/sapi/v1/order', ORDER_BODY).then((answer) => ((isDone = true), answer));
    await untilHeld(exchange);
    expect(await openOrderCount(exchange)).toBe(1);
    expect(isDone).toBe(false);
    await controlCall(exchange, 'POST', '/clock', { stepMs: 60_000 });
    expect((await waiting).status).toBe(200);
  });

  it('a request that is delayed beyond its window is rejected', async () => {
    const exchange = await startExchange();
    await controlCall(exchange, 'POST', '/clock', { pause: true });
    await scheduleFault(exchange, 'NET.reqDelay', { ms: 5001 });
    const waiting = signedCall(exchange, 'POST', '/sapi/v1/order', ORDER_BODY);
    await untilHeld(exchange);
    await controlCall(exchange, 'POST', '/clock', { stepMs: 5001 });
    expect((await waiting).body).toBe('{"code":-1021,"msg":"INVALID_TIMESTAMP"}');
  });

  it('the exchange answers other requests during a long step of a synthetic market', async () => {
    const exchange = await startExchange(undefined, demoSettings(1));
    await controlCall(exchange, 'POST', '/clock', { pause: true });
    const startMs = exchange.service.nowMs;
    const stepMs = 3 * 3_600_000;
    const stepped = new AbortController();
    const stepping = controlCall(exchange, 'POST', '/clock', { stepMs }).finally(() => stepped.abort());
    const timesMs = new Set<number>();
    while (!stepped.signal.aborted) {
      const { status } = await signedCall(exchange, 'GET', '/sapi/v1/time');
      if (status === 200) timesMs.add(exchange.service.nowMs);
    }
    expect(JSON.parse((await stepping).body)).toEqual({ now: startMs + stepMs });
    expect(exchange.service.nowMs).toBe(startMs + stepMs);
    // Some requests saw intermediate times. Each is a whole number of half hours after the start.
    const intermediateMs = [...timesMs].filter((ms) => ms > startMs && ms < startMs + stepMs);
    expect(intermediateMs.length).toBeGreaterThan(0);
    expect(intermediateMs.filter((ms) => (ms - startMs) % 1_800_000 !== 0)).toEqual([]);
  });

  it('the control port moves the clock, and reports accounts and orders', async () => {
    const exchange = await startExchange();
    await controlCall(exchange, 'POST', '/clock', { pause: true });
    const nowMs = (JSON.parse((await controlCall(exchange, 'GET', '/truth')).body) as { now: number }).now;
    const moved = JSON.parse((await controlCall(exchange, 'POST', '/clock', { stepMs: 3_600_000 })).body) as { now: number };
    expect(moved.now).toBe(nowMs + 3_600_000);
    expect(JSON.parse((await controlCall(exchange, 'POST', '/clock', { jumpMs: -2000 })).body)).toEqual({ now: moved.now - 2000 });
    expect((await signedCall(exchange, 'GET', '/sapi/v1/account')).body).toContain('-1021');
    await controlCall(exchange, 'POST', '/clock', { jumpMs: 2000 });
    await signedCall(exchange, 'POST', '/sapi/v1/order', ORDER_BODY);
    const truth = JSON.parse((await controlCall(exchange, 'GET', '/truth')).body) as Readonly<Record<string, unknown>>;
    expect(truth).toMatchObject({
      accounts: [{ name: 'demo', uid: '10001' }],
      orders: [{ account: 'demo', status: 'NEW', isInBook: true }],
    });
  });

  it('the control port rejects invalid requests, and its crash request ends the exchange', async () => {
    let isDown = false;
    const exchange = await startExchange(() => void (isDown = true));
    const invalidCalls = [
      controlCall(exchange, 'GET', '/faults'),
      controlCall(exchange, 'POST', '/faults', { schedule: [{ point: 'NET.none', nth: 1 }] }),
      controlCall(exchange, 'POST', '/faults', { schedule: [{ point: 'NET.dup', nth: 1, p: 1 }] }),
      controlCall(exchange, 'POST', '/faults', { schedule: [{ point: 'BUS.delay', nth: 1 }] }),
      controlCall(exchange, 'POST', '/clock', {}),
      // An exchange that loops without end answers no client any more, not even a signal.
      controlCall(exchange, 'POST', '/clock', { speed: 1e99 }),
      controlCall(exchange, 'POST', '/clock', { stepMs: 9e15 }),
      controlCall(exchange, 'POST', '/clock', { jumpMs: -9e15 }),
      // A request must have exactly one of stepMs and jumpMs.
      controlCall(exchange, 'POST', '/clock', { stepMs: 1, jumpMs: 5 }),
      controlCall(exchange, 'POST', '/clock', { stepMs: 1, jump: 5 }),
      controlCall(exchange, 'POST', '/faults', { schedul: [] }),
      controlCall(exchange, 'POST', '/faults', [{ point: 'NET.dup', nth: 1 }]),
      controlCall(exchange, 'POST', '/crash', {}),
    ];
    expect((await Promise.all(invalidCalls)).map(({ status }) => status)).toEqual([404, ...invalidCalls.slice(1).map(() => 400)]);
    const invalidFaults: readonly (readonly [point: string, params: unknown, message: string])[] = [
      ['NET.respDelay', { ms: -5 }, 'params.ms of NET.respDelay, a whole number from 0'],
      ['NET.truncate', { bytes: -1 }, 'params.bytes of NET.truncate, a whole number from 0'],
      // The first request would have ended the exchange.
      ['NET.replace', { status: 0, body: '' }, 'params.status of NET.replace, a whole number from 200 to 599'],
      ['NET.replace', { status: 200, body: 1 }, 'params.body of NET.replace, which is text'],
      ['BUS.unknown', { executed: 7, code: 504 }, 'params.executed of BUS.unknown, a whole number from 0 to 1'],
      ['NET.dup', { ms: 5 }, 'no params.ms of NET.dup'],
      ['NET.dup', [], 'params to be an object'],
    ];
    for (const [point, params, message] of invalidFaults) {
      const { status, body } = await controlCall(exchange, 'POST', '/faults', { schedule: [{ point, nth: 1, params }] });
      expect([status, (JSON.parse(body) as { error: string }).error]).toEqual([400, expect.stringContaining(message)]);
    }
    expect((await controlCall(exchange, 'POST', '/faults', { schedule: [{ point: 'NET.dup', nht: 1, p: 1 }] })).body).toContain('got nht');
    const fromPage = await http(`${exchange.controlUrl}/crash`, 'POST', { Origin: 'http://example.com' }, '{"at":"now"}');
    expect([fromPage.status, isDown]).toEqual([403, false]);
    await controlCall(exchange, 'POST', '/crash', { at: 'now' });
    expect(isDown).toBe(true);
  });
});

describe('connections', () => {
  it('a connection beyond maxConnections is closed at once', async () => {
    const demo = demoSettings(1);
    const { url } = await startExchange(undefined, { ...demo, prices: new Map(), httpServer: { maxConnections: 2 } });
    const { port } = new URL(url);
    const sockets = Array.from({ length: 2 }, () => connect(Number(port), '127.0.0.1'));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    // The server has taken both once it answers the second.
    sockets[1]!.write('GET /api/v1/ping HTTP/1.1\r\nHost: a\r\n\r\n');
    await new Promise((resolve) => sockets[1]!.once('data', resolve));
    const surplusConnection = connect(Number(port), '127.0.0.1');
    await new Promise((resolve) => surplusConnection.once('close', resolve).once('error', resolve));
    for (const socket of sockets) socket.destroy();
  });

  it('a connection that sends half a body is closed with 408 after requestTimeoutMs', async () => {
    const demo = demoSettings(1);
    const { url } = await startExchange(undefined, { ...demo, prices: new Map(), httpServer: { requestTimeoutMs: 50 } });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.write('POST /sapi/v1/order HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"symbol"');
    await new Promise((resolve) => socket.once('close', resolve));
    expect(text).toMatch(/^HTTP\/1.1 408 /);
  });
});

// RFC 9112, section 3.2.2: a server must accept a whole URI on the request line, and takes the host from it, not from the header.
describe('a whole URI on the request line', () => {
  /** Sends the lines of a request, and resolves with everything that comes back. */
  const sendLines = (url: string, lines: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.on('close', () => resolve(text)).on('error', reject);
    });
  const CLOSE = 'Connection: close\r\nContent-Type: application/json';

  it.each(['http://example.com', 'HTTP://127.0.0.1:1', 'https://a'])(
    'a whole URI of the origin %s is answered like its path',
    async (origin) => {
      const { url } = await startExchange();
      expect(await sendLines(url, [`GET ${origin}/sapi/v1/ping HTTP/1.1`, 'Host: b', CLOSE])).toMatch(/^HTTP\/1.1 200 /);
      const depth = await sendLines(url, [`GET ${origin}/sapi/v1/depth?symbol=BTCUSDT HTTP/1.1`, 'Host: b', CLOSE]);
      expect(depth).toMatch(/^HTTP\/1.1 200 [\s\S]*"bids"/);
      expect(await sendLines(url, [`GET ${origin} HTTP/1.1`, 'Host: b', CLOSE])).toMatch(/^HTTP\/1.1 404 /);
    },
  );

  it('the signature of a request with a whole URI covers only its path and query', async () => {
    const exchange = await startExchange();
    const timestamp = String(exchange.service.nowMs);
    /** Reads the account with a signature over this target. */
    const readSigned = (signedTarget: string): Promise<string> => {
      const signature = createHmac('sha256', key.secret).update(`${timestamp}GET${signedTarget}`).digest('hex');
      const headers = [`X-CH-APIKEY: ${key.apiKey}`, `X-CH-TS: ${timestamp}`, `X-CH-SIGN: ${signature}`];
      return sendLines(exchange.url, ['GET http://a/sapi/v1/account HTTP/1.1', 'Host: a', ...headers, CLOSE]);
    };
    expect(await readSigned('/sapi/v1/account')).toMatch(/^HTTP\/1.1 200 [\s\S]*balances/);
    expect(await readSigned('http://a/sapi/v1/account')).not.toMatch(/^HTTP\/1.1 200 /);
  });

  it('the control port decides by the host of a whole URI, whatever the Host header says', async () => {
    const { controlUrl } = await startExchange();
    /** Returns the status of a request with this origin and this Host header. */
    const statusFor = async (origin: string, host: string): Promise<string> =>
      (await sendLines(controlUrl!, [`GET ${origin}/ HTTP/1.1`, `Host: ${host}`, CLOSE])).slice(9, 12);
    const { host } = new URL(controlUrl!);
    expect(await statusFor('', host)).toBe('200');
    expect(await statusFor(`http://${host}`, host)).toBe('200');
    expect(await statusFor('http://localhost', 'evil.example')).toBe('200');
    const statusOfForeignHost = await statusFor('', 'evil.example');
    expect(statusOfForeignHost).not.toBe('200');
    for (const origin of [
      'http://evil.example',
      'http://127.0.0.1@evil.example',
      'http://evil.example@127.0.0.1',
      'http://127.0.0.1.evil.example',
    ])
      expect(await statusFor(origin, host), origin).toBe(statusOfForeignHost);
  });

  it('a request with a whole URI opens a WebSocket', async () => {
    const { url } = await startExchange();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const lines = [
      'Host: a',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    ];
    socket.write(`GET http://a/ws HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    const text = await new Promise<string>((resolve) => socket.once('data', (chunk: Buffer) => resolve(chunk.toString())));
    socket.destroy();
    expect(text).toMatch(/^HTTP\/1.1 101 /);
  });
});
