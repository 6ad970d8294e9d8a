// Every code has a fix of its own at every check at which it can come up, and passes on the advice of the code table.

import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../../../protocol/errors/errorCodes.ts';
import type { CheckSubject, SubjectKind } from './subject.ts';
import { codeFix } from './codeFix.ts';
import { codeFamily } from './codeFamilies.ts';

const ASKED: Readonly<Record<SubjectKind, CheckSubject>> = {
  public: { kind: 'public', market: 'spot', what: 'a ping' },
  account: { kind: 'account', market: 'spot', what: 'the account' },
  query: { kind: 'query', market: 'spot', what: 'open orders of BTCUSDT' },
  order: { kind: 'order', market: 'spot', what: 'LIMIT BUY 0.1 BTCUSDT at 60000' },
};
const KINDS = Object.values(ASKED);
/** What they advise is what the doctor does: it says more than that itself. */
const MESSAGE_MORE = [-1022, -1021];

test('all 41 codes have a family of fixes, and no other code has', () => {
  expect(ERROR_CODES).toHaveLength(41);
  expect(ERROR_CODES.filter(({ code }) => codeFamily(code) === null)).toEqual([]);
  expect(codeFamily(-1118)).toBe(null);
});

describe.each(ERROR_CODES)('$code', ({ code, advice }) => {
  test.each(KINDS)('at $kind', (asked) => {
    const fix = codeFix(code, asked);
    expect(fix[0]).toBeTruthy();
    expect(fix[0]).not.toBe(advice);
    expect(fix.slice(1)).toEqual(MESSAGE_MORE.includes(code) ? [] : [advice]);
  });

  test('a code has different fixes at a ping, at the account and at an order', () => {
    const first = (['public', 'account', 'order'] as const).map((kind) => codeFix(code, ASKED[kind])[0]);
    expect(new Set(first).size).toBe(3);
  });
});

test('a code that no specification has gets the advice for such codes', () => {
  expect(codeFix(-1118, ASKED.order)).toEqual([expect.stringContaining('-1118')]);
});
