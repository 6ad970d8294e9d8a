// Tests that docs/operations.md has a row for every cause in the code that can stop a bot. ISOBAR_UPDATE=1 writes the rows.

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CAUSES } from '../../src/tasks/control/haltCauses.ts';

const PAGE = new URL('../../docs/operations.md', import.meta.url);
const CAUSE_TABLE = /(\| cause \|.*\n\|[-|]+\|\n)((?:\|.*\n)+)/;

test('docs/operations.md describes every halt cause with the text of the code', () => {
  const rows = CAUSES.map(
    ({ code, means, needsPerson, todo }) => `| \`${code}\` | ${means} | ${needsPerson ? 'the operator' : 'by itself'} | ${todo} |\n`,
  ).join('');
  const page = readFileSync(PAGE, 'utf8');
  if (process.env['ISOBAR_UPDATE'] === '1')
    writeFileSync(
      PAGE,
      page.replace(CAUSE_TABLE, (_, head: string) => head + rows),
    );
  expect(CAUSE_TABLE.exec(readFileSync(PAGE, 'utf8'))?.[2], 'run with ISOBAR_UPDATE=1').toBe(rows);
});
