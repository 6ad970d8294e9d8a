// Tests the project of an author who has linked this package: the author's own tests under vitest, and many runs in one process.

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { ROOT } from '../fixtures/packed.ts';

const runProcess = promisify(execFile);
/** The project of the author. */
const folder = mkdtempSync(join(tmpdir(), 'isobar-own-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, 'node_modules'));
symlinkSync(ROOT, join(folder, 'node_modules/isobar'));
symlinkSync(join(ROOT, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));

/** The strategy of the author. It throws at bar `failAt`; 0: never. */
const CROSS = `import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';

export default class Cross extends Strategy.with({ fast: int(10, { min: 2 }), failAt: int(0) }) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, 40));
  barCount = 0;
  up = this.when(crossedUp(this.fast, this.slow), () => { if (this.position().isFlat) this.buy(); });
  down = this.when(crossedDown(this.fast, this.slow), () => { this.exit(); });
  override onBar() {
    if (++this.barCount === this.params.failAt) throw new Error('bar by bar');
  }
}
`;

/** Four tests of the author, which vitest runs in the project. */
const CROSS_TEST = `import { expect, test, vi } from 'vitest';
import { Strategy } from 'isobar';
import { backtest, generateBars } from 'isobar/run';
import Cross from './cross.ts';

const data = generateBars({ bars: 1000, seed: 7 });
const options = { strategy: Cross, data, cash: '10000' };

test('a class and its path give one result', async () => {
  const [byClass, byPath] = [await backtest(options), await backtest({ ...options, strategy: 'cross.ts' })];
  expect(Cross.prototype).toBeInstanceOf(Strategy);
  expect(byClass.fills.length).toBeGreaterThan(5);
  expect(byPath.resultHash).toBe(byClass.resultHash);
  expect([byClass, byPath].map((result) => result.summary.run.strategy)).toMatchObject([{ name: 'Cross' }, { name: 'Cross' }]);
});

test.each([Cross, 'cross.ts'])('errors name the parameter or the line of the strategy', async (strategy) => {
  await expect(backtest({ ...options, strategy, params: { fast: 1 } })).rejects.toThrow('params.fast: expected a whole number of at least 2, got 1');
  const error = await backtest({ ...options, strategy, params: { failAt: 3 } }).catch((thrown) => thrown);
  expect(error.message).toMatch(/^Cross threw at 2024-01-.* UTC: bar by bar/);
  expect(error.cause.stack).toMatch(/cross\\.ts:10:/);
});

test('fake timers do not change the result', async () => {
  vi.useFakeTimers();
  const { resultHash } = await backtest(options);
  vi.useRealTimers();
  expect(resultHash).toBe((await backtest(options)).resultHash);
});
`;

/** Runs a backtest 100 times, and prints figures of each quarter: fills, CPU time of the fastest run, and memory at the end. */
const HUNDRED_RUNS = `import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';
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
  // The fastest run counts, because a busy machine makes some runs slower.
  let cpuMs = Infinity;
  for (let run = 0; run < 25; run++) {
    const before = process.cpuUsage();
    fills += (await backtest({ strategy: Cross, params: { fast: 5 + run % 20 }, data, cash: '10000' })).fills.length;
    const { user, system } = process.cpuUsage(before);
    cpuMs = Math.min(cpuMs, (user + system) / 1000);
  }
  // Twice, because the memory of arrays is freed after the collection that found them unused.
  gc();
  gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  quarters.push({ fills, cpuMs, bytes: heapUsed + arrayBuffers });
}
console.log(JSON.stringify(quarters));`;

/** Figures of 25 runs. `cpuMs`: CPU time of the fastest run; `bytes`: memory after the last one. */
interface Quarter {
  readonly fills: number;
  readonly cpuMs: number;
  readonly bytes: number;
}

// The package is linked from a checkout, so it lies outside of node_modules, and vitest loads it through its own transforms.
test('the tests of an author pass under vitest: a class and its path give one result, and errors name lines of the author', async () => {
  writeFileSync(join(folder, 'cross.ts'), CROSS);
  writeFileSync(join(folder, 'cross.test.ts'), CROSS_TEST);
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs');
  const { stdout } = await runProcess(process.execPath, [vitest, 'run'], {
    cwd: folder,
    env: { ...process.env, CI: '', NO_COLOR: '1' },
  }).catch((error: { stdout: string; stderr: string }) => ({ stdout: `${error.stdout}\n${error.stderr}` }));
  expect(stdout).toMatch(/Tests {2}4 passed \(4\)/);
});

test('100 runs in one process use no more memory and no more time than the first ones', async () => {
  writeFileSync(join(folder, 'series.mjs'), HUNDRED_RUNS);
  const measure = async (): Promise<readonly Quarter[]> => {
    // One thread: the helper threads of the compiler and the garbage collector would add time that depends on the machine.
    const { stdout } = await runProcess(process.execPath, ['--expose-gc', '--single-threaded', 'series.mjs'], { cwd: folder });
    return JSON.parse(stdout) as readonly Quarter[];
  };
  let quarters = await measure();
  // Other processes may slow down one quarter. A real slowdown occurs in each of three measurements.
  const isSlower = (): boolean => quarters[3]!.cpuMs >= 2 * quarters[1]!.cpuMs;
  for (let retries = 0; retries < 2 && isSlower(); retries++) quarters = await measure();
  const [, second, , last] = quarters;
  expect(new Set(quarters.map(({ fills }) => fills)).size).toBe(1);
  // An engine that stayed in memory would take hundreds of kilobytes for each of the 50 runs between these quarters.
  const addedBytes = last!.bytes - second!.bytes;
  expect(addedBytes).toBeLessThan(1_000_000);
  expect(last!.cpuMs).toBeLessThan(2 * second!.cpuMs);
  const earlyMs = second!.cpuMs.toFixed(1);
  const lateMs = last!.cpuMs.toFixed(1);
  console.log(`a run of 400 bars: ${earlyMs} ms of CPU, 50 runs later ${lateMs} ms; ${addedBytes} bytes more`);
});
