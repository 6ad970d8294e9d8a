// The house stays as planned: every rule is shown to fire on a tree that breaks it, and the real tree breaks none.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tidy } from './tidy.ts';

const trees: string[] = [];
afterAll(() => trees.forEach((tree) => rmSync(tree, { recursive: true })));

function treeOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'isobar-tidy-'));
  trees.push(root);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), `// A file.\n${text}`);
  }
  return root;
}

describe('the house', () => {
  it('is tidy', () => {
    expect(tidy(new URL('../../src', import.meta.url).pathname)).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    [
      'an upward import',
      { 'base/a.ts': "import { b } from '../engine/b.ts';", 'engine/b.ts': 'export const b = 1;' },
      /base may not import engine/,
    ],
    ['a sibling', { 'report/a.ts': "import { b } from '../plugins/b.ts';", 'plugins/b.ts': '' }, /report may not import plugins/],
    ['another adapter', { 'adapters/a/a.ts': "import '../b/b.ts';", 'adapters/b/b.ts': '' }, /may not import adapters\/b/],
    ['a wall', { 'orders/a.ts': "import { b } from '../venue/b.ts';", 'venue/b.ts': '' }, /wall between orders and venue/],
    [
      'a cycle',
      { 'base/a.ts': "import { b } from './b.ts';", 'base/b.ts': "import { a } from './a.ts';" },
      /import cycle base\/a.ts -> base\/b.ts -> base\/a.ts/,
    ],
    ['inversify outside of app', { 'engine/a.ts': "import { Container } from 'inversify';" }, /inversify is not at home in engine/],
    ['an unknown package', { 'app/a.ts': "import x from 'left-pad';" }, /left-pad is not at home/],
    ['wall-clock time', { 'orders/a.ts': 'export const now = () => Date.now();' }, /time comes from the Scheduler/],
    ['a timer', { 'app/a.ts': 'setTimeout(() => {}, 1);' }, /time comes from the Scheduler/],
    ['randomness', { 'venue/a.ts': 'export const x = Math.random();' }, /randomness is seeded/],
    ['a promise', { 'engine/a.ts': 'export async function a() {}' }, /synchronous/],
    ['I/O', { 'model/a.ts': "import { readFileSync } from 'node:fs';" }, /no I\/O/],
    ['a forged approval', { 'engine/a.ts': 'export const a = (o: never) => o as ApprovedOrder;' }, /only risk approves/],
    ['a room off the plan', { 'utils/a.ts': '' }, /room utils is not on the plan/],
    ['a door that shows too much', { 'index.ts': "export * from './venue/a.ts';", 'venue/a.ts': '' }, /door does not show venue/],
  ])('reports %s', (_, files, expected) => {
    expect(tidy(treeOf(files)).join('\n')).toMatch(expected);
  });

  it('wants a first line that says what a file is for', () => {
    const root = treeOf({});
    mkdirSync(join(root, 'base'));
    writeFileSync(join(root, 'base/a.ts'), 'export const a = 1;');
    expect(tidy(root)).toEqual(['base/a.ts: the first line does not say what the file is for']);
  });
});
