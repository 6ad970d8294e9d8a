// Tests the signature vectors of the exchange dialect (section 11), computed again here with openssl.

import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { timeMs } from '../../src/base/brand.ts';
import { DEFAULT_DIALECT } from '../../src/protocol/dialect.ts';
import { utf8 } from '../../src/protocol/json/json.ts';
import { buildRequest, stringToSign } from '../../src/protocol/request.ts';
import { isInWindow, isSameSignature, signedBytes, signedPath } from '../../src/protocol/sign.ts';
import { opensslHmac } from './openssl.ts';

const SECRET = '902ae3cb34ecee2779aa4d3e1d226686';
const TIMESTAMP = '1588591856950';

/** One vector of the dialect. */
interface Vector {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** Path and query of the call. */
  readonly target: string;
  readonly signQuery?: 'include' | 'omit';
  readonly body?: string;
  readonly signature: string;
}

const VECTORS: readonly Vector[] = [
  {
    name: '1 published',
    method: 'POST',
    target: '/sapi/v1/order/test',
    body: '{"symbol":"BTCUSDT","price":"9300","volume":"1","side":"BUY","type":"LIMIT"}',
    signature: 'c50d0a74bb9427a9a03933d0eded03af9bf50115dc5b706882a4fcf07a26b761',
  },
  {
    name: '2 without a query',
    method: 'GET',
    target: '/sapi/v1/account',
    signature: '8e1cd9b70ee747b7478aa3df01f03a54b790038ad54c87039c07b4f9971cb7fa',
  },
  {
    name: '3 with its query',
    method: 'GET',
    target: '/sapi/v1/order?orderId=499890200602846976&symbol=BTCUSDT',
    signature: '4cbdc3e794c5a8a2cc6ddff9c86fcc4b501bf387cac3f0c537b7e142f5ce0e5f',
  },
  {
    name: '4 the same, query left out',
    method: 'GET',
    target: '/sapi/v1/order?orderId=499890200602846976&symbol=BTCUSDT',
    signQuery: 'omit',
    signature: '1aef5a268e596fa48ba8e08e9ad137078f12abe4ca985fb797b9c8b1a766898c',
  },
  {
    name: '5 futures',
    method: 'GET',
    target: '/fapi/v1/openOrders?contractName=E-BTC-USDT',
    signature: '8e6f1aa6baff5597b471cb18fb88fbf7d6fd82d330b782f74d51d41fafc390ef',
  },
  {
    name: '6 the raw digits of the body',
    method: 'POST',
    target: '/fapi/v1/order',
    body: '{"contractName":"E-BTC-USDT","price":65000.00,"volume":1.00,"type":"LIMIT","side":"BUY","open":"OPEN","positionType":1,"clientOrderId":"111000111","timeInForce":"IOC"}',
    signature: '95a6995fa61a84eb5dab18e8d276ad9081dcd2b3ab638200730cb20bae51e388',
  },
  {
    name: '7 nineteen digits',
    method: 'POST',
    target: '/v1/inner/trigger_order_cancel',
    body: '{"contractName":"E-BTC-USDT","orderId":1322738336974712847}',
    signature: 'dec725b48ff58f372aec2f8da0255da2e45de2adccaacad3ab8e133cda2f1df4',
  },
  {
    name: '8 percent-encoded, as sent',
    method: 'GET',
    target: '/sapi/v1/order?symbol=BTC%2FUSDT&orderId=499890200602846976',
    signature: '01a9ed26a7442eae22e329b3a54907bd198f94be9fde855ba74c632266f3b89e',
  },
];

test.each(VECTORS)(
  'the signature of the vector $name equals the published one and that of openssl',
  ({ method, target, signQuery = 'include', body = '', signature }) => {
    const message = signedBytes({ timestamp: TIMESTAMP, method, path: signedPath(target, signQuery) }, utf8(body));
    expect(opensslHmac(SECRET, message)).toBe(signature);
    expect(createHmac('sha256', SECRET).update(message).digest('hex')).toBe(signature);
    expect(isSameSignature(signature, signature.toUpperCase())).toBe(true);
  },
);

