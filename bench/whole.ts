// Measures the whole job of a user: fresh processes of the command and of `isobar/run`, CPU time of all threads. Compares results first.

import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storeBars } from '../dist/adapters/catalog/bars/catalog.js';
import { SYNTHETIC } from '../dist/adapters/catalog/bars/barQuality.js';
import { runReference, writeUnits, type ReferenceFigures, type Workload } from './reference.ts';
import { firstRows, randomWalk } from './series.ts';
import { HEAVY, LIGHT, ROWS } from './workloads.ts';

/** The folder of the package. */
const ROOT = new URL('..', import.meta.url).pathname;
/** Bars of the runs with a million fills and without a fill. */
const FILL_ROWS = 1_000_000;
/** Symbols of the large run, and bars of each. */
const SYMBOLS = 500;
const SYMBOL_ROWS = 20_000;
/** A smaller number of symbols, which shows whether the cost of one symbol stays the same. */
const FEW_SYMBOLS = 125;
/** Few bars for a grid of 540 sets, so that most of the time goes to the work of a sweep around its bars. */
const SETS_ROWS = 35_136;
const SETS_GRID = ['--grid', 'fast=5..22:1', '--grid', 'slow=30..320:10'];
/** Each command is run this many times, and the best run counts. */
const ROUNDS = 2;

/** The figures of whole commands. */
export interface WholeFigures {
  /** CPU seconds of `isobar backtest --no-envelope` over 5 M bars of one file, report written. */
  readonly heavyCpuS: number;
  /** The same for the workload with few fills. */
  readonly lightCpuS: number;
  /** `heavyCpuS` with --no-report. */
  readonly heavyBareCpuS: number;
  /** `heavyCpuS`, `lightCpuS` and `fillUs` with the envelope, which a user has by default. */
  readonly heavyEnvelopeCpuS: number;
  readonly lightEnvelopeCpuS: number;
  readonly fillEnvelopeUs: number;
  /** CPU seconds of a process that calls `isobar/run` once with the definition of the first row, and of a later call. */
  readonly fromCodeCpuS: number;
  readonly fromCodeSettledS: number;
  /** CPU microseconds of a fill in a run of a million fills, report written, less the run of as many bars without an order. */
  readonly fillUs: number;
  /**
   * 500 symbols of 20,000 bars: CPU seconds, peak memory (null where the system does not report it), and CPU a symbol over that of 125
   * symbols.
   */
  readonly symbolsCpuS: number;
  readonly symbolsEnvelopeCpuS: number;
  readonly symbolsPeakMb: number | null;
  readonly symbolsLinearity: number;
  /** CPU seconds of `isobar sweep` on one worker: the 540 sets of SETS_GRID over SETS_ROWS bars. */
  readonly setsCpuS: number;
}

/** The CPU time and memory of a finished process, and what it printed. */
export interface FinishedCommand {
  readonly cpuMs: number;
  readonly peakMb: number | null;
  readonly stdout: string;
}

/** The members of a summary that are compared. */
interface Summary {
  readonly resultHash: string;
  readonly run: { readonly endEquity: string };
  readonly orders: { readonly fills: number; readonly fees: string };
}

/**
 * Returns the figures of whole commands. Throws if a result differs from that of the C reference, or from that of the same run from code.
 */
