// Tests the OpenAPI document with an independent validator: its structure, its references, and every documented reply and request.

import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { answerOf, endpointOf, OPS, type Op } from '../../src/protocol/endpoints/endpoints.ts';
import { SECURITY } from '../../src/protocol/endpoints/endpoint.ts';
import { errorAnswer } from '../../src/protocol/errors/errorBody.ts';
import { ERROR_CODES } from '../../src/protocol/errors/errorCodes.ts';
import { writeJson } from '../../src/protocol/json/json.ts';
import { parseJson } from '../../src/protocol/json/parseJson.ts';
import { decodeAnswer } from '../../src/protocol/shapes/answer.ts';
import { SEED_VARIANTS, VARIANT_VALUES, type Variants } from '../../src/protocol/shapes/variants.ts';
import { openApi } from '../../src/protocol/openapi/openApi.ts';
import { answerArbitrary } from '../protocol/answerArbitrary.ts';
import { asObject, SchemaValidator, type Schema } from './jsonSchema.ts';
import { OPEN_API_SCHEMA } from './openApiSchema.ts';
import { DOCUMENTED_ANSWERS } from '../protocol/documentedAnswers.ts';

const file = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
const document: unknown = JSON.parse(file);
const validator = new SchemaValidator(document);
const memberAt = (value: unknown, ...steps: readonly string[]): Schema =>
  steps.reduce((member, step) => asObject(member[step]), asObject(value));
const operationOf = (op: Op): Schema => memberAt(document, 'paths', endpointOf(op).path, endpointOf(op).method.toLowerCase());
const mediaOf = (op: Op): Schema => memberAt(operationOf(op), 'responses', '200', 'content', 'application/json');
const answerProblems = (op: Op, body: string) => validator.problems(mediaOf(op)['schema'], JSON.parse(body));

test('docs/openapi.json is what the tables make', () => {
  expect(file === `${JSON.stringify(openApi(), null, 2)}\n`, 'run: npm run docs:openapi').toBe(true);
});

describe('the document', () => {
  it('the document is valid OpenAPI 3.1, and each of its references exists', () => {
    expect(new SchemaValidator(OPEN_API_SCHEMA).problems(OPEN_API_SCHEMA, document)).toEqual([]);
    const references = [...file.matchAll(/"\$ref": "([^"]+)"/g)].map((match) => match[1]!);
    expect(references.length).toBeGreaterThan(100);
    for (const reference of references) expect(() => validator.target(reference)).not.toThrow();
  });

  it('the document has the operation of every endpoint and no other, with its security and its parameters', () => {
    const documented = Object.values(memberAt(document, 'paths')).flatMap((path) =>
      Object.values(asObject(path)).map((element) => asObject(element)['operationId']),
    );
    expect(new Set(documented)).toEqual(new Set(OPS));
    expect(documented.length).toBe(OPS.length);
    for (const op of OPS) {
      const { params, security, method } = endpointOf(op);
      const { parameters = [], requestBody } = operationOf(op);
      const names = (parameters as readonly { name: string }[]).map(({ name }) => name);
      const inBody =
        requestBody === undefined ? [] : Object.keys(memberAt(requestBody, 'content', 'application/json', 'schema', 'properties'));
      const parameterNames = Object.keys(params).filter((name) => params[name]?.kind !== 'time');
      expect([names, inBody], op).toEqual(method === 'GET' ? [parameterNames, []] : [[], parameterNames]);
      const expectedSecurity = SECURITY[security].signature ? [{ apiKey: [], timestamp: [], signature: [] }] : [];
      expect(operationOf(op)['security'], op).toEqual(expectedSecurity);
    }
  });
});

