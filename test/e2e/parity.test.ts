// Tests `npm run parity` with three strategies and few bars: a backtest and a live bot over HTTP are equal to the last unit.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { withoutProgress } from '../fixtures/cliFixture.ts';
import { LATE_OPTIMIZING } from '../fixtures/nodeOptions.ts';

const runProcess = promisify(execFile);
const PARITY = fileURLToPath(new URL('../parity/run.mjs', import.meta.url));

/** Runs `npm run parity`, and returns its output and exit code. */
async function runParity(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    return { code: 0, ...(await runProcess(process.execPath, [...LATE_OPTIMIZING, PARITY, ...args])) };
  } catch (error) {
    const { code = null, stdout = '', stderr = '' } = error as { code?: number | null; stdout?: string; stderr?: string };
    if (code === null) throw error;
    return { code, stdout, stderr };
  }
}

it('a live bot over HTTP has the orders, fills and balances of its backtest, on spot and on contracts', async () => {
  const barCount = 400;
  // The carry strategy trades both markets.
  const barCountByStrategy = { fundingCarry: 2 * barCount, fundingFade: barCount, trendFilter: barCount };
  const { code, stdout, stderr } = await runParity('--json', '--bars', String(barCount), ...Object.keys(barCountByStrategy));
  expect(withoutProgress(stderr)).toBe('');
  const results = JSON.parse(stdout) as readonly { orders: number; fills: number }[];
  expect(results).toMatchObject(
    Object.entries(barCountByStrategy).map(([strategy, bars]) => ({ strategy, bars, equal: true, firstDifference: null })),
  );
  for (const { orders, fills } of results) expect(Math.min(orders, fills)).toBeGreaterThan(2);
  expect(code).toBe(0);
});

it('npm run parity with an unknown strategy names the known ones', async () => {
  const { code, stderr } = await runParity('noSuchStrategy');
  expect([code, stderr]).toEqual([2, expect.stringContaining('there is bollingerGrid donchian')]);
});
