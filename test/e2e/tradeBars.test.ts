// Tests bars built from trades from the command line: a backtest, its verification, the same set in a sweep, and its proof.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRng } from '../../src/base/number/rng.ts';
import type { StrategyVerdict } from '../../src/model/run/proof.ts';
import { commandIn, commandInKeptThread } from '../fixtures/inProcess.ts';

const STRATEGY = `import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';
export default class Cross extends Strategy.with({ fast: int(3, { min: 1 }), slow: int(8, { min: 2 }) }) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  up = this.when(crossedUp(this.fast, this.slow), () => { if (this.position().isFlat) this.buy(); });
  down = this.when(crossedDown(this.fast, this.slow), () => { this.exit(); });
}
`;
const TRADE_INTERVALS = ['20ticks', '40.5volume', '5000dollar', '0.6range'];
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'isobar-tradeBars-'));
  const rng = seededRng(11);
  const rows: string[] = [];
  let ms = Date.parse('2024-03-01T00:00:01Z');
  let ticks = 10_000;
  for (let id = 1; id <= 6000; id++) {
    rows.push(`${id},${(ticks / 100).toFixed(2)},${(Math.ceil(rng.next() * 400) / 100).toFixed(2)},${ms}`);
    ms += rng.next() < 0.3 ? 0 : Math.ceil(rng.next() * 60_000);
    ticks += Math.floor(rng.next() * 21) - 10;
  }
  writeFileSync(join(folder, 'ABCUSDT-trades.csv'), `id,price,qty,time\n${rows.join('\n')}\n`);
  writeFileSync(join(folder, 'cross.ts'), STRATEGY);
  for (const kind of TRADE_INTERVALS)
    writeFileSync(
      join(folder, `${kind}.yaml`),
      `strategy: cross.ts\nfeeds: { bars: { symbol: ABCUSDT, interval: ${kind} } }\ncash: { USDT: '10000' }\nsize: { equity: '0.5' }\n`,
    );
  expect((await commandIn(folder, ['data', 'import', 'ABCUSDT-trades.csv', '--as', 'trades'])).code ?? 0).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(TRADE_INTERVALS)('a run on bars of %s is verified, proved, and the same in a lane of a sweep', async (kind) => {
  const run = await commandInKeptThread(folder, ['backtest', `${kind}.yaml`, '--json', '--quiet', '--out', kind]);
  expect(run.code ?? 0, run.stderr).toBe(0);
  const summary = JSON.parse(run.stdout);
  expect(JSON.stringify(summary.run)).toContain(kind);

  const verified = await commandIn(folder, ['verify', join(kind, readdirSync(join(folder, kind))[0]!)]);
  expect(verified.code ?? 0, verified.stderr).toBe(0);
  expect(verified.stdout).toContain('identical');

  const swept = await commandIn(folder, [
    'sweep',
    `${kind}.yaml`,
    '--grid',
    'fast=2..4',
    '--fresh',
    '--workers',
    '1',
    '--json',
    '--quiet',
    '--out',
    `${kind}-sweep`,
  ]);
  expect(swept.code ?? 0, swept.stderr).toBe(0);
  const { best } = JSON.parse(swept.stdout) as {
    best: { params: { fast: number }; figures: { totalReturn: number; sharpe: number; trades: number } }[];
  };
  const { figures } = best.find(({ params }) => params.fast === 3)!;
  expect(figures.trades).toBeGreaterThan(5);
  expect([figures.totalReturn, figures.sharpe]).toEqual([summary.metrics.totalReturn, summary.metrics.sharpe]);

  const proved = await commandIn(folder, ['prove', `${kind}.yaml`, '--json', '--times', '3', '--quiet']);
  expect(proved.code ?? 0, proved.stderr).toBe(0);
  const { proofs } = JSON.parse(proved.stdout) as StrategyVerdict;
  const deciding = proofs.filter(({ name }) => ['purity', 'blocks', 'prefix', 'poison'].includes(name));
  expect(deciding.map(({ verdict }) => verdict)).toEqual(Array.from({ length: 4 }, () => 'proved'));
});
