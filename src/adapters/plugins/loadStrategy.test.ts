// Tests the loader of strategies: what it accepts, what it rejects, and the hash of its code. Needs dist, because a strategy imports it.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { bundle } from './bundle.ts';
import { loadStrategy } from './loadStrategy.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-plugins-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file of the test, and returns its path. */
function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const SAMPLE_STRATEGY = `import { int, Strategy } from 'isobar';
import { twice } from './lib/twice.ts';
/** Text that looks like an import: from "isobar". */
export default class Sample extends Strategy.with({ bars: int(twice(5)) }) {
  text: string = 'import x from "isobar"';
  override onBar() { if (this.bars.close.value < 0) throw new Error(this.text); }
}
`;

describe('a good strategy', () => {
  test('a good strategy is loaded with the TypeScript files that it imports', async () => {
    write('lib/twice.ts', 'export const twice = (x: number): number => 2 * x;\n');
    const loaded = await loadStrategy(write('sample.ts', SAMPLE_STRATEGY), 'sample.ts');
    expect(loaded.name).toBe('Sample');
    expect(loaded.strategy.params).toMatchObject({ bars: { kind: 'int', default: 10 } });
    expect(loaded.inputs).toEqual(expect.arrayContaining(['sample.ts', 'lib/twice.ts']));
    expect(loaded.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  test('a good strategy has a hash that depends on its code and imports, not on its folder', async () => {
    const original = await bundle(join(folder, 'sample.ts'), 'sample.ts');
    cpSync(join(folder, 'sample.ts'), join(folder, 'elsewhere/deeper/sample.ts'));
    cpSync(join(folder, 'lib'), join(folder, 'elsewhere/deeper/lib'), { recursive: true });
    const copy = await bundle(join(folder, 'elsewhere/deeper/sample.ts'), 'sample.ts');
    expect(copy.hash).toBe(original.hash);
    write('elsewhere/deeper/lib/twice.ts', 'export const twice = (x: number): number => 3 * x;\n');
    expect((await bundle(join(folder, 'elsewhere/deeper/sample.ts'), 'sample.ts')).hash).not.toBe(original.hash);
  });

  test('a good strategy is the same class when it is loaded twice', async () => {
    const path = join(folder, 'sample.ts');
    expect((await loadStrategy(path)).strategy).toBe((await loadStrategy(path)).strategy);
  });
});

test('the stack of a strategy error has the path and line of the strategy file', () => {
  const text =
    "import { Strategy } from 'isobar';\nexport default class S extends Strategy {\n  override onBar() {}\n}\nthrow new Error('top');\n";
  const loader = new URL('../../../dist/adapters/plugins/loadStrategy.js', import.meta.url).href;
  const stackOf = (path: string) => {
    const code = `import { loadStrategy } from ${JSON.stringify(loader)}; await loadStrategy(${JSON.stringify(path)}).catch((e) => console.log(e.cause.stack));`;
    return spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8', timeout: 120_000 }).stdout;
  };
  const path = write('with space/top.ts', text);
  expect(stackOf(path)).toContain(`${path}:5:`);
  write('with space/top.ts', `// A remark that moves the lines.\n${text}`);
  expect(stackOf(path)).toContain(`${path}:6:`);
});

/** Returns a strategy file: the import of Strategy, and `body`. */
const withImport = (body: string) => `import { Strategy } from 'isobar';\n${body}\n`;

describe('an error of the loader names the file and the expectation', () => {
  test.each([
    ['noDefault', 'export class A {}', 'noDefault.ts: expected a default export, got none'],
    ['object', 'export default { onBar() {} };', 'object.ts: expected a class as default export, got an object'],
    ['other', 'export default class Other { onBar() {} }', 'other.ts: expected a class that extends Strategy, got Other, which does not'],
    [
      'asyncBar',
      withImport('export default class A extends Strategy { override async onBar() {} }'),
      'asyncBar.ts: expected a synchronous onBar, got a method of kind AsyncFunction',
    ],
    [
      'asyncBase',
      withImport('class B extends Strategy { async onFill() {} }\nexport default class A extends B {}'),
      'asyncBase.ts: expected a synchronous onFill, got a method of kind AsyncFunction',
    ],
    [
      'generator',
      withImport('export default class A extends Strategy { *onStart() {} }'),
      'generator.ts: expected a synchronous onStart, got a method of kind GeneratorFunction',
    ],
    ['syntax', withImport('export default class A extends Strategy {\n  onBar( { }\n}'), 'syntax.ts:4:1: Expected ")" but found "}"'],
    [
      'missingImport',
      withImport("import { x } from './nothing.ts';\nexport default class A extends Strategy { y = x; }"),
      'missingImport.ts:2:19: Could not resolve "./nothing.ts"',
    ],
    [
      'required',
      "const { Strategy } = require('isobar');\nmodule.exports = Strategy;",
      'required.ts: it takes isobar, or a module of Node, by require',
    ],
    ['throws', 'throw new Error("top level");', 'throws.ts: the file throws when it is loaded: top level'],
  ])('an error of the loader names the file and the expectation: %s', async (name, text, message) => {
    const path = write(`${name}.ts`, text);
    await expect(loadStrategy(path, `${name}.ts`)).rejects.toThrow(message);
  });

  test.each([
    ['first.yaml', 'strategy: s.ts', '.yaml'],
    ['bars.csv', '1,2', '.csv'],
    ['record.json', '{}', '.json'],
    ['plain', 'export default 1;', 'one without an ending'],
  ])('an error of the loader names the file and the expectation: %s is not code', async (name, text, found) => {
    await expect(loadStrategy(write(name, text), name)).rejects.toThrow(`${name}: expected a strategy file (.ts or .js), got ${found}`);
  });

  test('a missing strategy file and a folder are rejected', async () => {
    await expect(loadStrategy(join(folder, 'none.ts'), 'none.ts')).rejects.toThrow('none.ts: no such strategy file');
    await expect(loadStrategy(folder, 'folder')).rejects.toThrow('folder: expected a strategy file, got a folder');
  });
});
