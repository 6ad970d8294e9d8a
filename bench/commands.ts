// Measures whole commands as a user runs them, each in a fresh process: `isobar backtest`, `isobar sweep` and a program that calls `isobar/run`. The
// figures are CPU times of all threads. Each result is first compared with the C reference. Some figures are measured twice, with and without
// the envelope: the range within which the order of events inside bars could move a result (docs/envelope.md).

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
/** Bars of the two runs that give the cost of a fill: one with a fill at nearly every bar, one without fills. */
const FILL_ROWS = 1_000_000;
/** Symbols of the run with many symbols. */
const SYMBOLS = 500;
/** Bars of each symbol. */
const SYMBOL_ROWS = 20_000;
/** A smaller number of symbols, which shows whether the cost of one symbol stays the same. */
const FEW_SYMBOLS = 125;
/** Bars of the sweep: few, so that the sweep spends most of its time on other work than bars. */
const SWEEP_ROWS = 35_136;
/** Grid options of the sweep: 18 times 30 values, which are 540 parameter sets. */
const SWEEP_GRID_OPTIONS = ['--grid', 'fast=5..22:1', '--grid', 'slow=30..320:10'];
/** Each command is run this many times, and the best run counts. */
const ROUNDS = 2;
/** Calls of `isobar/run` in one process: the first one and two later ones. */
const CALLS_FROM_CODE = '3';
/** Maximum length of the output of a command. */
const MAX_OUTPUT_BYTES = 2 ** 30;
/** Units of money in one unit of the quote asset, as in the C reference. */
const UNITS_PER_QUOTE = 1e6;
/** Fills that each symbol must have at least. Otherwise the run with many symbols would measure bars without trading. */
const MIN_FILLS_PER_SYMBOL = 100;

/** Options of a command without the envelope (docs/envelope.md). */
const WITHOUT_ENVELOPE = ['--no-envelope'];
/** The feeds of a definition with one symbol. */
const ONE_SYMBOL_FEED = '{ bars: { symbol: AAAUSDT, interval: 1m } }';

/** Returns the strategy parameters of a workload as YAML. */
const paramsOf = ({ fast, slow }: Workload) => `{ fast: ${fast}, slow: ${slow} }`;

/** The keys of a definition that differ from measurement to measurement, as YAML text. */
interface DefinitionParts {
  readonly strategy: string;
  readonly params: string;
  readonly feeds: string;
  readonly catalog: string;
  readonly cash?: string;
}

/** The figures of whole commands. */
export interface CommandFigures {
  /** CPU seconds of `isobar backtest --no-envelope` over 5 M bars with many fills, report written. */
  readonly heavyCpuS: number;
  /** CPU seconds of the same command over 5 M bars with few fills. */
  readonly lightCpuS: number;
  /** CPU seconds of the command of `heavyCpuS` with --no-report. */
  readonly heavyBareCpuS: number;
  /** `heavyCpuS` with the envelope, which a user has by default. */
  readonly heavyEnvelopeCpuS: number;
  /** `lightCpuS` with the envelope. */
  readonly lightEnvelopeCpuS: number;
  /** `fillUs` with the envelope. */
  readonly fillEnvelopeUs: number;
  /** CPU seconds of the first call of `isobar/run` in a process, with the definition of `heavyCpuS`. */
  readonly fromCodeCpuS: number;
  /** CPU seconds of the best later call in the same process. */
  readonly fromCodeSettledS: number;
  /** CPU microseconds of a fill: the time of a run with a million fills minus that of a run without orders, divided by the fills. */
  readonly fillUs: number;
  /** CPU seconds of a run over 500 symbols of 20,000 bars, without the envelope. */
  readonly symbolsCpuS: number;
  /** `symbolsCpuS` with the envelope. */
  readonly symbolsEnvelopeCpuS: number;
  /** Peak memory of the run of `symbolsCpuS`, MB; null where the system does not report it. */
  readonly symbolsPeakMb: number | null;
  /** CPU time for each of 500 symbols, divided by the CPU time for each of 125 symbols. */
  readonly symbolsLinearity: number;
  /** CPU seconds of `isobar sweep` on one worker: the 540 sets of SWEEP_GRID_OPTIONS over SWEEP_ROWS bars. */
  readonly setsCpuS: number;
}

/** The CPU time, the peak memory and the output of a finished process. */
export interface FinishedCommand {
  readonly cpuMs: number;
  /** Peak memory, MB; null where the system does not report it. */
  readonly peakMb: number | null;
  readonly stdout: string;
}

/** The members of summary.json that the benchmark compares. */
interface Summary {
  readonly resultHash: string;
  readonly run: { readonly endEquity: string };
  readonly orders: { readonly fills: number; readonly fees: string };
}

/**
 * Returns the figures of whole commands. `program` is the compiled C reference; null without gcc. Throws if a result differs from the C reference,
 * or if the same run from code has another result.
 */
