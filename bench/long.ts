// Measures a backtest whose bars are read block by block, because they are too many for the memory. Measures its peak memory, and the
// memory and CPU time that each further bar adds. `npm run bench -- --long` runs it.

import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { STREAMED_ROWS } from '../dist/tasks/backtest/streamed/streamedRun.js';
import { writeDefinition, runCommand, type FinishedCommand } from './commands.ts';

const NS_PER_MS = 1e6;
const BYTES_PER_MB = 2 ** 20;
/** The folder of the package. */
const ROOT = new URL('..', import.meta.url).pathname;
/** A short interval, so that 100,000,000 bars end in the year 2065. */
const INTERVAL = { name: '30s', ms: 30_000 };
/** Open time of the first bar: the earliest time that a definition may have. */
const FROM_MS = 0;
/** Options of a run that can read its bars block by block. */
const WITHOUT_REPORT = ['--no-report', '--no-envelope'];

/** The figures of `longBench`. */
export interface LongFigures {
  /** Number of bars of the whole run. */
  readonly rows: number;
  /** CPU time of the whole command divided by its bars, ns. */
  readonly cpuNs: number;
  /** Peak memory of the whole run, MB; null where the system does not report it. */
  readonly peakMb: number | null;
  /** Peak memory that each bar of the second half adds, bytes; null where the system does not report memory. */
  readonly bytesABar: number | null;
  /** CPU time that each bar of the second half adds, ns. */
  readonly cpuNsABar: number;
}

/**
 * Returns the figures of a run of `rows` bars. `rows` is at least twice STREAMED_ROWS, the number from which bars are read block by block.
 * Half of the run is then read that way too. Throws if a run of STREAMED_ROWS bars has another result block by block than in memory.
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
  /** Runs a backtest of the first `barCount` bars. */
  const runFirst = (barCount: number, extraOptions: readonly string[]): FinishedCommand & { readonly hash: string } => {
    const out = join(folder, 'long-runs');
    const endDate = new Date(FROM_MS + barCount * INTERVAL.ms).toISOString();
    const outputArgs = ['--out', out, '--ledger', join(out, 'ledger'), '--json', '--quiet'];
    const args = ['backtest', file, '--set', `to=${endDate}`, ...outputArgs, ...extraOptions];
    const finished = runCommand([join(ROOT, 'dist/cli/isobar.js'), ...args]);
    rmSync(out, { recursive: true });
    return { ...finished, hash: (JSON.parse(finished.stdout) as { resultHash: string }).resultHash };
  };
  print('bench: a run in memory, and one block by block');
  // A run with the envelope keeps its bars in memory, so only the first of the two runs has the envelope.
  const inMemory = runFirst(STREAMED_ROWS, ['--no-report']);
  const streamed = runFirst(STREAMED_ROWS, WITHOUT_REPORT);
  if (inMemory.hash !== streamed.hash) throw new Error('a run that reads its bars block by block has another result than a run in memory');
  const halfRun = runFirst(rows / 2, WITHOUT_REPORT);
  print('bench: the whole run');
  const wholeRun = runFirst(rows, WITHOUT_REPORT);
  const hasMemory = wholeRun.peakMb !== null && halfRun.peakMb !== null;
  return {
    rows,
    cpuNs: (wholeRun.cpuMs * NS_PER_MS) / rows,
    peakMb: wholeRun.peakMb,
    bytesABar: hasMemory ? ((wholeRun.peakMb - halfRun.peakMb) * BYTES_PER_MB) / (rows / 2) : null,
    cpuNsABar: ((wholeRun.cpuMs - halfRun.cpuMs) * NS_PER_MS) / (rows / 2),
  };
}
