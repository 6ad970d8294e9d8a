// Tests warnings: their codes, their classes, and the list that collects those of a run.

import { expect, test } from 'vitest';
import { warning, warningClass, WarningList, WARNINGS, warningText } from './warning.ts';

test('every warning code is in upper case and begins with its class', () => {
  for (const code of Object.keys(WARNINGS)) expect(code).toMatch(/^[A-Z]+(_[A-Z0-9]+)+$/);
  expect(warningClass({ code: 'DATA_GAPS' })).toBe('data');
});

test('the text of a warning about a file ends with the file and the line', () => {
  const gapWarning = warning('DATA_GAPS', '3 gaps');
  expect(warningText(gapWarning)).toBe('3 gaps');
  expect(warningText({ ...gapWarning, file: 'strategies/mine.ts', line: 12 })).toBe('3 gaps (strategies/mine.ts:12)');
  expect(warningText({ ...gapWarning, file: 'strategies/mine.ts' })).toBe('3 gaps (strategies/mine.ts)');
});

test('the warning list keeps each warning once, in order, and at most 100 of them', () => {
  const list = new WarningList();
  for (let repetition = 0; repetition < 3; repetition++)
    for (let line = 1; line <= 80; line++) list.add({ ...warning('DATA_GAPS', 'x'), file: 'a.ts', line });
  expect(list.all().map(({ line }) => line)).toEqual(Array.from({ length: 80 }, (_, index) => index + 1));
  for (let line = 81; line <= 200; line++) list.add({ ...warning('DATA_GAPS', 'x'), file: 'a.ts', line });
  expect(list.all()).toHaveLength(100);
  expect(list.drain()).toHaveLength(100);
  expect(list.all()).toEqual([]);
});
