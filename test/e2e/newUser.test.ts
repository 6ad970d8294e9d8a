// Tests the first ten minutes of a new user in an empty folder: from the packed tarball to a sweep and its report.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { synthesizeBars } from '../../src/adapters/catalog/generate/generate.ts';
import { packedFile } from '../fixtures/packed.ts';

const canInstall = spawnSync('npm', ['view', 'vitest@4.1.12', 'version'], { timeout: 15_000 }).status === 0;
/** Settings of npm: packages come from its cache without a question to the registry, because versions are pinned. */
const NPM_SETTINGS = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
if (!canInstall) console.log('skipped: no package registry can be reached, so `npm i` of a new project cannot be tried');

describe.skipIf(!canInstall)('a new user', () => {
  const home = mkdtempSync(join(tmpdir(), 'isobar-new-'));
  const project = join(home, 'my-strategies');
  let tarball = '';

  beforeAll(() => {
    const packed = packedFile();
    tarball = `./${basename(packed)}`;
    copyFileSync(packed, join(home, tarball));
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** Runs a command line as a user types it, and checks that its output is readable. */
  function typeLine(cwd: string, line: string): string {
    const { status, stdout, stderr } = spawnSync('bash', ['-c', line], {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, ...NPM_SETTINGS, NO_COLOR: '1' },
      timeout: 240_000,
    });
    expect(status, `${line}\n${stdout}\n${stderr}`).toBe(0);
    if (line.includes('isobar')) {
      for (const printedLine of stdout.split('\n')) expect(printedLine.length, printedLine).toBeLessThanOrEqual(100);
      expect(stdout + stderr).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
    }
    return stdout;
  }

  /** Runs the command in the project where npx finds it. Another step has tried npx itself, which takes half a second per start. */
  const isobar = (line: string): string => typeLine(project, `node_modules/.bin/isobar ${line}`);

  test('a new user can init, install, backtest, use own bars, edit a strategy, sweep and report', () => {
    const created = typeLine(home, `npx --yes --package ${tarball} isobar init my-strategies`);
    expect(created).toMatch(/strategies\/meanCross\.ts[\s\S]*Next:\n {2}cd my-strategies\n {2}npm i\n/);
    typeLine(project, 'npm i --no-audit --no-fund');
    expect(typeLine(project, 'npx isobar backtest backtests/first.yaml')).toMatch(
      /MeanCross {2}DEMOUSDT 1h[\s\S]*Net return[\s\S]*Report {3}runs\//,
    );
    typeLine(project, 'npm test');
    typeLine(project, 'npx tsc');

    const { length, openMs, open, high, low, close, volume } = synthesizeBars({
      symbol: 'BTCUSDT',
      interval: '1h',
      fromMs: Date.UTC(2024, 0, 1),
      bars: 3000,
      seed: 5,
    });
    const rows = Array.from({ length }, (_, row) => [openMs, open, high, low, close, volume].map((column) => column[row]).join(','));
    writeFileSync(join(project, 'BTCUSDT-1h.csv'), `open_time_ms,open,high,low,close,volume\n${rows.join('\n')}\n`);
    expect(isobar('data import BTCUSDT-1h.csv')).toMatch(/3 ?000/);

    const file = join(project, 'strategies/meanCross.ts');
    writeFileSync(file, readFileSync(file, 'utf8').replace('rsi(this.bars.close, 14)', 'rsi(this.bars.close, 21)'));
    expect(isobar('strategy show strategies/meanCross.ts')).toMatch(/fast +int +10 +1 to 500 +bars[\s\S]*rsi\(close, 21\)/);
    const ownRun = isobar('backtest backtests/first.yaml --set feeds.bars.symbol=BTCUSDT');
    expect(ownRun).toMatch(/MeanCross {2}BTCUSDT 1h/);
    const sweep = isobar('sweep backtests/first.yaml --set feeds.bars.symbol=BTCUSDT --grid fast=5..15:5 --grid slow=20..40:10');
    expect(sweep).toMatch(/fast[\s\S]*slow[\s\S]*Report/i);
    const [, run = ''] = /(runs\/\S+)\/report\.html/.exec(ownRun) ?? [];
    expect(isobar(`report ${run}`)).toMatch(/Net return/);
    expect(isobar(`verify ${run}`)).toMatch(/identical/i);
    isobar('strategy new second-idea');
    isobar('strategy list');
    expect(readdirSync(join(project, 'strategies'))).toContain('secondIdea.ts');
  });

  test('init writes no file if one is in the way, and names it', () => {
    const { status, stderr } = spawnSync('npx', ['isobar', 'init', '.'], { cwd: project, encoding: 'utf8' });
    expect(stderr).toMatch(/^\.: the folder is not empty: [\s\S]*\n {2}name a new folder/m);
    expect(status).toBe(2);
  });
});
