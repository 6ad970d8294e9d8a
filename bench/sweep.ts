// Measures a sweep of 200 sets over a million bars: as lanes, set by set, and on two threads. Compares each set with the C reference.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storeBars } from '../dist/adapters/catalog/bars/catalog.js';
import { SYNTHETIC } from '../dist/adapters/catalog/bars/barQuality.js';
import { LaneMemory, runLanes } from '../dist/tasks/sweep/threads/runLanes.js';
import { prepareBacktest, runRecordOf } from '../dist/tasks/backtest/run/runBacktest.js';
import { setUpSweep } from '../dist/tasks/sweep/plan/setUp.js';
import { threadRunner } from '../dist/tasks/sweep/threads/threadRunner.js';
import { Scratch } from '../dist/base/memory/rowLog.js';
import { columnMedian } from '../dist/report/kernels/sums.js';
import { setFigures, type SetRecord } from '../dist/report/sweep/figures/setFigures.js';
import { tasksOf } from '../dist/tasks/sweep/search/tiles.js';
import type { RunPlan } from '../dist/definition/plan/plan.js';
import { runReference, writeUnits, type Workload } from './reference.ts';
import { randomWalk } from './series.ts';
import { TwoThreadSpeedup } from './twoThreadSpeedup.ts';
import { feedPlan, loadStrategyFile, benchPlan } from './workloads.ts';

const ROWS = 1_000_000;
const FASTS = Array.from({ length: 20 }, (_, index) => 5 * (index + 1));
const SLOWS = Array.from({ length: 10 }, (_, index) => 120 + 20 * index);
const GRID = ['fast=5..100:5', 'slow=120..300:20'];
const SETS = FASTS.flatMap((fast) => SLOWS.map((slow) => ({ fast, slow })));
const WORK: Omit<Workload, 'fast' | 'slow'> = { lots: 1, cashUnits: 1e14, feePpm: 400 };
const STRATEGY = 'strategies/smaCross.ts';
/** Enough passes that the best ones run compiled code. */
const PASSES = 4;
const ROOT = new URL('..', import.meta.url).pathname;

/** The figures of the part `sweep`, which are members of the JSON output. */
export interface SweepBench {
  readonly sets: number;
  readonly bars: number;
  readonly equal: boolean;
  readonly cNsPerBarAndSet: number | null;
  readonly cpuNsPerBarAndSet: number;
  readonly ratioToC: number | null;
  readonly separateNsPerBarAndSet: number;
  readonly lanesGain: number;
  readonly twoWorkerSpeedup: number;
  /** Speedup of two threads that share nothing, measured between the rounds: what the machine allowed at the time. */
  readonly twoThreadCeiling: number;
}

/** Returns the figures of the sweep. Throws if the results of a set as a lane, alone and in C differ. */
export async function sweepBench(folder: string, program: string | null): Promise<SweepBench> {
  const bars = randomWalk('AAAUSDT', ROWS, 1);
  const plan = benchPlan(await loadStrategyFile(STRATEGY), [feedPlan('bars', bars)], { ...WORK, fast: 5, slow: 120 }, SETS[0]!);
  const { lanesNs, aloneNs, records } = await compareLanesWithRuns(plan);
  const cNsPerBarAndSet = program === null ? null : meanCNsPerBar(folder, program, records);
  const scaling = await measureScaling(folder, bars);
  const cpuNsPerBarAndSet = lanesNs / (ROWS * SETS.length);
  const separateNsPerBarAndSet = aloneNs / (ROWS * SETS.length);
  return {
    sets: SETS.length,
    bars: ROWS,
    equal: true,
    cNsPerBarAndSet,
    cpuNsPerBarAndSet,
    ratioToC: cNsPerBarAndSet === null ? null : cpuNsPerBarAndSet / cNsPerBarAndSet,
    separateNsPerBarAndSet,
    lanesGain: separateNsPerBarAndSet / cpuNsPerBarAndSet,
    twoWorkerSpeedup: scaling.speedup,
    twoThreadCeiling: scaling.ceiling,
  };
}

/** Throws unless both lists have the same numbers. `where` says how the set ran. */
function assertSame(setIndex: number, where: string, found: readonly number[], expected: readonly number[]) {
  if (found.length === expected.length && found.every((value, index) => Object.is(value, expected[index]))) return;
  throw new Error(`set ${JSON.stringify(SETS[setIndex])} ${where}: ${JSON.stringify({ found, expected })}`);
}

