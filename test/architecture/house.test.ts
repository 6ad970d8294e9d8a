// The plan of the house (floors.ts, places.json) against the sources as they lie: each has a place, and at its place it imports downward only.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { lookAt, type Places } from './house.ts';

const SRC = new URL('../../src', import.meta.url).pathname;
const PLACES = JSON.parse(readFileSync(new URL('./places.json', import.meta.url), 'utf8')) as Places;
/** The parts of the engine still take the whole of it, and strategies ask the router directly: to be ended with the engine's division. */
const ENGINE = /^engine\/(book|feeds|host|router)\/\S+ -> engine\/(engine\.ts|router\/\S+):/;

const trees: string[] = [];
afterAll(() => trees.forEach((tree) => rmSync(tree, { recursive: true })));

function treeOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'isobar-house-'));
  trees.push(root);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

it('gives every source file a place, and no place to a file that is gone', () => {
  expect(lookAt(SRC, PLACES).homeless).toEqual([]);
  expect(Object.keys(PLACES).filter((file) => !existsSync(join(SRC, file)))).toEqual([]);
  expect(new Set(Object.values(PLACES)).size).toBe(Object.keys(PLACES).length);
});

it('has no import upward, sideways or through a wall, but those within the engine', () => {
  const { forbidden } = lookAt(SRC, PLACES);
  expect(forbidden.filter((line) => !ENGINE.test(line))).toEqual([]);
  // Fewer are welcome: lower this number with them.
  expect(forbidden.length).toBeLessThanOrEqual(19);
});

it('has no folder of more than 12 files and no room of more than 3,000 lines', () => {
  expect(lookAt(SRC, PLACES).crowded).toEqual([]);
});

it.each<[string, Readonly<Record<string, string>>, RegExp]>([
  ['an import upward', { 'base/a.ts': "import { b } from '../model/b.ts';", 'model/b.ts': '' }, /model lies above base/],
  ['a type from above', { 'base/a.ts': "import type { B } from '../model/b.ts';", 'model/b.ts': '' }, /model lies above base/],
  ['an import sideways', { 'strategy/a.ts': "import '../risk/b.ts';", 'risk/b.ts': '' }, /strategy and risk lie side by side/],
  ['a sub-room above', { 'report/series/a.ts': "import '../page/b.ts';", 'report/page/b.ts': '' }, /page lies above series/],
  ['a wall', { 'engine/a.ts': "import '../venue/b.ts';", 'venue/b.ts': '' }, /a wall stands between engine and venue/],
  ['a room off the plan', { 'utils/a.ts': "import '../base/b.ts';", 'base/b.ts': '' }, /utils is on no floor of src/],
])('reports %s', (_, files, expected) => {
  expect(lookAt(treeOf(files), {}).forbidden.join('\n')).toMatch(expected);
});

it('reports a file without a place and a folder that is too full', () => {
  const files = Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`base/a${at}.ts`, '']));
  const { homeless, crowded } = lookAt(treeOf(files), { 'base/a0.ts': 'base/a0.ts' });
  expect(homeless).toHaveLength(12);
  expect(crowded).toEqual(['base: 13 files, at most 12']);
});
