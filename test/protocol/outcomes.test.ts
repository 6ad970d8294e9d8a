// Tests that each of the 41 codes, and every other reply or failure, has exactly one outcome class (order safety, 4).

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { timeMs } from '../../src/base/brand.ts';
import { OPS, type Op } from '../../src/protocol/endpoints/endpoints.ts';
import { errorAnswer, errorIn, unknownPathJson } from '../../src/protocol/errors/errorBody.ts';
import { ERROR_CODES, errorCode, errorCodeFacts, refusesCreate } from '../../src/protocol/errors/errorCodes.ts';
import { utf8, writeJson } from '../../src/protocol/json/json.ts';
import { parseJson } from '../../src/protocol/json/parseJson.ts';
import { outcomeOf, type Outcome } from '../../src/protocol/outcome.ts';
import { SEED_VARIANTS, VARIANT_VALUES } from '../../src/protocol/shapes/variants.ts';
import { EXPECTED_CODES } from './expectedCodes.ts';

/** Returns the outcome of a call with this reply. */
const replied = (op: Op, status: number, body: string | Uint8Array): Outcome<unknown> =>
  outcomeOf(op, { kind: 'reply', status, body: typeof body === 'string' ? utf8(body) : body });
/** Returns the class of this outcome. */
const kindOf = (op: Op, status: number, body: string | Uint8Array) => replied(op, status, body).kind;

const CREATES: readonly Op[] = ['spot.newOrder', 'spot.batchOrders', 'futures.createOrder', 'futures.createConditionOrder'];
/** Cancels, settings and reads. */
const OTHER_CALLS: readonly Op[] = [
  'spot.cancelOrder',
  'spot.batchCancel',
  'futures.cancelOrder',
  'futures.changeLeverage',
  'spot.openOrders',
  'futures.positions',
];

/** Returns the bodies by which a service may reply with a code (the dialect, section 8.3). */
const payloadsOf = (code: number): readonly string[] => [
  `{"code":${code},"msg":"X"}`,
  `{"code":"${code}","msg":"X","data":null}`,
  `{"code":"${code}","data":null,"msg":"X","msgData":null,"succ":false}`,
  `{"code":"${code}","succ":false,"msgData":null,"msg":"X"}`,
];

test('the 41 codes of the specification, each with its facts and advice', () => {
  expect(ERROR_CODES.map(({ code, name, http: [http], retry }) => ({ code, name, http, retry }))).toEqual(
    EXPECTED_CODES.map(({ code, name, http, retry }) => ({ code, name, http, retry })),
  );
  expect(ERROR_CODES).toHaveLength(41);
  for (const { meaning, advice } of ERROR_CODES) {
    expect(meaning.length).toBeGreaterThan(10);
    expect(advice.length).toBeGreaterThan(15);
  }
  // The codes that prove that an order does not exist (order safety, 4).
  expect(ERROR_CODES.filter(({ code }) => refusesCreate(code))).toHaveLength(33);
  expect(errorCode(-1003)?.http).toEqual([429, 418]);
});

test('a code that is in no table has an unknown side effect and is not retried', () => {
  for (const code of [-1118, -2040, 110047, 1, -1]) {
    expect(errorCode(code)).toBeNull();
    expect(errorCodeFacts(code)).toMatchObject({ code, sideEffect: 'unknown', retry: 'never' });
    expect(refusesCreate(code)).toBe(false);
  }
  expect(errorCodeFacts(-2017)).toBe(errorCode(-2017));
});

describe.each(EXPECTED_CODES)('code $code', ({ code, name, http, create: outcomeOfCreate, other: outcomeOfOtherCall }) => {
  test('the code has its outcome in every payload, with HTTP 200 and 4xx', () => {
    for (const body of payloadsOf(code)) {
      for (const status of [200, 400, 401, 429]) {
        for (const op of CREATES) expect(kindOf(op, status, body), `${op} ${status} ${body}`).toBe(outcomeOfCreate);
        for (const op of OTHER_CALLS) expect(kindOf(op, status, body), `${op} ${status} ${body}`).toBe(outcomeOfOtherCall);
      }
      for (const status of [301, 500, 502, 504])
        for (const op of CREATES) expect(kindOf(op, status, body), `${op} ${status}`).toBe('unknown');
    }
    const outcome = replied('spot.newOrder', 400, `{"code":${code},"msg":"why"}`);
    expect(outcome).toMatchObject(
      outcomeOfCreate === 'refused' ? { code, msg: 'why', status: 400 } : { error: { code, msg: 'why' }, status: 400 },
    );
  });

  test('the code has its outcome as the paper exchange writes it', () => {
    for (const market of ['spot', 'futures'] as const) {
      for (const errorHttp of VARIANT_VALUES.errorHttp) {
        for (const errorBody of VARIANT_VALUES.errorBody) {
          const { status, body } = errorAnswer(code, market, { ...SEED_VARIANTS, errorHttp, errorBody });
          const isSentWith200 = errorHttp === 'http200' && http < 500 && http !== 429;
          expect(status).toBe(isSentWith200 ? 200 : http);
          expect(errorIn(body)).toMatchObject({ code, isStrict: true, ...(name === null ? {} : { msg: name }) });
        }
      }
    }
    const msg = name ?? errorCode(code)?.meaning;
    expect(writeJson(errorAnswer(code, 'spot', SEED_VARIANTS).body)).toBe(`{"code":${code},"msg":"${msg}"}`);
    expect(writeJson(errorAnswer(code, 'futures', SEED_VARIANTS).body)).toBe(
      `{"code":"${code}","msg":"${msg}","msgData":null,"succ":false}`,
    );
  });
});

