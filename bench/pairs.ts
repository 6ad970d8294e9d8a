// Measures twenty series over two feeds against a C program that computes the same. Compares every value first.

import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Scratch } from '../dist/base/memory/rowLog.js';
import type { BarColumns } from '../dist/model/bars/bars.js';
import type { Series } from '../dist/indicators/graph/series.js';
import { runPartProcess } from './partProcess.ts';
import { compile } from './reference.ts';
import { randomWalk } from './series.ts';
import { benchPlan, feedPlan, HEAVY, loadStrategyFile, PASSES, runTimed } from './workloads.ts';

/** Bars of each feed. */
const ROW_COUNT = 1_000_000;
/** Each figure is the best of this many processes. */
const ROUNDS = 3;
/** Number of series; equal to COUNT in pairs.c. */
const SERIES = 20;
/** The largest difference of two values, as a share of the larger one or of the typical size of the series. */
const MAX_DIFFERENCE = 1e-9;

/** What the strategy does with its series: it has none, it has them, it reads each at every bar, or it compares them with C. */
export type PairsUse = 'none' | 'kept' | 'read' | 'compared';
/** The mode of the C program: it updates each window row by row with Welford's method, or computes it again from all of its values. */
export type WindowsOfC = 'rolling' | 'windows';
/** The bars of the two symbols. */
export type PairBars = readonly [BarColumns, BarColumns];

/** The cost of twenty series for each bar, in ns of CPU time. The values of C are null without gcc. */
export interface PairsFigures {
  /** A run with the series less a run without. */
  readonly nsPerBar: number;
  /** The same where the strategy reads every value at every bar. */
  readonly readNsPerBar: number;
  readonly rollingCNsPerBar: number | null;
  readonly windowsCNsPerBar: number | null;
  /** `nsPerBar` divided by the time of C. */
  readonly ratio: number | null;
  readonly readRatio: number | null;
  readonly windowsRatio: number | null;
}

/** Paths of the C program, of its bar file, and of the file that it writes its values to. */
interface PairsInputs {
  readonly program: string;
  readonly bars: string;
  readonly values: string;
}

/** Returns the bars of the two symbols. */
export function pairBars(rows: number): PairBars {
  return [randomWalk('AAAUSDT', rows, 1), randomWalk('BBBUSDT', rows, 2)];
}

/** Builds pairs.c into `folder` and writes its bar file there. Throws where gcc is absent. */
export function preparePairs(folder: string, pair: PairBars): PairsInputs {
  const inputs = { program: compile(folder, 'pairs'), bars: join(folder, 'pairs.bin'), values: join(folder, 'pairValues.bin') };
  const file = openSync(inputs.bars, 'w');
  const rowCount = Buffer.alloc(8);
  rowCount.writeBigUInt64LE(BigInt(pair[0].length));
  writeSync(file, rowCount);
  for (const column of pair.flatMap(({ closeMs, close }) => [closeMs, close])) {
    const bytes = new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
    // One call may write only a part of the bytes.
    for (let offset = 0; offset < bytes.length;) offset += writeSync(file, bytes, offset);
  }
  closeSync(file);
  return inputs;
}

/** Runs the C program and returns its time for each bar. */
function cNsPerBar({ program, bars }: PairsInputs, windowsOfC: WindowsOfC, passes: number): number {
  const output = execFileSync(program, [bars, windowsOfC, String(passes)], { encoding: 'utf8' });
  return (JSON.parse(output) as { readonly nsPerBar: number }).nsPerBar;
}

/** Returns the twenty columns that the C program computes. */
export function columnsOfC({ program, bars, values }: PairsInputs, windowsOfC: WindowsOfC): readonly Float64Array[] {
  execFileSync(program, [bars, windowsOfC, '1', values]);
  const bytes = readFileSync(values);
  rmSync(values);
  const rows = bytes.length / Float64Array.BYTES_PER_ELEMENT / SERIES;
  const columnBytes = rows * Float64Array.BYTES_PER_ELEMENT;
  return Array.from({ length: SERIES }, (_, series) => new Float64Array(bytes.buffer, bytes.byteOffset + series * columnBytes, rows));
}

/** Returns a function that runs the strategy over the two feeds. */
async function pairsRunner(use: PairsUse, pair: PairBars, blockRows?: number) {
  const loaded = await loadStrategyFile('bench/strategies/pairSeries.ts');
  const feeds = pair.map((bars) => feedPlan('pair', bars));
  const scratch = new Scratch();
  return () => runTimed(benchPlan(loaded, feeds, HEAVY, { use }, blockRows), scratch);
}

