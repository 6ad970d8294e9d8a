// The whole job of a user: fresh processes of the command and of `isobar/run`, CPU time of all their threads, after comparing results.

import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storeBars } from '../dist/adapters/catalog/bars/catalog.js';
import { SYNTHETIC } from '../dist/adapters/catalog/bars/quality.js';
import { runReference, writeUnits, type Figures, type Workload } from './reference.ts';
import { head, walk } from './series.ts';
import { HEAVY, LIGHT, ROWS } from './workloads.ts';

const ROOT = new URL('..', import.meta.url).pathname;
const FILL_ROWS = 1_000_000;
const SYMBOLS = 500;
const SYMBOL_ROWS = 20_000;
/** Fewer symbols, to see whether the cost of one stays the same. */
const FEW_SYMBOLS = 125;
/** 540 sets: more time goes to what a sweep does around its bars than to the bars. */
const SETS_ROWS = 35_136;
const SETS_GRID = ['--grid', 'fast=5..22:1', '--grid', 'slow=30..320:10'];
const ROUNDS = 2;

export interface WholeFigures {
  /** CPU seconds of `isobar backtest --no-envelope` over 5 M bars of one file, report written. */
  readonly heavyCpuS: number;
  readonly lightCpuS: number;
  /** The same with --no-report. */
  readonly heavyBareCpuS: number;
  /** The first two and the fill with the envelope, as a user has it. */
  readonly heavyEnvelopeCpuS: number;
  readonly lightEnvelopeCpuS: number;
  readonly fillEnvelopeUs: number;
  /** CPU seconds of a process that calls `isobar/run` once with the definition of the first row, and of a later call. */
  readonly fromCodeCpuS: number;
  readonly fromCodeSettledS: number;
  /** CPU microseconds of a fill in a run of a million fills, report written, less the run of as many bars without an order. */
  readonly fillUs: number;
  /** 500 symbols of 20,000 bars: CPU seconds, peak memory (null where the system does not report it), and CPU a symbol over that of 125 symbols. */
  readonly symbolsCpuS: number;
  readonly symbolsEnvelopeCpuS: number;
  readonly symbolsPeakMb: number | null;
  readonly symbolsLinearity: number;
  /** CPU seconds of `isobar sweep` on one worker: SWEEP_SETS sets over SETS_ROWS bars. */
  readonly setsCpuS: number;
}

export interface Ended {
  readonly cpuMs: number;
  readonly peakMb: number | null;
  readonly stdout: string;
}

interface Result {
  readonly resultHash: string;
  readonly run: { readonly endEquity: string };
  readonly orders: { readonly fills: number; readonly fees: string };
}

