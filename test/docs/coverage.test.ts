// The coverage page says what the tables say, names tests that exist, and promises no switch that no test knows; a stale page fails.

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

test('docs/maintainers/coverage.md is what the tables make', () => {
  const fresh = coveragePage(tablesOf({ OPS, endpointOf, ERROR_CODES, SWITCHES, Service, demoSettings }));
  expect(read('docs/maintainers/coverage.md') === fresh, 'run: npm run docs:coverage').toBe(true);
});

test('the tests that it names exist', () => {
  for (const file of NAMED_FILES) expect(existsSync(new URL(file, root)), file).toBe(true);
});

test('each switch is known to a test of the exchange', () => {
  const files = readdirSync(new URL('test/service', root)).filter((file) => file.endsWith('.ts'));
  const texts = [...files.map((file) => `test/service/${file}`), 'test/protocol/roundTrip.test.ts', 'test/openapi/openApi.test.ts']
    .map(read)
    .join('\n');
  expect(Object.keys(SWITCHES).filter((name) => !texts.includes(name))).toEqual([]);
});
