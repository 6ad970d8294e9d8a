// Tests the built package: the files of its entries, its source maps, import cycles between its files, and the names of functions and classes.

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { circlesIn } from '../test/architecture/check.mjs';
import { bundleBuilt } from '../test/fixtures/runBuilt.mjs';
import { ENTRIES, LOOP_ENTRY, PAGES, TEST_ENTRIES } from './entries.mjs';
import { packageFolder } from './packages.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
/** Every file of the package. */
const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' });
/** Every JavaScript file: modules, and the scripts that report pages contain. */
const scripts = files.filter((name) => name.endsWith('.js'));
/** The JavaScript files that Node loads. */
const modules = scripts.filter((name) => !PAGES.includes(name.slice(0, -'.js'.length)));

/** The code of each module by file name, except modules that only re-export others and the bundler's own. */
const codeByFile = modules
  .map((name) => [name, readFileSync(join(DIST, name), 'utf8')] as const)
  .filter(([, code]) => code.replaceAll(/^(?:import|export) .*$|^\/\/.*$/gm, '').trim() !== '')
  .filter(([name]) => name !== 'chunks/rolldown-runtime.js');

/** A source map. */
interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent: readonly string[];
  readonly mappings: string;
}

test.each([...ENTRIES, LOOP_ENTRY, ...PAGES, ...TEST_ENTRIES])('the package has the file %s.js', (name) => {
  expect(existsSync(join(DIST, `${name}.js`))).toBe(true);
});

test.each(['faults/main.ts', 'parity/main.ts', 'rebirth/main.ts', 'rebirth/botProcess.ts'])(
  'all built files that test/%s imports exist',
  async (program) => {
    const file = await bundleBuilt(`imports-${program.replaceAll(/\W/g, '-')}`, new URL(`../test/${program}`, import.meta.url), '');
    const imported = [...readFileSync(file, 'utf8').matchAll(/from "(file:[^"]+\/dist\/[^"]+)"/g)].map(([, url]) => url!);
    rmSync(file);
    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((url) => !existsSync(fileURLToPath(url)))).toEqual([]);
  },
);

describe('source maps', () => {
  test('the source map of each module has the texts of the source files', () => {
    const mappedFiles = new Set<string>();
    for (const [name, code] of codeByFile) {
      expect(code, name).toMatch(/\n\/\/# sourceMappingURL=\S+\.js\.map\s*$/);
      const { sources, sourcesContent } = JSON.parse(readFileSync(join(DIST, `${name}.map`), 'utf8')) as SourceMap;
      sources.forEach((source, index) => {
        const file = relative(ROOT, join(DIST, dirname(name), source));
        if (!file.startsWith('src/')) return;
        mappedFiles.add(file);
        expect(sourcesContent[index], `${name}: ${file}`).toBe(readFileSync(join(ROOT, file), 'utf8'));
      });
    }
    expect(mappedFiles).toContain('src/engine/engine.ts');
    expect(mappedFiles).toContain('src/engine/loop/blockLoop.ts');
    expect(mappedFiles.size).toBeGreaterThan(500);
  });
});

test('no modules import each other in a cycle, which could read a constant before it is initialised', () => {
  const edges = modules.flatMap((name) => {
    const code = readFileSync(join(DIST, name), 'utf8');
    return [...code.matchAll(/^(?:import|export) (?:[^'"]* from )?"(\.[^"]+)";$/gm)].map(
      ([, to]) => [name, join(dirname(name), to!)] as const,
    );
  });
  expect(edges.length).toBeGreaterThan(modules.length);
  expect(circlesIn(edges)).toEqual([]);
});

test('exported functions and classes have their names of the sources', async () => {
  const core = (await import(join(DIST, 'chunks/core.js'))) as Readonly<Record<string, unknown>>;
  const functions = Object.entries(core).flatMap(([exportName, value]) =>
    typeof value === 'function' ? [{ exportName, ownName: value.name }] : [],
  );
  expect(functions.length).toBeGreaterThan(50);
  expect(functions.filter(({ exportName, ownName }) => exportName !== ownName)).toEqual([]);
  // The bundler renames one of two classes with one name in a chunk. This shows that the package has such classes, so that they were tested.
  expect(scripts.some((file) => /^(?:var \w+\$\d+ = class|function \w+\$\d+\()/m.test(readFileSync(join(DIST, file), 'utf8')))).toBe(true);
});

describe('packages that are bundled', () => {
  const packages = JSON.parse(readFileSync(join(DIST, 'packages.json'), 'utf8')) as Readonly<Record<string, readonly string[]>>;

  test('the folder of a package is the innermost one below node_modules', () => {
    expect(packageFolder('/a/node_modules/@b/c/index.js')).toBe('/a/node_modules/@b/c');
    expect(packageFolder('/a/node_modules/b/node_modules/c/d/e.js')).toBe('/a/node_modules/b/node_modules/c');
    expect(packageFolder('/a/src/b.ts')).toBe(null);
  });

  test('each bundled package is listed with its file, and LICENSES has its license', () => {
    const licenses = readFileSync(join(DIST, 'LICENSES'), 'utf8');
    for (const file of Object.keys(packages)) expect(scripts).toContain(file);
    const names = new Set(Object.values(packages).flat());
    for (const name of ['inversify', 'pino', 'reflect-metadata', 'undici', 'yaml', 'yargs', 'zod']) expect(names).toContain(name);
    for (const name of names)
      expect(licenses).toMatch(new RegExp(`^${name.slice(name.lastIndexOf('node_modules/') + 1)} \\d+\\.\\d+\\.\\d+`, 'm'));
  });

  test('the tables of emoji and the unused parts of undici are not bundled', () => {
    const names = new Set(Object.values(packages).flat());
    expect(names).not.toContain('string-width');
    expect(names).not.toContain('emoji-regex');
    const sources = codeByFile.flatMap(([name]) => (JSON.parse(readFileSync(join(DIST, `${name}.map`), 'utf8')) as SourceMap).sources);
    expect(sources.filter((source) => /undici\/lib\/(?:web\/fetch\/index|web\/websocket|cache)/.test(source))).toEqual([]);
  });
});