export function commandsBench(folder: string, program: string | null, print: (text: string) => void): CommandFigures {
  const bars = randomWalk('AAAUSDT', ROWS, 1);
  const unitsFile = join(folder, 'whole.bin');
  const catalog = join(folder, 'whole');
  storeBars(catalog, bars, SYNTHETIC);
  writeUnits(unitsFile, bars);
  /** Writes the definition of a workload. The returned `check` throws if a summary differs from the C reference. */
  const prepareDefinition = (name: string, workload: Workload) => {
    const reference = program === null ? null : runReference(program, unitsFile, workload, 1);
    const file = writeDefinition(folder, name, {
      strategy: 'strategies/smaCross.ts',
      params: paramsOf(workload),
      feeds: ONE_SYMBOL_FEED,
      catalog,
    });
    return { file, check: (summary: Summary) => assertEqual(name, summary, reference) };
  };
  const heavy = prepareDefinition('heavy', HEAVY);
  const light = prepareDefinition('light', LIGHT);
  print('bench: the whole command, 5 M bars');
  const heavyRun = measureCommand(folder, heavy.file, heavy.check, WITHOUT_ENVELOPE);
  const lightRun = measureCommand(folder, light.file, light.check, WITHOUT_ENVELOPE);
  const heavyWithoutReport = measureCommand(folder, heavy.file, heavy.check, [...WITHOUT_ENVELOPE, '--no-report']);
  const heavyWithEnvelope = measureCommand(folder, heavy.file, heavy.check);
  const lightWithEnvelope = measureCommand(folder, light.file, light.check);
  print('bench: the whole run from code');
  const fromCode = measureFromCode(heavy.file, heavyRun.summary.resultHash);
  print('bench: a million fills');
  const { fillUs, fillEnvelopeUs } = measureFills(folder, firstRows(bars, FILL_ROWS));
  print(`bench: ${SYMBOLS} symbols`);
  const manySymbolsRun = runSymbols(folder, SYMBOLS, WITHOUT_ENVELOPE);
  const fewSymbolsRun = runSymbols(folder, FEW_SYMBOLS, WITHOUT_ENVELOPE);
  const manySymbolsWithEnvelope = runSymbols(folder, SYMBOLS, []);
  print('bench: a sweep of 540 sets');
  const setsCpuS = sweepCommandCpuS(folder, firstRows(bars, SWEEP_ROWS));
  return {
    heavyCpuS: heavyRun.cpuMs / 1000,
    lightCpuS: lightRun.cpuMs / 1000,
    heavyBareCpuS: heavyWithoutReport.cpuMs / 1000,
    heavyEnvelopeCpuS: heavyWithEnvelope.cpuMs / 1000,
    lightEnvelopeCpuS: lightWithEnvelope.cpuMs / 1000,
    fillEnvelopeUs,
    fromCodeCpuS: fromCode.firstCpuMs / 1000,
    fromCodeSettledS: fromCode.settledCpuMs / 1000,
    fillUs,
    symbolsCpuS: manySymbolsRun.cpuMs / 1000,
    symbolsEnvelopeCpuS: manySymbolsWithEnvelope.cpuMs / 1000,
    symbolsPeakMb: manySymbolsRun.peakMb,
    symbolsLinearity: manySymbolsRun.cpuMs / SYMBOLS / (fewSymbolsRun.cpuMs / FEW_SYMBOLS),
    setsCpuS,
  };
}

/** Writes a definition with the fees and sizes of the C reference: 0.04 % in the quote asset, one whole coin for each order. Returns its path. */
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

/** Runs `isobar backtest` ROUNDS times and returns the run with the least CPU time. Calls `check` with each summary. */
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

/** Returns the CPU seconds of the best of ROUNDS runs of `isobar sweep`. Does not compare results: sweep.ts compares those of a sweep with C. */
function sweepCommandCpuS(folder: string, bars: ReturnType<typeof randomWalk>): number {
  const catalog = join(folder, 'whole-sweep');
  storeBars(catalog, bars, SYNTHETIC);
  const params = '{ fast: 5, slow: 30 }';
  const file = writeDefinition(folder, 'sweep-command', { strategy: 'strategies/smaCross.ts', params, feeds: ONE_SYMBOL_FEED, catalog });
  const out = join(folder, 'sweep-runs');
  const outputArgs = ['--out', out, '--ledger', join(out, 'ledger'), '--json'];
  const args = [join(ROOT, 'dist/cli/isobar.js'), 'sweep', file, ...SWEEP_GRID_OPTIONS, '--workers', '1', ...outputArgs];
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
  const { status, stdout, stderr } = spawnSync(process.execPath, [...preload, ...args], { encoding: 'utf8', maxBuffer: MAX_OUTPUT_BYTES });
  const usageLine = stderr.split('\n').findLast((line) => line.startsWith('{"cpuMs"'));
  if (status !== 0 || usageLine === undefined)
    throw new Error(`a process of the benchmark failed: ${args.slice(0, 3).join(' ')}\n${stderr}`);
  return { ...(JSON.parse(usageLine) as Pick<FinishedCommand, 'cpuMs' | 'peakMb'>), stdout };
}

