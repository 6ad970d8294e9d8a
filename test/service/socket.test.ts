// Tests the heartbeat socket /ws over real sockets: the server closes silent clients, and the client reconnects after faults.

import { createServer, connect as connectTcp, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { WebSocket } from 'undici';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LiveScheduler } from '../../src/adapters/clock/liveScheduler.ts';
import {
  PersistentSocket,
  reconnectPauseMs,
  type PersistentSocketOptions,
  type SocketState,
} from '../../src/adapters/exchange/socket/persistentSocket.ts';
import { demoSettings } from '../../src/paperExchange/process/demo.ts';
import { runExchange, type RunningExchange } from '../../src/paperExchange/process/runExchange.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { frameOf, FrameReader, OPCODE, type SocketFrame } from '../../src/protocol/socket/frames.ts';
import { profileOf } from '../../src/paperExchange/dialect/profile.ts';

/** What is closed after the test, the last one first. */
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of cleanups.splice(0).toReversed()) await end();
});

/** Long enough that even a busy machine pings twice before it gives up. */
const FAST_HEARTBEAT = { everyMs: 100, pongTimeoutMs: 450 };
/** Long enough for the answers of a client on a busy machine. A silent client shows when the time has passed. */
const SLOW_HEARTBEAT = { everyMs: 100, pongTimeoutMs: 5000 };

/** Whether pings and pongs are control frames or text messages. */
type HeartbeatForm = 'frame' | 'message';
/** Starts an exchange with this form of heartbeat. */
async function startExchange(heartbeatForm: HeartbeatForm = 'frame', heartbeat = FAST_HEARTBEAT, port = 0): Promise<RunningExchange> {
  const { service, ...settings } = demoSettings(1);
  const running = await runExchange(
    { ...settings, prices: new Map(), service: { ...service, heartbeat, profile: profileOf({ heartbeatForm }) } },
    { host: '127.0.0.1', port, controlPort: null, crash: () => {} },
  );
  cleanups.push(() => running.close());
  return running;
}

const UPGRADE_HEADERS =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const MASK = Buffer.from([1, 2, 3, 4]);

/** A WebSocket client of bare bytes, which can also send invalid frames. */
class RawConnection {
  readonly socket: Socket;
  readonly frames: SocketFrame[] = [];
  /** All bytes before the first frame, as text. */
  text = '';
  isClosed = false;
  readonly #reader = new FrameReader('server', 70_000);

