// Tests a new project folder: its dependency on isobar, its file names, and that no file is overwritten or left incomplete.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { packageFolder, packageVersion } from '../../adapters/runtime/version.ts';
import { strategyFileNames } from './strategyFileNames.ts';
import { originFor } from './originFor.ts';
import { createProject } from './project.ts';
import { writeAll } from './writeAll.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'isobar-scaffold-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let pathCount = 0;
/** Returns the path of a folder that does not exist yet. */
const newPath = () => join(root, `folder${++pathCount}`);

describe('names', () => {
  it.each([
    ['meanCross', 'meanCross', 'MeanCross'],
    ['MeanCross', 'meanCross', 'MeanCross'],
    ['mean-cross', 'meanCross', 'MeanCross'],
    ['mean_cross 2', 'meanCross2', 'MeanCross2'],
    ['RSI', 'rsi', 'RSI'],
    ['RSICross', 'rsiCross', 'RSICross'],
    ['EMA200', 'ema200', 'EMA200'],
    ['x', 'x', 'X'],
  ])('the strategy name %s becomes its file name and class name', (name, file, className) =>
    expect(strategyFileNames(name)).toEqual({ file, className }),
  );

  it.each(['', '9x', 'a/b', '../a', 'a.b', '-', 'é', 'x'.repeat(61), 'strategy', 'Strategy'])('the strategy name %o is rejected', (name) =>
    expect(() => strategyFileNames(name)).toThrow(ConfigError),
  );
});

describe('origin', () => {
  const installed = (resolved: string | null) => {
    const folder = newPath();
    mkdirSync(join(folder, 'node_modules/isobar'), { recursive: true });
    const entry = { version: '0.1.0', ...(resolved === null ? {} : { resolved }) };
    writeFileSync(
      join(folder, 'node_modules/.package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/isobar': entry, 'node_modules/zod': {} } }),
    );
    return { folder, packageFolderOfProject: join(folder, 'node_modules/isobar') };
  };

  it('the origin of an installed tarball is its path relative to the project, with links resolved', () => {
    const { folder, packageFolderOfProject } = installed('file:../isobar-0.1.0.tgz');
    writeFileSync(join(root, 'isobar-0.1.0.tgz'), '');
    symlinkSync(root, join(folder, 'link'));
    expect(originFor(join(folder, 'new/project'), packageFolderOfProject)).toBe('file:../../../isobar-0.1.0.tgz');
    expect(originFor(join(folder, 'link/project'), packageFolderOfProject)).toBe('file:../isobar-0.1.0.tgz');
  });
  it('the origin of a package from a repository or a URL is that address', () => {
    for (const resolvedFrom of ['git+ssh://git@example.org/isobar.git#0123abc', 'https://example.org/isobar-0.1.0.tgz']) {
      expect(originFor(newPath(), installed(resolvedFrom).packageFolderOfProject)).toBe(resolvedFrom);
    }
  });
  it('the origin of a package from a registry, or of unknown origin, is its exact version', () => {
    for (const resolvedFrom of ['https://registry.example.org/isobar/-/isobar-0.1.0.tgz', 'file:gone.tgz', null]) {
      expect(originFor(newPath(), installed(resolvedFrom).packageFolderOfProject)).toBe(packageVersion());
    }
    expect(originFor(newPath(), newPath())).toBe(packageVersion());
  });
  it('the origin of a checkout is its folder', () => expect(originFor(join(root, 'project'))).toMatch(/^file:\.\./));
});

describe('files', () => {
  it('existing files are never overwritten, and the error names them', () => {
    const folder = newPath();
    mkdirSync(folder);
    writeFileSync(join(folder, 'b'), 'mine');
    expect(() => writeAll(folder, { a: '1', b: '2' })).toThrow('b: there already');
    expect(readdirSync(folder)).toEqual(['b']);
    expect(readFileSync(join(folder, 'b'), 'utf8')).toBe('mine');
  });
  it('only new files are removed when a project cannot be created', () => {
    const folder = newPath();
    mkdirSync(join(folder, 'kept'), { recursive: true });
    const fail = (data: string) => {
      writeFileSync(join(data, 'half'), '');
      writeFileSync(join(folder, 'kept', 'of-others'), '');
      throw new ConfigError('no bars');
    };
    expect(() => writeAll(folder, { 'kept/a': '1', 'new/deep/b': '2', c: '3' }, 'data', fail)).toThrow('no bars');
    expect(readdirSync(folder)).toEqual(['kept']);
    expect(readdirSync(join(folder, 'kept'))).toEqual(['of-others']);
  });
  it('a new folder is removed with its new parents when a project cannot be created', () => {
    const top = newPath();
    const fail = () => {
      throw new ConfigError('no bars');
    };
    expect(() => writeAll(join(top, 'a/b'), { c: '' }, 'data', fail)).toThrow();
    expect(existsSync(top)).toBe(false);
  });
});

test('a project is created only in a folder that is empty except for .git', () => {
  const folder = newPath();
  mkdirSync(join(folder, '.git'), { recursive: true });
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) writeFileSync(join(folder, name), '');
  expect(() => createProject(folder)).toThrow(/the folder is not empty: a, b, c, d, e, \.\.\.$/);
  expect(() => createProject(join(folder, 'a'))).toThrow('expected a folder, got a file');
  expect(() => createProject(join(folder, 'a', 'b'))).toThrow(ConfigError);
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) rmSync(join(folder, name));
  expect(createProject(folder).files).toContain('strategies/meanCross.ts');
});

test.runIf(existsSync('/proc/self'))('a system folder that cannot be written is reported, without endless retries', () => {
  expect(() => createProject('/proc/mine')).toThrow(/^dir \/proc\/mine: \/proc may not be written to \(/);
});

test('a new project type-checks and passes its test', () => {
  const project = newPath();
  createProject(project);
  const modules = join(packageFolder(), 'node_modules');
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(packageFolder(), join(project, 'node_modules/isobar'));
  symlinkSync(join(modules, 'vitest'), join(project, 'node_modules/vitest'));
  expect(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))).toMatchObject({ type: 'module', private: true });
  const run = (file: string, ...args: readonly string[]) =>
    execFileSync(process.execPath, [join(modules, file), ...args], {
      cwd: project,
      encoding: 'utf8',
      env: { ...process.env, CI: '', NO_COLOR: '1' },
    });
  // test/e2e/newUser uses the version that the project depends on.
  expect(run('@typescript/native/bin/tsc')).toBe('');
  expect(run('vitest/vitest.mjs', 'run')).toMatch(/Tests {2}2 passed/);
});
