// Tests the wire against misbehaving sockets: one true outcome a request, nothing sent twice, and no connection left open.

import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { WireReply } from '../../src/adapters/exchange/wire/lateReplyWire.ts';
import { type UndiciWireOptions } from '../../src/adapters/exchange/wire/undiciWire.ts';
import { ConfigError } from '../../src/base/errors.ts';
import type { WireOutcome } from '../../src/ports/wire.ts';
import { utf8 } from '../../src/protocol/json/json.ts';
import { always, answerBytes, dribble, until, type Behaviour } from '../fixtures/stubExchange.ts';
import { BROKEN_ANSWERS } from './brokenAnswers.ts';
import { closeOpenResources, startStub, openWire, orderRequest, pingRequest, send, outcomeOf, bodyText } from '../fixtures/wireFixture.ts';

afterEach(closeOpenResources);

describe('a response', () => {
  test('a response has its status, headers in lower case and the whole body', async () => {
    const stub = await startStub(always(200, '{"a":1}', { 'X-Limit': '5', 'set-cookie': 'a', 'Set-Cookie': 'b', __proto__x: 'y' }));
    const reply = await outcomeOf(openWire(), orderRequest(stub.origin));
    expect(reply).toMatchObject({ kind: 'reply', status: 200, headers: { 'x-limit': '5', 'set-cookie': 'a, b', __proto__x: 'y' } });
    expect(bodyText(reply)).toBe('{"a":1}');
  });

  test('a request is sent byte for byte', async () => {
    const stub = await startStub(always(200, '{}'));
    await outcomeOf(openWire(), orderRequest(stub.origin, '{"text":"\u00e9"}'));
    const [request] = stub.requests;
    expect(request).toMatchObject({ method: 'POST', target: '/sapi/v1/order' });
    expect(request?.body).toEqual(Buffer.from('{"text":"\u00e9"}'));
    expect(request?.headers).toEqual([
      ['host', `127.0.0.1:${stub.port}`],
      ['connection', 'keep-alive'],
      ['Content-Type', 'application/json'],
      ['X-CH-APIKEY', 'key'],
      ['content-length', '13'],
    ]);
  });

  test('a response is accepted with any status: 3xx is not followed, 4xx and 5xx are not failures', async () => {
    const redirectTarget = await startStub(always(200, '{}'));
    const stub = await startStub(always(200, '{}'));
    const wire = openWire();
    for (const status of [201, 204, 301, 302, 303, 307, 308, 400, 418, 429, 500, 502, 504, 599]) {
      stub.behaviour = always(status, status === 204 ? '' : 'text', { location: `${redirectTarget.origin}/` });
      expect(await outcomeOf(wire, orderRequest(stub.origin))).toMatchObject({ kind: 'reply', status });
    }
    expect([stub.requests.length, redirectTarget.connections]).toEqual([14, 0]);
  });

  test('a response may come in pieces, in chunks, after a 1xx or without a length', async () => {
    const stub = await startStub((socket) => void socket.end('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\nto the end'));
    const wire = openWire();
    expect(bodyText(await outcomeOf(wire, orderRequest(stub.origin)))).toBe('to the end');
    stub.behaviour = (socket) =>
      void socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n');
    expect(bodyText(await outcomeOf(wire, orderRequest(stub.origin)))).toBe('onetwo');
    stub.behaviour = (socket) => dribble(socket, answerBytes(200, 'slowly'));
    expect(bodyText(await outcomeOf(wire, orderRequest(stub.origin)))).toBe('slowly');
  });

  test('a response may come after an unrequested 100, in any pieces', async () => {
    const hint = 'HTTP/1.1 100 Continue\r\nX-Via: proxy\r\n\r\n';
    const answer = `HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\nHTTP/1.1 100 body`;
    for (const pieces of [
      [hint + answer],
      [hint, answer],
      [hint + hint, answer],
      (hint + answer).split(''),
      [(hint + answer).slice(0, 5), (hint + answer).slice(5, 50), (hint + answer).slice(50)],
    ]) {
      const stub = await startStub((socket) => void writePieces(socket, pieces));
      const wire = openWire();
      for (let requestCount = 0; requestCount < 2; requestCount++) {
        expect(bodyText(await outcomeOf(wire, orderRequest(stub.origin)))).toBe('HTTP/1.1 100 body');
      }
    }
  });

  test('a response that is compressed without a request for it is decompressed, up to the limit', async () => {
    const body = '{"a":"b"}';
    const stub = await startStub(always(200, ''));
    const wire = openWire();
    const compressed = {
      gzip: gzipSync(body),
      'X-GZIP': gzipSync(body),
      deflate: deflateSync(body),
      br: brotliCompressSync(body),
      identity: utf8(body),
    };
    for (const [encoding, bytes] of [...Object.entries(compressed), ['deflate', deflateRawSync(body)] as const]) {
      stub.behaviour = always(200, bytes, { 'content-encoding': encoding });
      expect(bodyText(await outcomeOf(wire, pingRequest(stub.origin))), encoding).toBe(body);
    }
    expect(stub.requests[0]?.headers.map(([name]) => name.toLowerCase())).not.toContain('accept-encoding');
    const undecodable = {
      gzip: utf8(body),
      'gzip, gzip': gzipSync(gzipSync(body)),
      zstd: utf8(body),
      br: brotliCompressSync(body).subarray(0, 5),
    };
    for (const [encoding, bytes] of [...Object.entries(undecodable), ['gzip', gzipSync(body).subarray(0, 12)] as const]) {
      stub.behaviour = always(200, bytes, { 'content-encoding': encoding });
      expect(await outcomeOf(wire, orderRequest(stub.origin)), encoding).toMatchObject({ kind: 'failed', bytesWritten: null });
    }
  });

  test('a response of 10 MB, or a bomb of 1 GB, is ended at 8 MiB', async () => {
    const stub = await startStub(always(200, Buffer.alloc(8 * 1024 * 1024, 32)));
    const wire = openWire();
    const largestReply = await outcomeOf(wire, pingRequest(stub.origin));
    expect(largestReply.kind === 'reply' && largestReply.body.length).toBe(8 * 1024 * 1024);
    const gzipMember = gzipSync(Buffer.alloc(1 << 20));
    // A gzip file may have many members. This one has 1 GB when it is decompressed.
    const bomb = Buffer.concat(Array.from({ length: 1024 }, () => gzipMember));
    const gzipBomb = always(200, bomb, { 'content-encoding': 'gzip' });
    const large = always(200, Buffer.alloc(10_000_000, 32));
    const endless: Behaviour = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const writeMore = (): void => void (socket.writable && socket.write(`10000\r\n${' '.repeat(65_536)}\r\n`, writeMore));
      writeMore();
    };
    const bytesBefore = process.memoryUsage().rss;
    for (const behaviour of [gzipBomb, large, endless]) {
      stub.behaviour = behaviour;
      const outcome = await outcomeOf(wire, orderRequest(stub.origin));
      expect(outcome).toMatchObject({ kind: 'failed', bytesWritten: null });
      expect(bodyText(outcome)).toContain('larger than 8388608 bytes');
    }
    expect(process.memoryUsage().rss - bytesBefore).toBeLessThan(200e6);
  });
});