export function wholeBench(folder: string, program: string | null, print: (text: string) => void): WholeFigures {
  const bars = randomWalk('AAAUSDT', ROWS, 1);
  const unitsFile = join(folder, 'whole.bin');
  const catalog = join(folder, 'whole');
  storeBars(catalog, bars, SYNTHETIC);
  writeUnits(unitsFile, bars);
  /** Writes the definition of a workload. `check` throws if a result differs from that of C. */
  const prepare = (name: string, work: Workload) => {
    const reference = program === null ? null : runReference(program, unitsFile, work, 1);
    const file = writeDefinition(folder, name, { strategy: 'strategies/smaCross.ts', params: paramsOf(work), feeds: ONE_FEED, catalog });
    return { file, check: (summary: Summary) => assertEqual(name, summary, reference) };
  };
  const heavy = prepare('heavy', HEAVY);
  const light = prepare('light', LIGHT);
  print('bench: the whole command, 5 M bars');
  const heavyRun = measureCommand(folder, heavy.file, heavy.check, WITHOUT_ENVELOPE);
  const lightRun = measureCommand(folder, light.file, light.check, WITHOUT_ENVELOPE);
  const withoutReport = measureCommand(folder, heavy.file, heavy.check, [...WITHOUT_ENVELOPE, '--no-report']);
  const heavyEnvelope = measureCommand(folder, heavy.file, heavy.check);
  const lightEnvelope = measureCommand(folder, light.file, light.check);
  print('bench: the whole run from code');
  const codeRun = measureFromCode(heavy.file, heavyRun.summary.resultHash);
  print('bench: a million fills');
  const [fillUs, fillEnvelopeUs] = fillCostsUs(folder, firstRows(bars, FILL_ROWS));
  print(`bench: ${SYMBOLS} symbols`);
  const manySymbols = runSymbols(folder, SYMBOLS, WITHOUT_ENVELOPE);
  const fewSymbols = runSymbols(folder, FEW_SYMBOLS, WITHOUT_ENVELOPE);
  const withEnvelope = runSymbols(folder, SYMBOLS, []);
  print('bench: a sweep of 540 sets');
  const setsCpuS = setsCommandCpuS(folder, firstRows(bars, SETS_ROWS));
  return {
    heavyCpuS: heavyRun.cpuMs / 1000,
    lightCpuS: lightRun.cpuMs / 1000,
    heavyBareCpuS: withoutReport.cpuMs / 1000,
    heavyEnvelopeCpuS: heavyEnvelope.cpuMs / 1000,
    lightEnvelopeCpuS: lightEnvelope.cpuMs / 1000,
    fillEnvelopeUs,
    fromCodeCpuS: codeRun.firstMs / 1000,
    fromCodeSettledS: codeRun.settledMs / 1000,
    fillUs,
    symbolsCpuS: manySymbols.cpuMs / 1000,
    symbolsEnvelopeCpuS: withEnvelope.cpuMs / 1000,
    symbolsPeakMb: manySymbols.peakMb,
    symbolsLinearity: manySymbols.cpuMs / SYMBOLS / (fewSymbols.cpuMs / FEW_SYMBOLS),
    setsCpuS,
  };
}

/** Options of a command without the envelope. */
const WITHOUT_ENVELOPE = ['--no-envelope'];
/** The feeds of a definition with one symbol. */
const ONE_FEED = '{ bars: { symbol: AAAUSDT, interval: 1m } }';
/** Returns the parameters of a definition. */
const paramsOf = ({ fast, slow }: Workload) => `{ fast: ${fast}, slow: ${slow} }`;

/** The keys of a definition that differ from measurement to measurement. */
interface DefinitionParts {
  readonly strategy: string;
  readonly params: string;
  readonly feeds: string;
  readonly catalog: string;
  readonly cash?: string;
}

/** Writes a definition with the money of the C reference: fees of 0.04 % in quote, one whole coin for each order. Returns its path. */
export function writeDefinition(
  folder: string,
  name: string,
  { strategy, params, feeds, catalog, cash = '100000000' }: DefinitionParts,
): string {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(
    file,
    `strategy: ${ROOT}${strategy}\nparams: ${params}\nfeeds: ${feeds}\nmarket: spot\ncash: { USDT: '${cash}' }\nsize: { base: '1' }\n` +
      `fees: { maker: '0.0004', taker: '0.0004', in: quote }\nrisk: { maxLeverage: '1' }\nseed: 1\ncatalog: ${catalog}\n`,
  );
  return file;
}

/** Runs `isobar backtest` and returns the best of the rounds. Calls `check` with each summary. */
function measureCommand(
  folder: string,
  file: string,
  check: (summary: Summary) => void,
  extraOptions: readonly string[] = [],
): FinishedCommand & { summary: Summary } {
  const out = join(folder, 'whole-runs');
  const args = [join(ROOT, 'dist/cli/isobar.js'), 'backtest', file, '--out', out, '--ledger', join(out, 'ledger'), '--json', '--quiet'];
  let best: (FinishedCommand & { summary: Summary }) | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    const finished = runCommand([...args, ...extraOptions]);
    const summary = JSON.parse(finished.stdout) as Summary;
    check(summary);
    rmSync(out, { recursive: true });
    if (best === null || finished.cpuMs < best.cpuMs) best = { ...finished, summary };
  }
  return best!;
}

/** Returns the CPU seconds of `isobar sweep`, the best of the rounds. sweep.ts compares the results of its sets with those of C. */
function setsCommandCpuS(folder: string, bars: ReturnType<typeof randomWalk>): number {
  const catalog = join(folder, 'whole-sweep');
  storeBars(catalog, bars, SYNTHETIC);
  const params = '{ fast: 5, slow: 30 }';
  const file = writeDefinition(folder, 'sweep-command', { strategy: 'strategies/smaCross.ts', params, feeds: ONE_FEED, catalog });
  const out = join(folder, 'sweep-runs');
  const outputArgs = ['--out', out, '--ledger', join(out, 'ledger'), '--json'];
  const args = [join(ROOT, 'dist/cli/isobar.js'), 'sweep', file, ...SETS_GRID, '--workers', '1', ...outputArgs];
  let minCpuMs = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    minCpuMs = Math.min(minCpuMs, runCommand(args).cpuMs);
    rmSync(out, { recursive: true });
  }
  return minCpuMs / 1000;
}

