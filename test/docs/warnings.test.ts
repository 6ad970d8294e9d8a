// Tests that the table of docs/warnings.md equals that of the code: every code, in its order, with the same words.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { WARNINGS } from '../../src/model/warning.ts';
import { ROOT } from '../fixtures/packed.ts';

test('docs/warnings.md lists every warning with the meaning that the code gives', () => {
  const page = readFileSync(`${ROOT}/docs/warnings.md`, 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \| ([^|]+) \|/gm)].map(([, code, meaning]) => [code, meaning!.trim()]);
  expect(rows).toEqual(Object.entries(WARNINGS));
});
