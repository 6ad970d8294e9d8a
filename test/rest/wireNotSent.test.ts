// Tests the wire against sockets that fail before any byte was sent: the request is NOT_SENT, and no connection stays open.

import { lookup } from 'node:dns';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { selfSignedCertificate } from '../fixtures/certificates.ts';
import { always, answerBytes, StubExchange, until } from '../fixtures/stubExchange.ts';
import { closeOpenResources, startStub, openWire, orderRequest, send, outcomeOf, bodyText } from '../fixtures/wireFixture.ts';

afterEach(closeOpenResources);

describe('a failure before any byte was sent', () => {
  test('a connection that is refused, by address and by name, sends no byte', async () => {
    const stub = await StubExchange.start(always(200, '{}'));
    const { port } = stub;
    await stub.close();
    const wire = openWire();
    for (const host of ['127.0.0.1', 'localhost']) {
      const outcome = await outcomeOf(wire, orderRequest(`http://${host}:${port}`));
      expect(outcome).toMatchObject({ kind: 'failed', bytesWritten: 0 });
      expect(bodyText(outcome)).toContain('ECONNREFUSED');
    }
  });

  test('a host name that does not exist gets no byte', async () => {
    const code = await new Promise((resolve) => lookup('no-such-host.invalid', (error) => resolve(error?.code)));
    const outcome = await outcomeOf(openWire(), orderRequest('https://no-such-host.invalid'));
    expect(outcome).toMatchObject({ kind: 'failed', bytesWritten: 0 });
    expect(bodyText(outcome)).toContain(String(code));
  });

  test('a host whose certificate is not trusted, or is for another host, gets no byte, also if the environment turns the check off', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const ownHost = selfSignedCertificate('IP:127.0.0.1');
    const otherHost = selfSignedCertificate('DNS:example.com');
    const stub = await startStub(always(200, '{}'), { ...ownHost });
    const otherHostStub = await startStub(always(200, '{}'), { ...otherHost });
    const outcome = await outcomeOf(openWire(), orderRequest(stub.origin));
    expect(outcome).toMatchObject({ kind: 'failed', bytesWritten: 0 });
    expect(bodyText(outcome)).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    const trustingWire = openWire({ ca: ownHost.cert + otherHost.cert });
    expect(bodyText(await outcomeOf(trustingWire, orderRequest(otherHostStub.origin)))).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
    expect([stub.bytesIn, otherHostStub.bytesIn]).toEqual([0, 0]);
    expect(await outcomeOf(trustingWire, orderRequest(stub.origin)), 'a host with a trusted certificate gets the request').toMatchObject({
      kind: 'reply',
      status: 200,
    });
    vi.unstubAllEnvs();
  });

  test('a server that speaks no TLS, or closes during the handshake, gets no byte', async () => {
    const stub = await startStub(always(200, '{}'));
    const origin = `https://127.0.0.1:${stub.port}`;
    for (const greeting of [
      (socket: Socket) => void socket.write('220 mail\r\n'),
      (socket: Socket) => void socket.resetAndDestroy(),
      (socket: Socket) => void socket.end(),
    ]) {
      stub.greeting = greeting;
      expect(await outcomeOf(openWire(), orderRequest(origin))).toMatchObject({ kind: 'failed', bytesWritten: 0 });
    }
    expect(stub.requests).toEqual([]);
  });

  test('a request over a connection that is reset at once has failed, and is not sent again', async () => {
    const stub = await startStub(always(200, '{}'));
    stub.greeting = (socket) => void socket.resetAndDestroy();
    for (let round = 0; round < 20; round++) {
      const outcome = await outcomeOf(openWire(), orderRequest(stub.origin));
      expect(outcome.kind).toBe('failed');
      expect(stub.bytesIn).toBe(0);
    }
    expect(stub.connections, 'no second attempt').toBe(20);
  });

  test('a handshake that never ends, and is ended by the time limit or by a cancel, sends no byte', async () => {
    const stub = await startStub(always(200, '{}'));
    const origin = `https://127.0.0.1:${stub.port}`;
    expect(await outcomeOf(openWire({ connectTimeoutMs: 50 }), orderRequest(origin))).toMatchObject({ kind: 'failed', bytesWritten: 0 });
    const { outcome, cancel } = send(openWire(), orderRequest(origin));
    await until(() => stub.connections === 2);
    cancel();
    cancel();
    expect(await outcome).toEqual({ kind: 'failed', cause: 'cancelled', bytesWritten: 0 });
    expect(stub.requests).toEqual([]);
  });

  test('a request that is cancelled while it waits for a free connection is never sent, and does not affect the others', async () => {
    let answerFirst = (): void => {};
    const stub = await startStub((socket) => void (answerFirst = () => socket.write(answerBytes(200, 'first'))));
    const wire = openWire({ connections: 1 });
    const firstOutcome = outcomeOf(wire, orderRequest(stub.origin, '1'));
    const secondRequest = send(wire, orderRequest(stub.origin, '2'));
    const thirdOutcome = outcomeOf(wire, orderRequest(stub.origin, '3'));
    await until(() => stub.requests.length === 1);
    secondRequest.cancel();
    expect(await secondRequest.outcome).toMatchObject({ kind: 'failed', bytesWritten: 0 });
    stub.behaviour = always(200, 'third');
    answerFirst();
    expect([bodyText(await firstOutcome), bodyText(await thirdOutcome)]).toEqual(['first', 'third']);
    expect(stub.requests.map(({ body }) => body.toString())).toEqual(['1', '3']);
  });

  test('a request on a closed wire is not sent', async () => {
    const stub = await startStub(always(200, '{}'));
    const wire = openWire();
    await wire.close();
    expect(await outcomeOf(wire, orderRequest(stub.origin))).toMatchObject({ kind: 'failed', bytesWritten: 0 });
    expect(stub.connections).toBe(0);
  });

  test('a request with headers that cannot be sent is not sent', async () => {
    const stub = await startStub(always(200, '{}'));
    const outcome = await outcomeOf(openWire(), { ...orderRequest(stub.origin), headers: { 'X-CH-APIKEY': 'se\r\ncret' } });
    expect(outcome).toMatchObject({ kind: 'failed', bytesWritten: 0 });
    expect(bodyText(outcome)).not.toContain('cret');
    expect(stub.bytesIn).toBe(0);
  });
});
