// Tests connections of the exchange's HTTP server: requests in pieces, invalid bytes, and clients that do not read.

import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repeatEvery } from '../../src/adapters/clock/wallClock.ts';
import { HTTP_DEFAULTS, startHttpServer, type RunningHttpServer } from '../../src/paperExchange/http/httpServer.ts';
import type { Answerer } from '../../src/paperExchange/http/answerer.ts';

const GET = 'GET /a?b=1 HTTP/1.1\r\nHost: x\r\nX-Ch-Ts:  1 \r\n\r\n';
const POST = 'POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';
describe('a connection', () => {
  let server: RunningHttpServer;
  const heldReplies: (() => void)[] = [];
  const answer: Answerer = ({ method, target, headers, body }, deliver) => {
    const reply = {
      status: 200,
      headers: {},
      body: JSON.stringify([method, target, headers['x-ch-ts'] ?? null, Buffer.from(body).toString()]),
    };
    if (target === '/later') heldReplies.push(() => deliver(reply));
    else if (target === '/none') deliver(null);
    else if (target === '/cut') deliver({ ...reply, cutAt: 3 });
    else if (target === '/wide') deliver({ ...reply, body: '"\u20ac"' });
    else deliver(reply);
  };
  beforeAll(async () => {
    server = await startHttpServer(answer, { ...HTTP_DEFAULTS, requestTimeoutMs: 200, clock: { repeat: repeatEvery } });
  });
  afterAll(() => server.close());

  /** Sends pieces over one connection and ends it. Runs `between` after each piece. Returns the text that comes back. */
  async function replyText(
    pieces: readonly string[],
    between = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20)),
  ): Promise<string> {
    const socket: Socket = connect(server.port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.on('close', resolve));
    for (const piece of pieces) {
      socket.write(piece, 'latin1');
      await between();
    }
    socket.end();
    await closed;
    return Buffer.concat(chunks).toString();
  }
  const replyBodies = (text: string): readonly string[] => [...text.matchAll(/\r\n\r\n(\[.*?\])/gs)].map((replies) => replies[1]!);
  const GET_REPLY = '["GET","/a?b=1","1",""]';

  it('a reply has the usual headers and the length of its body in bytes', async () => {
    expect((await replyText([GET])).replace(/Date: .* GMT/, 'Date: now')).toBe(
      'HTTP/1.1 200 OK\r\nContent-Type: application/json;charset=UTF-8\r\nContent-Length: 23\r\n' +
        `Date: now\r\nConnection: keep-alive\r\nKeep-Alive: timeout=65\r\n\r\n${GET_REPLY}`,
    );
    expect(await replyText([GET.replace('/a?b=1', '/wide')])).toMatch(/Content-Length: 5\r\n.*"\u20ac"$/s);
  });

  it.each([
    ['plain ones', [GET, POST, GET], 3],
    ['one in pieces', [GET.slice(0, 20), GET.slice(20), GET], 2],
    ['head and body apart', [POST.slice(0, -2), '{}', GET], 2],
    ['several at once', [GET + POST + GET, GET], 4],
    [
      'chunks, then a plain one',
      [POST.replace('Content-Length: 2\r\n\r\n{}', 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'), GET],
      2,
    ],
    ['another method, then a plain one', [GET.replace('GET', 'DELETE'), GET], 2],
  ])('a connection answers requests in their order: %s', async (_, pieces, count) => {
    const replies = replyBodies(await replyText(pieces));
    expect(replies).toHaveLength(count);
    expect(replies.at(-1)).toBe(GET_REPLY);
  });

  it('a request that comes while an earlier one waits is answered after it', async () => {
    const waiting = replyText([GET.replace('/a?b=1', '/later'), GET, POST]);
    await new Promise((resolve) => setTimeout(resolve, 40));
    for (const deliverHeld of heldReplies.splice(0)) deliverHeld();
    expect(replyBodies(await waiting)).toEqual(['["GET","/later","1",""]', GET_REPLY, '["POST","/a",null,"{}"]']);
  });

  it('a client that ends its connection before the reply is ready gets none, and other connections are answered', async () => {
    const laterReply = replyText([GET.replace('/a?b=1', '/later')]);
    await new Promise((resolve) => setTimeout(resolve, 60));
    for (const deliverHeld of heldReplies.splice(0)) deliverHeld();
    expect(await laterReply).toBe('');
    expect(replyBodies(await replyText([GET]))).toEqual([GET_REPLY]);
  });

  it('a planted fault ends a connection without a reply, or within one', async () => {
    expect(await replyText([GET.replace('/a?b=1', '/none')])).toBe('');
    expect(await replyText([GET.replace('/a?b=1', '/cut')])).toMatch(/\r\n\r\n\["G$/);
  });

  const TWO_BYTES = 'Content-Length: 2';
  it.each([
    ['no HTTP', 'nonsense\r\n\r\n'],
    ['no host', GET.replace('Host: x\r\n', '')],
    ['two lengths', POST.replace(TWO_BYTES, `${TWO_BYTES}\r\nContent-Length: 3`)],
    ['a length that is not a number', POST.replace(': 2', ': +2')],
    ['a length and chunks', POST.replace(TWO_BYTES, `${TWO_BYTES}\r\nTransfer-Encoding: chunked`)],
    ['chunks that are not the last encoding', POST.replace(TWO_BYTES, 'Transfer-Encoding: chunked, identity')],
    ['a chunk without a size', POST.replace(`${TWO_BYTES}\r\n\r\n{}`, 'Transfer-Encoding: chunked\r\n\r\nz\r\n{}\r\n0\r\n\r\n')],
    ['a space before the colon', GET.replace('Host:', 'Host :')],
    ['a bare carriage return', GET.replace('x\r\n', 'x\ry\r\n')],
    ['a name that is not a token', GET.replace('Host', 'X@Y: 1\r\nHost')],
  ])('a request with %s is answered with 400, and nothing after it is read', async (_, text) => {
    const reply = await replyText([text + GET]);
    expect(reply).toMatch(/^HTTP\/1\.1 400 /);
    expect(replyBodies(reply)).toEqual([]);
  });

  it('bytes behind a body are an invalid next request, which is rejected with 400', async () => {
    const reply = await replyText([`${POST}x`, GET]);
    expect(reply).toMatch(/^HTTP\/1\.1 400 /);
    expect(replyBodies(reply)).not.toContain(GET_REPLY);
  });

  it.each([
    ['a body that never ends', POST.slice(0, -1)],
    ['a head that never ends', GET.slice(0, -2)],
    ['no byte at all', ''],
  ])('a client that sends %s is disconnected, and its request is not answered', async (_, text) => {
    const socket: Socket = connect(server.port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    const closed = new Promise((resolve) => socket.on('close', resolve));
    if (text !== '') socket.write(text);
    await closed;
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('a request that is cut off with its connection gets no reply', async () => {
    const reply = await replyText([POST.slice(0, -1)]);
    expect(replyBodies(reply)).toEqual([]);
    expect(replyBodies(await replyText([GET]))).toEqual([GET_REPLY]);
  });
});

describe('a client that does not read', () => {
  const BODY = JSON.stringify('x'.repeat(1 << 20));
  const pause = async (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  /** Sends up to `requestCount` requests for 1 MB in batches, and reads nothing. Stops after three batches without a reply. */
  async function askWithoutReading(requestCount: number, batchSize = 1) {
    const progress = { answers: 0 };
    /** Runs the server's check of idle connections. */
    let sweep = (): void => {};
    const clock = { repeat: (_: number, run: () => void) => ((sweep = run), () => {}) };
    const answer: Answerer = (_, deliver) => {
      progress.answers++;
      deliver({ status: 200, headers: {}, body: BODY });
    };
    const listener = await startHttpServer(answer, { ...HTTP_DEFAULTS, clock });
    const socket = connect(listener.port, '127.0.0.1');
    const closed = new Promise<void>((resolve) => void socket.on('close', () => resolve()));
    socket.on('error', () => {});
    await new Promise((resolve) => socket.on('connect', resolve));
    socket.pause();
    let requestsSent = 0;
    for (let unanswered = 0; requestsSent < requestCount && unanswered < 3; requestsSent += batchSize) {
      const { answers } = progress;
      socket.write(GET.repeat(batchSize));
      for (let tries = 0; tries < 50 && progress.answers === answers; tries++) await pause(2);
      if (progress.answers === answers) unanswered++;
    }
    return { listener, socket, closed, sweep: () => sweep(), asked: requestsSent, answers: () => progress.answers };
  }

  it('a client that does not read gets no further replies when its buffers are full, and gets the rest once it reads', async () => {
    const { listener, socket, asked: requestsSent, answers } = await askWithoutReading(60);
    // The buffers of the sockets, which only the system knows, and one more answer.
    expect(answers()).toBeLessThan(30);
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
    socket.resume();
    for (let tries = 0; tries < 400 && bytes < requestsSent * BODY.length; tries++) await pause(10);
    expect([answers(), Math.floor(bytes / BODY.length)]).toEqual([requestsSent, requestsSent]);
    socket.destroy();
    await listener.close();
  });

  it.each([
    ['one at a time', 1],
    ['several at once', 2],
  ])('a client that does not read is closed by the third check of idle connections: requests %s', async (_, batchSize) => {
    const { listener, socket, closed, sweep } = await askWithoutReading(40, batchSize);
    for (let round = 0; round < 3; round++) sweep();
    // The end of it comes behind what it has not read.
    socket.resume();
    // Long before the server would close a connection that has read everything and is idle.
    const inTime = await Promise.race([closed.then(() => true), pause(30_000).then(() => false)]);
    expect(inTime).toBe(true);
    await listener.close();
  });

  it('a client that has read all replies and sends no request now is not closed', async () => {
    const { listener, socket, closed, sweep } = await askWithoutReading(2, 2);
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
    socket.resume();
    for (let tries = 0; tries < 400 && bytes < 2 * BODY.length; tries++) await pause(10);
    for (let round = 0; round < 3; round++) sweep();
    await pause(20);
    expect(socket.destroyed).toBe(false);
    socket.destroy();
    await closed;
    await listener.close();
  });
});
