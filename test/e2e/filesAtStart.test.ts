// Tests that a start reads few files: modules needed together are one built file, and every importer gets the same instance.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ROOT } from '../fixtures/packed.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-starts-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the files that Node reads to import `entry` of the built package. */
function filesRead(entry: string): readonly string[] {
  const list = join(folder, 'loaded');
  const code = `await import(${JSON.stringify(join(ROOT, 'dist', entry))})`;
  execFileSync(process.execPath, ['--import', join(ROOT, 'test/live/loadedFiles.mjs'), '--input-type=module', '-e', code], {
    env: { ...process.env, ISOBAR_LOADED: list },
  });
  return readFileSync(list, 'utf8').split('\n');
}

test.each([
  ['a backtest from code', 'run.js', 75],
  ['a strategy', 'index.js', 10],
  // The command reads the files of external series as an import does.
  ['a live bot', 'tasks/bot/openLiveBot.js', 90],
  ['a kill', 'cli/live/killAction.js', 50],
  ['the paper exchange', 'cli/exchange/action.js', 45],
])('the start of %s reads few files: %s with its chunks', (_program, entry, maxFiles) => {
  const loaded = filesRead(entry);
  const files = loaded.filter((file) => file.includes('/dist/') && !file.includes('/node_modules/'));
  expect(files.length, files.join('\n')).toBeGreaterThan(0);
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(maxFiles);
  // Piscina is for the threads of a sweep and esbuild for strategy files. These commands need neither, and only a part of undici.
  expect(loaded.filter((file) => /\/node_modules\/(piscina|esbuild|undici)\//.test(file))).toEqual([]);
});

test.each([
  ['the command line', 'cli/main.js', ['chunks/decimals', 'chunks/core', 'chunks/figures', 'decimal.js/']],
  // The run has a thread of its own, which loads them.
  ['the terminal of a backtest', 'chunks/backtestAction.js', ['chunks/core', 'chunks/figures']],
])('the start of %s loads no code of the engine: %s', (_program, entry, excluded) => {
  const loaded = filesRead(entry);
  expect(loaded.filter((file) => file.includes('/dist/')).length).toBeGreaterThan(5);
  expect(loaded.filter((file) => excluded.some((name) => file.includes(name)))).toEqual([]);
});

test('a class is the same whether it is imported from its module or from the package', async () => {
  // The compiler does not follow these addresses. Built modules have the types of their sources.
  const exported = async (path: string): Promise<Readonly<Record<string, unknown>>> => import(join(ROOT, 'dist', path));
  const [fromModule, fromPackage] = await Promise.all([exported('strategy/strategy.js'), exported('index.js')]);
  expect(fromModule['Strategy']).toBe(fromPackage['Strategy']);
  const [loop, again] = await Promise.all([exported('engine/loop/blockLoop.js'), exported('engine/loop/blockLoop.js?strategy=other')]);
  expect(again['blockLoop']).not.toBe(loop['blockLoop']);
});

test('the built block loop holds the loop itself, so that each strategy class gets functions of its own', () => {
  const code = readFileSync(join(ROOT, 'dist/engine/loop/blockLoop.js'), 'utf8');
  for (const name of ['blockLoop', 'laneLoop', 'visitBlock', 'decideRows']) expect(code).toMatch(new RegExp(`^function ${name}\\(`, 'm'));
});
