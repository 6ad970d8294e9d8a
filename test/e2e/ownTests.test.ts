// Tests the project of an author: vitest over a strategy with the linked package, and many runs in one process.

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { ROOT } from '../fixtures/packed.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'isobar-own-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, 'node_modules'));
symlinkSync(ROOT, join(folder, 'node_modules/isobar'));
symlinkSync(join(ROOT, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));

const CROSS = `import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';

export default class Cross extends Strategy.with({ fast: int(10, { min: 2 }), failAt: int(0) }) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, 40));
  seen = 0;
  up = this.when(crossedUp(this.fast, this.slow), () => { if (this.position().isFlat) this.buy(); });
  down = this.when(crossedDown(this.fast, this.slow), () => { this.exit(); });
  override onBar() {
    if (++this.seen === this.params.failAt) throw new Error('bar by bar');
  }
}
`;

// Linked from a checkout, the package lies outside of node_modules: vitest then loads it through its own transforms.
test('a class and its path under vitest: one Strategy, one result, the author\u2019s own lines in errors, fake timers or not', async () => {
  writeFileSync(join(folder, 'cross.ts'), CROSS);
  writeFileSync(
    join(folder, 'cross.test.ts'),
    `import { expect, test, vi } from 'vitest';
import { Strategy } from 'isobar';
import { backtest, generateBars } from 'isobar/run';
import Cross from './cross.ts';

const data = generateBars({ bars: 1000, seed: 7 });
const options = { strategy: Cross, data, cash: '10000' };

test('one Strategy, one result', async () => {
  const [byClass, byPath] = [await backtest(options), await backtest({ ...options, strategy: 'cross.ts' })];
  expect(Cross.prototype).toBeInstanceOf(Strategy);
  expect(byClass.fills.length).toBeGreaterThan(5);
  expect(byPath.resultHash).toBe(byClass.resultHash);
  expect([byClass, byPath].map((result) => result.summary.run.strategy)).toMatchObject([{ name: 'Cross' }, { name: 'Cross' }]);
});

test.each([Cross, 'cross.ts'])('errors', async (strategy) => {
  await expect(backtest({ ...options, strategy, params: { fast: 1 } })).rejects.toThrow('params.fast: expected a whole number of at least 2, got 1');
  const error = await backtest({ ...options, strategy, params: { failAt: 3 } }).catch((thrown) => thrown);
  expect(error.message).toMatch(/^Cross threw at 2024-01-.* UTC: bar by bar/);
  expect(error.cause.stack).toMatch(/cross\\.ts:10:/);
});

test('with fake timers', async () => {
  vi.useFakeTimers();
  const { resultHash } = await backtest(options);
  vi.useRealTimers();
  expect(resultHash).toBe((await backtest(options)).resultHash);
});
`,
  );
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs');
  const { stdout } = await run(process.execPath, [vitest, 'run'], { cwd: folder, env: { ...process.env, CI: '', NO_COLOR: '1' } }).catch(
    (error: { stdout: string; stderr: string }) => ({ stdout: `${error.stdout}\n${error.stderr}` }),
  );
  expect(stdout).toMatch(/Tests {2}4 passed \(4\)/);
});

test('100 runs in one process keep no memory and do not slow down', async () => {
  const script = `
import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';
import { backtest, generateBars } from 'isobar/run';
class Cross extends Strategy.with({ fast: int(10) }) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, 40));
  up = this.when(crossedUp(this.fast, this.slow), () => { if (this.position().isFlat) this.buy(); });
  down = this.when(crossedDown(this.fast, this.slow), () => { this.exit(); });
}
const data = generateBars({ bars: 400, interval: '1m' });
const quarters = [];
for (let quarter = 0; quarter < 4; quarter++) {
  let fills = 0;
  // The fastest of the quarter: a busy machine makes some of its runs slower.
  let cpuMs = Infinity;
  for (let n = 0; n < 25; n++) {
    const before = process.cpuUsage();
    fills += (await backtest({ strategy: Cross, params: { fast: 5 + n % 20 }, data, cash: '10000' })).fills.length;
    const { user, system } = process.cpuUsage(before);
    cpuMs = Math.min(cpuMs, (user + system) / 1000);
  }
  // Twice: the memory of arrays is given back after the collection that found them dead.
  gc();
  gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  quarters.push({ fills, cpuMs, bytes: heapUsed + arrayBuffers });
}
console.log(JSON.stringify(quarters));`;
  writeFileSync(join(folder, 'series.mjs'), script);
  const measured = async () => {
    // One thread: what the helpers of the collector and the compiler take besides is the machine's, and doubled the figure of a quarter.
    const { stdout } = await run(process.execPath, ['--expose-gc', '--single-threaded', 'series.mjs'], { cwd: folder });
    return JSON.parse(stdout) as readonly { fills: number; cpuMs: number; bytes: number }[];
  };
  let quarters = await measured();
  // Other processes took all of the caches of a core for a whole quarter, once in some hundred series: what slows down does so each time.
  for (let again = 0; again < 2 && quarters[3]!.cpuMs >= 2 * quarters[1]!.cpuMs; again++) quarters = await measured();
  const [, second, , last] = quarters;
  expect(new Set(quarters.map(({ fills }) => fills)).size).toBe(1);
  // 50 runs later: an engine of its size that were kept would weigh hundreds of kilobytes a run.
  expect(last!.bytes - second!.bytes).toBeLessThan(1_000_000);
  expect(last!.cpuMs).toBeLessThan(2 * second!.cpuMs);
  console.log(
    `a run of 400 bars: ${second!.cpuMs.toFixed(1)} ms of CPU, 50 runs later ${last!.cpuMs.toFixed(1)} ms; ${last!.bytes - second!.bytes} bytes more`,
  );
});
