// /ws over real sockets: a pong keeps it, silence closes it, faults make the client come back; and what it must not disturb.

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

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

/** Long enough that even a busy machine pings twice before it gives up. */
const FAST = { everyMs: 100, pongTimeoutMs: 450 };
type Form = 'frame' | 'message';
async function open(heartbeatForm: Form = 'frame', heartbeat = FAST, port = 0): Promise<RunningExchange> {
  const { service, ...settings } = demoSettings(1);
  const running = await runExchange(
    { ...settings, prices: new Map(), service: { ...service, heartbeat, profile: profileOf({ heartbeatForm }) } },
    { host: '127.0.0.1', port, controlPort: null, crash: () => {} },
  );
  endings.push(() => running.close());
  return running;
}

const OPENING = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const MASK = Buffer.from([1, 2, 3, 4]);

/** A connection of bytes. */
class Raw {
  readonly socket: Socket;
  readonly frames: SocketFrame[] = [];
  text = '';
  isClosed = false;
  readonly #reader = new FrameReader('server', 70_000);

  constructor(port: number, request: string) {
    this.socket = connectTcp(port, '127.0.0.1', () => this.socket.write(request));
    this.socket.on('data', (bytes) => {
      // Frames follow the head of a 101; all else is text.
      const isOpen = this.text.includes('101 Switching');
      const end = isOpen ? 0 : bytes.includes('101 Switching') ? bytes.indexOf('\r\n\r\n') + 4 : bytes.length;
      this.text += bytes.toString('latin1', 0, end);
      this.frames.push(...this.#reader.push(bytes.subarray(end)).frames);
    });
    this.socket.on('close', () => (this.isClosed = true));
    this.socket.on('error', () => {});
    endings.push(() => this.socket.destroy());
  }

  send(opcode: number, payload: string | Buffer = ''): void {
    this.socket.write(frameOf(opcode, Buffer.from(payload), MASK));
  }

  closeCode(): number | undefined {
    return this.frames
      .find(({ opcode }) => opcode === OPCODE.close)
      ?.payload.reduce((sum, byte, at) => (at < 2 ? sum * 256 + byte : sum), 0);
  }
}

const portOf = ({ url }: { url: string }): number => Number(new URL(url).port);
const raw = (of: RunningExchange, opening = OPENING): Raw => new Raw(portOf(of), `GET /ws HTTP/1.1\r\nHost: a\r\n${opening}\r\n`);
const until = (test: () => boolean): Promise<unknown> => vi.waitUntil(test, { timeout: 300_000, interval: 5 });
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('the server', () => {
  it('the server opens as the RFC says, pings, and closes a silent client with 1008', async () => {
    const socket = raw(await open());
    const startedMs = performance.now();
    await until(() => socket.isClosed);
    // Approximate: on a busy computer the exchange's clock may pause. heartbeat.test.ts checks it to the ms.
    expect(performance.now() - startedMs).toBeGreaterThan(FAST.pongTimeoutMs - FAST.everyMs);
    expect(socket.text).toContain('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n');
    expect(socket.frames.filter(({ opcode }) => opcode === OPCODE.ping).length).toBeGreaterThanOrEqual(2);
    expect(socket.closeCode()).toBe(1008);
  });

  it('the server keeps another client than ours, which answers pings by itself', async () => {
    const of = await open();
    const socket = new WebSocket(`${of.url.replace('http', 'ws')}/ws`);
    endings.push(() => socket.close());
    await until(() => socket.readyState === WebSocket.OPEN);
    await pause(3 * FAST.pongTimeoutMs);
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });

  it('the server keeps who answers pings of text, and closes who answers them with control frames', async () => {
    const of = await open('message');
    const [right, wrong] = [raw(of), raw(of)];
    const answer = (socket: Raw, pong: (stamp: string) => void) => {
      let answered = 0;
      const timer = setInterval(() => {
        for (const { payload } of socket.frames.slice(answered))
          pong(/^\{"ping":(\d+)\}$/.exec(Buffer.from(payload).toString())?.[1] ?? '');
        answered = socket.frames.length;
      }, 10);
      endings.push(() => clearInterval(timer));
    };
    answer(right, (stamp) => right.send(OPCODE.text, `{"pong":${stamp}}`));
    answer(wrong, (stamp) => wrong.send(OPCODE.pong, stamp));
    await until(() => wrong.isClosed);
    await pause(2 * FAST.pongTimeoutMs);
    expect(right.isClosed).toBe(false);
  });

  it.each<[string, (socket: Raw) => void, number]>([
    ['a message in parts', ({ socket }) => socket.write(Buffer.from('01850102030449676f6870', 'hex')), 1003],
    ['no mask', ({ socket }) => socket.write(frameOf(OPCODE.text, Buffer.from('x'))), 1002],
    ['a message of 5 KB', (socket) => socket.send(OPCODE.text, 'x'.repeat(5000)), 1009],
    ['text that is not valid UTF-8', (socket) => socket.send(OPCODE.text, Buffer.from([0xff])), 1007],
    ['a close', (socket) => socket.send(OPCODE.close, Buffer.from([3, 232])), 1000],
  ])('the server: %s: %i', async (_, send, code) => {
    const socket = raw(await open('frame', { everyMs: 10_000, pongTimeoutMs: 30_000 }));
    await until(() => socket.text !== '');
    send(socket);
    await until(() => socket.isClosed);
    expect(socket.closeCode()).toBe(code);
  });

  it('the server answers pings of the client, and leaves what else it says alone', async () => {
    const socket = raw(await open('frame', { everyMs: 10_000, pongTimeoutMs: 30_000 }));
    await until(() => socket.text !== '');
    socket.send(OPCODE.text, '{"event":"sub","params":{"channel":"market_btcusdt_ticker"}}');
    socket.send(OPCODE.binary, 'x');
    socket.send(OPCODE.ping, 'mine');
    await until(() => socket.frames.length > 0);
    expect(socket.frames.map(({ opcode, payload }) => [opcode, Buffer.from(payload).toString()])).toEqual([[OPCODE.pong, 'mine']]);
  });

  it.each([
    ['another version', OPENING.replace('13', '8'), 'HTTP/1.1 426 Upgrade Required\r\nSec-WebSocket-Version: 13'],
    ['a key that is none', OPENING.replace('dGhl', ''), 'HTTP/1.1 400 Bad Request'],
  ])('the server refuses %s', async (_, opening, answer) => {
    const socket = raw(await open(), opening);
    await until(() => socket.isClosed);
    expect(socket.text.startsWith(answer)).toBe(true);
  });

  it('the server leaves requests alone that ask for another protocol beside, bodies and further requests included', async () => {
    const of = await open();
    const body = '{"a":1}';
    const h2c =
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\nContent-Type: application/json\r\n';
    const socket = new Raw(portOf(of), `POST /sapi/v1/order HTTP/1.1\r\nHost: a\r\n${h2c}Content-Length: ${body.length}\r\n\r\n${body}`);
    await until(() => socket.text.includes('"code":-1002'));
    socket.socket.write(`GET /sapi/v1/ping HTTP/1.1\r\nHost: a\r\n${h2c}\r\n`);
    await until(() => socket.text.endsWith('{}'));
    socket.socket.write(`GET /sapi/v1/none HTTP/1.1\r\nHost: a\r\n${OPENING}Content-Type: application/json\r\n\r\n`);
    await until(() => socket.text.includes('/sapi/v1/none'));
    expect([...socket.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1])).toEqual(['401', '200', '404']);
  });

  it('the server closes its connections with it', async () => {
    const of = await open('frame', { everyMs: 10_000, pongTimeoutMs: 30_000 });
    const socket = raw(of);
    await until(() => socket.text !== '');
    await of.close();
    await until(() => socket.isClosed);
    expect(socket.closeCode()).toBe(1001);
  });
});

