// `backtest(options)` of `isobar/run`: the same result from a class, from a file of code and from a definition.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';
import { backtest } from 'isobar/run';
import { generateInto } from '../../src/adapters/bars/generateInto.ts';
import { STRATEGIES } from '../fixtures/cliDesk.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-code-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const catalog = join(folder, 'data');
generateInto(catalog, { symbol: 'TESTUSDT', interval: '1m', fromMs: Date.UTC(2024, 0, 1), bars: 3000, seed: 3 });

class Cross extends Strategy.with({ fast: int(5), slow: int(20) }) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  up = this.when(crossedUp(this.fast, this.slow), () => {
    if (this.position().isFlat) this.buy();
  });
  down = this.when(crossedDown(this.fast, this.slow), () => {
    this.exit();
  });
}

const COMMON = { feeds: { bars: { symbol: 'TESTUSDT', interval: '1m' } }, cash: { USDT: '10000' }, catalog };

test('a class and a file of the same logic give the same result, and its columns agree', async () => {
  const byClass = await backtest({ ...COMMON, strategy: Cross });
  const byFile = await backtest({ ...COMMON, strategy: `${STRATEGIES}/smaCross.ts`, params: { fast: 5, slow: 20 } });
  expect(byClass.resultHash).toBe(byFile.resultHash);
  expect(byClass.fills.length).toBeGreaterThan(10);
  expect(byClass.equity.length).toBeGreaterThan(2900);
  expect(byClass.summary.run.strategy).toMatchObject({ name: 'Cross', params: { fast: 5, slow: 20 } });
});

test('a definition file with changes, and the run folder on demand', async () => {
  const definition = join(folder, 'x.yaml');
  writeFileSync(
    definition,
    `strategy: ${STRATEGIES}/smaCross.ts\nfeeds: { bars: { symbol: TESTUSDT, interval: 1m } }\ncash: { USDT: '10000' }\n`,
  );
  const result = await backtest({ definition, set: ['params.fast=5', 'params.slow=20', `catalog=${catalog}`] });
  expect(result.resultHash).toBe((await backtest({ ...COMMON, strategy: Cross })).resultHash);
  const written = await result.write(join(folder, 'runs'));
  expect(existsSync(join(written, 'summary.json'))).toBe(true);
});

test('wrong options are refused like those of a definition', async () => {
  await expect(backtest({ ...COMMON, strategy: Cross, params: { fats: 1 } })).rejects.toThrow('params.fats: no such parameter');
  await expect(backtest({ ...COMMON, strategy: Cross, data: 'x.csv' })).rejects.toThrow(
    'cash: expected an amount of the quote asset beside data',
  );
});
