// Tests that the tables of docs/protocol.md equal those of the code.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { codeRows, endpointRows } from './page.ts';

test('the page has the row of each endpoint and each code, and no other', () => {
  const lines = readFileSync(new URL('../../docs/protocol.md', import.meta.url), 'utf8').split('\n');
  expect(lines.filter((line) => /^\| `(spot|futures)\./.test(line))).toEqual(endpointRows());
  expect(lines.filter((line) => /^\| -?\d+ \|/.test(line))).toEqual(codeRows());
});