/** Returns the CPU time of the process since `start`. */
function cpuNs(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) * 1000;
}

/** The times of the same sets as lanes and one by one, ns, and the records of the sets. */
interface LanesComparison {
  readonly lanesNs: number;
  readonly aloneNs: number;
  readonly records: readonly SetRecord[];
}

/**
 * Runs all sets in the groups that `isobar sweep` makes for one thread: each group as lanes, then its sets one by one, in several passes.
 * Takes the best time of each group, as the reference has the best of each set. Throws if a set has another result alone than as a lane.
 */
async function compareLanesWithRuns(plan: RunPlan): Promise<LanesComparison> {
  const groups = setGroups();
  const memory = new LaneMemory();
  const scratch = new Scratch();
  const best = groups.map(() => ({ lanesNs: Infinity, aloneNs: Infinity }));
  const records: SetRecord[] = [];
  for (let pass = 0; pass < PASSES; pass++) {
    for (const [groupIndex, group] of groups.entries()) {
      const onRecord = (lane: number, record: SetRecord) => (records[group[lane]!] = record);
      // The first pass alone keeps records, because a sweep does not need the memory that they take.
      const laneOptions = pass === 0 ? { memory, onRecord } : { memory };
      const laneParams = group.map((set) => SETS[set]!);
      let start = process.cpuUsage();
      const outcomes = await runLanes(plan, laneParams, laneOptions);
      best[groupIndex]!.lanesNs = Math.min(best[groupIndex]!.lanesNs, cpuNs(start));
      start = process.cpuUsage();
      const aloneFigures: Float64Array[] = [];
      for (const set of group) aloneFigures.push(await runAlone(plan, SETS[set]!, scratch));
      best[groupIndex]!.aloneNs = Math.min(best[groupIndex]!.aloneNs, cpuNs(start));
      group.forEach((set, lane) => assertSame(set, 'alone', [...aloneFigures[lane]!], [...outcomes[lane]!.values]));
    }
  }
  const sumOf = (key: 'lanesNs' | 'aloneNs') => best.reduce((sum, times) => sum + times[key], 0);
  return { lanesNs: sumOf('lanesNs'), aloneNs: sumOf('aloneNs'), records };
}

/** Runs one set alone, with feeds and indicators of its own, and returns the figures that a lane has. */
async function runAlone(plan: RunPlan, params: (typeof SETS)[number], scratch: Scratch): Promise<Float64Array> {
  const setPlan = { ...plan, strategies: [{ ...plan.strategies[0]!, params }] };
  const prepared = await prepareBacktest(setPlan, { scratch });
  prepared.loop(prepared.engine);
  const figures = setFigures(runRecordOf(setPlan, prepared, false));
  prepared.engine.release();
  return figures;
}

/** Returns groups of set indices, as `isobar sweep` makes them for one thread. */
function setGroups(): readonly (readonly number[])[] {
  const axes = [
    { name: 'fast', values: FASTS },
    { name: 'slow', values: SLOWS },
  ];
  return tasksOf(axes, SETS, ROWS, 1);
}

/**
 * Returns the CPU time of a bar in C: the mean over the sets of their best passes. Throws if equity, fees or fills differ from those of the
 * lanes.
 */
function meanCNsPerBar(folder: string, program: string, records: readonly SetRecord[]): number {
  const file = join(folder, 'sweep.bin');
  writeUnits(file, randomWalk('AAAUSDT', ROWS, 1));
  let sumNs = 0;
  SETS.forEach((set, setIndex) => {
    const reference = runReference(program, file, { ...WORK, ...set }, 3);
    const { fills, equity } = records[setIndex]!;
    const fees = fills.fee.reduce((total, fee) => total + fee, 0);
    const laneFigures = [equity.units[equity.length - 1]!, fees, fills.length];
    assertSame(setIndex, 'beside C', laneFigures, [reference.equity, reference.fees, reference.fills]);
    sumNs += reference.nsPerBar;
  });
  return sumNs / SETS.length;
}

/**
 * Sweeps that each thread runs before the measurement, so that its code is compiled. The compiler took 0.9 s in the first sweep and
 * 0.1 to 0.3 s in each one up to the seventh. Each of two threads runs half of the sets, so two threads need twice as many sweeps.
 */
