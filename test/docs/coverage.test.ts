// Tests that the coverage page equals its tables, names only tests that exist, and that each switch occurs in a test.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { coveragePage, NAMED_FILES, tablesOf } from '../../docs/make/coverage.mjs';
import { demoSettings } from '../../src/paperExchange/process/demo.ts';
import { endpointOf, OPS } from '../../src/protocol/endpoints/endpoints.ts';
import { ERROR_CODES } from '../../src/protocol/errors/errorCodes.ts';
import { SWITCHES } from '../../src/paperExchange/dialect/switches.ts';
import { Service } from '../../src/paperExchange/service.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

test('docs/maintainers/coverage.md equals the page made from the tables', () => {
  const fresh = coveragePage(tablesOf({ OPS, endpointOf, ERROR_CODES, SWITCHES, Service, demoSettings }));
  expect(read('docs/maintainers/coverage.md') === fresh, 'run: npm run docs:coverage').toBe(true);
});

test('the tests that the coverage page names exist', () => {
  for (const file of NAMED_FILES) expect(existsSync(new URL(file, root)), file).toBe(true);
});

test('each switch of the paper exchange occurs in a test', () => {
  const files = readdirSync(new URL('test/service', root)).filter((file) => file.endsWith('.ts'));
  const texts = [...files.map((file) => `test/service/${file}`), 'test/protocol/roundTrip.test.ts', 'test/openapi/openApi.test.ts']
    .map(read)
    .join('\n');
  expect(Object.keys(SWITCHES).filter((name) => !texts.includes(name))).toEqual([]);
});
