// Tests every kind of `isobar strategy new --like`: the strategy runs on generated bars, trades, and passes the proofs that decide.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageFolder } from '../../src/adapters/runtime/version.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { kindTexts, STRATEGY_KINDS } from '../../src/tasks/project/templateTexts.ts';
import { commandInKeptThread } from '../fixtures/inProcess.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-kinds-'));
/** Runs a command that must succeed, and returns its output. */
async function isobar(words: string): Promise<string> {
  const { code, stdout, stderr } = await commandInKeptThread(folder, words.split(' '));
  expect(code, `${words}\n${stderr}`).toBe(0);
  return stdout;
}
/**
 * Proofs run the strategy many times, so they use a third of the year, in which every kind trades. The backtest before uses the whole year.
 */
const PROVED_RANGE = '--set to=2024-05-01';

beforeAll(() => {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(packageFolder(), join(folder, 'node_modules/isobar'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(STRATEGY_KINDS)('a new strategy like %s runs, trades, and passes its proofs', async (kind) => {
  const printed = await isobar(`strategy new my-${kind} --like ${kind}`);
  const file = `my${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  expect(printed).toContain(`strategies/${file}.ts\n  backtests/${file}.yaml`);
  const definition = readFileSync(join(folder, `backtests/${file}.yaml`), 'utf8');
  if (kind === STRATEGY_KINDS[0]) await isobar(/# Bars: isobar (.*)/.exec(definition)![1]!);
  const { orders } = JSON.parse(await isobar(`backtest backtests/${file}.yaml --json --no-report`)) as { orders: { fills: number } };
  expect(orders.fills).toBeGreaterThan(5);
  expect(JSON.parse(await isobar(`prove backtests/${file}.yaml --times 4 --json ${PROVED_RANGE}`))).toMatchObject({ verdict: 'proved' });
});

it('all kinds of strategies compile in a project', () => {
  writeFileSync(join(folder, 'tsconfig.json'), readFileSync(join(packageFolder(), 'config/project/tsconfig.json')));
  const compiler = join(packageFolder(), 'node_modules/@typescript/native/bin/tsc');
  expect(execFileSync(process.execPath, [compiler, '-p', '.'], { cwd: folder, encoding: 'utf8' })).toBe('');
});

it.each([
  ['math', 'Math', 'ml'],
  ['number', 'Number', 'grid'],
  ['set', 'Set', 'grid'],
  ['object', 'Object', 'portfolio'],
  ['orderId', 'OrderId', 'breakout'],
] as const)('the name %s is rejected if its class %s would hide one that a strategy like %s uses', (file, className, kind) => {
  expect(() => kindTexts({ file, className }, kind)).toThrow(ConfigError);
  expect(() => kindTexts({ file, className }, kind)).toThrow(`${file}: a strategy like ${kind} uses ${className} for something else`);
});

it('a strategy may have the name of its kind, or a name that occurs only in comments and strings', () => {
  expect(kindTexts({ file: 'pairs', className: 'Pairs' }, 'pairs')['strategies/pairs.ts']).toContain('class Pairs extends');
  expect(kindTexts({ file: 'atr', className: 'ATR' }, 'breakout')['strategies/atr.ts']).toContain('class ATR extends');
});
