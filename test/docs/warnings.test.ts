// Tests that docs/warnings.md lists the warnings of src/model/warning.ts: each code in the same order, with the same meaning.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { WARNINGS } from '../../src/model/warning.ts';
import { ROOT } from '../fixtures/packed.ts';

test('docs/warnings.md lists every warning with the meaning that the code gives', () => {
  const page = readFileSync(`${ROOT}/docs/warnings.md`, 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \| ([^|]+) \|/gm)].map(([, code, meaning]) => [code, meaning!.trim()]);
  expect(rows).toEqual(Object.entries(WARNINGS));
});