describe('a failure after bytes may have been sent', () => {
  test.each(Object.entries(BROKEN_ANSWERS))(
    'a failure after bytes may have been sent is not reported as NOT_SENT, and nothing is sent again: %s',
    async (_name, behaviour) => {
      const stub = await startStub(behaviour);
      const wire = openWire();
      expect(await outcomeOf(wire, orderRequest(stub.origin))).toMatchObject({ kind: 'failed', bytesWritten: null });
      stub.behaviour = always(200, 'well');
      expect(bodyText(await outcomeOf(wire, pingRequest(stub.origin))), 'the next one').toBe('well');
      expect([stub.count('POST', '/sapi/v1/order'), stub.requests.length]).toEqual([1, 2]);
    },
  );

  test('a reset by a server that has not read the request leaves the outcome unknown', async () => {
    const stub = await startStub(always(200, '{}'));
    stub.greeting = (socket) => {
      socket.pause();
      setTimeout(() => socket.resetAndDestroy(), 30);
    };
    expect(await outcomeOf(openWire(), orderRequest(stub.origin))).toMatchObject({ kind: 'failed', bytesWritten: null });
    expect([stub.connections, stub.bytesIn]).toEqual([1, 0]);
  });

  test('a response that is cut off at any byte, by an end of the connection or a reset, leaves the outcome unknown', async () => {
    const wholeReply = answerBytes(200, '{"orderId":"7"}');
    const stub = await startStub(always(200, '{}'));
    const wire = openWire();
    for (let length = 0; length < wholeReply.length; length++) {
      for (const ending of ['end', 'resetAndDestroy'] as const) {
        stub.behaviour = (socket) =>
          void (length === 0 ? socket[ending]() : socket.write(wholeReply.subarray(0, length), () => socket[ending]()));
        expect(await outcomeOf(wire, orderRequest(stub.origin)), `${length} bytes, ${ending}`).toMatchObject({
          kind: 'failed',
          bytesWritten: null,
        });
      }
    }
    expect(stub.requests).toHaveLength(2 * wholeReply.length);
  });

  test('a reply without a request is never taken for the reply to the next request', async () => {
    const stub = await startStub(always(200, ''));
    const wire = openWire({ connections: 1 });
    stub.behaviour = (socket) => void socket.write(Buffer.concat([answerBytes(200, 'mine'), answerBytes(200, 'not requested')]));
    expect(bodyText(await outcomeOf(wire, orderRequest(stub.origin)))).toBe('mine');
    stub.behaviour = (socket) => {
      socket.write(answerBytes(200, 'mine'));
      setTimeout(() => socket.write(answerBytes(200, 'not requested')), 10);
    };
    expect(bodyText(await outcomeOf(wire, orderRequest(stub.origin)))).toBe('mine');
    await new Promise((resolve) => setTimeout(resolve, 30));
    stub.behaviour = always(200, 'mine');
    expect(bodyText(await outcomeOf(wire, orderRequest(stub.origin)))).toBe('mine');
    expect([stub.requests.length, stub.connections]).toEqual([3, 3]);
  });

  test('silence and a slow loris last until a cancel', async () => {
    const sockets: Socket[] = [];
    const stub = await startStub(() => {});
    for (const behaviour of [() => {}, (socket: Socket) => dribble(socket, answerBytes(200, 'x'.repeat(10_000)))]) {
      stub.behaviour = (socket) => {
        sockets.push(socket);
        behaviour(socket);
      };
      const countBefore = stub.requests.length;
      const { outcome, cancel } = send(openWire(), orderRequest(stub.origin));
      await until(() => stub.requests.length > countBefore);
      cancel();
      expect(await outcome).toEqual({ kind: 'failed', cause: 'cancelled', bytesWritten: null });
      await until(() => sockets.at(-1)?.destroyed);
    }
    expect(stub.requests).toHaveLength(2);
  });

  test('a wire that is closed during a request ends it', async () => {
    const stub = await startStub(() => {});
    const wire = openWire();
    const outcome = outcomeOf(wire, orderRequest(stub.origin));
    await until(() => stub.requests.length === 1);
    await wire.close();
    expect(await outcome).toMatchObject({ kind: 'failed', bytesWritten: null });
  });

  test('an idle connection of public reads is kept, and that of a call with a key is closed after 4 s', async () => {
    const stub = await startStub(always(200, 'well'));
    const wire = openWire();
    const request = { ...pingRequest(stub.origin), isPublic: true };
    await Promise.all([outcomeOf(wire, request), outcomeOf(wire, orderRequest(stub.origin))]);
    expect(stub.connections).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 5500));
    expect(bodyText(await outcomeOf(wire, request))).toBe('well');
    expect(stub.connections, 'the public one').toBe(2);
    expect(bodyText(await outcomeOf(wire, orderRequest(stub.origin)))).toBe('well');
    expect(stub.connections, 'the other one').toBe(3);
  }, 20_000);

  test('a connection that is kept alive may be reset while idle, or on its next use', async () => {
    const stub = await startStub(always(200, 'well'));
    const wire = openWire({ connections: 1 });
    expect(bodyText(await outcomeOf(wire, orderRequest(stub.origin)))).toBe('well');
    expect(bodyText(await outcomeOf(wire, orderRequest(stub.origin)))).toBe('well');
    expect(stub.connections, 'kept alive').toBe(1);
    stub.resetAll();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(bodyText(await outcomeOf(wire, orderRequest(stub.origin))), 'reset while idle').toBe('well');
    stub.behaviour = (socket, { turn }) => (turn > 1 ? void socket.resetAndDestroy() : void socket.write(answerBytes(200, 'well')));
    expect(await outcomeOf(wire, orderRequest(stub.origin)), 'reset on reuse').toMatchObject({ kind: 'failed', bytesWritten: null });
    expect(stub.requests).toHaveLength(4);
    // The reset and the request happen in the same turn, in either order. No request may reach the service twice.
    for (let round = 0; round < 50; round++) {
      stub.behaviour = always(200, 'well');
      expect(bodyText(await outcomeOf(wire, pingRequest(stub.origin)))).toBe('well');
      const sentBefore = stub.count('POST', '/sapi/v1/order');
      stub.resetAll();
      const outcome = await outcomeOf(wire, orderRequest(stub.origin, `{"n":${round}}`));
      const sentCount = stub.count('POST', '/sapi/v1/order') - sentBefore;
      expect(sentCount, `round ${round}`).toBeLessThanOrEqual(1);
      if (outcome.kind === 'failed' && outcome.bytesWritten === 0) expect(sentCount).toBe(0);
      if (outcome.kind === 'reply') expect(sentCount).toBe(1);
    }
  });
});