/** Runs Node with `args` and returns its CPU time, peak memory and output. Throws if it fails. */
export function runCommand(args: readonly string[]): FinishedCommand {
  const preload = ['--import', join(ROOT, 'bench/usage.mjs')];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...preload, ...args], { encoding: 'utf8', maxBuffer: 2 ** 30 });
  const usageLine = stderr.split('\n').findLast((line) => line.startsWith('{"cpuMs"'));
  if (status !== 0 || usageLine === undefined)
    throw new Error(`a process of the benchmark failed: ${args.slice(0, 3).join(' ')}\n${stderr}`);
  return { ...(JSON.parse(usageLine) as Pick<FinishedCommand, 'cpuMs' | 'peakMb'>), stdout };
}

/** Throws if the result differs from that of the reference, whose money is in units of 10^-6. */
function assertEqual(name: string, { run, orders }: Summary, expected: ReferenceFigures | null): void {
  if (expected === null) return;
  const found = { equity: Math.round(Number(run.endEquity) * 1e6), fills: orders.fills, fees: Math.round(Number(orders.fees) * 1e6) };
  const { equity, fills, fees } = expected;
  if (JSON.stringify(found) === JSON.stringify({ equity, fills, fees })) return;
  throw new Error(`${name}: the command differs from the reference:\n${JSON.stringify({ found, expected: { equity, fills, fees } })}`);
}

/** Measures `isobar/run`: CPU time of the first call of a process and of the best later one. `expectedHash` is that of the command. */
function measureFromCode(file: string, expectedHash: string): { firstMs: number; settledMs: number } {
  let firstMs = Infinity;
  let settledMs = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const { stdout } = runCommand([join(ROOT, 'bench/fromCode.mjs'), file, '3']);
    const found = JSON.parse(stdout) as { firstMs: number; settledMs: number; resultHash: string };
    if (found.resultHash !== expectedHash) throw new Error('a run from code differs from the command');
    firstMs = Math.min(firstMs, found.firstMs);
    settledMs = Math.min(settledMs, found.settledMs);
  }
  return { firstMs, settledMs };
}

/**
 * Returns the CPU microseconds of a fill, without the envelope and with it: a run with a fill at nearly every bar minus a run without orders,
 * divided by the fills.
 */
function fillCostsUs(folder: string, bars: ReturnType<typeof randomWalk>): readonly [number, number] {
  const catalog = join(folder, 'whole-fills');
  storeBars(catalog, bars, SYNTHETIC);
  const definitionParts = { params: '{}', feeds: ONE_FEED, catalog, cash: '1000000000' };
  const everyBar = writeDefinition(folder, 'every', { ...definitionParts, strategy: 'bench/strategies/everyBar.ts' });
  const idle = writeDefinition(folder, 'none', {
    ...definitionParts,
    strategy: 'bench/strategies/idle.ts',
    params: '{ fast: 10, slow: 30 }',
  });
  const costUs = (extraOptions: readonly string[]): number => {
    const checkEveryBar = ({ orders }: Summary) => {
      if (orders.fills < FILL_ROWS - 2) throw new Error(`${orders.fills} fills in ${FILL_ROWS} bars`);
    };
    const checkIdle = ({ orders }: Summary) => {
      if (orders.fills > 0) throw new Error('the run without orders has fills');
    };
    const withFills = measureCommand(folder, everyBar, checkEveryBar, extraOptions);
    const withoutFills = measureCommand(folder, idle, checkIdle, extraOptions);
    return ((withFills.cpuMs - withoutFills.cpuMs) * 1000) / withFills.summary.orders.fills;
  };
  return [costUs(WITHOUT_ENVELOPE), costUs([])];
}

/** Runs an SMA cross over the first `count` symbols of the catalog. */
function runSymbols(folder: string, count: number, extraOptions: readonly string[]): FinishedCommand {
  const catalog = join(folder, 'whole-symbols');
  const names = Array.from({ length: SYMBOLS }, (_, index) => `S${String(index).padStart(3, '0')}USDT`);
  // The first call writes all symbols. Later calls read them again.
  if (!existsSync(catalog)) names.forEach((name, index) => void storeBars(catalog, randomWalk(name, SYMBOL_ROWS, index + 1), SYNTHETIC));
  const feeds = `{ all: { symbols: [${names.slice(0, count).join(', ')}], interval: 1m } }`;
  const definitionParts = {
    strategy: 'bench/strategies/manySymbols.ts',
    params: '{ fast: 10, slow: 30 }',
    feeds,
    catalog,
    cash: '8000000000',
  };
  const check = ({ orders }: Summary) => {
    if (orders.fills < 100 * count) throw new Error(`${orders.fills} fills of ${count} symbols`);
  };
  return measureCommand(folder, writeDefinition(folder, `symbols${count}`, definitionParts), check, extraOptions);
}
