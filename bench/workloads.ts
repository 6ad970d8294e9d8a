// Runs the engine for the benchmark: plans over its bars, timed passes of the whole engine, and figures to compare with C.

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

/** Number of one-minute bars in the main series. */
export const ROWS = 5_000_000;
/** Passes of one process. The first ones warm it up. */
export const PASSES = 12;
/** The fill-heavy workload has an order every 26 bars, the fill-light one every 254. */
export const HEAVY: Workload = { fast: 10, slow: 30, lots: 1, cashUnits: 1e14, feePpm: 400 };
/** The workload with few trades. */
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

/** Loads a strategy file. With an `alias` it is a class of that name, for which a loop of its own is compiled. */
export async function loadStrategyFile(file: string, alias = ''): Promise<BenchStrategy> {
  const path = new URL(`../${file}`, import.meta.url).pathname;
  const { strategy, hash } = await (alias === '' ? loadStrategy(path) : loadCopy(path, alias));
  return { strategy, hash, file };
}

/** Loads a copy of the file in which the class has the name `alias`, then removes the copy. */
async function loadCopy(path: string, alias: string): Promise<Omit<BenchStrategy, 'file'>> {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-bench-'));
  const copy = join(folder, `${alias}.ts`);
  try {
    writeFileSync(copy, `${readFileSync(path, 'utf8').replaceAll('SmaCrossOnBar', alias)}\n`);
    return await loadStrategy(copy);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const QUALITY = { ...CLEAN_QUALITY, synthetic: true };

/** Returns the plan of a feed over bars without gaps. */
export function feedPlan(name: string, bars: BarColumns): FeedPlan {
  return { name, bars, firstRow: 0, quality: { ...QUALITY, rows: bars.length } };
}

/** Returns the plan of a backtest of one strategy over the feeds. */
export function benchPlan(
  loaded: BenchStrategy,
  feeds: readonly FeedPlan[],
  work: Workload,
  params: Record<string, unknown>,
  blockRows = BLOCK_ROWS,
): RunPlan {
  const { bars } = feeds[0]!;
  const record = { name: loaded.strategy.name, file: loaded.file, hash: loaded.hash, params: {} };
  return {
    name: basename(loaded.file),
    strategies: [{ strategy: loaded.strategy, record, params, share: '1', hash: loaded.hash }],
    feeds,
    fromMs: bars.openMs[0]!,
    toMs: bars.closeMs[bars.length - 1]!,
    cash: { USDT: String(work.cashUnits / 1e6) },
    size: { base: String(work.lots) },
    fees: { makerPpm: work.feePpm, takerPpm: work.feePpm, in: 'quote', rounding: 'halfUp' },
    fills: settledFills(),
    risk: { maxLeverage: '1' },
    seed: 1,
    blockRows,
  };
}

/** The times of one pass, and its figures to compare with C. */
export interface TimedRun {
  /** CPU time of the process during the loop, without the set-up and the collection of results. */
  readonly ns: number;
  /** CPU time of the thread that runs the loop, without the threads of the compiler and the garbage collector. */
  readonly threadNs: number;
  readonly figures: ReferenceFigures;
}

/** Returns the CPU time of the main thread in ns, or that of the process where the system does not report threads. */
function threadCpuNs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) * 1000;
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
  const { user, system } = process.cpuUsage(startUsage);
  const threadNs = threadCpuNs() - startThreadNs;
  onLoopEnd();
  const figures = referenceFigures(runRecordOf(plan, prepared, false));
  prepared.engine.release();
  return { ns: (user + system) * 1000, threadNs, figures };
}

/** True when both plans give at least one fill, and the same fills and equity bit by bit. */
export async function haveSameResult(firstPlan: RunPlan, secondPlan: RunPlan): Promise<boolean> {
  const first = await runBacktest(firstPlan);
  const second = await runBacktest(secondPlan);
  return first.fills.length > 0 && haveSameColumns(first.fills, second.fills) && haveSameColumns(first.equity, second.equity);
}

function haveSameColumns(left: object, right: object): boolean {
  const rightColumns = columnBytes(right);
  return columnBytes(left).every((bytes, index) => bytes.equals(rightColumns[index]!));
}

/** Returns the bytes of each typed array among the members of `columns`. */
const columnBytes = (columns: object): readonly Buffer[] =>
  Object.values(columns)
    .filter((column) => ArrayBuffer.isView(column))
    .map((column) => Buffer.from(column.buffer, column.byteOffset, column.byteLength));

/** Returns the figures of a single-feed run in the terms of the C reference: money in units, rows instead of times. */
export function referenceFigures({ equity, fills, feeds, startUnits }: RunRecord): ReferenceFigures {
  const { bars } = feeds[0]!;
  let peak = startUnits;
  let maxDrawdown = 0;
  let equitySum = 0;
  for (const units of equity.units) {
    equitySum += units;
    if (units > peak) peak = units;
    else maxDrawdown = Math.max(maxDrawdown, peak - units);
  }
  const toUnits = 10 ** (bars.instrument.quoteDigits - bars.instrument.priceDigits);
  let hash = 2_166_136_261;
  let fees = 0;
  let row = 0;
  // The same bytes and the same FNV-1a hash as in common.h.
  const view = new DataView(new ArrayBuffer(21));
  for (let fillIndex = 0; fillIndex < fills.length; fillIndex++) {
    while (bars.openMs[row]! < fills.timeMs[fillIndex]!) row++;
    fees += fills.fee[fillIndex]!;
    view.setUint32(0, row, true);
    view.setUint8(4, fills.side[fillIndex] === 0 ? 1 : 0);
    view.setFloat64(5, fills.price[fillIndex]! * toUnits, true);
    view.setFloat64(13, fills.fee[fillIndex]!, true);
    for (let byte = 0; byte < 21; byte++) hash = Math.imul(hash ^ view.getUint8(byte), 16_777_619);
  }
  const fillsHash = (hash >>> 0).toString(16).padStart(8, '0');
  return { equity: equity.units[equity.length - 1]!, fees, fills: fills.length, maxDrawdown, equitySum, fillsHash };
}
