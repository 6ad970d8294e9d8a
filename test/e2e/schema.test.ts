// Tests the JSON schema of a run definition: it equals that of the code, and every shipped definition names and satisfies it.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT } from '../../src/base/errors.ts';
import { expect, test } from 'vitest';
import { keysAt } from '../../src/definition/text/keys.ts';
import { parseDefinition } from '../../src/definition/text/parse.ts';
import { definitionJsonSchema } from '../../src/definition/text/schema.ts';
import { readDefinition } from '../../src/definition/text/source.ts';
import { LIMITS } from '../../src/risk/limits/limits.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const schemaFile = `${root}config/backtest.schema.json`;

test('config/backtest.schema.json is generated from the schema of the loader (ISOBAR_UPDATE=1 writes it)', () => {
  if (process.env['ISOBAR_UPDATE'] === '1') writeFileSync(schemaFile, definitionJsonSchema());
  expect(readFileSync(schemaFile, 'utf8'), 'stale: run the tests with ISOBAR_UPDATE=1').toBe(definitionJsonSchema());
});

const shipped = readdirSync(`${root}backtests`, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.yaml'));

test('definitions are shipped', () => expect(shipped.length).toBeGreaterThan(2));

test.each(shipped)('%s names the schema in its first line and keeps it', (name) => {
  const file = `${root}backtests/${name}`;
  expect(readFileSync(file, 'utf8').split('\n')[0]).toBe(
    `# yaml-language-server: $schema=${'../'.repeat(name.split(sep).length)}config/backtest.schema.json`,
  );
  expect(() => parseDefinition(readDefinition(file))).not.toThrow();
});

const backtestPage = readFileSync(`${root}docs/backtest.md`, 'utf8');

test('docs/backtest.md explains every key of a definition', () => {
  const keys = [...keysAt([]), ...keysAt(['size']), ...keysAt(['instruments', 'X'])].map((key) => `\`${key}`);
  keys.push(...keysAt(['fees']).map((key) => `\`fees.${key}\``), ...keysAt(['fills']).map((key) => `\`fills.${key}\``));
  expect(keys.filter((key) => !backtestPage.includes(key))).toEqual([]);
});

test('docs/backtest.md explains every limit and names its code', () => {
  const isExplained = ({ key, help, code }: (typeof LIMITS)[number]): boolean =>
    backtestPage.includes(`| \`${key}\` | ${help} |`) && backtestPage.includes(`\`${code}\``);
  expect(LIMITS.filter((limit) => !isExplained(limit))).toEqual([]);
});

test('docs/errors.md explains every exit code', () => {
  const errors = readFileSync(`${root}docs/errors.md`, 'utf8');
  expect(Object.values(EXIT).filter((code) => !errors.includes(`| ${code} |`))).toEqual([]);
});
