// The engine's side of the benchmark: plans over the bench's bars, timed passes of the whole engine, and the figures they must agree on.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Scratch } from '../dist/base/memory/rowLog.js';
import type { BarColumns } from '../dist/model/bars/bars.js';
import type { RunRecord } from '../dist/model/run/run.js';
import { settledFills } from '../dist/definition/text/fills.js';
import { BLOCK_ROWS } from '../dist/definition/resolve.js';
import type { FeedPlan, RunPlan } from '../dist/definition/plan/plan.js';
import { prepareBacktest, runRecordOf, runBacktest } from '../dist/tasks/backtest/run/runBacktest.js';
import { loadStrategy } from '../dist/adapters/plugins/loadStrategy.js';
import type { StrategyClass } from '../dist/strategy/strategy.js';
import type { Figures, Workload } from './reference.ts';

export const ROWS = 5_000_000;
/** Passes of one process; the first ones warm it up. */
export const PASSES = 12;
/** An order every 26 bars, and one every 254. */
export const HEAVY: Workload = { fast: 10, slow: 30, lots: 1, cashUnits: 1e14, feePpm: 400 };
export const LIGHT: Workload = { ...HEAVY, fast: 100, slow: 300 };

export function windows({ fast, slow }: Workload) {
  return { fast, slow };
}

export interface Loaded {
  readonly strategy: StrategyClass;
  readonly hash: string;
  readonly file: string;
}

/** Loads a strategy file; under another `alias` it is another class to V8, with a loop of its own. */
export async function load(file: string, alias = ''): Promise<Loaded> {
  const path = new URL(`../${file}`, import.meta.url).pathname;
  const { strategy, hash } = await (alias === '' ? loadStrategy(path) : loadCopy(path, alias));
  return { strategy, hash, file };
}

/** The copy is removed once it is loaded. */
async function loadCopy(path: string, alias: string): Promise<Omit<Loaded, 'file'>> {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-bench-'));
  const copy = join(folder, `${alias}.ts`);
  try {
    writeFileSync(copy, `${readFileSync(path, 'utf8').replaceAll('SmaCrossOnBar', alias)}\n`);
    return await loadStrategy(copy);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const QUALITY = { manifestHash: '', rows: 0, gaps: 0, missingBars: 0, thinBars: 0, zeroVolume: 0, roundedPrices: 0, openLastBar: false, synthetic: true }; // prettier-ignore

export function feedPlan(name: string, bars: BarColumns): FeedPlan {
  return { name, bars, firstRow: 0, quality: { ...QUALITY, rows: bars.length } };
}

export function planFor(
  loaded: Loaded,
  feeds: readonly FeedPlan[],
  work: Workload,
  params: Record<string, unknown>,
  blockRows = BLOCK_ROWS,
): RunPlan {
  const [first] = feeds;
  return {
    name: basename(loaded.file),
    strategies: [{ strategy: loaded.strategy, record: { name: loaded.strategy.name, file: loaded.file, hash: loaded.hash, params: {} }, params, share: '1', hash: loaded.hash }],
    feeds,
    fromMs: first!.bars.openMs[0]!,
    toMs: first!.bars.closeMs[first!.bars.length - 1]!,
    cash: { USDT: String(work.cashUnits / 1e6) },
    size: { base: String(work.lots) },
    fees: { makerPpm: work.feePpm, takerPpm: work.feePpm, in: 'quote', rounding: 'halfUp' },
    fills: settledFills(),
    risk: { maxLeverage: '1' },
    seed: 1,
    blockRows,
  }; // prettier-ignore
}

export interface TimedRun {
  /** Process CPU time of the loop alone, set-up and collection left out. */
  readonly ns: number;
  /** The same of the thread that runs the loop: without the threads of the compiler and the collector. */
  readonly threadNs: number;
  readonly figures: Figures;
}

/** CPU time of the main thread, ns; that of the process where the system does not show it. */
function threadCpuNs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) * 1000;
  }
}

/**
 * Times one run. With a scratch its memory is that of the runs before, as the reference's is: fresh memory costs page faults.
 * `finished` is called as soon as the loop has ended.
 */
export async function timed(plan: RunPlan, scratch = new Scratch(), finished = () => {}): Promise<TimedRun> {
  const prepared = await prepareBacktest(plan, { scratch });
  const fromNs = threadCpuNs();
  const from = process.cpuUsage();
  prepared.loop(prepared.engine);
  const { user, system } = process.cpuUsage(from);
  const threadNs = threadCpuNs() - fromNs;
  finished();
  const figures = figuresOf(runRecordOf(plan, prepared, false));
  prepared.engine.release();
  return { ns: (user + system) * 1000, threadNs, figures };
}

/** Two runs leave the same fills and the same equity, bit for bit. */
export async function sameResult(one: RunPlan, other: RunPlan): Promise<boolean> {
  const [a, b] = [await runBacktest(one), await runBacktest(other)];
  const bytes = (columns: object) => Object.values(columns).filter((column) => ArrayBuffer.isView(column)).map((column) => Buffer.from(column.buffer, column.byteOffset, column.byteLength)); // prettier-ignore
  const same = (left: object, right: object) => bytes(left).every((column, at) => column.equals(bytes(right)[at]!));
  return a.fills.length > 0 && same(a.fills, b.fills) && same(a.equity, b.equity);
}

/** The figures of a single-feed run in the reference's terms: money in units, rows instead of times. */
export function figuresOf({ equity, fills, feeds, startUnits }: RunRecord): Figures {
  const { bars } = feeds[0]!;
  let [peak, maxDrawdown, equitySum] = [startUnits, 0, 0];
  for (const units of equity.units) {
    equitySum += units;
    if (units > peak) peak = units;
    else maxDrawdown = Math.max(maxDrawdown, peak - units);
  }
  const toUnits = 10 ** (bars.instrument.quoteDigits - bars.instrument.priceDigits);
  let [hash, fees, row] = [2_166_136_261, 0, 0];
  const view = new DataView(new ArrayBuffer(21));
  for (let at = 0; at < fills.length; at++) {
    while (bars.openMs[row]! < fills.timeMs[at]!) row++;
    fees += fills.fee[at]!;
    view.setUint32(0, row, true);
    view.setUint8(4, fills.side[at] === 0 ? 1 : 0);
    view.setFloat64(5, fills.price[at]! * toUnits, true);
    view.setFloat64(13, fills.fee[at]!, true);
    for (let byte = 0; byte < 21; byte++) hash = Math.imul(hash ^ view.getUint8(byte), 16_777_619);
  }
  const fillsHash = (hash >>> 0).toString(16).padStart(8, '0');
  return { equity: equity.units[equity.length - 1]!, fees, fills: fills.length, maxDrawdown, equitySum, fillsHash };
}
