// Runs the engine for the benchmark. Has the workloads, their strategies and run plans, the time of a single run, and its figures in the
// terms of the C reference. All measurements of the engine use it.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Scratch } from '../dist/base/memory/rowLog.js';
import type { BarColumns } from '../dist/model/bars/bars.js';
import { CLEAN_QUALITY, type RunRecord } from '../dist/model/run/run.js';
import { settledFills } from '../dist/definition/text/fills.js';
import { BLOCK_ROWS } from '../dist/definition/resolve.js';
import type { FeedPlan, RunPlan } from '../dist/definition/plan/plan.js';
import { prepareBacktest, runRecordOf, runBacktest } from '../dist/tasks/backtest/run/runBacktest.js';
import { loadStrategy } from '../dist/adapters/plugins/loadStrategy.js';
import type { StrategyClass } from '../dist/strategy/strategy.js';
import type { ReferenceFigures, Workload } from './reference.ts';

/** Units of money in one unit of the quote asset. */
const UNITS_PER_QUOTE = 1e6;
/** Number of one-minute bars in the main series. */
export const ROWS = 5_000_000;
/** Number of runs in one process. The first ones warm up the compiler, and the best one counts. */
export const PASSES = 12;
/** The workload with many fills: an order every 26 bars. */
export const HEAVY: Workload = { fast: 10, slow: 30, lots: 1, cashUnits: 1e14, feePpm: 400 };
/** The workload with few fills: an order every 254 bars. */
export const LIGHT: Workload = { ...HEAVY, fast: 100, slow: 300 };

/** Returns the strategy parameters of a workload. */
export function windowParams({ fast, slow }: Workload) {
  return { fast, slow };
}

/** A strategy file of the benchmark, loaded as the command loads one. */
export interface BenchStrategy {
  readonly strategy: StrategyClass;
  readonly hash: string;
  readonly file: string;
}

/**
 * Loads a strategy file. With an `alias`, loads a copy whose class has that name, so that the engine compiles a loop of its own for it. Only the
 * file of the class SmaCrossOnBar can have an alias.
 */
export async function loadStrategyFile(file: string, alias = ''): Promise<BenchStrategy> {
  const path = new URL(`../${file}`, import.meta.url).pathname;
  const { strategy, hash } = await (alias === '' ? loadStrategy(path) : loadRenamedCopy(path, alias));
  return { strategy, hash, file };
}

/** Loads a copy of the file in which the class SmaCrossOnBar has the name `alias`, then removes the copy. */
async function loadRenamedCopy(path: string, alias: string): Promise<Omit<BenchStrategy, 'file'>> {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-bench-'));
  const copy = join(folder, `${alias}.ts`);
  try {
    writeFileSync(copy, `${readFileSync(path, 'utf8').replaceAll('SmaCrossOnBar', alias)}\n`);
    return await loadStrategy(copy);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Data quality of the generated bars. */
const SYNTHETIC_QUALITY = { ...CLEAN_QUALITY, synthetic: true };

/** Returns the plan of a feed over bars without gaps. */
export function feedPlan(name: string, bars: BarColumns): FeedPlan {
  return { name, bars, firstRow: 0, quality: { ...SYNTHETIC_QUALITY, rows: bars.length } };
}

/** Returns the plan of a backtest of one strategy over the feeds. */
export function benchPlan(
  loaded: BenchStrategy,
  feeds: readonly FeedPlan[],
  workload: Workload,
  params: Record<string, unknown>,
  blockRows = BLOCK_ROWS,
): RunPlan {
  const { bars } = feeds[0]!;
  const strategyRecord = { name: loaded.strategy.name, file: loaded.file, hash: loaded.hash, params: {} };
  return {
    name: basename(loaded.file),
    strategies: [{ strategy: loaded.strategy, record: strategyRecord, params, share: '1', hash: loaded.hash }],
    feeds,
    fromMs: bars.openMs[0]!,
    toMs: bars.closeMs[bars.length - 1]!,
    cash: { USDT: String(workload.cashUnits / UNITS_PER_QUOTE) },
    size: { base: String(workload.lots) },
    fees: { makerPpm: workload.feePpm, takerPpm: workload.feePpm, in: 'quote', rounding: 'halfUp' },
    fills: settledFills(),
    risk: { maxLeverage: '1' },
    seed: 1,
    blockRows,
  };
}

/** The CPU times of one run, and its figures to compare with the C reference. */
export interface TimedRun {
  /** CPU time of the process during the bar loop in ns, without the set-up and the collection of results. */
  readonly cpuNs: number;
  /** CPU time of the main thread, which runs the bar loop, in ns: without the threads of the compiler and the garbage collector. */
  readonly threadNs: number;
  readonly figures: ReferenceFigures;
}

const NS_PER_US = 1000;

/** Returns the CPU time that the main thread has used, ns. Where the system does not report threads, returns the CPU time of the process. */
function threadCpuNs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    const { user: userUs, system: systemUs } = process.cpuUsage();
    return (userUs + systemUs) * NS_PER_US;
  }
}