/** Throws when a run has another result than the C reference, or than the same run from code. */
export function wholeBench(folder: string, program: string | null, print: (text: string) => void): WholeFigures {
  const bars = walk('AAAUSDT', ROWS, 1);
  const units = join(folder, 'whole.bin');
  const catalog = join(folder, 'whole');
  storeBars(catalog, bars, SYNTHETIC);
  writeUnits(units, bars);
  const one = (name: string, work: Workload) => {
    const reference = program === null ? null : runReference(program, units, work, 1);
    const file = definition(folder, name, { strategy: 'strategies/smaCross.ts', params: paramsOf(work), feeds: ONE_FEED, catalog });
    return { file, check: (result: Result) => assertEqual(name, result, reference) };
  };
  const [heavy, light] = [one('heavy', HEAVY), one('light', LIGHT)];
  print('bench: the whole command, 5 M bars');
  const heavyRun = command(folder, heavy.file, heavy.check, BARE);
  const lightRun = command(folder, light.file, light.check, BARE);
  const bare = command(folder, heavy.file, heavy.check, [...BARE, '--no-report']);
  const heavyEnvelope = command(folder, heavy.file, heavy.check);
  const lightEnvelope = command(folder, light.file, light.check);
  print('bench: the whole run from code');
  const code = fromCode(heavy.file, heavyRun.result.resultHash);
  print('bench: a million fills');
  const [fillUs, fillEnvelopeUs] = fillCosts(folder, head(bars, FILL_ROWS));
  print(`bench: ${SYMBOLS} symbols`);
  const many = symbols(folder, SYMBOLS, BARE);
  const few = symbols(folder, FEW_SYMBOLS, BARE);
  const manyEnvelope = symbols(folder, SYMBOLS, []);
  print('bench: a sweep of 540 sets');
  const setsCpuS = setsCommand(folder, head(bars, SETS_ROWS));
  return {
    heavyCpuS: heavyRun.cpuMs / 1000,
    lightCpuS: lightRun.cpuMs / 1000,
    heavyBareCpuS: bare.cpuMs / 1000,
    heavyEnvelopeCpuS: heavyEnvelope.cpuMs / 1000,
    lightEnvelopeCpuS: lightEnvelope.cpuMs / 1000,
    fillEnvelopeUs,
    fromCodeCpuS: code.firstMs / 1000,
    fromCodeSettledS: code.settledMs / 1000,
    fillUs,
    symbolsCpuS: many.cpuMs / 1000,
    symbolsEnvelopeCpuS: manyEnvelope.cpuMs / 1000,
    symbolsPeakMb: many.peakMb,
    symbolsLinearity: many.cpuMs / SYMBOLS / (few.cpuMs / FEW_SYMBOLS),
    setsCpuS,
  };
}

const BARE = ['--no-envelope'];
const ONE_FEED = '{ bars: { symbol: AAAUSDT, interval: 1m } }';
const paramsOf = ({ fast, slow }: Workload) => `{ fast: ${fast}, slow: ${slow} }`;

interface Wanted {
  readonly strategy: string;
  readonly params: string;
  readonly feeds: string;
  readonly catalog: string;
  readonly cash?: string;
}

/** Writes a definition whose money is that of the C reference: fees of 0.04 % in quote, one whole coin an order. */
export function definition(folder: string, name: string, { strategy, params, feeds, catalog, cash = '100000000' }: Wanted): string {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(
    file,
    `strategy: ${ROOT}${strategy}\nparams: ${params}\nfeeds: ${feeds}\nmarket: spot\ncash: { USDT: '${cash}' }\nsize: { base: '1' }\n` +
      `fees: { maker: '0.0004', taker: '0.0004', in: quote }\nrisk: { maxLeverage: '1' }\nseed: 1\ncatalog: ${catalog}\n`,
  );
  return file;
}

/** The best of the rounds of `isobar backtest`, its result checked in each. */
function command(folder: string, file: string, check: (result: Result) => void, more: readonly string[] = []): Ended & { result: Result } {
  const out = join(folder, 'whole-runs');
  const words = [join(ROOT, 'dist/cli/isobar.js'), 'backtest', file, '--out', out, '--ledger', join(out, 'ledger'), '--json', '--quiet'];
  let best: (Ended & { result: Result }) | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    const ended = ending([...words, ...more]);
    const result = JSON.parse(ended.stdout) as Result;
    check(result);
    rmSync(out, { recursive: true });
    if (best === null || ended.cpuMs < best.cpuMs) best = { ...ended, result };
  }
  return best!;
}

/** The best of the rounds. Results of lanes are compared with those of sets alone by the command itself, with C by the rows of the sweep. */
function setsCommand(folder: string, bars: ReturnType<typeof walk>): number {
  const catalog = join(folder, 'whole-sweep');
  storeBars(catalog, bars, SYNTHETIC);
  const params = '{ fast: 5, slow: 30 }';
  const file = definition(folder, 'sweep-command', { strategy: 'strategies/smaCross.ts', params, feeds: ONE_FEED, catalog });
  const out = join(folder, 'sweep-runs');
  const words = [join(ROOT, 'dist/cli/isobar.js'), 'sweep', file, ...SETS_GRID, '--workers', '1', '--out', out, '--ledger', join(out, 'ledger'), '--json']; // prettier-ignore
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    best = Math.min(best, ending(words).cpuMs);
    rmSync(out, { recursive: true });
  }
  return best / 1000;
}

