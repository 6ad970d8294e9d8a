// The shipped strategies stay as short as they are meant to be read: lines that are neither blank nor an import, comments counted.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('../../strategies/', import.meta.url));
const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
/** Definitions with two markets, or with stops at the exchange, need more keys. */
const MAX_LINES: Readonly<Record<string, number>> = { 'smaCross.ts': 10, 'fundingCarry.ts': 60, 'perpetualTrend.ts': 60 };

test('there are nine strategies and a second form of one', () => expect(FILES).toHaveLength(10));

test.each(FILES)('%s is short, and has a test beside it', (file) => {
  const lines = readFileSync(FOLDER + file, 'utf8').split('\n');
  const read = lines.filter((line) => line.trim() !== '' && !line.startsWith('import '));
  expect(read.length).toBeLessThanOrEqual(MAX_LINES[file] ?? 40);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(140);
  expect(lines[0]).toMatch(/^\/\/ \S/);
  expect(readdirSync(FOLDER)).toContain(file === 'smaCrossOnBar.ts' ? 'smaCross.test.ts' : file.replace('.ts', '.test.ts'));
});