describe('a response after a cancel', () => {
  /** Opens a wire to a service that does not answer. `startRequest` sends a request and returns its cancel. */
  const openUnanswered = async (options: UndiciWireOptions = {}) => {
    const openSockets: Socket[] = [];
    const stub = await startStub((socket) => void openSockets.push(socket));
    const wire = openWire(options);
    const outcomes: WireOutcome[] = [];
    const lateReplies: WireReply[] = [];
    const startRequest = (): (() => void) =>
      wire.send(
        orderRequest(stub.origin),
        (outcome) => void outcomes.push(outcome),
        (reply) => void lateReplies.push(reply),
      );
    return { stub, openSockets, outcomes, lateReplies, startRequest };
  };

  test('a response after a cancel is reported once, after the outcome', async () => {
    const { stub, openSockets, outcomes, lateReplies, startRequest } = await openUnanswered();
    const cancel = startRequest();
    await until(() => openSockets.length === 1);
    cancel();
    await until(() => outcomes.length === 1);
    expect(outcomes).toEqual([{ kind: 'failed', cause: 'cancelled', bytesWritten: null }]);
    openSockets[0]!.write(answerBytes(200, '{"orderId":"7"}'));
    await until(() => lateReplies.length === 1);
    expect(bodyText(lateReplies[0]!)).toBe('{"orderId":"7"}');
    cancel();
    expect([outcomes.length, lateReplies.length, stub.requests.length]).toEqual([1, 1, 1]);
  });

  test('a response after a cancel is no longer awaited after a second cancel, nor is the oldest of too many', async () => {
    const { stub, openSockets, outcomes, lateReplies, startRequest } = await openUnanswered({ connections: 4 });
    const cancels = [startRequest(), startRequest(), startRequest(), startRequest()];
    await until(() => openSockets.length === 4);
    cancels[0]!();
    cancels[0]!();
    const openCount = () => openSockets.filter(({ destroyed }) => !destroyed).length;
    await until(() => openCount() === 3);
    for (const cancel of cancels.slice(1)) cancel();
    await until(() => openCount() === 2);
    expect(outcomes).toHaveLength(4);
    expect(stub.requests).toHaveLength(4);
    for (const socket of openSockets) if (!socket.destroyed) socket.write(answerBytes(200, '{}'));
    await until(() => lateReplies.length === 2);
  });

  test('a request that was not sent has no late outcome', async () => {
    const { stub, openSockets, outcomes, startRequest } = await openUnanswered({ connections: 1 });
    startRequest();
    const cancel = startRequest();
    await until(() => openSockets.length === 1);
    cancel();
    openSockets[0]!.write(answerBytes(200, '{}'));
    await until(() => outcomes.length === 2);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(stub.requests).toHaveLength(1);
    expect(outcomes).toMatchObject([{ kind: 'failed', bytesWritten: 0 }, { kind: 'reply' }]);
  });
});

