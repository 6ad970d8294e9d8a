// Finding tables of data in the text of a strategy.

import { describe, expect, test } from 'vitest';
import { codeOnly, dataAt } from './codeText.ts';

const row = (count: number, of: (at: number) => string, between = ', ') => Array.from({ length: count }, (_, at) => of(at)).join(between);
const price = (at: number) => `${20_000 + at * 1.5}`;

describe('dataAt', () => {
  test.each([
    ['a list of numbers', `export const F = [${row(120, price)}];`],
    ['numbers by key', `const f = { ${row(120, (at) => `${at}: ${price(at)}`)} };`],
    ['rows of objects', row(120, (at) => `{ time: ${at}, "close": "${price(at)}" }`)],
    ['lines of CSV', row(120, (at) => `${1_672_531_200_000 + at},${price(at)}`, '\n')],
    ['lines of CSV with dates', row(120, (at) => `2023-01-${10 + (at % 20)} 00:00:00,${price(at)}`, '\n')],
    ['flags', `[${row(120, (at) => `${at % 3 === 0}`)}]`],
    ['a text of letters', `const f = '${'UD'.repeat(300)}';`],
    ['a large number', `const f = 0x${'a3'.repeat(300)}n;`],
    ['many long texts', row(20, () => `'${'k'.repeat(120)}'`, ' + ')],
  ])('dataAt finds %s', (_, text) => {
    expect(dataAt(`// head\n${text}`)).toBeGreaterThanOrEqual(0);
  });

  test.each([
    ['settings', `const S = [${row(40, price)}]; const H = { ${row(40, (at) => `${at}: ${at + 1}`)} };`],
    ['names of days', `new Set([${row(150, (at) => `'2023-${10 + (at % 3)}-${10 + (at % 18)}'`)}])`],
    ['code', row(400, (at) => `x${at} = y[${at}] + ${at};`, '\n')],
    ['text with blanks', `'${'word '.repeat(500)}'`],
  ])('dataAt takes %s for code', (_, text) => {
    expect(dataAt(text)).toBe(-1);
  });

  test('dataAt takes time that grows with the text', () => {
    // Keys that might begin anywhere, and no table: a pattern that tries every beginning needs the square and more.
    const text = `${row(5000, (at) => `a${at}: ${at} - b `)} ${'12 : '.repeat(20_000)}x${' '.repeat(100_000)}`;
    const before = process.cpuUsage().user;
    expect(dataAt(text)).toBe(-1);
    expect(process.cpuUsage().user - before).toBeLessThan(1_000_000);
  });
});

test('codeOnly keeps code at its offset and blanks comments and strings', () => {
  const text = "a('import(x)'); // eval(y)\n/* eval(z) */ const r = /[\"'`]/; b(`eval(q) ${eval(w)}`); import(v)";
  const code = codeOnly(text);
  expect(code).toHaveLength(text.length);
  expect([...code.matchAll(/\b(?:import|eval)\(\w\)/g)].map(([found]) => found)).toEqual(['eval(w)', 'import(v)']);
  expect(code.indexOf('import(v)')).toBe(text.lastIndexOf('import(v)'));
});
