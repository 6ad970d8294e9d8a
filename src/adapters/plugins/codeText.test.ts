// Tests the search for tables of data in the text of a strategy.

import { describe, expect, test } from 'vitest';
import { codeOnly, dataAt } from './codeText.ts';

const repeatItem = (count: number, itemAt: (index: number) => string, separator = ', ') =>
  Array.from({ length: count }, (_, index) => itemAt(index)).join(separator);
const price = (index: number) => `${20_000 + index * 1.5}`;

describe('dataAt', () => {
  test.each([
    ['a list of numbers', `export const F = [${repeatItem(120, price)}];`],
    ['numbers by key', `const f = { ${repeatItem(120, (index) => `${index}: ${price(index)}`)} };`],
    ['rows of objects', repeatItem(120, (index) => `{ time: ${index}, "close": "${price(index)}" }`)],
    ['lines of CSV', repeatItem(120, (index) => `${1_672_531_200_000 + index},${price(index)}`, '\n')],
    ['lines of CSV with dates', repeatItem(120, (index) => `2023-01-${10 + (index % 20)} 00:00:00,${price(index)}`, '\n')],
    ['flags', `[${repeatItem(120, (index) => `${index % 3 === 0}`)}]`],
    ['a text of letters', `const f = '${'UD'.repeat(300)}';`],
    ['a large number', `const f = 0x${'a3'.repeat(300)}n;`],
    ['many long texts', repeatItem(20, () => `'${'k'.repeat(120)}'`, ' + ')],
  ])('dataAt finds %s', (_, text) => {
    expect(dataAt(`// head\n${text}`)).toBeGreaterThanOrEqual(0);
  });

  test.each([
    ['settings', `const S = [${repeatItem(40, price)}]; const H = { ${repeatItem(40, (index) => `${index}: ${index + 1}`)} };`],
    ['names of days', `new Set([${repeatItem(150, (index) => `'2023-${10 + (index % 3)}-${10 + (index % 18)}'`)}])`],
    ['code', repeatItem(400, (index) => `x${index} = y[${index}] + ${index};`, '\n')],
    ['text with blanks', `'${'word '.repeat(500)}'`],
  ])('dataAt finds no table in %s', (_, text) => {
    expect(dataAt(text)).toBe(-1);
  });

  test('dataAt reads 270,000 characters without a table in less than 1 s of CPU', () => {
    // Keys that might begin anywhere, and no table: a pattern that tries every beginning needs the square and more.
    const text = `${repeatItem(5000, (index) => `a${index}: ${index} - b `)} ${'12 : '.repeat(20_000)}x${' '.repeat(100_000)}`;
    const cpuBefore = process.cpuUsage().user;
    expect(dataAt(text)).toBe(-1);
    expect(process.cpuUsage().user - cpuBefore).toBeLessThan(1_000_000);
  });
});

test('codeOnly keeps code at its offset and blanks comments and strings', () => {
  const text = "a('import(x)'); // eval(y)\n/* eval(z) */ const r = /[\"'`]/; b(`eval(q) ${eval(w)}`); import(v)";
  const code = codeOnly(text);
  expect(code).toHaveLength(text.length);
  expect([...code.matchAll(/\b(?:import|eval)\(\w\)/g)].map(([call]) => call)).toEqual(['eval(w)', 'import(v)']);
  expect(code.indexOf('import(v)')).toBe(text.lastIndexOf('import(v)'));
});
