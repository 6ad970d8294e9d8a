// Measures a backtest of many bars that is read block by block: peak memory, and the memory and CPU time of each further bar.

import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { STREAMED_ROWS } from '../dist/tasks/backtest/streamed/streamedRun.js';
import { writeDefinition, runCommand, type FinishedCommand } from './whole.ts';

const ROOT = new URL('..', import.meta.url).pathname;
/** Bars of half a minute, from the earliest time that a definition may have. 100,000,000 of them end in the year 2065. */
const INTERVAL = { name: '30s', ms: 30_000 };
const FROM_MS = 0;
const WITHOUT_REPORT = ['--no-report', '--no-envelope'];

/** What `longBench` measures. */
export interface LongFigures {
  readonly rows: number;
  /** CPU nanoseconds of the whole command, divided by its bars. */
  readonly cpuNs: number;
  /** Peak memory of the whole run; null where the system does not report it. */
  readonly peakMb: number | null;
  /** Bytes of peak memory that each bar of the second half adds; null where the system does not report memory. */
  readonly bytesABar: number | null;
  /** CPU nanoseconds that each bar of the second half adds. */
  readonly cpuNsABar: number;
}

/**
 * Returns the figures of a run of `rows` bars, at least twice the length from which bars are read block by block. Throws if a shorter run has
 * another result block by block than in memory.
 */
export function longBench(folder: string, rows: number, print: (text: string) => void): LongFigures {
  if (!(rows >= 2 * STREAMED_ROWS)) throw new Error(`expected at least ${2 * STREAMED_ROWS} bars, got ${rows}`);
  const catalog = join(folder, 'long');
  const barOptions = ['--symbol', 'AAAUSDT', '--interval', INTERVAL.name, '--from', '1970-01-01', '--seed', '1'];
  print(`bench: ${rows} bars are generated`);
  runCommand([join(ROOT, 'dist/cli/isobar.js'), 'data', 'generate', ...barOptions, '--bars', String(rows), '--catalog', catalog]);
  const feeds = `{ bars: { symbol: AAAUSDT, interval: ${INTERVAL.name} } }`;
  const params = '{ fast: 100, slow: 300 }';
  const file = writeDefinition(folder, 'long', { strategy: 'strategies/smaCross.ts', params, feeds, catalog, cash: '50000000' });
  const run = (bars: number, extraOptions: readonly string[]): FinishedCommand & { readonly hash: string } => {
    const out = join(folder, 'long-runs');
    const to = new Date(FROM_MS + bars * INTERVAL.ms).toISOString();
    const outputArgs = ['--out', out, '--ledger', join(out, 'ledger'), '--json', '--quiet'];
    const args = ['backtest', file, '--set', `to=${to}`, ...outputArgs, ...extraOptions];
    const finished = runCommand([join(ROOT, 'dist/cli/isobar.js'), ...args]);
    rmSync(out, { recursive: true });
    return { ...finished, hash: (JSON.parse(finished.stdout) as { resultHash: string }).resultHash };
  };
  print('bench: a run in memory, and one block by block');
  // With the envelope the run stays in memory, so it is on in one of the two runs only.
  const inMemory = run(STREAMED_ROWS, ['--no-report']);
  const streamed = run(STREAMED_ROWS, WITHOUT_REPORT);
  if (inMemory.hash !== streamed.hash) throw new Error('a run that reads its bars block by block has another result than a run in memory');
  const halfRun = run(rows / 2, WITHOUT_REPORT);
  print('bench: the whole run');
  const wholeRun = run(rows, WITHOUT_REPORT);
  const hasMemory = wholeRun.peakMb !== null && halfRun.peakMb !== null;
  return {
    rows,
    cpuNs: (wholeRun.cpuMs * 1e6) / rows,
    peakMb: wholeRun.peakMb,
    bytesABar: hasMemory ? ((wholeRun.peakMb - halfRun.peakMb) * 2 ** 20) / (rows / 2) : null,
    cpuNsABar: ((wholeRun.cpuMs - halfRun.cpuMs) * 1e6) / (rows / 2),
  };
}
