// Tests the short form of `npm run parity`: backtest and live bot over HTTP, spot and futures, are equal to the last unit.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { withoutProgress } from '../fixtures/cliFixture.ts';
import { LATE_OPTIMIZING } from '../fixtures/nodeOptions.ts';

const runProcess = promisify(execFile);
const PARITY = fileURLToPath(new URL('../parity/run.mjs', import.meta.url));

/** Runs `npm run parity`, and returns its output and exit code. */
async function parity(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    return { code: 0, ...(await runProcess(process.execPath, [...LATE_OPTIMIZING, PARITY, ...args])) };
  } catch (error) {
    const { code = null, stdout = '', stderr = '' } = error as { code?: number | null; stdout?: string; stderr?: string };
    if (code === null) throw error;
    return { code, stdout, stderr };
  }
}

it('a live bot over HTTP has the orders, fills and balances of its backtest: targets and stops, margin and funding, funding rates', async () => {
  const barCount = 400;
  // The carry strategy trades both markets.
  const barsByStrategy = { fundingCarry: 2 * barCount, fundingFade: barCount, trendFilter: barCount };
  const { code, stdout, stderr } = await parity('--json', '--bars', String(barCount), ...Object.keys(barsByStrategy));
  expect(withoutProgress(stderr)).toBe('');
  const results = JSON.parse(stdout) as readonly { orders: number; fills: number }[];
  expect(results).toMatchObject(
    Object.entries(barsByStrategy).map(([strategy, count]) => ({ strategy, bars: count, equal: true, firstDifference: null })),
  );
  for (const { orders, fills } of results) expect(Math.min(orders, fills)).toBeGreaterThan(2);
  expect(code).toBe(0);
});

it('npm run parity names the known strategies when asked for another', async () => {
  const { code, stderr } = await parity('noSuchStrategy');
  expect([code, stderr]).toEqual([2, expect.stringContaining('there is bollingerGrid donchian')]);
});
