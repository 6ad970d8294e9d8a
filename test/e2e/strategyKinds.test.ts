// Every kind of `isobar strategy new --like`: it runs on made bars, trades, and the proofs that decide hold.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageFolder } from '../../src/adapters/runtime/version.ts';
import { STRATEGY_KINDS } from '../../src/tasks/project/template.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-kinds-'));
const PROGRAM = join(packageFolder(), 'dist/cli/isobar.js');
const isobar = (words: string) =>
  execFileSync(process.execPath, [PROGRAM, ...words.split(' ')], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

beforeAll(() => {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(packageFolder(), join(folder, 'node_modules/isobar'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(STRATEGY_KINDS)('%s', (kind) => {
  const printed = isobar(`strategy new my-${kind} --like ${kind}`);
  const file = `my${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  expect(printed).toContain(`strategies/${file}.ts\n  backtests/${file}.yaml`);
  const definition = readFileSync(join(folder, `backtests/${file}.yaml`), 'utf8');
  if (kind === STRATEGY_KINDS[0]) isobar(/# Bars: isobar (.*)/.exec(definition)![1]!);
  const { orders } = JSON.parse(isobar(`backtest backtests/${file}.yaml --json --no-report`)) as { orders: { fills: number } };
  expect(orders.fills).toBeGreaterThan(5);
  expect(JSON.parse(isobar(`prove backtests/${file}.yaml --quick --json`))).toMatchObject({ verdict: 'proved' });
});
