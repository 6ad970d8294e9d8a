// Tests that every code has a fix of its own at every check that can meet it, followed by the advice of the code table.

import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../../../protocol/errors/errorCodes.ts';
import type { CheckSubject, SubjectKind } from './checkSubject.ts';
import { codeFix } from './codeFix.ts';
import { codeFamily } from './codeFamilies.ts';

const SUBJECTS: Readonly<Record<SubjectKind, CheckSubject>> = {
  public: { kind: 'public', market: 'spot', subjectText: 'a ping' },
  account: { kind: 'account', market: 'spot', subjectText: 'the account' },
  query: { kind: 'query', market: 'spot', subjectText: 'open orders of BTCUSDT' },
  order: { kind: 'order', market: 'spot', subjectText: 'LIMIT BUY 0.1 BTCUSDT at 60000' },
};
const ALL_SUBJECTS = Object.values(SUBJECTS);
/** Codes whose advice in the table is to run the doctor. So the doctor leaves that advice out. */
const WITHOUT_TABLE_ADVICE = [-1022, -1021];

test('exactly the 41 codes of the specification have a family of fixes', () => {
  expect(ERROR_CODES).toHaveLength(41);
  expect(ERROR_CODES.filter(({ code }) => codeFamily(code) === null)).toEqual([]);
  expect(codeFamily(-1118)).toBe(null);
});

describe.each(ERROR_CODES)('$code', ({ code, advice }) => {
  test.each(ALL_SUBJECTS)('a code has a fix at $kind', (subject) => {
    const fix = codeFix(code, subject);
    expect(fix[0]).toBeTruthy();
    expect(fix[0]).not.toBe(advice);
    expect(fix.slice(1)).toEqual(WITHOUT_TABLE_ADVICE.includes(code) ? [] : [advice]);
  });

  test('a code has different fixes at a ping, at the account and at an order', () => {
    const firstFixes = (['public', 'account', 'order'] as const).map((kind) => codeFix(code, SUBJECTS[kind])[0]);
    expect(new Set(firstFixes).size).toBe(3);
  });
});

test('a code that the specification lacks gets the advice for unknown codes', () => {
  expect(codeFix(-1118, SUBJECTS.order)).toEqual([expect.stringContaining('-1118')]);
});
