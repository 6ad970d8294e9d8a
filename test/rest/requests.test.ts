// Tests the bytes of all 38 calls through the real client against requests written by hand from the specification.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/base/errors.ts';
import { answerBytes } from '../fixtures/stubExchange.ts';
import { EXPECTED_REQUESTS } from '../protocol/expectedRequests.ts';
import { opensslHmac } from '../protocol/openssl.ts';
import { CREDENTIALS, RestFixture, SECRET } from './restClientFixture.ts';
import { opOf } from '../fixtures/opOf.ts';
import { DOCUMENTED_ANSWERS } from '../protocol/documentedAnswers.ts';

/** How far the service's clock is ahead of this computer's: about minus one hour. */
const AHEAD_MS = -3_712_345;

let fixture: RestFixture;
beforeAll(async () => {
  fixture = await RestFixture.open(() => {}, { aheadMs: AHEAD_MS });
});
afterAll(() => fixture.close());

/** Returns a documented reply about BTC, because the documented example of a trade is about ETH. */
const aboutBtc = ({ body, means }: { readonly body: string; readonly means: unknown }) => {
  const renamed = (text: string): string => text.replaceAll('E-ETH-USDT', 'E-BTC-USDT');
  return { body: renamed(body), means: means === undefined ? means : (JSON.parse(renamed(JSON.stringify(means))) as unknown) };
};

describe.each(EXPECTED_REQUESTS)('$op', ({ op: name, args, method, target, body = '', security }) => {
  const op = opOf(name);
  /** True for a request by which the client measures the clock of the service. */
  const isForClock = (requestTarget: string): boolean => requestTarget.endsWith('/time') && requestTarget !== target;

  test('the call sends the expected bytes', async () => {
    const documentedReply = aboutBtc(DOCUMENTED_ANSWERS[op][0]!);
    const countBefore = fixture.stub.requests.length;
    fixture.stub.behaviour = (socket, request) => {
      const timeReply = `{"timezone":"UTC","serverTime":${fixture.scheduler.nowMs + AHEAD_MS}}`;
      socket.write(answerBytes(200, isForClock(request.target) ? timeReply : documentedReply.body));
    };
    const outcome = await fixture.call(op, args);
    const sentMs = fixture.scheduler.nowMs;
    expect(outcome).toEqual({ kind: 'acked', value: documentedReply.means });

    const requestsOfCall = fixture.stub.requests.slice(countBefore).filter((request) => !isForClock(request.target));
    expect(requestsOfCall).toHaveLength(1);
    const request = requestsOfCall[0]!;
    expect({ method: request.method, target: request.target, body: request.body.toString() }).toEqual({ method, target, body });
    const headers = Object.fromEntries(request.headers);
    expect(Object.keys(headers)).toHaveLength(request.headers.length);
    const timestamp = headers['X-CH-TS'] ?? '';
    const signatureHeaders = {
      'X-CH-APIKEY': CREDENTIALS.apiKey,
      'X-CH-TS': timestamp,
      'X-CH-SIGN': opensslHmac(SECRET, `${timestamp}${method}${target}${body}`),
    };
    expect(headers).toEqual({
      host: `127.0.0.1:${fixture.stub.port}`,
      connection: 'keep-alive',
      'Content-Type': 'application/json',
      ...(security === 'NONE' ? {} : signatureHeaders),
      ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    });
    if (security === 'NONE') return;
    // Signed at sending, by the service's clock, which is measured to within a round trip.
    expect(timestamp).toMatch(/^\d{13}$/);
    expect(Math.abs(Number(timestamp) - (sentMs + AHEAD_MS))).toBeLessThan(500);
  });
});

test('each call has sent one request, and the clock was measured once for each market', () => {
  const timeRequests = fixture.stub.requests.filter(({ target }) => target.endsWith('/time'));
  const markets = 2;
  const samplesPerMeasurement = 5;
  // The call for the time is itself one of the tested calls of each market.
  expect(timeRequests).toHaveLength(markets * (samplesPerMeasurement + 1));
});

describe('nothing is sent', () => {
  test('nothing is sent for arguments that must not be sent, and for signed calls without credentials', async () => {
    const keyless = await RestFixture.open(() => {}, { credentials: null });
    expect(() => keyless.client.callChecked('spot.ticker', {}, () => {})).toThrow(ConfigError);
    expect(() => keyless.client.callChecked('spot.account', {}, () => {})).toThrow(
      'spot.account: expected an API key and secret, got none',
    );
    expect(() => keyless.client.call('spot.ticker', { symbol: '' }, () => {})).toThrow(ConfigError);
    const marketOpen = { contractName: 'E-BTC-USDT', volume: '1', type: 'MARKET', side: 'BUY', open: 'OPEN' };
    expect(() => fixture.client.callChecked('futures.createOrder', marketOpen, () => {})).toThrow('is not sent');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(keyless.stub.connections).toBe(0);
    await keyless.close();
  });

  test('nothing is sent to a service that is neither https nor on this computer', async () => {
    for (const origin of ['http://example.com', 'https://user:word@example.com', 'https://example.com/v1', 'example.com']) {
      await expect(RestFixture.open(() => {}, { origin })).rejects.toThrow(/^the base URL of spot: expected .*, got (?!.*word)/);
    }
  });
});