export function ending(words: readonly string[]): Ended {
  const preload = ['--import', join(ROOT, 'bench/usage.mjs')];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...preload, ...words], { encoding: 'utf8', maxBuffer: 2 ** 30 });
  const line = stderr.split('\n').findLast((text) => text.startsWith('{"cpuMs"'));
  if (status !== 0 || line === undefined) throw new Error(`a process of the benchmark failed: ${words.slice(0, 3).join(' ')}\n${stderr}`);
  return { ...(JSON.parse(line) as Pick<Ended, 'cpuMs' | 'peakMb'>), stdout };
}

/** Money of the reference is in units of 10^-6. */
function assertEqual(name: string, { run, orders }: Result, expected: Figures | null): void {
  if (expected === null) return;
  const found = { equity: Math.round(Number(run.endEquity) * 1e6), fills: orders.fills, fees: Math.round(Number(orders.fees) * 1e6) };
  const { equity, fills, fees } = expected;
  if (JSON.stringify(found) === JSON.stringify({ equity, fills, fees })) return;
  throw new Error(`${name}: the command differs from the reference:\n${JSON.stringify({ found, expected: { equity, fills, fees } })}`);
}

function fromCode(file: string, expected: string): { firstMs: number; settledMs: number } {
  let [firstMs, settledMs] = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round++) {
    const { stdout } = ending([join(ROOT, 'bench/fromCode.mjs'), file, '3']);
    const found = JSON.parse(stdout) as { firstMs: number; settledMs: number; resultHash: string };
    if (found.resultHash !== expected) throw new Error('a run from code differs from the command');
    firstMs = Math.min(firstMs, found.firstMs);
    settledMs = Math.min(settledMs, found.settledMs);
  }
  return { firstMs, settledMs };
}

/** Without the envelope and with it. */
function fillCosts(folder: string, bars: ReturnType<typeof walk>): readonly [number, number] {
  const catalog = join(folder, 'whole-fills');
  storeBars(catalog, bars, SYNTHETIC);
  const wanted = { params: '{}', feeds: ONE_FEED, catalog, cash: '1000000000' };
  const every = definition(folder, 'every', { ...wanted, strategy: 'bench/strategies/everyBar.ts' });
  const idle = definition(folder, 'none', { ...wanted, strategy: 'bench/strategies/idle.ts', params: '{ fast: 10, slow: 30 }' });
  const cost = (more: readonly string[]): number => {
    const checkBusy = ({ orders }: Result) => {
      if (orders.fills < FILL_ROWS - 2) throw new Error(`${orders.fills} fills in ${FILL_ROWS} bars`);
    };
    const checkIdle = ({ orders }: Result) => {
      if (orders.fills > 0) throw new Error('the run without orders has fills');
    };
    const [busy, none] = [command(folder, every, checkBusy, more), command(folder, idle, checkIdle, more)];
    return ((busy.cpuMs - none.cpuMs) * 1000) / busy.result.orders.fills;
  };
  return [cost(BARE), cost([])];
}

function symbols(folder: string, count: number, more: readonly string[]): Ended {
  const catalog = join(folder, 'whole-symbols');
  const names = Array.from({ length: SYMBOLS }, (_, at) => `S${String(at).padStart(3, '0')}USDT`);
  if (!existsSync(catalog)) names.forEach((name, at) => void storeBars(catalog, walk(name, SYMBOL_ROWS, at + 1), SYNTHETIC));
  const feeds = `{ all: { symbols: [${names.slice(0, count).join(', ')}], interval: 1m } }`;
  const wanted = { strategy: 'bench/strategies/manySymbols.ts', params: '{ fast: 10, slow: 30 }', feeds, catalog, cash: '8000000000' };
  const check = ({ orders }: Result) => {
    if (orders.fills < 100 * count) throw new Error(`${orders.fills} fills of ${count} symbols`);
  };
  return command(folder, definition(folder, `symbols${count}`, wanted), check, more);
}
