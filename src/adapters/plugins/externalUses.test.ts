// Tests the static check of a strategy's source: it finds tables of numbers in any notation, in linear time.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { externalUseWarnings } from './externalUses.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-reach-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the lines of the tables and long texts that the check finds. */
function linesOf(text: string): readonly number[] {
  writeFileSync(join(folder, 'strategy.ts'), text);
  return externalUseWarnings({ inputs: { 'strategy.ts': { bytes: text.length, imports: [] } } }, folder).map(({ line }) => line ?? 0);
}

const repeatItem = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join('');

it.each([
  ['numbers', repeatItem(100, (index) => `${index},`)],
  ['decimals, exponents and signs', repeatItem(100, (index) => `-${index}.5e-3, `)],
  ['fractions without a whole part', repeatItem(100, (index) => `.${index},\n`)],
  ['texts', repeatItem(100, (index) => `'${index}.25', `)],
  ['pairs', repeatItem(50, (index) => `[${index}, ${index + 1}],\n`)],
  ['keys', `{ ${repeatItem(100, (index) => `"2024-01-01 0${index % 10}:00": ${index},`)}`],
  ['keys without quotes', `{ ${repeatItem(100, (index) => `a${index}: ${index},`)}`],
  ['rows far apart', repeatItem(100, (index) => `${index},${' '.repeat(500)}`)],
])('a table of %s is found at its first line', (_name, table) => {
  expect(linesOf(`// one\n// two\nconst x = [${table}1];\n`)).toEqual([3]);
});

it('pure synchronous functions of zlib, crypto and async_hooks cause no warning, and other functions of these modules do', () => {
  const warningCodesOf = (text: string, module: string): readonly string[] => {
    writeFileSync(join(folder, 'strategy.ts'), text);
    const imports = [{ path: `node:${module}`, kind: 'import-statement', external: true }] as const;
    return externalUseWarnings({ inputs: { 'strategy.ts': { bytes: text.length, imports: [...imports] } } }, folder).map(
      ({ code }) => code,
    );
  };
  expect(warningCodesOf("import { brotliCompressSync, gunzipSync as unzip, gzipSync } from 'node:zlib';", 'zlib')).toEqual([]);
  expect(warningCodesOf("import { createCipheriv, pbkdf2Sync, scryptSync } from 'crypto';", 'crypto')).toEqual([]);
  expect(warningCodesOf("import { AsyncLocalStorage } from 'node:async_hooks';", 'async_hooks')).toEqual([]);
  expect(warningCodesOf("import { AsyncLocalStorage, createHook } from 'node:async_hooks';", 'async_hooks')).toEqual(['IMPURE_MODULE']);
  expect(warningCodesOf("import { gzip, gzipSync } from 'node:zlib';", 'zlib')).toEqual(['IMPURE_MODULE']);
  expect(warningCodesOf("import zlib from 'node:zlib';", 'zlib')).toEqual(['IMPURE_MODULE']);
  expect(warningCodesOf("import { createHash, randomBytes } from 'node:crypto';", 'crypto')).toEqual(['IMPURE_MODULE']);
  expect(warningCodesOf("import { createHash } from 'crypto';\nimport { randomInt } from 'node:crypto';", 'crypto')).toEqual([
    'IMPURE_MODULE',
  ]);
  expect(warningCodesOf("import { createHash } from 'crypto';\nexport * from 'crypto';", 'crypto')).toEqual(['IMPURE_MODULE']);
});

it('a few numbers, or numbers with words between them, are not a table', () => {
  expect(linesOf(`const x = [${repeatItem(99, (index) => `${index},`)} 'a'];`)).toEqual([]);
  expect(linesOf(repeatItem(300, (index) => (index % 50 === 0 ? `f(a, b, ${index}),` : `${index},`)))).toEqual([]);
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
  const cpuBefore = process.cpuUsage();
  linesOf(piece.repeat(400_000 / piece.length));
  const { user } = process.cpuUsage(cpuBefore);
  // Microseconds of processor time. A regular expression over the whole text took 10 s for 2,000 digits.
  expect(user).toBeLessThan(3_000_000);
});

it('the helpers that esbuild adds for syntax that it rewrites, such as decorators, cause no warning', () => {
  const imports = [{ path: '<runtime>', kind: 'import-statement', external: true }] as const;
  writeFileSync(join(folder, 'strategy.ts'), 'export {};');
  expect(externalUseWarnings({ inputs: { 'strategy.ts': { bytes: 10, imports: [...imports] } } }, folder)).toEqual([]);
});
