// Tests how many files of the built package a start reads, and which it leaves out. The build joins modules that are needed together.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ROOT } from '../fixtures/packed.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-starts-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the files that Node reads to import `entry` of the built package. `loadedFiles.mjs` lists them in a file. */
function filesRead(entry: string): readonly string[] {
  const listPath = join(folder, 'loaded');
  const code = `await import(${JSON.stringify(join(ROOT, 'dist', entry))})`;
  execFileSync(process.execPath, ['--import', join(ROOT, 'test/live/loadedFiles.mjs'), '--input-type=module', '-e', code], {
    env: { ...process.env, ISOBAR_LOADED: listPath },
  });
  return readFileSync(listPath, 'utf8').split('\n');
}

test.each([
  ['a backtest from code', 'run.js', 75],
  ['a strategy', 'index.js', 10],
  ['a live bot', 'tasks/bot/openLiveBot.js', 90],
  ['a kill', 'cli/live/killAction.js', 50],
  ['the paper exchange', 'cli/exchange/action.js', 45],
])('the start of %s reads few files: %s with its chunks', (_program, entry, maxFiles) => {
  const files = filesRead(entry);
  const ownFiles = files.filter((file) => file.includes('/dist/') && !file.includes('/node_modules/'));
  expect(ownFiles.length, ownFiles.join('\n')).toBeGreaterThan(0);
  expect(ownFiles.length, ownFiles.join('\n')).toBeLessThanOrEqual(maxFiles);
  // Piscina is for the threads of a sweep, esbuild for strategy files. The build has copied the needed part of undici into dist.
  expect(files.filter((file) => /\/node_modules\/(piscina|esbuild|undici)\//.test(file))).toEqual([]);
});

test.each([
  ['the command line', 'cli/main.js', ['chunks/decimals', 'chunks/core', 'chunks/figures', 'decimal.js/']],
  // Only the thread that runs the backtest loads the engine (core) and the report (figures).
  ['the command isobar backtest', 'chunks/backtestAction.js', ['chunks/core', 'chunks/figures']],
])('%s starts without the files that it does not need: %s', (_program, entry, unneededFiles) => {
  const files = filesRead(entry);
  expect(files.filter((file) => file.includes('/dist/')).length).toBeGreaterThan(5);
  expect(files.filter((file) => unneededFiles.some((name) => file.includes(name)))).toEqual([]);
});

/** Imports a file of the built package. */
const importBuilt = async (path: string): Promise<Readonly<Record<string, unknown>>> => import(join(ROOT, 'dist', path));

test('a class is the same whether it is imported from its module or from the package', async () => {
  const [fromModule, fromPackage] = await Promise.all([importBuilt('strategy/strategy.js'), importBuilt('index.js')]);
  expect(fromModule['Strategy']).toBe(fromPackage['Strategy']);
});

test('the block loop has functions of its own for each query of its address', async () => {
  const [loop, otherLoop] = await Promise.all([
    importBuilt('engine/loop/blockLoop.js'),
    importBuilt('engine/loop/blockLoop.js?strategy=other'),
  ]);
  expect(otherLoop['blockLoop']).not.toBe(loop['blockLoop']);
});

// A query loads only this one file again, not the chunks that it imports.
test('the built file of the block loop contains the functions of the loop, and does not import them from a chunk', () => {
  const code = readFileSync(join(ROOT, 'dist/engine/loop/blockLoop.js'), 'utf8');
  for (const name of ['blockLoop', 'laneLoop', 'visitBlock', 'decideRows']) expect(code).toMatch(new RegExp(`^function ${name}\\(`, 'm'));
});