describe('answers', () => {
  it.each(OPS)('the example and every documented reply of %s match its schema', (op) => {
    const { schema, example } = mediaOf(op);
    expect(validator.problems(schema, example)).toEqual([]);
    expect(decodeAnswer(answerOf(op), parsed(JSON.stringify(example))).ok).toBe(true);
    for (const { body, shape } of DOCUMENTED_ANSWERS[op]) expect(answerProblems(op, body), shape).toEqual([]);
  });

  const variants = fc.record(
    Object.fromEntries(Object.entries(VARIANT_VALUES).map(([name, values]) => [name, fc.constantFrom(...values)])),
  ) as fc.Arbitrary<Variants>;

  it.each(OPS)('every reply of the paper exchange to %s matches its schema, under every switch', (op) => {
    fc.assert(
      fc.property(answerArbitrary(op), variants, (value, switches) => {
        const body = writeJson(endpointOf(op).answer.write(value, switches));
        expect(answerProblems(op, body), body).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it('a reply without one of its members is read by the client if its schema accepts the reply', () => {
    let refused = 0;
    for (const op of OPS) {
      for (const reduced of withOneMemberLess(mediaOf(op)['example'])) {
        const body = JSON.stringify(reduced);
        if (answerProblems(op, body).length > 0) refused++;
        else expect(isReadCompletely(op, body), `${op} ${body}`).toBe(true);
      }
    }
    expect(refused).toBeGreaterThan(100);
  });
});

describe('errors', () => {
  it.each(['spot', 'futures'] as const)('every error code of %s matches the schema of its HTTP status, in both envelopes', (market) => {
    for (const { code, http } of ERROR_CODES) {
      for (const errorBody of VARIANT_VALUES.errorBody) {
        const { status, body } = errorAnswer(code, market, { ...SEED_VARIANTS, errorBody });
        const op: Op = `${market}.account`;
        const response = asObject(validator.target(String(memberAt(operationOf(op), 'responses', String(status))['$ref'])));
        expect(
          validator.problems(memberAt(response, 'content', 'application/json')['schema'], JSON.parse(writeJson(body))),
          String(code),
        ).toEqual([]);
        expect(http).toContain(status);
      }
    }
  });
});

describe('requests', () => {
  const bodyProblems = (op: Op, body: unknown) =>
    validator.problems(memberAt(operationOf(op), 'requestBody', 'content', 'application/json')['schema'], body);
  const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', volume: 0.5, price: 9300 };

  it.each<[Op, object, string]>([
    ['spot.newOrder', order, ''],
    ['spot.newOrder', { ...order, type: 'MARKET', price: undefined }, ''],
    ['spot.newOrder', { ...order, price: undefined }, 'price is missing'],
    ['spot.newOrder', { ...order, side: 'buy' }, 'side: none of the values'],
    ['spot.newOrder', { ...order, volume: 0 }, 'volume: not above 0'],
    ['spot.newOrder', { ...order, newClientOrderId: 'x'.repeat(32) }, 'newClientOrderId: not like'],
    ['spot.testNewOrder', { ...order, recWindow: 5001 }, 'recWindow: above 5000'],
    ['spot.cancelOrder', { symbol: 'BTCUSDT' }, 'in no form: orderId is missing'],
    ['spot.cancelOrder', { symbol: 'BTCUSDT', newClientOrderId: 'mine' }, ''],
    ['spot.batchCancel', { symbol: 'BTCUSDT', orderIds: Array.from({ length: 11 }, () => 1) }, 'orderIds: too many elements'],
    ['spot.batchOrders', { symbol: 'BTCUSDT', orders: [{ side: 'SELL', batchType: 'LIMIT', volume: 1 }] }, 'price is missing'],
    ['futures.createConditionOrder', { contractName: 'E-BTC-USDT' }, 'triggerType is missing'],
    ['futures.changeLeverage', { contractName: 'E-BTC-USDT', nowLevel: '20' }, ''],
    ['futures.changeLeverage', { contractName: 'E-BTC-USDT', nowLevel: 20 }, 'nowLevel: expected string'],
  ])('requests: %s %j: %s', (op, body, problem) => {
    expect(bodyProblems(op, JSON.parse(JSON.stringify(body))).join('; ')).toMatch(problem === '' ? /^$/ : problem);
  });
});

/** Parses valid JSON. Throws Error for any other text. */
const parsed = (body: string) => {
  const json = parseJson(new TextEncoder().encode(body));
  if (!json.ok) throw new Error(body);
  return json.value;
};

/** Tests whether the client reads the whole reply, each row included. */
function isReadCompletely(op: Op, body: string): boolean {
  const decoded = decodeAnswer(answerOf(op), parsed(body));
  return decoded.ok && !JSON.stringify(decoded.value).includes('"problem":');
}

/** Returns copies of `value`, each without one member. The member can be at any depth. */
function withOneMemberLess(value: unknown): unknown[] {
  if (Array.isArray(value))
    return value.flatMap((element, index) => withOneMemberLess(element).map((reduced) => value.with(index, reduced) as unknown));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, element]) => [
    Object.fromEntries(Object.entries(value).filter(([otherName]) => otherName !== name)),
    ...withOneMemberLess(element).map((reduced) => ({ ...value, [name]: reduced })),
  ]);
}