describe('allowed targets of requests', () => {
  test.each([
    'http://example.com/x',
    'ftp://127.0.0.1/',
    'http://127.0.0.1.example.com/',
    'http://user:word@127.0.0.1/',
    'nonsense',
    'http://10.0.0.1/',
  ])('%s is not an allowed target of requests', (url) => {
    const sendToUrl = () => openWire().send({ ...pingRequest(''), url }, () => {});
    expect(sendToUrl).toThrow(ConfigError);
    expect(sendToUrl).not.toThrow(/word/);
  });

  test('http to this computer is allowed', async () => {
    const stub = await startStub(always(200, 'well'));
    for (const host of ['localhost', '127.0.0.1', '127.1'])
      expect(bodyText(await outcomeOf(openWire(), pingRequest(`http://${host}:${stub.port}`)))).toBe('well');
  });
});

test('each of many requests over few connections gets its own reply, and closing the wire closes all connections', async () => {
  const stub = await startStub((socket, { target }) => void socket.write(answerBytes(200, target)));
  const wire = openWire({ connections: 4 });
  const targets = Array.from({ length: 300 }, (_, index) => `/sapi/v1/order?symbol=${index}&x=${randomBytes(3).toString('hex')}`);
  const replies = await Promise.all(targets.map((target) => outcomeOf(wire, pingRequest(stub.origin, target))));
  expect(replies.map(bodyText)).toEqual(targets);
  expect([stub.requests.length, stub.connections]).toEqual([300, 4]);
  await wire.close();
  await until(() => stub.open === 0);
});

/** Sends each piece in its own packet, if the system allows it. */
async function writePieces(socket: Socket, pieces: readonly string[]): Promise<void> {
  socket.setNoDelay(true);
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
