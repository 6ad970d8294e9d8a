// Tests the static check of a strategy's source: it finds tables of numbers in any notation, in linear time.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { reachOf } from './reach.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-reach-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the lines of the tables and long texts that the check finds. */
function linesOf(text: string): readonly number[] {
  writeFileSync(join(folder, 'strategy.ts'), text);
  return reachOf({ inputs: { 'strategy.ts': { bytes: text.length, imports: [] } } }, folder).map(({ line }) => line ?? 0);
}

const times = (count: number, item: (at: number) => string): string => Array.from({ length: count }, (_, at) => item(at)).join('');

it.each([
  ['numbers', times(100, (at) => `${at},`)],
  ['decimals, exponents and signs', times(100, (at) => `-${at}.5e-3, `)],
  ['fractions without a whole part', times(100, (at) => `.${at},\n`)],
  ['texts', times(100, (at) => `'${at}.25', `)],
  ['pairs', times(50, (at) => `[${at}, ${at + 1}],\n`)],
  ['keys', `{ ${times(100, (at) => `"2024-01-01 0${at % 10}:00": ${at},`)}`],
  ['keys without quotes', `{ ${times(100, (at) => `a${at}: ${at},`)}`],
  ['rows far apart', times(100, (at) => `${at},${' '.repeat(500)}`)],
])('a table of %s is found at its first line', (_name, table) => {
  expect(linesOf(`// one\n// two\nconst x = [${table}1];\n`)).toEqual([3]);
});

it('a few numbers, or numbers with words between them, are not a table', () => {
  expect(linesOf(`const x = [${times(99, (at) => `${at},`)} 'a'];`)).toEqual([]);
  expect(linesOf(times(300, (at) => (at % 50 === 0 ? `f(a, b, ${at}),` : `${at},`)))).toEqual([]);
});

it.each([
  ['digits', '7'],
  ['letters', 'a'],
  ['words', 'a '],
  ['colons', ': '],
  ['points', '1.'],
  ['commas', '1:1,,'],
  ['quotes', `'7`],
])('a long text of %s is checked in less than 3 s', (_name, piece) => {
  const before = process.cpuUsage();
  linesOf(piece.repeat(400_000 / piece.length));
  const { user } = process.cpuUsage(before);
  // Microseconds of processor time. A regular expression over the whole text took 10 s for 2,000 digits.
  expect(user).toBeLessThan(3_000_000);
});
