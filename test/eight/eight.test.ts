// Eight strategies that were written from the documents alone: each runs, is swept and is proved. `npm run campaign -- rebirth` has those that a
// bot can run among the ones that it kills, and compares them with their backtests.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { packageFolder } from '../../src/adapters/runtime/version.ts';
import { commandIn, commandInKeptThread } from '../fixtures/inProcess.ts';
import { LATE_OPTIMIZING } from '../fixtures/nodeOptions.ts';
import { dataCommands, EIGHT } from './definitions.ts';

const root = `${packageFolder()}/`;
const folder = mkdtempSync(join(tmpdir(), 'isobar-eight-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MAX_LINES = 35;
/** Enough for each to have traded. */
const BARS = '60';

it.each(Object.entries(EIGHT))('%s', { timeout: 300_000 }, async (name, each) => {
  const strategy = `${root}test/eight/strategies/${name}.ts`;
  expect(readFileSync(strategy, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES);
  const home = join(folder, name);
  for (const words of dataCommands(home, each)) {
    const { code, stderr } = await commandIn(home, words.split(' '));
    expect(code, stderr).toBe(0);
  }
  writeFileSync(join(home, 'run.yaml'), JSON.stringify({ strategy, ...each.definition, catalog: 'data' }));
  const isobar = async (...words: readonly string[]): Promise<Record<string, unknown>> => {
    const { code, stdout, stderr } = await commandInKeptThread(home, [...words, '--json']);
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const { orders } = await isobar('backtest', 'run.yaml', '--no-report');
  expect((orders as { readonly fills: number }).fills).toBeGreaterThan(20);
  const grids = each.grid.map((grid) => `--grid=${grid}`);
  const { sets } = await isobar('sweep', 'run.yaml', '--workers', '1', ...grids);
  expect(sets).toMatchObject({ ran: 4, failed: 0, refused: 0 });
  expect(await isobar('prove', 'run.yaml', '--times', '4')).toMatchObject({ verdict: 'proved' });
});

it('a bot and its backtest are equal by `isobar parity`', { timeout: 300_000 }, async () => {
  // The others, and more bars, by hand: node test/eight/run.mjs NAME ...
  const strategies = ['bandedCarry', 'dcaLadder', 'exchangeStop', 'listedMomentum'];
  const words = [...LATE_OPTIMIZING, `${root}test/eight/run.mjs`, '--bars', BARS, ...strategies];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  const lines = stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
    strategies.map((strategy) => ({ strategy, equal: true, cause: null, first: null, net: expect.not.stringMatching(/^0$/) })),
  );
});
