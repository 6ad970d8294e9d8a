// Figures of whole processes: memory per bar and parts of the backtest command.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { storeBars } from '../dist/adapters/catalog/bars/catalog.js';
import { SYNTHETIC } from '../dist/adapters/catalog/bars/quality.js';
import { writeFileSync } from 'node:fs';
import { head, walk } from './series.ts';

const ROOT = new URL('..', import.meta.url).pathname;
const SMALL_ROWS = 50_000;
/** As many bars as the largest real file that the project is tried on has. */
const COMMAND_ROWS = 1_025_708;

/** Growth of the peak resident size of `isobar backtest` from 50 thousand bars to `rows`, fill-light, report and envelope included. */
export function bytesPerBar(folder: string, rows: number): number {
  const catalog = join(folder, 'memory');
  const bars = walk('AAAUSDT', rows, 1);
  storeBars(catalog, bars, SYNTHETIC);
  storeBars(catalog, { ...head(bars, SMALL_ROWS), instrument: walk('BBBUSDT', 1, 1).instrument }, SYNTHETIC);
  const peakBytes = (symbol: string): number => {
    const words = [
      '--import',
      join(ROOT, 'bench/usage.mjs'),
      ...wordsOf(writeDefinition(folder, catalog, symbol), join(folder, 'memory-runs')),
    ];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    const line = stderr.split('\n').findLast((text) => text.startsWith('{"cpuMs"'));
    if (status !== 0 || line === undefined) throw new Error(`the backtest command failed:\n${stderr}`);
    return (JSON.parse(line) as { readonly peakMb: number }).peakMb * 2 ** 20;
  };
  return (peakBytes('AAAUSDT') - peakBytes('BBBUSDT')) / (rows - SMALL_ROWS);
}

/** SMA 100/300 over the one-minute bars of a symbol. */
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

const wordsOf = (definition: string, out: string): readonly string[] => [
  join(ROOT, 'dist/cli/isobar.js'),
  'backtest',
  definition,
  '--out',
  out,
  '--ledger',
  join(out, 'ledger'),
  '--quiet',
];

export interface CommandParts {
  readonly startMs: number;
  readonly loadMs: number;
  readonly loopMs: number;
  readonly metricsMs: number;
  readonly reportMs: number;
  readonly totalMs: number;
}

/** `isobar backtest` over 1,025,708 bars from the catalog, report written: wall time and its parts, best of three. */
export async function wholeCommand(folder: string): Promise<CommandParts> {
  const catalog = join(folder, 'command');
  storeBars(catalog, walk('AAAUSDT', COMMAND_ROWS, 1), SYNTHETIC);
  const definition = writeDefinition(folder, catalog, 'AAAUSDT');
  const runs = Array.from({ length: 3 }, () => command(definition, join(folder, 'runs')));
  return runs.reduce((best, run) => (run.totalMs < best.totalMs ? run : best));
}

function command(definition: string, out: string): CommandParts {
  const { status, stderr } = spawnSync(process.execPath, wordsOf(definition, out), {
    encoding: 'utf8',
    env: { ...process.env, ISOBAR_TIMINGS: '1' },
  });
  const line = stderr.split('\n').find((text) => text.startsWith('{'));
  if (status !== 0 || line === undefined) throw new Error(`the backtest command failed:\n${stderr}`);
  return JSON.parse(line) as CommandParts;
}