/** Returns the twenty columns of the engine, NaN before all series are ready. */
export async function columnsOfEngine(pair: PairBars, blockRows?: number): Promise<readonly Float64Array[]> {
  const rows = pair[0].length;
  // The first values come once all series are ready. Until the shift below, they are at the start of their columns.
  const columns = Array.from({ length: SERIES }, () => new Float64Array(rows).fill(NaN));
  let readyCount = 0;
  const onValues = (values: readonly Series[]) => {
    for (let series = 0; series < SERIES; series++) columns[series]![readyCount] = values[series]!.value;
    readyCount++;
  };
  Object.assign(globalThis, { isobarBench: { onValues } });
  const run = await pairsRunner('compared', pair, blockRows);
  await run();
  const firstReadyRow = rows - readyCount;
  return columns.map((column) => column.copyWithin(firstReadyRow, 0, readyCount).fill(NaN, 0, firstReadyRow));
}

/** Row at which every series has a value. */
const MAX_FIRST_ROW = 200;

/** Throws if a value of the engine differs from that of C, or if a series has no value up to `MAX_FIRST_ROW`. */
export function assertEqualColumns(columnsOfEngineRun: readonly Float64Array[], expectedColumns: readonly Float64Array[]): void {
  for (let series = 0; series < SERIES; series++) {
    const engineColumn = columnsOfEngineRun[series]!;
    const columnOfC = expectedColumns[series]!;
    const firstRow = engineColumn.findIndex((value) => !Number.isNaN(value));
    if (firstRow < 0 || firstRow > MAX_FIRST_ROW) throw new Error(`series ${series} has no value up to row ${MAX_FIRST_ROW}`);
    let sumOfSizes = 0;
    for (let row = firstRow; row < engineColumn.length; row++) sumOfSizes += Math.abs(columnOfC[row]!);
    const typicalSize = sumOfSizes / (engineColumn.length - firstRow);
    for (let row = firstRow; row < engineColumn.length; row++) {
      const engineValue = engineColumn[row]!;
      const valueOfC = columnOfC[row]!;
      const maxDifference = MAX_DIFFERENCE * Math.max(Math.abs(valueOfC), typicalSize);
      if (Math.abs(engineValue - valueOfC) <= maxDifference) continue;
      throw new Error(`series ${series} at row ${row}: the engine has ${engineValue}, C has ${valueOfC}`);
    }
  }
}

/** Runs one use in this process and prints the CPU time of a bar in its best pass. */
export async function pairsPart(use: PairsUse): Promise<void> {
  const run = await pairsRunner(use, pairBars(ROW_COUNT));
  let minNs = Infinity;
  for (let pass = 0; pass < PASSES; pass++) minNs = Math.min(minNs, (await run()).cpuNs);
  process.stdout.write(String(minNs / ROW_COUNT));
}

/** Returns the cost of the twenty series, the best of the rounds, each run in a process of its own. Throws if a value differs from C. */
export async function pairsBench(folder: string, hasGcc: boolean): Promise<PairsFigures> {
  const pair = pairBars(ROW_COUNT);
  const inputs = hasGcc ? preparePairs(folder, pair) : null;
  if (inputs !== null) {
    const engineColumns = await columnsOfEngine(pair);
    for (const windowsOfC of ['rolling', 'windows'] as const) assertEqualColumns(engineColumns, columnsOfC(inputs, windowsOfC));
  }
  const minNs = { none: Infinity, kept: Infinity, read: Infinity, rolling: Infinity, windows: Infinity };
  for (let round = 0; round < ROUNDS; round++) {
    for (const use of ['none', 'kept', 'read'] as const) minNs[use] = Math.min(minNs[use], Number(runPartProcess('--pairs-part', use)));
    if (inputs === null) continue;
    for (const windowsOfC of ['rolling', 'windows'] as const)
      minNs[windowsOfC] = Math.min(minNs[windowsOfC], cNsPerBar(inputs, windowsOfC, PASSES));
  }
  const nsPerBar = minNs.kept - minNs.none;
  const readNsPerBar = minNs.read - minNs.none;
  if (inputs === null) {
    return { nsPerBar, readNsPerBar, rollingCNsPerBar: null, windowsCNsPerBar: null, ratio: null, readRatio: null, windowsRatio: null };
  }
  const { rolling, windows } = minNs;
  return {
    nsPerBar,
    readNsPerBar,
    rollingCNsPerBar: rolling,
    windowsCNsPerBar: windows,
    ratio: nsPerBar / rolling,
    readRatio: readNsPerBar / rolling,
    windowsRatio: nsPerBar / windows,
  };
}
