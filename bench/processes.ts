// Figures of whole processes: memory per bar of a run from the catalog, and the parts of the whole backtest command.

import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { storeBars } from '../dist/adapters/catalog/bars/catalog.js';
import { SYNTHETIC } from '../dist/adapters/catalog/bars/quality.js';
import { writeFileSync } from 'node:fs';
import { head, walk } from './series.ts';

const ROOT = new URL('..', import.meta.url).pathname;
const SMALL_ROWS = 50_000;
/** As many bars as the largest real file that the project is tried on has. */
const COMMAND_ROWS = 1_025_708;

/** Growth of the peak resident size from 50 thousand bars to `rows`, fill-light, read from the catalog, equity kept. */
export async function bytesPerBar(folder: string, rows: number): Promise<number> {
  const catalog = join(folder, 'memory');
  const bars = walk('AAAUSDT', rows, 1);
  storeBars(catalog, bars, SYNTHETIC);
  storeBars(catalog, { ...head(bars, SMALL_ROWS), instrument: walk('BBBUSDT', 1, 1).instrument }, SYNTHETIC);
  const peak = (symbol: string) => {
    const out = execFileSync(process.execPath, [join(ROOT, 'bench/memory.mjs'), catalog, symbol], { encoding: 'utf8' });
    return Number(out) * 1024;
  };
  const [large, small] = [peak('AAAUSDT'), peak('BBBUSDT')];
  return (large - small) / (rows - SMALL_ROWS);
}

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
  const definition = join(folder, 'whole.yaml');
  writeFileSync(
    definition,
    `strategy: ${ROOT}strategies/smaCross.ts\nparams: { fast: 100, slow: 300 }\nfeeds: { bars: { symbol: AAAUSDT, interval: 1m } }\n` +
      `market: spot\ncash: { USDT: '10000000' }\nsize: { base: '1' }\nfees: { maker: '0.0004', taker: '0.0004', in: quote }\n` +
      `risk: { maxLeverage: '1' }\nseed: 1\ncatalog: ${catalog}\n`,
  );
  const runs = Array.from({ length: 3 }, () => command(definition, join(folder, 'runs')));
  return runs.reduce((best, run) => (run.totalMs < best.totalMs ? run : best));
}

function command(definition: string, out: string): CommandParts {
  const words = [join(ROOT, 'dist/cli/isobar.js'), 'backtest', definition, '--out', out, '--quiet'];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', env: { ...process.env, ISOBAR_TIMINGS: '1' } });
  const line = stderr.split('\n').find((text) => text.startsWith('{'));
  if (status !== 0 || line === undefined) throw new Error(`the backtest command failed:\n${stderr}`);
  return JSON.parse(line) as CommandParts;
}