describe('the client', () => {
  /** Pauses are a tenth of what they are, so that a test is not a minute long. */
  function kept(url: string, options: PersistentSocketOptions = {}): { socket: PersistentSocket; states: SocketState[] } {
    const scheduler = new LiveScheduler({ speed: 10 });
    const states: SocketState[] = [];
    const socket = new PersistentSocket(`${url.replace('http', 'ws')}/ws`, scheduler, () => 0.5, {
      changed: (state) => states.push(state),
      ...options,
    });
    endings.push(() => (socket.stop(), scheduler.close()));
    socket.start();
    return { socket, states };
  }
  const pings = ({ state }: PersistentSocket): number => (state.kind === 'open' ? state.pings : 0);
  const kinds = (states: readonly SocketState[]): string => states.map(({ kind }) => kind).join(' ');

  it.each<Form>(['frame', 'message'])('the client is kept by its answers to pings as %s', async (form) => {
    const { socket, states: news } = kept((await open(form)).url);
    await until(() => pings(socket) >= 8);
    expect(kinds(news)).toBe('connecting open');
    expect(socket.state).toMatchObject({ kind: 'open', lastPingMs: expect.any(Number) as number });
    socket.stop();
    expect(socket.state).toEqual({ kind: 'off' });
  });

  it('the client comes back once the exchange is there again', async () => {
    const first = await open();
    const { socket, states: otherStates } = kept(first.url);
    await until(() => pings(socket) >= 1);
    await first.close();
    await until(() => socket.state.kind === 'waiting');
    expect(socket.state).toMatchObject({ kind: 'waiting', attempt: 1, why: 'the service closed it (1001)' });
    await until(() => kinds(otherStates).includes('waiting connecting waiting'));
    expect(otherStates.at(-1)).toMatchObject({ attempt: 2, why: 'ECONNREFUSED' });
    await open('frame', FAST, portOf(first));
    await until(() => pings(socket) >= 1);
  });

  /** A service of bytes: what it says to each connection in turn. */
  async function service(...message: ((socket: Socket, accept: string) => void)[]): Promise<string> {
    let turn = 0;
    const { createHash } = await import('node:crypto');
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (bytes) => {
        const key = /sec-websocket-key: (\S+)/i.exec(bytes.toString())?.[1] ?? '';
        const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
        message[Math.min(turn++, message.length - 1)]!(
          socket,
          `HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n`,
        );
      });
      endings.push(() => socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    endings.push(() => server.close());
    return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  }

  /** Short where the time-out is what is tried: elsewhere a busy machine would be taken for a silent service. */
  const TARGET: PersistentSocketOptions = { openTimeoutMs: 300_000, silenceMs: 300_000 };
  it.each<[string, (socket: Socket, accept: string) => void, RegExp, PersistentSocketOptions?]>([
    ['a reset', (socket) => socket.resetAndDestroy(), /ECONNRESET/],
    ['an answer that is none', (socket) => socket.end('HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n'), /HTTP 503/],
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
    ['an end without a word', (socket, accept) => socket.end(`${accept}\r\n`), /lost/],
    ['nothing at all', () => {}, /no connection within 10000 ms/, { ...TARGET, openTimeoutMs: 10_000 }],
    ['no ping', (socket, accept) => socket.write(`${accept}\r\n`), /no ping for 10000 ms/, { ...TARGET, silenceMs: 10_000 }],
  ])('the client comes back after %s', async (_, wrong, why, options = TARGET) => {
    const right = (socket: Socket, accept: string) =>
      socket.write(Buffer.concat([Buffer.from(`${accept}\r\n`), frameOf(OPCODE.binary, gzipSync('{"ping":1}'))]));
    const { socket, states } = kept(await service(wrong, right), options);
    await until(() => pings(socket) === 1);
    expect(states.find(({ kind }) => kind === 'waiting')).toMatchObject({ attempt: 2, why: expect.stringMatching(why) as string });
  });

  it('the client waits ever longer for a service that accepts and closes, since such a connection does not live', async () => {
    const { states } = kept(await service((socket, accept) => socket.end(`${accept}\r\n`)));
    await until(() => states.filter(({ kind }) => kind === 'waiting').length === 3);
    expect(states.flatMap((state) => (state.kind === 'waiting' ? [state.attempt] : []))).toEqual([2, 3, 4]);
  });

  it('pauses 1 s doubling to 60 s, less up to a half', () => {
    expect([1, 2, 3, 6, 7, 8, 5000].map((attempt) => reconnectPauseMs(attempt, 1))).toEqual([
      1000, 2000, 4000, 32_000, 60_000, 60_000, 60_000,
    ]);
    expect(reconnectPauseMs(3, 0)).toBe(2000);
  });

  it.each(['http://127.0.0.1/ws', 'ws://example.com/ws', 'wss://user:secret@example.com/ws', 'ws:', 'x'])(
    'the client refuses %s',
    (url) => {
      expect(() => new PersistentSocket(url, new LiveScheduler(), () => 0)).toThrow(ConfigError);
    },
  );
});