const WARM_SWEEPS = 7;
/** The measurement ends after this many quiet rounds. A round is quiet if two independent threads had both cores before and after it. */
const QUIET_ROUNDS = 8;
/** Speedup of two independent threads from which both cores count as free. */
const QUIET_SPEEDUP = 1.9;
/** Limit of the rounds on a machine that other programs use. There a core sometimes did only 0.7 of its work for seconds. */
const MAX_ROUNDS = 15;

/** With fewer quiet rounds, all rounds count. */
const MIN_QUIET = 3;

/** One timed round. */
interface Round {
  readonly durationMs: number;
  readonly isQuiet: boolean;
}

/** Returns the median duration of the quiet rounds, or of all rounds if few are quiet. */
function medianMs(rounds: readonly Round[]): number {
  const quiet = rounds.filter(({ isQuiet }) => isQuiet);
  return columnMedian(Float64Array.from(quiet.length >= MIN_QUIET ? quiet : rounds, ({ durationMs }) => durationMs));
}

/** How much faster a sweep is on two threads. */
interface Scaling {
  readonly speedup: number;
  readonly ceiling: number;
}

/**
 * Returns the wall time of the whole sweep on one thread divided by its wall time on two. The threads are started and warm, and the two
 * alternate. Tasks are made and handed out as in `isobar sweep`. Between the rounds the speedup of independent threads is measured.
 *
 * The medians of quiet rounds are compared, not the best rounds: on a shared machine the best round of one thread needs one free core and
 * the best round of two threads needs both.
 */
async function measureScaling(folder: string, bars: ReturnType<typeof randomWalk>): Promise<Scaling> {
  const setup = await setUpSweep({ definition: writeDefinition(folder, bars), settings: [], grid: GRID, random: null, family: null }, null);
  const { signal } = new AbortController();
  const pools = [1, 2].map((count) => ({
    pool: threadRunner(setup, { threads: count, barTimeoutMs: 0, laneBytes: null }),
    tasks: tasksOf(setup.axes, setup.sets, ROWS, count),
    rounds: [] as Round[],
  }));
  const independent = new TwoThreadSpeedup();
  try {
    for (const { pool, tasks } of pools) {
      for (let sweep = 0; sweep < WARM_SWEEPS * pool.threads; sweep++) await pool.run(tasks, async () => {}, signal);
    }
    let speedupBefore = await independent.measure();
    let quietRounds = 0;
    for (let round = 0; round < MAX_ROUNDS && quietRounds < QUIET_ROUNDS; round++) {
      const durationsMs: number[] = [];
      for (const { pool, tasks } of pools) {
        const startMs = performance.now();
        await pool.run(tasks, async () => {}, signal);
        durationsMs.push(performance.now() - startMs);
      }
      const speedupAfter = await independent.measure();
      const isQuiet = Math.min(speedupBefore, speedupAfter) >= QUIET_SPEEDUP;
      pools.forEach(({ rounds }, index) => rounds.push({ durationMs: durationsMs[index]!, isQuiet }));
      if (isQuiet) quietRounds++;
      speedupBefore = speedupAfter;
    }
    const [oneThread, twoThreads] = pools;
    return { speedup: medianMs(oneThread!.rounds) / medianMs(twoThreads!.rounds), ceiling: independent.bestSpeedup };
  } finally {
    for (const { pool } of pools) await pool.close();
    await independent.close();
  }
}

/** Stores the bars, writes a definition over them and returns its path. */
function writeDefinition(folder: string, bars: ReturnType<typeof randomWalk>): string {
  const catalog = join(folder, 'sweep');
  storeBars(catalog, bars, SYNTHETIC);
  const definition = join(folder, 'sweep.yaml');
  writeFileSync(
    definition,
    `strategy: ${ROOT}${STRATEGY}\nfeeds: { bars: { symbol: AAAUSDT, interval: 1m } }\nmarket: spot\ncash: { USDT: '10000000' }\n` +
      `size: { base: '1' }\nfees: { maker: '0.0004', taker: '0.0004', in: quote }\nrisk: { maxLeverage: '1' }\nseed: 1\ncatalog: ${catalog}\n`,
  );
  return definition;
}
