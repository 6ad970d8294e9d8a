// The JSON schema of a run definition is that of the code, and every shipped definition names it and keeps it.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseDefinition } from '../../src/app/definition/parse.ts';
import { definitionJsonSchema } from '../../src/app/definition/schema.ts';
import { readDefinition } from '../../src/app/definition/source.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const schemaFile = `${root}config/backtest.schema.json`;

test('config/backtest.schema.json is generated from the schema of the loader (ISOBAR_UPDATE=1 writes it)', () => {
  if (process.env['ISOBAR_UPDATE'] === '1') writeFileSync(schemaFile, definitionJsonSchema());
  expect(readFileSync(schemaFile, 'utf8'), 'stale: run the tests with ISOBAR_UPDATE=1').toBe(definitionJsonSchema());
});

const shipped = readdirSync(`${root}backtests`).filter((name) => name.endsWith('.yaml'));

test('definitions are shipped', () => expect(shipped.length).toBeGreaterThan(2));

test.each(shipped)('%s names the schema in its first line and keeps it', (name) => {
  const file = `${root}backtests/${name}`;
  expect(readFileSync(file, 'utf8').split('\n')[0]).toBe('# yaml-language-server: $schema=../config/backtest.schema.json');
  expect(() => parseDefinition(readDefinition(file))).not.toThrow();
});
