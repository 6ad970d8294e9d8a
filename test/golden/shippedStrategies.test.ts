// Tests that shipped strategies stay short: at most 40 lines without blank lines and imports, with few exceptions.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const STRATEGY_FOLDER = fileURLToPath(new URL('../../strategies/', import.meta.url));
const FILES = readdirSync(STRATEGY_FOLDER).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
/** Maximum lines that differ from 40. Strategies with two markets or with stops at the exchange need more. */
const MAX_LINES: Readonly<Record<string, number>> = { 'smaCross.ts': 10, 'fundingCarry.ts': 60, 'perpetualTrend.ts': 60 };

test('there are nine shipped strategies and a second form of one', () => expect(FILES).toHaveLength(10));

test.each(FILES)('the shipped strategy %s is short, begins with a comment, and has a test beside it', (file) => {
  const lines = readFileSync(STRATEGY_FOLDER + file, 'utf8').split('\n');
  const countedLines = lines.filter((line) => line.trim() !== '' && !line.startsWith('import '));
  expect(countedLines.length).toBeLessThanOrEqual(MAX_LINES[file] ?? 40);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(140);
  expect(lines[0]).toMatch(/^\/\/ \S/);
  expect(readdirSync(STRATEGY_FOLDER)).toContain(file === 'smaCrossOnBar.ts' ? 'smaCross.test.ts' : file.replace('.ts', '.test.ts'));
});
