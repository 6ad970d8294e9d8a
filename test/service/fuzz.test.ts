// Tests malformed and unauthorized requests: each gets a documented reply and changes nothing.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../src/protocol/errors/errorCodes.ts';
import { endpointOf, OPS } from '../../src/protocol/endpoints/endpoints.ts';
import { FuturesFixture } from './futuresFixture.ts';
import { codeOf } from './serviceFixture.ts';

/** No limit for any class of calls. */
const NO_LIMITS = Object.fromEntries(OPS.map((op) => [endpointOf(op).limit.rateClass, null]));

/** The codes that a reply may have; 0 for a success. */
const DOCUMENTED_CODES = new Set([0, ...ERROR_CODES.map(({ code }) => code)]);
const paths = OPS.map((op) => endpointOf(op).path);
/** Texts of all kinds. */
const textArbitrary = fc.oneof(
  fc.string({ unit: 'binary-ascii', maxLength: 20 }),
  fc.constantFrom('', '0', '-1', '1e309', '__proto__', '../..', '%00', 'BTCUSDT', 'E-BTC-USDT', 'null', '9'.repeat(40)),
);
/** Values of a parameter. */
const valueArbitrary = fc.oneof(
  textArbitrary,
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(textArbitrary, { maxLength: 12 }),
  fc.dictionary(textArbitrary, textArbitrary, { maxKeys: 3 }),
);
const parameterNames = [
  'symbol',
  'volume',
  'price',
  'side',
  'type',
  'orderId',
  'orderIds',
  'orders',
  'limit',
  'interval',
  'fromId',
  'recvWindow',
  'newClientOrderId',
  'contractName',
  'open',
  'positionType',
  'triggerType',
  'triggerPrice',
  'timeInForce',
  'nowLevel',
  'page',
  '__proto__',
];
const bodyArbitrary = fc.oneof(
  fc.dictionary(fc.constantFrom(...parameterNames), valueArbitrary, { maxKeys: 8 }).map((fields) => JSON.stringify(fields)),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('[[[[[[', '{"a":1}{"b":2}', '﻿{}', '{"symbol":"BTCUSDT","symbol":"X"}', '\u0000', 'x'.repeat(5000)),
);
const targetArbitrary = fc.oneof(
  fc.constantFrom(...paths),
  fc
    .tuple(fc.constantFrom(...paths), fc.array(fc.tuple(fc.constantFrom(...parameterNames), textArbitrary), { maxLength: 5 }))
    .map(([path, pairs]) => `${path}?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`),
  fc.string({ unit: 'binary-ascii', maxLength: 40 }).map((value) => `/${value}`),
);

test('an unauthorized request gets a documented reply, and orders and balances do not change', () => {
  const fixture = new FuturesFixture({ limits: NO_LIMITS });
  const resting = fixture.placeLimit('alice', 'BUY', '1', '10');
  const seenCodes = new Set<number>();
  fc.assert(
    fc.property(
      fc.constantFrom('GET', 'POST', 'PUT', 'HEAD', ''),
      targetArbitrary,
      bodyArbitrary,
      fc.boolean(),
      textArbitrary,
      (method, requestTarget, requestBody, isSigned, header) => {
        const headers = isSigned ? {} : { 'x-ch-apikey': header, 'x-ch-ts': header, 'content-type': header };
        // A request with the headers of a key has a wrong secret, so that it may not order either.
        const answer = fixture.send(method, requestTarget, requestBody, {
          headers,
          as: isSigned ? 'alice' : 'nobody',
          secret: isSigned ? 'wrong' : 'x',
        });
        expect(answer.status).toBeLessThan(500);
        expect(JSON.parse(answer.body)).toBeInstanceOf(Object);
        expect(DOCUMENTED_CODES).toContain(codeOf(answer));
        seenCodes.add(codeOf(answer));
      },
    ),
    { numRuns: 2000 },
  );
  expect(seenCodes.size).toBeGreaterThan(4);
  expect(fixture.balance('alice', 'USDT')).toEqual({ free: '99990', locked: '10' });
  expect(fixture.queryOrder(resting)['status']).toBe('NEW');
  expect(fixture.service.spot.unendedOrders()).toHaveLength(1);
  expect(fixture.service.futures.unendedOrders()).toHaveLength(0);
});

test('a malformed request with a valid signature gets a documented code, and money does not change', () => {
  const fixture = new FuturesFixture({ limits: NO_LIMITS });
  fc.assert(
    fc.property(fc.constantFrom('GET', 'POST'), targetArbitrary, bodyArbitrary, (method, requestTarget, requestBody) => {
      const answer = fixture.send(method, requestTarget, requestBody, {});
      expect(answer.status).toBeLessThan(500);
      expect(DOCUMENTED_CODES).toContain(codeOf(answer));
    }),
    { numRuns: 2000 },
  );
  fixture.service.spot.venue.assertConserved();
  fixture.service.futures.venue.assertConserved();
});
