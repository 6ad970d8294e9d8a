// Tests the rules of the source tree: each one reports a tree that breaks it, and src breaks none.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ruleViolations } from './sourceRules.ts';

const trees: string[] = [];
afterAll(() => trees.forEach((tree) => rmSync(tree, { recursive: true })));

/** Writes files to a new folder, and returns it. */
function writeTree(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'isobar-rules-'));
  trees.push(root);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), `// A file.\n${text}`);
  }
  return root;
}

describe('the rules of the sources', () => {
  it('src breaks no rule', () => {
    expect(ruleViolations(new URL('../../src', import.meta.url).pathname)).toEqual([]);
  });

  it.each<[name: string, files: Readonly<Record<string, string>>, expected: RegExp]>([
    [
      'a cycle',
      { 'base/a.ts': "import { b } from './b.ts';", 'base/b.ts': "import { a } from './a.ts';" },
      /import cycle base\/a.ts -> base\/b.ts -> base\/a.ts/,
    ],
    [
      'inversify outside of app',
      { 'engine/a.ts': "import { Container } from 'inversify';" },
      /the package inversify may not be imported in engine/,
    ],
    [
      'a package outside of its folder',
      { 'tasks/a.ts': "import { Queue } from 'bullmq';" },
      /the package bullmq may not be imported in tasks\//,
    ],
    ['an unknown package', { 'app/a.ts': "import x from 'left-pad';" }, /the package left-pad may not be imported/],
    ['wall-clock time', { 'orders/a.ts': 'export const now = () => Date.now();' }, /time comes from the Scheduler/],
    ['a timer', { 'app/a.ts': 'setTimeout(() => {}, 1);' }, /time comes from the Scheduler/],
    ['randomness', { 'venue/a.ts': 'export const x = Math.random();' }, /randomness is seeded/],
    ['a promise', { 'engine/a.ts': 'export async function a() {}' }, /synchronous/],
    ['I/O', { 'model/a.ts': "import { readFileSync } from 'node:fs';" }, /no I\/O/],
    ['a list spread into Math.min', { 'tasks/a.ts': 'export const a = (b: number[]) => Math.min(f(1), ...b);' }, /spread into a call/],
    ['a list spread into push', { 'tasks/a.ts': 'export const a = (b: number[]) => b.push(...b);' }, /spread into a call/],
    ['a list spread into splice', { 'tasks/a.ts': 'export const a = (b: number[]) => b.splice(0, 1, ...b);' }, /spread into a call/],
    ['a private field with # in engine or orders', { 'engine/a.ts': 'export class A {\n  readonly #a = 1;\n}' }, /hot rooms say private/],
    [
      'Infinity inside an expression in engine or orders',
      { 'orders/a.ts': "export const a = ['none', -Infinity];" },
      /constants of their own/,
    ],
    [
      'an address inside the package',
      { 'app/a.ts': "export const a = new URL('./b.js', import.meta.url);" },
      /knows where the package lies/,
    ],
    [
      'an end tag of a script, which ends the script of a report page',
      { 'report/a.ts': 'export const a = html`<script></script>`;' },
      /has no <\/script/,
    ],
    ['a forged approval', { 'engine/a.ts': 'export const a = (o: never) => o as ApprovedOrder;' }, /only risk approves/],
    ['a file at the top', { 'utils.ts': '' }, /only the public entries may be at the top/],
    [
      'an entry that exports too much',
      { 'index.ts': "export * from './venue/a.ts';", 'venue/a.ts': '' },
      /this entry may not export venue/,
    ],
    [
      'an entry for runs that exports another task',
      { 'run.ts': "export * from './tasks/kill/a.ts';", 'tasks/kill/a.ts': '' },
      /may not export tasks\/kill/,
    ],
  ])('the rules report %s', (_, files, expected) => {
    expect(ruleViolations(writeTree(files)).join('\n')).toMatch(expected);
  });

  it('the rules allow # fields of views and constants of a file in engine, and both in every form in report', () => {
    const root = writeTree({
      'engine/host/views.ts': 'export class A {\n  #a = 1;\n}',
      'engine/a.ts': 'const INFINITY = Infinity;\nconst NAN = NaN;\nexport const a = [INFINITY, NAN];',
      'report/a.ts': 'export class A {\n  #a = NaN;\n}',
    });
    expect(ruleViolations(root)).toEqual([]);
  });

  it('the rules require a first line that says what a file is for', () => {
    const root = writeTree({});
    mkdirSync(join(root, 'base'));
    writeFileSync(join(root, 'base/a.ts'), 'export const a = 1;');
    expect(ruleViolations(root)).toEqual(['base/a.ts: the first line does not say what the file is for']);
  });
});