test('the live payloads of the dialect, section 12, and a ban have their outcomes', () => {
  const dataNull = { ...SEED_VARIANTS, errorHttp: 'http200', errorBody: 'dataNull' } as const;
  const positions = errorAnswer(-1121, 'futures', dataNull);
  expect([positions.status, writeJson(positions.body)]).toEqual([200, '{"code":"-1121","msg":"BAD_SYMBOL","data":null}']);
  const noKey = errorAnswer(-1002, 'spot', dataNull);
  expect([noKey.status, writeJson(noKey.body)]).toEqual([
    200,
    '{"code":"-1002","data":null,"msg":"UNAUTHORIZED","msgData":null,"succ":false}',
  ]);
  expect(errorAnswer(-1003, 'spot', dataNull, true).status).toBe(418);
});

describe('a reply that does not come from the service', () => {
  /** The reply of the web server to an unknown path. */
  const unknownPath = writeJson(unknownPathJson('/sapi/v1/order', timeMs(1_700_000_000_000)));

  test('an unknown reply of the service is UNKNOWN for a write, with every status', () => {
    const bodies = [
      '',
      '{',
      '[]',
      'null',
      '"ok"',
      '{}',
      '<html>502 Bad Gateway</html>',
      unknownPath,
      '{"succ":false}',
      '{"code":"0","succ":false,"msg":""}',
      '{"code":null}',
      '{"code":{}}',
      '{"code":"-2017"}',
      '{"code":"-2017.5","msg":""}',
      '{"code":"-2017","msg":"","succ":true}',
      '{"code":"-2017","msg":"","orderId":"7"}',
      '{"code":"-9999","msg":"?"}',
      '{"code":"-2017","msg":"","code":"0"}',
      '{"orderId":"x"}',
      '{"orderId":0}',
      '{"orderId":-5}',
      '{"orderId":""}',
      '{"__proto__":{"orderId":"7"}}',
      '{"code":"0","msg":"Success","data":null}',
    ];
    for (const op of ['spot.newOrder', 'futures.createOrder'] as const) {
      for (const status of [200, 201, 301, 400, 403, 404, 418, 429, 500, 502, 504]) {
        for (const body of bodies) expect(kindOf(op, status, body), `${op} ${status} ${body}`).toBe('unknown');
        expect(kindOf(op, status, '{"orderId":"7"}'), `${op} ${status} an id`).toBe(status < 300 ? 'acked' : 'unknown');
      }
    }
    expect(errorIn(parsed(unknownPath))).toEqual({ code: null, msg: 'Not Found', isStrict: false });
  });

  test('a body cut off anywhere is UNKNOWN', () => {
    for (const completeBody of [
      '{"symbol":"BTCUSDT","orderId":1322738336974712847,"status":0}',
      '{"code":-2017,"msg":"balance_not_enough"}',
    ]) {
      expect(kindOf('spot.newOrder', 200, completeBody)).not.toBe('unknown');
      for (let length = 0; length < completeBody.length; length++)
        expect(kindOf('spot.newOrder', 200, completeBody.slice(0, length))).toBe('unknown');
    }
  });

  test('a failed transport is NOT_SENT if no byte was written, else UNKNOWN', () => {
    const failed = (bytesWritten: number | null) => outcomeOf('spot.newOrder', { kind: 'failed', cause: 'reset', bytesWritten });
    expect(failed(0)).toEqual({ kind: 'notSent', cause: 'reset' });
    for (const bytes of [1, 500, null]) expect(failed(bytes)).toEqual({ kind: 'unknown', cause: 'reset', status: null, error: null });
  });

  test('the decoder throws for no bytes of a reply, and the outcome is certain only with proof', () => {
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map(utf8),
      fc.constantFrom(...EXPECTED_CODES.flatMap(({ code }) => payloadsOf(code))).map(utf8),
    );
    const status = fc.oneof(fc.constantFrom(200, 400, 500), fc.integer({ min: 100, max: 599 }));
    fc.assert(
      fc.property(fc.constantFrom(...OPS), status, body, (op, http, bytes) => {
        const outcome = replied(op, http, bytes);
        if (outcome.kind === 'acked') expect(http >= 200 && http < 300).toBe(true);
        if (outcome.kind === 'refused') expect(errorCode(outcome.code)?.sideEffect).toBe('none');
        expect(outcome.kind).not.toBe('notSent');
      }),
      { numRuns: 3000 },
    );
  });
});

/** Parses valid JSON. Throws Error for any other text. */
function parsed(text: string) {
  const json = parseJson(text);
  if (!json.ok) throw new Error(json.problem);
  return json.value;
}

test('a reply without an error has no error class', () => {
  for (const body of [
    '{"code":"0","msg":"成功","data":null}',
    '{"code":0,"msg":"","succ":true}',
    '[]',
    '{}',
    '{"orderId":"7"}',
    '{"balances":[]}',
  ]) {
    expect(errorIn(parsed(body))).toBeNull();
  }
});
