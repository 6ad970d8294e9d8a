// Measures whole processes of the backtest command: memory for each bar, and the time of its stages.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storeBars } from '../dist/adapters/catalog/bars/catalog.js';
import { SYNTHETIC } from '../dist/adapters/catalog/bars/barQuality.js';
import { firstRows, randomWalk } from './series.ts';

const ROOT = new URL('..', import.meta.url).pathname;
/** Bars of the short run with which the memory of a long run is compared. */
const SMALL_ROWS = 50_000;
/** The number of bars in the largest real file on which the project is tested. */
const COMMAND_ROWS = 1_025_708;

/**
 * Returns the bytes by which each bar above 50,000 raises the peak resident size of `isobar backtest`. The run is fill-light and writes the
 * report with the envelope.
 */
export function bytesPerBar(folder: string, rows: number): number {
  const catalog = join(folder, 'memory');
  const bars = randomWalk('AAAUSDT', rows, 1);
  storeBars(catalog, bars, SYNTHETIC);
  storeBars(catalog, { ...firstRows(bars, SMALL_ROWS), instrument: randomWalk('BBBUSDT', 1, 1).instrument }, SYNTHETIC);
  const peakBytes = (symbol: string): number => {
    const commandArgs = backtestArgs(writeDefinition(folder, catalog, symbol), join(folder, 'memory-runs'));
    const args = ['--import', join(ROOT, 'bench/usage.mjs'), ...commandArgs];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const usageLine = stderr.split('\n').findLast((text) => text.startsWith('{"cpuMs"'));
    if (status !== 0 || usageLine === undefined) throw new Error(`the backtest command failed:\n${stderr}`);
    return (JSON.parse(usageLine) as { readonly peakMb: number }).peakMb * 2 ** 20;
  };
  return (peakBytes('AAAUSDT') - peakBytes('BBBUSDT')) / (rows - SMALL_ROWS);
}

/** Writes a definition that runs SMA 100/300 over the one-minute bars of a symbol, and returns its path. */
function writeDefinition(folder: string, catalog: string, symbol: string): string {
  const file = join(folder, `whole-${symbol}.yaml`);
  writeFileSync(
    file,
    `strategy: ${ROOT}strategies/smaCross.ts\nparams: { fast: 100, slow: 300 }\nfeeds: { bars: { symbol: ${symbol}, interval: 1m } }\n` +
      `market: spot\ncash: { USDT: '10000000' }\nsize: { base: '1' }\nfees: { maker: '0.0004', taker: '0.0004', in: quote }\n` +
      `risk: { maxLeverage: '1' }\nseed: 1\ncatalog: ${catalog}\n`,
  );
  return file;
}

/** Returns the arguments of Node that run a backtest. */
const backtestArgs = (definition: string, out: string): readonly string[] => [
  join(ROOT, 'dist/cli/isobar.js'),
  'backtest',
  definition,
  '--out',
  out,
  '--ledger',
  join(out, 'ledger'),
  '--quiet',
];

/** Wall time of the stages of one command, and of the whole command. */
export interface CommandStages {
  readonly startMs: number;
  readonly loadMs: number;
  readonly loopMs: number;
  readonly metricsMs: number;
  readonly reportMs: number;
  readonly totalMs: number;
}

/**
 * Returns the wall time and its stages of `isobar backtest` over 1,025,708 bars from the catalog, with the report: the best of three runs.
 */
export async function wholeCommand(folder: string): Promise<CommandStages> {
  const catalog = join(folder, 'command');
  storeBars(catalog, randomWalk('AAAUSDT', COMMAND_ROWS, 1), SYNTHETIC);
  const definition = writeDefinition(folder, catalog, 'AAAUSDT');
  const runs = Array.from({ length: 3 }, () => timedBacktest(definition, join(folder, 'runs')));
  return runs.reduce((best, run) => (run.totalMs < best.totalMs ? run : best));
}

/** Runs a backtest, and returns the time of each stage. */
function timedBacktest(definition: string, out: string): CommandStages {
  const { status, stderr } = spawnSync(process.execPath, backtestArgs(definition, out), {
    encoding: 'utf8',
    env: { ...process.env, ISOBAR_TIMINGS: '1' },
  });
  const timingsLine = stderr.split('\n').find((text) => text.startsWith('{'));
  if (status !== 0 || timingsLine === undefined) throw new Error(`the backtest command failed:\n${stderr}`);
  return JSON.parse(timingsLine) as CommandStages;
}
