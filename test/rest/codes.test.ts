// Tests each of the 41 error codes over a real socket: its outcome class for each kind of call, and its advice.

import { afterEach, describe, expect, test } from 'vitest';
import { errorCodeOf } from '../../src/protocol/outcome.ts';
import { errorCodeFacts } from '../../src/protocol/errors/errorCodes.ts';
import { always, type Behaviour } from '../fixtures/stubExchange.ts';
import { EXPECTED_CODES } from '../protocol/expectedCodes.ts';
import { READS, WRITES, type SampleCall } from './calls.ts';
import { RestFixture } from './restClientFixture.ts';

/** Return the body of an error as spot and futures send it. */
const ENVELOPES = {
  spot: (code: number) => `{"code":${code},"msg":"why"}`,
  futures: (code: number) => `{"code":"${code}","data":null,"msg":"why","msgData":null,"succ":false}`,
} as const;

/** Words that the advice for a code must contain: what the operator can do about it. */
const ADVICE: Readonly<Record<number, RegExp>> = {
  [-1000]: /look the order up/,
  [-1001]: /look the order up/,
  [-1002]: /ISOBAR_API_KEY/,
  [-1003]: /send less/,
  [-1004]: /ask the exchange/,
  [-1006]: /look it up/,
  [-1007]: /look it up/,
  [-1014]: /time in force/,
  [-1015]: /cancel some/,
  [-1016]: /wait/,
  [-1017]: /contentTypeOnGet/,
  [-1020]: /does not offer/,
  [-1021]: /synchronise/,
  [-1022]: /secret/,
  [-1023]: /X-CH-TS/,
  [-1024]: /X-CH-SIGN/,
  [-1100]: /not allowed/,
  [-1101]: /fewer/,
  [-1102]: /missing/,
  [-1103]: /dialect/,
  [-1104]: /dialect/,
  [-1105]: /empty/,
  [-1106]: /leave out/,
  [-1111]: /decimals/,
  [-1112]: /query it/,
  [-1116]: /LIMIT or MARKET/,
  [-1117]: /BUY or SELL/,
  [-1121]: /symbol/,
  [-1136]: /order more/,
  [-1138]: /closer/,
  [-1139]: /LIMIT/,
  [-1145]: /query it/,
  [-1147]: /decimals/,
  [-2013]: /does not know/,
  [-2015]: /permissions/,
  [-2016]: /frozen/,
  [-2017]: /add funds/,
  [-2100]: /leverage/,
  [-2200]: /address/,
  35: /may not trade/,
  10015: /position/,
};

/** Calls of every kind in both markets. */
const SAMPLE_CALLS: readonly SampleCall[] = [...WRITES, ...READS].filter(({ op }) => !/batch|Mode|Condition|symbols|ping/.test(op));
/** Codes that change the outcome of later calls. */
const LASTING_CODES = new Set([-1003, -1021]);

let fixture: RestFixture | null = null;
afterEach(async () => {
  await fixture?.close();
  fixture = null;
});

/** Returns how often a read is sent that always gets this code: -1021 is repeated once, and a code that a pause may help twice. */
function requestsOfRead(code: number, retry: ReturnType<typeof errorCodeFacts>['retry']): number {
  if (code === -1021) return 2;
  return retry === 'after' ? 3 : 1;
}

/** Returns a fixture whose service always gives this reply, and whose limiter and clock have seen no earlier one. */
async function fixtureOf(code: number, behaviour: Behaviour, speed: number): Promise<RestFixture> {
  if (fixture !== null && LASTING_CODES.has(code)) {
    await fixture.close();
    fixture = null;
  }
  fixture ??= await RestFixture.open(behaviour, { speed });
  fixture.answerWith(behaviour);
  return fixture;
}

describe.each(EXPECTED_CODES)('code $code', ({ code, http, create: outcomeOfCreate, other: outcomeOfOtherCall, retry }) => {
  test('a code has one outcome class and one advice, in any envelope and with any status', async () => {
    for (const envelope of Object.values(ENVELOPES)) {
      for (const status of new Set([200, http])) {
        for (const call of SAMPLE_CALLS) {
          const codeFixture = await fixtureOf(code, always(status, envelope(code)), 1);
          const countBefore = codeFixture.callRequests.length;
          const outcome = await codeFixture.call(call.op, call.args, { attempts: 1 });
          const description = `${call.op} HTTP ${status} ${envelope(code)}`;
          // After -1021 the service's clock is measured, and a read is sent once more, even if the call allows only one attempt.
          expect(codeFixture.callRequests.length - countBefore, description).toBe(code === -1021 && call.kind === 'read' ? 2 : 1);
          const documentedOutcome = call.kind === 'create' ? outcomeOfCreate : outcomeOfOtherCall;
          const expected = status >= 500 ? 'unknown' : documentedOutcome;
          expect(outcome.kind, description).toBe(expected);
          expect(errorCodeOf(outcome), description).toBe(code);
          expect(outcome, description).toMatchObject(
            expected === 'refused' ? { status, msg: 'why' } : { status, error: { code, msg: 'why' } },
          );
          expect(codeFixture.logs.at(-1), description).toMatchObject({ op: call.op, kind: expected, status, code, isLate: false });
        }
      }
    }
    const facts = errorCodeFacts(code);
    expect(facts.advice).toMatch(ADVICE[code]!);
    expect(facts.retry).toBe(retry);
  });

  test('a code is retried by reads if a pause may help, and by no other call', async () => {
    for (const envelope of Object.values(ENVELOPES)) {
      for (const call of SAMPLE_CALLS.filter(({ op }) => !/test|Trigger|Leverage/.test(op))) {
        const codeFixture = await fixtureOf(code, always(http, envelope(code)), LASTING_CODES.has(code) ? 50 : 500);
        const countBefore = codeFixture.callRequests.length;
        await codeFixture.call(call.op, call.args, { timeoutMs: 600_000 });
        expect(codeFixture.callRequests.length - countBefore, `${call.op} HTTP ${http}`).toBe(
          call.kind === 'read' ? requestsOfRead(code, retry) : 1,
        );
      }
    }
  });
});
