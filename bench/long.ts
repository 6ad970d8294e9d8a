// A run of many bars whose file is read block by block: peak memory, and memory and CPU time of one more bar, after comparing results.

import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { STREAMED_ROWS } from '../dist/tasks/backtest/streamed/streamedRun.js';
import { definition, ending, type Ended } from './whole.ts';

const ROOT = new URL('..', import.meta.url).pathname;
/** Bars of half a minute from the first time that a definition takes: 100,000,000 of them end in the year 2065. */
const INTERVAL = { name: '30s', ms: 30_000 };
const FROM_MS = 0;
const BARE = ['--no-report', '--no-envelope'];

export interface LongFigures {
  readonly rows: number;
  /** CPU nanoseconds for each bar of the whole command. */
  readonly cpuNs: number;
  /** Null where the system does not report it. */
  readonly peakMb: number | null;
  /** Bytes of peak memory and CPU nanoseconds that each bar of the second half adds. */
  readonly bytesABar: number | null;
  readonly cpuNsABar: number;
}

/** `rows`: at least twice as many as are read block by block. Throws if the run has another result than the same run in memory. */
export function longBench(folder: string, rows: number, print: (text: string) => void): LongFigures {
  if (!(rows >= 2 * STREAMED_ROWS)) throw new Error(`expected at least ${2 * STREAMED_ROWS} bars, got ${rows}`);
  const catalog = join(folder, 'long');
  const symbol = ['--symbol', 'AAAUSDT', '--interval', INTERVAL.name, '--from', '1970-01-01', '--seed', '1'];
  print(`bench: ${rows} bars are generated`);
  ending([join(ROOT, 'dist/cli/isobar.js'), 'data', 'generate', ...symbol, '--bars', String(rows), '--catalog', catalog]);
  const feeds = `{ bars: { symbol: AAAUSDT, interval: ${INTERVAL.name} } }`;
  const params = '{ fast: 100, slow: 300 }';
  const file = definition(folder, 'long', { strategy: 'strategies/smaCross.ts', params, feeds, catalog, cash: '50000000' });
  const run = (bars: number, more: readonly string[]): Ended & { readonly hash: string } => {
    const out = join(folder, 'long-runs');
    const to = new Date(FROM_MS + bars * INTERVAL.ms).toISOString();
    const words = ['backtest', file, '--set', `to=${to}`, '--out', out, '--ledger', join(out, 'ledger'), '--json', '--quiet', ...more];
    const ended = ending([join(ROOT, 'dist/cli/isobar.js'), ...words]);
    rmSync(out, { recursive: true });
    return { ...ended, hash: (JSON.parse(ended.stdout) as { resultHash: string }).resultHash };
  };
  print('bench: a run in memory, and block by block');
  // The envelope needs all bars.
  if (run(STREAMED_ROWS, ['--no-report']).hash !== run(STREAMED_ROWS, BARE).hash)
    throw new Error('a run over bars that are read block by block has another result than in memory');
  const half = run(rows / 2, BARE);
  print('bench: the whole run');
  const whole = run(rows, BARE);
  return {
    rows,
    cpuNs: (whole.cpuMs * 1e6) / rows,
    peakMb: whole.peakMb,
    bytesABar: whole.peakMb === null || half.peakMb === null ? null : ((whole.peakMb - half.peakMb) * 2 ** 20) / (rows / 2),
    cpuNsABar: ((whole.cpuMs - half.cpuMs) * 1e6) / (rows / 2),
  };
}
