// Tests eight strategies that were written from the documents alone: each is run, swept and proved, and bots equal their backtests.
// `npm run campaign -- rebirth` also kills bots with these strategies.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { packageFolder } from '../../src/adapters/runtime/version.ts';
import { commandIn, commandInKeptThread } from '../fixtures/inProcess.ts';
import { LATE_OPTIMIZING } from '../fixtures/nodeOptions.ts';
import { dataCommands, STRATEGY_CASES } from './definitions.ts';

const root = `${packageFolder()}/`;
const folder = mkdtempSync(join(tmpdir(), 'isobar-eight-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Maximum length of a strategy file. A longer one would show that the API lacks something. */
const MAX_LINES = 35;
/** Bars of a bot's run: enough for each bot to trade. */
const BOT_BARS = '60';

it.each(Object.entries(STRATEGY_CASES))(
  'the strategy %s is at most 35 lines long, trades, is swept without a failure and is proved',
  { timeout: 300_000 },
  async (name, strategyCase) => {
    const strategy = `${root}test/eight/strategies/${name}.ts`;
    expect(readFileSync(strategy, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES);
    const home = join(folder, name);
    for (const args of dataCommands(home, strategyCase)) {
      const { code, stderr } = await commandIn(home, args.split(' '));
      expect(code, stderr).toBe(0);
    }
    writeFileSync(join(home, 'run.yaml'), JSON.stringify({ strategy, ...strategyCase.definition, catalog: 'data' }));
    const isobar = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
      const { code, stdout, stderr } = await commandInKeptThread(home, [...args, '--json']);
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    const { orders } = await isobar('backtest', 'run.yaml', '--no-report');
    expect((orders as { readonly fills: number }).fills).toBeGreaterThan(20);
    const grids = strategyCase.grid.map((grid) => `--grid=${grid}`);
    const { sets } = await isobar('sweep', 'run.yaml', '--workers', '1', ...grids);
    expect(sets).toMatchObject({ ran: 4, failed: 0, refused: 0 });
    expect(await isobar('prove', 'run.yaml', '--times', '4')).toMatchObject({ verdict: 'proved' });
  },
);

it('a bot with each of four strategies equals its backtest by `isobar parity`', { timeout: 300_000 }, async () => {
  // Four strategies, to keep the test short. Others, and more bars, can be run by hand: node test/eight/run.mjs NAME ...
  const strategies = ['bandedCarry', 'dcaLadder', 'exchangeStop', 'listedMomentum'];
  const args = [...LATE_OPTIMIZING, `${root}test/eight/run.mjs`, '--bars', BOT_BARS, ...strategies];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const lines = stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
    strategies.map((strategy) => ({ strategy, equal: true, cause: null, first: null, net: expect.not.stringMatching(/^0$/) })),
  );
});