  constructor(port: number, request: string) {
    this.socket = connectTcp(port, '127.0.0.1', () => this.socket.write(request));
    this.socket.on('data', (bytes) => {
      // Frames follow the head of a 101; all else is text.
      const isOpen = this.text.includes('101 Switching');
      const endOfText = bytes.includes('101 Switching') ? bytes.indexOf('\r\n\r\n') + 4 : bytes.length;
      const end = isOpen ? 0 : endOfText;
      this.text += bytes.toString('latin1', 0, end);
      this.frames.push(...this.#reader.push(bytes.subarray(end)).frames);
    });
    this.socket.on('close', () => (this.isClosed = true));
    this.socket.on('error', () => {});
    cleanups.push(() => this.socket.destroy());
  }

  /** Sends a frame. */
  send(opcode: number, payload: string | Buffer = ''): void {
    this.socket.write(frameOf(opcode, Buffer.from(payload), MASK));
  }

  /** Returns the code of the server's close frame. */
  closeCode(): number | undefined {
    const closeFrame = this.frames.find(({ opcode }) => opcode === OPCODE.close);
    if (closeFrame === undefined) return undefined;
    const [high, low] = closeFrame.payload;
    return high! * 256 + low!;
  }
}

/** Returns the port of an exchange. */
const portOf = ({ url }: { url: string }): number => Number(new URL(url).port);
/** Opens a connection with these headers of an upgrade. */
const connectRaw = (exchange: RunningExchange, upgradeHeaders = UPGRADE_HEADERS): RawConnection =>
  new RawConnection(portOf(exchange), `GET /ws HTTP/1.1\r\nHost: a\r\n${upgradeHeaders}\r\n`);
/** Waits until a condition is true, even on a busy machine. */
const waitUntil = (condition: () => boolean): Promise<unknown> => vi.waitUntil(condition, { timeout: 300_000, interval: 5 });

describe('the server', () => {
  it('the server accepts the upgrade of the RFC, pings, and closes a silent client with 1008', async () => {
    const socket = connectRaw(await startExchange());
    const startedMs = performance.now();
    await waitUntil(() => socket.isClosed);
    // Approximate: on a busy computer the exchange's clock may pause. heartbeat.test.ts checks it to the ms.
    expect(performance.now() - startedMs).toBeGreaterThan(FAST_HEARTBEAT.pongTimeoutMs - FAST_HEARTBEAT.everyMs);
    expect(socket.text).toContain('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n');
    expect(socket.frames.filter(({ opcode }) => opcode === OPCODE.ping).length).toBeGreaterThanOrEqual(2);
    expect(socket.closeCode()).toBe(1008);
  });

  it('the server keeps a foreign client that answers its pings', async () => {
    const exchange = await startExchange('frame', SLOW_HEARTBEAT);
    const socket = new WebSocket(`${exchange.url.replace('http', 'ws')}/ws`);
    cleanups.push(() => socket.close());
    await waitUntil(() => socket.readyState === WebSocket.OPEN);
    const silent = connectRaw(exchange);
    await waitUntil(() => silent.isClosed);
    expect(silent.closeCode()).toBe(1008);
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });

  it('under heartbeatForm: message the server keeps a client that answers with text, and closes one that answers with control frames', async () => {
    const exchange = await startExchange('message', SLOW_HEARTBEAT);
    const wellBehaved = connectRaw(exchange);
    const misbehaving = connectRaw(exchange);
    /** Calls `pong` for each ping of the server. */
    const answerPings = (socket: RawConnection, pong: (stamp: string) => void) => {
      let answeredCount = 0;
      const timer = setInterval(() => {
        for (const { payload } of socket.frames.slice(answeredCount))
          pong(/^\{"ping":(\d+)\}$/.exec(Buffer.from(payload).toString())?.[1] ?? '');
        answeredCount = socket.frames.length;
      }, 10);
      cleanups.push(() => clearInterval(timer));
    };
    answerPings(wellBehaved, (stamp) => wellBehaved.send(OPCODE.text, `{"pong":${stamp}}`));
    answerPings(misbehaving, (stamp) => misbehaving.send(OPCODE.pong, stamp));
    await waitUntil(() => misbehaving.isClosed);
    expect(wellBehaved.isClosed).toBe(false);
  });

  it.each<[string, (socket: RawConnection) => void, number]>([
    ['a message in parts', ({ socket }) => socket.write(Buffer.from('01850102030449676f6870', 'hex')), 1003],
    ['no mask', ({ socket }) => socket.write(frameOf(OPCODE.text, Buffer.from('x'))), 1002],
    ['a message of 5 KB', (socket) => socket.send(OPCODE.text, 'x'.repeat(5000)), 1009],
    ['text that is not valid UTF-8', (socket) => socket.send(OPCODE.text, Buffer.from([0xff])), 1007],
    ['a close', (socket) => socket.send(OPCODE.close, Buffer.from([3, 232])), 1000],
  ])('after %s the server closes the connection with %i', async (_, send, code) => {
    const socket = connectRaw(await startExchange('frame', { everyMs: 10_000, pongTimeoutMs: 30_000 }));
    await waitUntil(() => socket.text !== '');
    send(socket);
    await waitUntil(() => socket.isClosed);
    expect(socket.closeCode()).toBe(code);
  });

  it('the server answers pings of the client, and ignores its other messages', async () => {
    const socket = connectRaw(await startExchange('frame', { everyMs: 10_000, pongTimeoutMs: 30_000 }));
    await waitUntil(() => socket.text !== '');
    socket.send(OPCODE.text, '{"event":"sub","params":{"channel":"market_btcusdt_ticker"}}');
    socket.send(OPCODE.binary, 'x');
    socket.send(OPCODE.ping, 'mine');
    await waitUntil(() => socket.frames.length > 0);
    expect(socket.frames.map(({ opcode, payload }) => [opcode, Buffer.from(payload).toString()])).toEqual([[OPCODE.pong, 'mine']]);
  });

  it.each([
    ['another version', UPGRADE_HEADERS.replace('13', '8'), 'HTTP/1.1 426 Upgrade Required\r\nSec-WebSocket-Version: 13'],
    ['an invalid key', UPGRADE_HEADERS.replace('dGhl', ''), 'HTTP/1.1 400 Bad Request'],
  ])('an upgrade with %s is rejected', async (_, upgradeHeaders, reply) => {
    const socket = connectRaw(await startExchange(), upgradeHeaders);
    await waitUntil(() => socket.isClosed);
    expect(socket.text.startsWith(reply)).toBe(true);
  });

  it('an exchange closes although a client neither closes a connection whose upgrade was rejected nor reads its pongs', async () => {
    const exchange = await startExchange('frame', { everyMs: 10_000, pongTimeoutMs: 30_000 });
    const port = portOf(exchange);
    const rejected = connectTcp({ port, host: '127.0.0.1', allowHalfOpen: true });
    cleanups.push(() => rejected.destroy());
    rejected.write(`GET /ws HTTP/1.1\r\nHost: a\r\n${UPGRADE_HEADERS.replace('13', '8')}\r\n`);
    await new Promise((resolve) => rejected.once('data', resolve));
    const pausedSocket = connectTcp({ port, host: '127.0.0.1' });
    cleanups.push(() => pausedSocket.destroy());
    pausedSocket.on('error', () => {});
    pausedSocket.write(`GET /ws HTTP/1.1\r\nHost: a\r\n${UPGRADE_HEADERS}\r\n`);
    await new Promise((resolve) => pausedSocket.once('data', resolve));
    pausedSocket.pause();
    const pings = Buffer.concat(Array.from({ length: 500 }, () => frameOf(OPCODE.ping, Buffer.alloc(125), MASK)));
    // Until the socket buffers are full on the way back, and the server holds what the client does not read.
    for (let round = 0; round < 400 && !pausedSocket.destroyed; round++)
      if (!pausedSocket.write(pings)) await new Promise((resolve) => setTimeout(resolve, 1));
    await exchange.close();
    await waitUntil(() => rejected.readableEnded || rejected.destroyed);
  });

  it('the server answers requests that offer an upgrade to another protocol as ordinary requests', async () => {
    const exchange = await startExchange();
    const body = '{"a":1}';
    const headers =
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\nContent-Type: application/json\r\n';
    const socket = new RawConnection(
      portOf(exchange),
      `POST /sapi/v1/order HTTP/1.1\r\nHost: a\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    await waitUntil(() => socket.text.includes('"code":-1002'));
    socket.socket.write(`GET /sapi/v1/ping HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
    await waitUntil(() => socket.text.endsWith('{}'));
    socket.socket.write(`GET /sapi/v1/none HTTP/1.1\r\nHost: a\r\n${UPGRADE_HEADERS}Content-Type: application/json\r\n\r\n`);
    await waitUntil(() => socket.text.includes('/sapi/v1/none'));
    expect([...socket.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1])).toEqual(['401', '200', '404']);
  });

  it('a server that ends closes its connections with 1001', async () => {
    const exchange = await startExchange('frame', { everyMs: 10_000, pongTimeoutMs: 30_000 });
    const socket = connectRaw(exchange);
    await waitUntil(() => socket.text !== '');
    await exchange.close();
    await waitUntil(() => socket.isClosed);
    expect(socket.closeCode()).toBe(1001);
  });
});

describe('the client', () => {
  /** Starts a client whose pauses are a tenth of the usual ones, so that a test does not take a minute. */
  function connectClient(url: string, options: PersistentSocketOptions = {}): { socket: PersistentSocket; states: SocketState[] } {
    const scheduler = new LiveScheduler({ speed: 10 });
    const states: SocketState[] = [];
    const socket = new PersistentSocket(`${url.replace('http', 'ws')}/ws`, scheduler, () => 0.5, {
      changed: (state) => states.push(state),
      ...options,
    });
    cleanups.push(() => (socket.stop(), scheduler.close()));
    socket.start();
    return { socket, states };
  }
  /** Returns the number of pings that a client has answered since it connected. */
  const pingCount = ({ state }: PersistentSocket): number => (state.kind === 'open' ? state.pings : 0);
  const stateNames = (states: readonly SocketState[]): string => states.map(({ kind }) => kind).join(' ');

  it.each<HeartbeatForm>(['frame', 'message'])('the client stays connected by its answers to pings of the form %s', async (form) => {
    const { socket, states } = connectClient((await startExchange(form)).url);
    await waitUntil(() => pingCount(socket) >= 8);
    expect(stateNames(states)).toBe('connecting open');
    expect(socket.state).toMatchObject({ kind: 'open', lastPingMs: expect.any(Number) as number });
    socket.stop();
    expect(socket.state).toEqual({ kind: 'off' });
  });

  it('the client reconnects when the exchange has restarted', async () => {
    const firstExchange = await startExchange();
    const { socket, states } = connectClient(firstExchange.url);
    await waitUntil(() => pingCount(socket) >= 1);
    await firstExchange.close();
    await waitUntil(() => socket.state.kind === 'waiting');
    expect(socket.state).toMatchObject({ kind: 'waiting', attempt: 1, why: 'the service closed it (1001)' });
    await waitUntil(() => stateNames(states).includes('waiting connecting waiting'));
    expect(states.at(-1)).toMatchObject({ attempt: 2, why: 'ECONNREFUSED' });
    await startExchange('frame', FAST_HEARTBEAT, portOf(firstExchange));
    await waitUntil(() => pingCount(socket) >= 1);
  });

  /** What a server does with a connection. `accept` is the head of a reply that accepts the upgrade, without its last line. */
  type ServerScript = (socket: Socket, accept: string) => void;
  /** Starts a server that runs one script for each connection in turn. The last script serves all further ones. */
  async function startScriptedServer(...scripts: ServerScript[]): Promise<string> {
    let connectionCount = 0;
    const { createHash } = await import('node:crypto');
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (bytes) => {
        const key = /sec-websocket-key: (\S+)/i.exec(bytes.toString())?.[1] ?? '';
        const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
        scripts[Math.min(connectionCount++, scripts.length - 1)]!(
          socket,
          `HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n`,
        );
      });
      cleanups.push(() => socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => server.close());
    return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  }

  /** Only the tests of a time limit have a short one. Else a busy computer would look like a silent server. */
  const LONG_TIME_LIMITS: PersistentSocketOptions = { openTimeoutMs: 300_000, silenceMs: 300_000 };
  it.each<[name: string, misbehaving: ServerScript, why: RegExp, options?: PersistentSocketOptions]>([
    ['a reset', (socket) => socket.resetAndDestroy(), /ECONNRESET/],
    ['a reply that is no upgrade', (socket) => socket.end('HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n'), /HTTP 503/],
    ['a wrong accept', (socket, accept) => socket.write(`${accept.replace(/Accept: .*/, 'Accept: x')}\r\n\r\n`), /got another reply/],
    [
      'an extension',
      (socket, accept) => socket.write(`${accept}Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n`),
      /got another reply/,
    ],
    [
      'a masked frame',
      (socket, accept) => socket.write(Buffer.concat([Buffer.from(`${accept}\r\n`), frameOf(1, Buffer.from('x'), MASK)])),
      /masked/,
    ],
    ['an end without a close frame', (socket, accept) => socket.end(`${accept}\r\n`), /lost/],
    ['nothing at all', () => {}, /no connection within 10000 ms/, { ...LONG_TIME_LIMITS, openTimeoutMs: 10_000 }],
    ['no ping', (socket, accept) => socket.write(`${accept}\r\n`), /no ping for 10000 ms/, { ...LONG_TIME_LIMITS, silenceMs: 10_000 }],
  ])('the client reconnects after %s', async (_, misbehaving, why, options = LONG_TIME_LIMITS) => {
    const wellBehaved = (socket: Socket, accept: string) =>
      socket.write(Buffer.concat([Buffer.from(`${accept}\r\n`), frameOf(OPCODE.binary, gzipSync('{"ping":1}'))]));
    const { socket, states } = connectClient(await startScriptedServer(misbehaving, wellBehaved), options);
    await waitUntil(() => pingCount(socket) === 1);
    expect(states.find(({ kind }) => kind === 'waiting')).toMatchObject({ attempt: 2, why: expect.stringMatching(why) as string });
  });

  it('the client waits longer each time for a server that accepts and closes at once', async () => {
    const { states } = connectClient(await startScriptedServer((socket, accept) => socket.end(`${accept}\r\n`)));
    await waitUntil(() => states.filter(({ kind }) => kind === 'waiting').length === 3);
    expect(states.flatMap((state) => (state.kind === 'waiting' ? [state.attempt] : []))).toEqual([2, 3, 4]);
  });

  it('the pauses between connections double from 1 s to 60 s, less a random part of at most one half', () => {
    expect([1, 2, 3, 6, 7, 8, 5000].map((attempt) => reconnectPauseMs(attempt, 1))).toEqual([
      1000, 2000, 4000, 32_000, 60_000, 60_000, 60_000,
    ]);
    expect(reconnectPauseMs(3, 0)).toBe(2000);
  });

  it.each(['http://127.0.0.1/ws', 'ws://example.com/ws', 'wss://user:secret@example.com/ws', 'ws:', 'x'])(
    'the socket address %s is rejected',
    (url) => {
      expect(() => new PersistentSocket(url, new LiveScheduler(), () => 0)).toThrow(ConfigError);
    },
  );
});
