// Tests alerts over real HTTP: their arrival, text, retries and limits, and that they contain no secret.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Secret } from '../../base/text/secret.ts';
import type { Alert } from '../../ports/notifier.ts';
import { LiveScheduler } from '../clock/liveScheduler.ts';
import { UndiciWire } from '../exchange/wire/undiciWire.ts';
import { AlertOutbox, type OutboxOptions } from './outbox.ts';
import { telegramNotifier } from './telegram.ts';
import { webhookNotifier } from './webhook.ts';

/** One request, as the receiver saw it. */
interface Received {
  readonly url: string;
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

let server: Server;
let origin: string;
let wire: UndiciWire;
let scheduler: LiveScheduler;
const received: Received[] = [];
const lost: string[] = [];
/** Replies to the next requests. Later requests get 200. */
let nextReplies: { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }[] = [];

beforeEach(async () => {
  received.length = lost.length = 0;
  nextReplies = [];
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      received.push({
        url: request.url ?? '',
        authorization: request.headers.authorization,
        body: JSON.parse(text),
        atMs: performance.now(),
      });
      const { status, headers = {}, body = '' } = nextReplies.shift() ?? { status: 200 };
      if (status === 0) request.socket.destroy();
      else response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  wire = new UndiciWire();
  scheduler = new LiveScheduler();
});
afterEach(async () => {
  scheduler.close();
  await wire.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Returns an alert about a live bot. */
const alert = (overrides: Partial<Alert> = {}): Alert => ({
  level: 'alarm',
  code: 'MISMATCH',
  bot: 'trend',
  mode: 'live',
  scope: 'account',
  message: 'holdings differ by 0.5 BTC',
  timeMs: 1_723_128_000_000,
  ...overrides,
});

/** Returns an outbox with a webhook, whose lost alerts are recorded. */
const openOutbox = (options: OutboxOptions = {}): AlertOutbox =>
  new AlertOutbox(scheduler, [webhookNotifier(wire.send, new Secret(`${origin}/hook/s3cret`), new Secret('t0ken'))], {
    firstPauseMs: 20,
    lost: ({ code }, name, reason) => void lost.push(`${name} ${code}: ${reason}`),
    ...options,
  });

it('a webhook gets every member of an alert and its text within a second', async () => {
  let deliveryMs = Infinity;
  // A busy computer can only lengthen the time, so the best of three attempts counts.
  for (let attempt = 0; attempt < 3 && deliveryMs >= 1000; attempt++) {
    received.length = 0;
    const startedMs = performance.now();
    openOutbox().send(alert());
    await expect.poll(() => received.length).toBe(1);
    deliveryMs = received[0]!.atMs - startedMs;
  }
  expect(deliveryMs).toBeLessThan(1000);
  expect(received[0]).toMatchObject({
    url: '/hook/s3cret',
    authorization: 'Bearer t0ken',
    body: {
      ...alert(),
      text: 'ALARM trend (live): MISMATCH, account\nholdings differ by 0.5 BTC (2024-08-08 14:40 UTC)',
      time: '2024-08-08T14:40:00.000Z',
    },
  });
});

it('Telegram gets an info alert as plain text without a notification sound', async () => {
  const telegram = telegramNotifier(wire.send, new Secret('123:abc'), '-100', origin);
  const alertOutbox = new AlertOutbox(scheduler, [telegram]);
  alertOutbox.send(alert({ level: 'info', code: 'STARTED', message: 'line\n\u001b[31mred' }));
  await expect.poll(() => received.length).toBe(1);
  expect(received[0]).toMatchObject({ url: '/bot123:abc/sendMessage', body: { chat_id: '-100', disable_notification: true } });
  expect(received[0]!.body['text']).toContain('line\\n\\x1b[31mred');
});

it('an alert is retried after growing pauses, and not before its Retry-After', async () => {
  nextReplies = [{ status: 0 }, { status: 503 }, { status: 429, headers: { 'retry-after': '1' } }];
  openOutbox().send(alert());
  await expect.poll(() => received.length).toBe(4);
  const pauses = received.slice(1).map(({ atMs }, index) => atMs - received[index]!.atMs);
  expect(pauses[0]).toBeGreaterThanOrEqual(19);
  expect(pauses[1]).toBeGreaterThanOrEqual(39);
  expect(pauses[2]).toBeGreaterThanOrEqual(990);
  expect(lost).toEqual([]);
});

it('an alert that the receiver rejects for good is reported lost without the address', async () => {
  nextReplies = [{ status: 404, body: `no hook at ${origin}/hook/s3cret` }];
  openOutbox().send(alert());
  await expect.poll(() => lost.length).toBe(1);
  expect(lost).toEqual(['webhook MISMATCH: it answered HTTP 404, after 1 tries']);
});

it('an alert is given up after the maximum number of tries', async () => {
  nextReplies = Array.from({ length: 9 }, () => ({ status: 500 }));
  openOutbox({ max: 3, firstPauseMs: 1 }).send(alert());
  await expect.poll(() => lost.length).toBe(1);
  expect(received).toHaveLength(3);
});

it('an equal alert is sent again only at a higher level or after the quiet time', async () => {
  const alertOutbox = openOutbox({ quietMs: 300 });
  for (let index = 0; index < 5; index++) alertOutbox.send(alert({ level: 'warn' }));
  alertOutbox.send(alert({ level: 'alarm' }));
  await expect.poll(() => received.map(({ body }) => body['level'])).toEqual(['warn', 'alarm']);
  await new Promise((resolve) => setTimeout(resolve, 320));
  alertOutbox.send(alert({ level: 'alarm' }));
  await expect.poll(() => received.length).toBe(3);
});

it('alarms are sent before waiting messages, and at most a hundred messages wait', async () => {
  nextReplies = [{ status: 500 }];
  const alertOutbox = openOutbox({ firstPauseMs: 10_000 });
  alertOutbox.send(alert({ level: 'info', code: 'A0' }));
  await expect.poll(() => received.length).toBe(1);
  for (let index = 1; index <= 110; index++) alertOutbox.send(alert({ level: 'info', code: `A${index}` }));
  expect(alertOutbox.waiting).toBeLessThanOrEqual(101);
  alertOutbox.send(alert({ level: 'alarm', code: 'KILLED' }));
  await expect.poll(() => received.length).toBeGreaterThan(1);
  expect(received[1]!.body['code']).toBe('KILLED');
  expect(lost.length).toBeGreaterThanOrEqual(10);
});

it('waiting alerts are sent at once at the end, and given up after the time limit', async () => {
  nextReplies = [{ status: 500 }];
  const alertOutbox = openOutbox({ firstPauseMs: 60_000 });
  alertOutbox.send(alert());
  await expect.poll(() => received.length).toBe(1);
  alertOutbox.send(alert({ code: 'JOURNAL' }));
  await new Promise<void>((resolve) => alertOutbox.finish(5000, resolve));
  expect(received.slice(1).map(({ body }) => body['code'])).toEqual(expect.arrayContaining(['MISMATCH', 'JOURNAL']));
  await new Promise<void>((resolve) => alertOutbox.finish(5000, resolve));
  const unreachable = openOutbox({ firstPauseMs: 60_000 });
  nextReplies = Array.from({ length: 9 }, () => ({ status: 500 }));
  unreachable.send(alert());
  const startedMs = performance.now();
  await new Promise<void>((resolve) => unreachable.finish(300, resolve));
  expect(performance.now() - startedMs).toBeGreaterThan(250);
});