/** Throws if the summary of a command differs from the figures of the C reference, whose money is in units. */
function assertEqual(name: string, { run, orders }: Summary, expected: ReferenceFigures | null): void {
  if (expected === null) return;
  const unitsOf = (amount: string): number => Math.round(Number(amount) * UNITS_PER_QUOTE);
  const found = { equity: unitsOf(run.endEquity), fills: orders.fills, fees: unitsOf(orders.fees) };
  const { equity, fills, fees } = expected;
  if (JSON.stringify(found) === JSON.stringify({ equity, fills, fees })) return;
  throw new Error(`${name}: the command differs from the reference:\n${JSON.stringify({ found, expected: { equity, fills, fees } })}`);
}

/**
 * Measures `isobar/run`: CPU time of the first call in a process, and of the best later call. Throws if the result hash differs from `expectedHash`,
 * the hash of the command.
 */
function measureFromCode(file: string, expectedHash: string): { firstCpuMs: number; settledCpuMs: number } {
  let firstCpuMs = Infinity;
  let settledCpuMs = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const { stdout } = runCommand([join(ROOT, 'bench/fromCode.mjs'), file, CALLS_FROM_CODE]);
    const calls = JSON.parse(stdout) as { firstCpuMs: number; settledCpuMs: number; resultHash: string };
    if (calls.resultHash !== expectedHash) throw new Error('a run from code differs from the command');
    firstCpuMs = Math.min(firstCpuMs, calls.firstCpuMs);
    settledCpuMs = Math.min(settledCpuMs, calls.settledCpuMs);
  }
  return { firstCpuMs, settledCpuMs };
}

/**
 * Returns the CPU microseconds of a fill, without the envelope and with it. The figure is a run with a fill at nearly every bar minus a run
 * without orders, divided by the fills.
 */
function measureFills(folder: string, bars: ReturnType<typeof randomWalk>): Pick<CommandFigures, 'fillUs' | 'fillEnvelopeUs'> {
  const catalog = join(folder, 'whole-fills');
  storeBars(catalog, bars, SYNTHETIC);
  const definitionParts = { params: '{}', feeds: ONE_SYMBOL_FEED, catalog, cash: '1000000000' };
  const everyBarFile = writeDefinition(folder, 'everyBar', { ...definitionParts, strategy: 'bench/strategies/everyBar.ts' });
  const idleFile = writeDefinition(folder, 'idle', {
    ...definitionParts,
    strategy: 'bench/strategies/idle.ts',
    params: '{ fast: 10, slow: 30 }',
  });
  const costOfFillUs = (extraOptions: readonly string[]): number => {
    const checkEveryBar = ({ orders }: Summary) => {
      // The first bar has no earlier decision, and the decision at the last bar does not fill.
      if (orders.fills < FILL_ROWS - 2) throw new Error(`${orders.fills} fills in ${FILL_ROWS} bars`);
    };
    const checkIdle = ({ orders }: Summary) => {
      if (orders.fills > 0) throw new Error('the run without orders has fills');
    };
    const withFills = measureCommand(folder, everyBarFile, checkEveryBar, extraOptions);
    const withoutFills = measureCommand(folder, idleFile, checkIdle, extraOptions);
    return ((withFills.cpuMs - withoutFills.cpuMs) * 1000) / withFills.summary.orders.fills;
  };
  return { fillUs: costOfFillUs(WITHOUT_ENVELOPE), fillEnvelopeUs: costOfFillUs([]) };
}

/** Runs an SMA cross over the first `symbolCount` symbols of the catalog. */
function runSymbols(folder: string, symbolCount: number, extraOptions: readonly string[]): FinishedCommand {
  const catalog = join(folder, 'whole-symbols');
  const names = Array.from({ length: SYMBOLS }, (_, index) => `S${String(index).padStart(3, '0')}USDT`);
  // The first call writes all symbols. Later calls read them again.
  if (!existsSync(catalog)) names.forEach((name, index) => void storeBars(catalog, randomWalk(name, SYMBOL_ROWS, index + 1), SYNTHETIC));
  const feeds = `{ all: { symbols: [${names.slice(0, symbolCount).join(', ')}], interval: 1m } }`;
  const definitionParts = {
    strategy: 'bench/strategies/manySymbols.ts',
    params: '{ fast: 10, slow: 30 }',
    feeds,
    catalog,
    cash: '8000000000',
  };
  const check = ({ orders }: Summary) => {
    if (orders.fills < MIN_FILLS_PER_SYMBOL * symbolCount) throw new Error(`${orders.fills} fills of ${symbolCount} symbols`);
  };
  return measureCommand(folder, writeDefinition(folder, `symbols${symbolCount}`, definitionParts), check, extraOptions);
}