/**
 * Times one run. Runs with the same `scratch` reuse its memory, as the passes of the C reference do, because fresh memory costs page faults.
 * Calls `onLoopEnd` as soon as the loop has ended.
 */
export async function runTimed(plan: RunPlan, scratch = new Scratch(), onLoopEnd = () => {}): Promise<TimedRun> {
  const prepared = await prepareBacktest(plan, { scratch });
  const startThreadNs = threadCpuNs();
  const startUsage = process.cpuUsage();
  prepared.loop(prepared.engine);
  const { user: userUs, system: systemUs } = process.cpuUsage(startUsage);
  const threadNs = threadCpuNs() - startThreadNs;
  onLoopEnd();
  const figures = referenceFigures(runRecordOf(plan, prepared, false));
  prepared.engine.release();
  return { cpuNs: (userUs + systemUs) * NS_PER_US, threadNs, figures };
}

/** True when both plans give at least one fill, and the same fills and equity bit by bit. */
export async function haveSameResult(firstPlan: RunPlan, secondPlan: RunPlan): Promise<boolean> {
  const first = await runBacktest(firstPlan);
  const second = await runBacktest(secondPlan);
  return first.fills.length > 0 && haveSameColumns(first.fills, second.fills) && haveSameColumns(first.equity, second.equity);
}

/** True when all typed arrays of both objects have the same bytes. */
function haveSameColumns(left: object, right: object): boolean {
  const rightColumns = columnBytes(right);
  return columnBytes(left).every((bytes, index) => bytes.equals(rightColumns[index]!));
}

/** Returns the bytes of each typed array among the members of `columns`. */
const columnBytes = (columns: object): readonly Buffer[] =>
  Object.values(columns)
    .filter((column) => ArrayBuffer.isView(column))
    .map((column) => Buffer.from(column.buffer, column.byteOffset, column.byteLength));

/** The bytes of a fill that are hashed, as in common.h: the offset of each field, and the number of bytes. */
const HASHED_FILL_OFFSETS = { row: 0, isBuy: 4, price: 5, fee: 13 };
const HASHED_FILL_BYTES = 21;
/** Start value and factor of the 32-bit FNV-1a hash. */
const FNV_OFFSET = 2_166_136_261;
const FNV_PRIME = 16_777_619;

/** Returns the figures of a single-feed run in the terms of the C reference: money in units, and rows instead of times. */
export function referenceFigures({ equity, fills, feeds, startUnits }: RunRecord): ReferenceFigures {
  const { bars } = feeds[0]!;
  let peakUnits = startUnits;
  let maxDrawdownUnits = 0;
  let equitySumUnits = 0;
  for (const units of equity.units) {
    equitySumUnits += units;
    if (units > peakUnits) peakUnits = units;
    else maxDrawdownUnits = Math.max(maxDrawdownUnits, peakUnits - units);
  }
  const unitsPerTick = 10 ** (bars.instrument.quoteDigits - bars.instrument.priceDigits);
  let hash = FNV_OFFSET;
  let feeUnits = 0;
  let row = 0;
  // The same bytes and the same FNV-1a hash as in common.h.
  const view = new DataView(new ArrayBuffer(HASHED_FILL_BYTES));
  for (let fillIndex = 0; fillIndex < fills.length; fillIndex++) {
    while (bars.openMs[row]! < fills.timeMs[fillIndex]!) row++;
    feeUnits += fills.fee[fillIndex]!;
    view.setUint32(HASHED_FILL_OFFSETS.row, row, true);
    view.setUint8(HASHED_FILL_OFFSETS.isBuy, fills.side[fillIndex] === 0 ? 1 : 0);
    view.setFloat64(HASHED_FILL_OFFSETS.price, fills.price[fillIndex]! * unitsPerTick, true);
    view.setFloat64(HASHED_FILL_OFFSETS.fee, fills.fee[fillIndex]!, true);
    for (let byte = 0; byte < HASHED_FILL_BYTES; byte++) hash = Math.imul(hash ^ view.getUint8(byte), FNV_PRIME);
  }
  const fillsHash = (hash >>> 0).toString(16).padStart(8, '0');
  return {
    equity: equity.units[equity.length - 1]!,
    fees: feeUnits,
    fills: fills.length,
    maxDrawdown: maxDrawdownUnits,
    equitySum: equitySumUnits,
    fillsHash,
  };
}
