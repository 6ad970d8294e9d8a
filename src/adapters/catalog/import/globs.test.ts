// Tests file patterns that the shell did not expand, against real folders.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../../base/errors.ts';
import { expandFiles } from './globs.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-globs-'));
afterAll(() => rmSync(folder, { recursive: true }));
const FILE_NAMES = [
  'a-1.csv',
  'a-2.csv',
  'a-10.csv',
  'b.csv',
  'b+c(1).csv',
  '[x].csv',
  '.hidden.csv',
  'in/a-1.csv',
  'in/deep/a-1.csv',
  'in/.git/a-1.csv',
  'in2/a-1.zip',
];
for (const name of FILE_NAMES) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), '');
}
const expandInFolder = (...names: string[]) =>
  expandFiles(names.map((name) => join(folder, name))).map((name) => name.slice(folder.length + 1));

describe('a pattern', () => {
  it.each<[string, string[]]>([
    ['*.csv', ['[x].csv', 'a-1.csv', 'a-10.csv', 'a-2.csv', 'b+c(1).csv', 'b.csv']],
    ['a-?.csv', ['a-1.csv', 'a-2.csv']],
    ['a-[2-9]*', ['a-2.csv']],
    ['a-[!2].csv', ['a-1.csv']],
    ['{a,b}*.csv', ['a-1.csv', 'a-10.csv', 'a-2.csv', 'b+c(1).csv', 'b.csv']],
    ['b+c(*).csv', ['b+c(1).csv']],
    ['.*.csv', ['.hidden.csv']],
    ['*/a-1.*', ['in/a-1.csv', 'in2/a-1.zip']],
    ['**/a-1.csv', ['a-1.csv', 'in/a-1.csv', 'in/deep/a-1.csv']],
    ['in/**/*.csv', ['in/a-1.csv', 'in/deep/a-1.csv']],
    ['[x].csv', ['[x].csv']],
  ])('a pattern: %s', (pattern, expected) => expect(expandInFolder(pattern)).toEqual(expected));

  it('a pattern adds each file once, names in the order given', () =>
    expect(expandInFolder('b.csv', 'a-*.csv', 'b.csv', 'a-1.csv')).toEqual(['b.csv', 'a-1.csv', 'a-10.csv', 'a-2.csv']));

  it('a pattern that matches nothing is an error, but a name without wildcards is returned even if there is no such file', () => {
    expect(() => expandInFolder('z*.csv')).toThrow(`${folder}/z*.csv: no file matches`);
    expect(() => expandInFolder('a-1.csv/*')).toThrow('no file matches');
    expect(expandInFolder('none.csv')).toEqual(['none.csv']);
  });

  it.each(['[z-a]*.csv', '[a-\\d]*'])('a pattern: %s has a range that runs backwards', (pattern) =>
    expect(() => expandInFolder(pattern)).toThrow(
      new ConfigError(`${pattern}: a pattern with a range that runs backwards`, expect.anything()),
    ),
  );

  it.each([
    ['opening brackets', `${'['.repeat(100_000)}*`],
    ['opening braces', `${'{'.repeat(100_000)}*`],
    ['stars', `${'*a'.repeat(60)}b`],
  ])('a pattern of many %s is read in time that grows with its length', (_, pattern) => {
    writeFileSync(join(folder, 'a'.repeat(200)), '');
    const beginMs = performance.now();
    expect(() => expandInFolder(pattern)).toThrow('no file matches');
    expect(performance.now() - beginMs).toBeLessThan(5000);
    rmSync(join(folder, 'a'.repeat(200)));
  });
});