test("the client's signatures for the calls of the vectors equal the published ones", () => {
  const atMs = timeMs(Number(TIMESTAMP));
  const signatureOf = (text: string) => opensslHmac(SECRET, text);
  const signatureOfVector = (vectorNumber: number) => VECTORS[vectorNumber - 1]!.signature;
  expect(signatureOf(stringToSign(buildRequest('spot.account', {}), atMs))).toBe(signatureOfVector(2));
  const query = { orderId: '499890200602846976', symbol: 'BTCUSDT' };
  const withoutQuery = { ...DEFAULT_DIALECT, signQuery: 'omit' } as const;
  expect(signatureOf(stringToSign(buildRequest('spot.queryOrder', query), atMs))).toBe(signatureOfVector(3));
  expect(signatureOf(stringToSign(buildRequest('spot.queryOrder', query, withoutQuery), atMs))).toBe(signatureOfVector(4));
  expect(signatureOf(stringToSign(buildRequest('futures.openOrders', { contractName: 'E-BTC-USDT' }), atMs))).toBe(signatureOfVector(5));
  const triggerOrder = { contractName: 'E-BTC-USDT', orderId: '1322738336974712847' };
  expect(signatureOf(stringToSign(buildRequest('futures.cancelTriggerOrder', triggerOrder), atMs))).toBe(signatureOfVector(7));
});

test('the percent-decoded form of a query has another signature', () => {
  const decoded = opensslHmac(SECRET, `${TIMESTAMP}GET/sapi/v1/order?symbol=BTC/USDT&orderId=499890200602846976`);
  expect(decoded.startsWith('87fc2c5a')).toBe(true);
  const vector8 = VECTORS[7]!;
  expect(isSameSignature(vector8.signature, decoded)).toBe(false);
});

const NON_TEXT_BODY = new Uint8Array([0x7b, 0xff, 0x00, 0x7d]);

test('a body that is not text is signed as bytes, after the method in upper case', () => {
  const signedRequest = { timestamp: '1', method: 'post', path: '/a' };
  expect([...signedBytes(signedRequest, NON_TEXT_BODY)]).toEqual([...utf8('1POST/a'), ...NON_TEXT_BODY]);
});

test('the body of a GET is not signed', () => {
  expect(signedBytes({ timestamp: '1', method: 'GET', path: '/a' }, NON_TEXT_BODY)).toEqual(utf8('1GET/a'));
});

test('two digests are equal only if every digit is, in either letter case', () => {
  const digest = fc.stringMatching(/^[\da-f]{64}$/);
  fc.assert(
    fc.property(digest, fc.nat({ max: 63 }), fc.constantFrom(...'0123456789abcdef'.split('')), (text, index, digit) => {
      const withDigit = text.slice(0, index) + digit + text.slice(index + 1);
      expect(isSameSignature(text, withDigit.toUpperCase())).toBe(withDigit === text);
      for (const invalidSignature of ['', text.slice(1), `${text}0`, `g${text.slice(1)}`, `${text.slice(1)}ſ`]) {
        expect(isSameSignature(text, invalidSignature)).toBe(false);
        expect(isSameSignature(invalidSignature, invalidSignature)).toBe(false);
      }
    }),
  );
});

test('a timestamp is accepted up to a second ahead and recvWindow behind (specification, part 5)', () => {
  const nowMs = 1_700_000_000_000;
  expect([nowMs + 999, nowMs, nowMs - 5000].map((atMs) => isInWindow(atMs, nowMs))).toEqual([true, true, true]);
  expect([nowMs + 1000, nowMs - 5001].map((atMs) => isInWindow(atMs, nowMs))).toEqual([false, false]);
  expect([nowMs - 2000, nowMs - 2001].map((atMs) => isInWindow(atMs, nowMs, 2000))).toEqual([true, false]);
});
