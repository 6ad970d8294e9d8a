// Tests that the sources follow the plan of their rooms (floors.json), and that check.mjs reports each way to break it.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { checkTree } from './check.mjs';

/** The findings about src. The check reads every file, so it runs once. */
const findings = checkTree(new URL('../../src', import.meta.url).pathname);

const trees: string[] = [];
afterAll(() => trees.forEach((tree) => rmSync(tree, { recursive: true })));

/** Writes files to a new folder, and returns it. */
function treeOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'isobar-rooms-'));
  trees.push(root);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

it('the top folder has no source file: a trial script that was added by mistake would be published', () => {
  const files = readdirSync(new URL('../..', import.meta.url));
  expect(files.filter((name) => /\.([cm]?[jt]s|py|c|sh|yaml)$/.test(name))).toEqual([]);
});

it('src has no import upward, sideways or through a wall, and no other room imports the whole engine', () => {
  expect(findings.absent).toEqual([]);
  expect(findings.forbidden).toEqual([]);
});

it('src has no circle of rooms and no two files that import each other, types included', () => {
  expect(findings.circlesOfRooms).toEqual([]);
  expect(findings.circlesOfFiles).toEqual([]);
});

it('src has no folder of more than 12 files, no room of more than 3,000 lines and no file of more than 400', () => {
  expect(findings.oversized).toEqual([]);
});

it.each<[string, Readonly<Record<string, string>>, RegExp]>([
  ['an import upward', { 'base/a.ts': "import { b } from '../model/b.ts';", 'model/b.ts': '' }, /model lies above base/],
  ['a type from above', { 'base/a.ts': "import type { B } from '../model/b.ts';", 'model/b.ts': '' }, /model lies above base/],
  ['an import sideways', { 'strategy/a.ts': "import '../risk/b.ts';", 'risk/b.ts': '' }, /strategy and risk lie side by side/],
  ['a sub-room above', { 'report/series/a.ts': "import '../page/b.ts';", 'report/page/b.ts': '' }, /page lies above series/],
  ['a wall', { 'engine/a.ts': "import '../venue/b.ts';", 'venue/b.ts': '' }, /a wall stands between engine and venue/],
  [
    'the engine taken whole',
    { 'tasks/sweep/a.ts': "import '../../engine/engine.ts';", 'engine/engine.ts': '' },
    /only engine, app, tasks\/bot may take/,
  ],
  ['a room off the plan', { 'utils/a.ts': "import '../base/b.ts';", 'base/b.ts': '' }, /utils is on no floor of src/],
])('the check reports %s', (_, files, expected) => {
  expect(checkTree(treeOf(files)).forbidden.join('\n')).toMatch(expected);
});

it('the check reports circles of files, types included, circles of rooms, and an import of a missing file', () => {
  const problems = checkTree(
    treeOf({
      'risk/rules/a.ts': "import type { B } from './b.ts';",
      'risk/rules/b.ts': "import type { C } from '../exposure/c.ts';\nimport type { A } from './a.ts';",
      'risk/exposure/c.ts': "import './gone.ts';\nimport type { A } from '../rules/a.ts';",
    }),
  );
  expect(problems.circlesOfFiles).toEqual(['risk/exposure/c.ts <-> risk/rules/a.ts <-> risk/rules/b.ts']);
  expect(problems.circlesOfRooms).toEqual(['risk/exposure <-> risk/rules']);
  expect(problems.absent).toEqual(['risk/exposure/c.ts -> risk/exposure/gone.ts']);
});

it('the check reports a folder with too many files, and a room and a file that are too long', () => {
  const files = Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`base/a${index}.ts`, '']));
  expect(checkTree(treeOf(files)).oversized).toEqual(['base: 13 files, at most 12']);
  const rooms = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`base/a${index}.ts`, '\n'.repeat(376)]));
  expect(checkTree(treeOf(rooms)).oversized).toEqual(['base: 3008 lines, at most 3000']);
  expect(checkTree(treeOf({ 'base/a.ts': '\n'.repeat(401) })).oversized).toEqual(['base/a.ts: 401 lines, at most 400']);
});
