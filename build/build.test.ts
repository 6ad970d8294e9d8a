// Tests the built package: entries under their names, maps that carry the sources, chunks without circles, names as in the sources.

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { circlesIn } from '../test/architecture/check.mjs';
import { bundleBuilt } from '../test/fixtures/runBuilt.mjs';
import { ENTRIES, LOOP, PAGES, TESTED } from './entries.mjs';
import { packageFolder } from './packages.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' });
const scripts = files.filter((name) => name.endsWith('.js'));
const modules = scripts.filter((name) => !PAGES.includes(name.slice(0, -'.js'.length)));

/** By the name of the file. Left out are those that only pass on what others have, and the bundler's own. */
const codes = modules
  .map((name) => [name, readFileSync(join(DIST, name), 'utf8')] as const)
  .filter(([, code]) => code.replaceAll(/^(?:import|export) .*$|^\/\/.*$/gm, '').trim() !== '')
  .filter(([name]) => name !== 'chunks/rolldown-runtime.js');

interface Map {
  readonly sources: readonly string[];
  readonly sourcesContent: readonly string[];
  readonly mappings: string;
}

test.each([...ENTRIES, LOOP, ...PAGES, ...TESTED])('%s is a file of its own', (name) => {
  expect(existsSync(join(DIST, `${name}.js`))).toBe(true);
});

test.each(['faults/main.ts', 'parity/main.ts', 'rebirth/main.ts', 'rebirth/botProcess.ts'])(
  'all that test/%s imports of the built package is there',
  async (program) => {
    const file = await bundleBuilt(`imports-${program.replaceAll(/\W/g, '-')}`, new URL(`../test/${program}`, import.meta.url), '');
    const imported = [...readFileSync(file, 'utf8').matchAll(/from "(file:[^"]+\/dist\/[^"]+)"/g)].map(([, url]) => url!);
    rmSync(file);
    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((url) => !existsSync(fileURLToPath(url)))).toEqual([]);
  },
);

describe('source maps', () => {
  test('each file with code of ours has a map, whose sources are files of src with their text', () => {
    const seen = new Set<string>();
    for (const [name, code] of codes) {
      expect(code, name).toMatch(/\n\/\/# sourceMappingURL=\S+\.js\.map\s*$/);
      const { sources, sourcesContent } = JSON.parse(readFileSync(join(DIST, `${name}.map`), 'utf8')) as Map;
      sources.forEach((source, at) => {
        const file = relative(ROOT, join(DIST, dirname(name), source));
        if (!file.startsWith('src/')) return;
        seen.add(file);
        expect(sourcesContent[at], `${name}: ${file}`).toBe(readFileSync(join(ROOT, file), 'utf8'));
      });
    }
    expect(seen).toContain('src/engine/engine.ts');
    expect(seen).toContain('src/engine/loop/blockLoop.ts');
    expect(seen.size).toBeGreaterThan(500);
  });
});

test('no two files import each other, or a constant could be read before it is made', () => {
  const edges = modules.flatMap((name) => {
    const code = readFileSync(join(DIST, name), 'utf8');
    return [...code.matchAll(/^(?:import|export) (?:[^'"]* from )?"(\.[^"]+)";$/gm)].map(
      ([, to]) => [name, join(dirname(name), to!)] as const,
    );
  });
  expect(edges.length).toBeGreaterThan(modules.length);
  expect(circlesIn(edges)).toEqual([]);
});

test('functions and classes have the names that the sources give them, also where a chunk has two of one name', async () => {
  const core = (await import(join(DIST, 'chunks/core.js'))) as Readonly<Record<string, unknown>>;
  const named = Object.entries(core).flatMap(([name, value]) => (typeof value === 'function' ? [[name, value.name]] : []));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(([name, own]) => name !== own)).toEqual([]);
  // When two classes have one name, the bundler renames one of them.
  expect(scripts.some((file) => /^(?:var \w+\$\d+ = class|function \w+\$\d+\()/m.test(readFileSync(join(DIST, file), 'utf8')))).toBe(true);
});

describe('packages that are bundled', () => {
  const packages = JSON.parse(readFileSync(join(DIST, 'packages.json'), 'utf8')) as Readonly<Record<string, readonly string[]>>;

  test('the folder of a package is the innermost', () => {
    expect(packageFolder('/a/node_modules/@b/c/index.js')).toBe('/a/node_modules/@b/c');
    expect(packageFolder('/a/node_modules/b/node_modules/c/d/e.js')).toBe('/a/node_modules/b/node_modules/c');
    expect(packageFolder('/a/src/b.ts')).toBe(null);
  });

  test('each is listed by its file, and LICENSES has its license', () => {
    const licenses = readFileSync(join(DIST, 'LICENSES'), 'utf8');
    for (const file of Object.keys(packages)) expect(scripts).toContain(file);
    const names = new Set(Object.values(packages).flat());
    for (const name of ['inversify', 'pino', 'reflect-metadata', 'undici', 'yaml', 'yargs', 'zod']) expect(names).toContain(name);
    for (const name of names)
      expect(licenses).toMatch(new RegExp(`^${name.slice(name.lastIndexOf('node_modules/') + 1)} \\d+\\.\\d+\\.\\d+`, 'm'));
  });

  test('the tables of emoji, and of undici what is not used, are left out', () => {
    const names = new Set(Object.values(packages).flat());
    expect(names).not.toContain('string-width');
    expect(names).not.toContain('emoji-regex');
    const sources = codes.flatMap(([name]) => (JSON.parse(readFileSync(join(DIST, `${name}.map`), 'utf8')) as Map).sources);
    expect(sources.filter((source) => /undici\/lib\/(?:web\/fetch\/index|web\/websocket|cache)/.test(source))).toEqual([]);
  });
});
