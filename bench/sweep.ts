// The part `sweep`: runs 200 parameter sets over a million bars as simulation lanes, as separate runs and on two threads, and compares them with C.

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

const ROW_COUNT = 1_000_000;

/** Lengths of the two averages, in bars. */
const FAST_VALUES = Array.from({ length: 20 }, (_, index) => 5 * (index + 1));
const SLOW_VALUES = Array.from({ length: 10 }, (_, index) => 120 + 20 * index);
/** The same values in the form of `--grid`. */
const GRID = [`fast=${FAST_VALUES.join(',')}`, `slow=${SLOW_VALUES.join(',')}`];
const SETS = FAST_VALUES.flatMap((fast) => SLOW_VALUES.map((slow) => ({ fast, slow })));
const WORKLOAD: Omit<Workload, 'fast' | 'slow'> = { lots: 1, cashUnits: 1e14, feePpm: 400 };
const STRATEGY = 'strategies/smaCross.ts';
/** Enough passes that the best ones run compiled code. */
const PASSES = 4;
/** Passes of the C program for each set. It is compiled from the start. */
const C_PASSES = 3;

/**
 * Sweeps that each thread runs before the measurement, so that its code is compiled. On the two cores of the development machine the
 * compiler took 0.9 s in the first sweep and 0.1 to 0.3 s in each one up to the seventh. Each of two threads runs half of the sets, so two
 * threads need twice as many sweeps.
 */
const WARM_UP_SWEEPS = 7;
/** The measurement ends after this many quiet rounds. A round is quiet if two independent threads had both cores before and after it. */
const MAX_QUIET_ROUNDS = 8;
/** Speedup of two independent threads from which both cores count as free. */
const MIN_QUIET_SPEEDUP = 1.9;
/** Limit of the rounds on a machine that other programs use. There a core sometimes did only 0.7 of its work for seconds. */
const MAX_ROUNDS = 15;
/** With fewer quiet rounds, all rounds count. */
const MIN_QUIET_ROUNDS = 3;

const ROOT = new URL('..', import.meta.url).pathname;

/** The figures of the part `sweep`, which are members of the JSON output. All times are CPU times. */
export interface SweepBench {
  /** Number of parameter sets, and of bars. */
  readonly sets: number;
  readonly bars: number;
  /** Always true: a difference between the ways to run a set is an error. */
  readonly equal: boolean;
  /** Null without a C compiler. */
  readonly cNsPerBarAndSet: number | null;
  /** As simulation lanes. */
  readonly cpuNsPerBarAndSet: number;
  readonly ratioToC: number | null;
  /** With each set in a run of its own. */
  readonly separateNsPerBarAndSet: number;
  /** Separate runs divided by lanes. */
  readonly lanesGain: number;
  /** Speedup of the sweep on two threads. */
  readonly twoWorkerSpeedup: number;
  /** Speedup of two threads that share nothing, measured between the rounds: what the machine allowed at the time. */
  readonly twoThreadCeiling: number;
}

/** Returns the figures of the part. Throws if a set has other results as a lane than in a separate run or in C. `program`: see `buildReference`. */
export async function sweepBench(folder: string, program: string | null): Promise<SweepBench> {
  const bars = randomWalk('AAAUSDT', ROW_COUNT, 1);
  const plan = benchPlan(await loadStrategyFile(STRATEGY), [feedPlan('bars', bars)], { ...WORKLOAD, ...SETS[0]! }, SETS[0]!);
  const { lanesNs, separateNs, records } = await compareLanesWithSeparateRuns(plan);
  const cNsPerBarAndSet = program === null ? null : meanCNsPerBar(folder, program, records);
  const threadSpeedups = await measureThreadSpeedups(folder, bars);
  const cpuNsPerBarAndSet = lanesNs / (ROW_COUNT * SETS.length);
  const separateNsPerBarAndSet = separateNs / (ROW_COUNT * SETS.length);
  return {
    sets: SETS.length,
    bars: ROW_COUNT,
    equal: true,
    cNsPerBarAndSet,
    cpuNsPerBarAndSet,
    ratioToC: cNsPerBarAndSet === null ? null : cpuNsPerBarAndSet / cNsPerBarAndSet,
    separateNsPerBarAndSet,
    lanesGain: separateNsPerBarAndSet / cpuNsPerBarAndSet,
    twoWorkerSpeedup: threadSpeedups.speedup,
    twoThreadCeiling: threadSpeedups.ceiling,
  };
}

/** Throws unless both ways to run a set gave the same figures. */
function assertSameFigures(setIndex: number, figuresByWay: Readonly<Record<string, readonly number[]>>) {
  const [first = [], second = []] = Object.values(figuresByWay);
  if (first.length === second.length && first.every((value, index) => Object.is(value, second[index]))) return;
  throw new Error(`set ${JSON.stringify(SETS[setIndex])}: expected equal figures, got ${JSON.stringify(figuresByWay)}`);
}

/** Returns the CPU time of the process since `start`, ns. */
function cpuNsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) * 1000;
}

/** CPU times of the same sets as lanes and in separate runs, ns, and the records of the sets. */
interface LanesComparison {
  readonly lanesNs: number;
  readonly separateNs: number;
  readonly records: readonly SetRecord[];
}

/**
 * Runs all sets in the groups that `isobar sweep` makes for one thread: each group as lanes, then each of its sets in a separate run.
 * Takes the best time of each group over several passes, because the time in C is the best of each set. Throws if a set has another result
 * in a separate run than as a lane.
 */
async function compareLanesWithSeparateRuns(plan: RunPlan): Promise<LanesComparison> {
  const groups = setGroups();
  const memory = new LaneMemory();
  const scratch = new Scratch();
  const bestTimes = groups.map(() => ({ lanesNs: Infinity, separateNs: Infinity }));
  const records: SetRecord[] = [];
  for (let pass = 0; pass < PASSES; pass++) {
    for (const [groupIndex, group] of groups.entries()) {
      const onRecord = (lane: number, record: SetRecord) => (records[group[lane]!] = record);
      // Only the first pass keeps records: `isobar sweep` keeps none, and their memory would slow the lanes.
      const laneOptions = pass === 0 ? { memory, onRecord } : { memory };
      const laneParams = group.map((set) => SETS[set]!);
      let start = process.cpuUsage();
      const outcomes = await runLanes(plan, laneParams, laneOptions);
      const times = bestTimes[groupIndex]!;
      times.lanesNs = Math.min(times.lanesNs, cpuNsSince(start));
      start = process.cpuUsage();
      const separateFigures: Float64Array[] = [];
      for (const set of group) separateFigures.push(await runSeparately(plan, SETS[set]!, scratch));
      times.separateNs = Math.min(times.separateNs, cpuNsSince(start));
      group.forEach((set, lane) => assertSameFigures(set, { lane: [...outcomes[lane]!.values], separateRun: [...separateFigures[lane]!] }));
    }
  }
  const sumOf = (key: 'lanesNs' | 'separateNs') => bestTimes.reduce((sum, times) => sum + times[key], 0);
  return { lanesNs: sumOf('lanesNs'), separateNs: sumOf('separateNs'), records };
}

/** Runs one set with feeds and indicators of its own, and returns the figures that a lane has. */
async function runSeparately(plan: RunPlan, params: (typeof SETS)[number], scratch: Scratch): Promise<Float64Array> {
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
    { name: 'fast', values: FAST_VALUES },
    { name: 'slow', values: SLOW_VALUES },
  ];
  return tasksOf(axes, SETS, ROW_COUNT, 1);
}

/**
 * Returns the CPU time of a bar in C, ns: each set counts with its best pass, and the result is the mean of the sets. Throws if equity, fees
 * or the number of fills differ from those of the lanes.
 */
function meanCNsPerBar(folder: string, program: string, records: readonly SetRecord[]): number {
  const file = join(folder, 'sweep.bin');
  writeUnits(file, randomWalk('AAAUSDT', ROW_COUNT, 1));
  let sumNs = 0;
  SETS.forEach((set, setIndex) => {
    const reference = runReference(program, file, { ...WORKLOAD, ...set }, C_PASSES);
    const { fills, equity } = records[setIndex]!;
    const fees = fills.fee.reduce((total, fee) => total + fee, 0);
    const lane = [equity.units[equity.length - 1]!, fees, fills.length];
    assertSameFigures(setIndex, { lane, c: [reference.equity, reference.fees, reference.fills] });
    sumNs += reference.nsPerBar;
  });
  return sumNs / SETS.length;
}

/** One timed round. */
interface Round {
  readonly durationMs: number;
  readonly isQuiet: boolean;
}

/** Returns the median duration of the quiet rounds, or of all rounds if few are quiet. */
function medianMs(rounds: readonly Round[]): number {
  const quietRounds = rounds.filter(({ isQuiet }) => isQuiet);
  const counted = quietRounds.length >= MIN_QUIET_ROUNDS ? quietRounds : rounds;
  return columnMedian(Float64Array.from(counted, ({ durationMs }) => durationMs));
}

/** How much faster a sweep is on two threads, and how much faster two threads are that share nothing. */
interface ThreadSpeedups {
  readonly speedup: number;
  readonly ceiling: number;
}

/**
 * Returns the wall time of the whole sweep on one thread divided by its wall time on two. The threads are started and warm. Each round runs
 * the sweep on one thread and then on two. Tasks are made and handed out as in `isobar sweep`. Between the rounds the speedup of
 * independent threads is measured.
 *
 * The medians of quiet rounds are compared, not the best rounds. On a shared machine the best round of one thread needs one free core, and
 * the best round of two threads needs both.
 */
async function measureThreadSpeedups(folder: string, bars: ReturnType<typeof randomWalk>): Promise<ThreadSpeedups> {
  const setup = await setUpSweep({ definition: writeDefinition(folder, bars), settings: [], grid: GRID, random: null, family: null }, null);
  const { signal } = new AbortController();
  const pools = [1, 2].map((count) => ({
    pool: threadRunner(setup, { threads: count, barTimeoutMs: 0, laneBytes: null }),
    tasks: tasksOf(setup.axes, setup.sets, ROW_COUNT, count),
    rounds: [] as Round[],
  }));
  const independent = new TwoThreadSpeedup();
  try {
    for (const { pool, tasks } of pools) {
      for (let sweep = 0; sweep < WARM_UP_SWEEPS * pool.threads; sweep++) await pool.run(tasks, async () => {}, signal);
    }
    let speedupBefore = await independent.measure();
    let quietRounds = 0;
    for (let round = 0; round < MAX_ROUNDS && quietRounds < MAX_QUIET_ROUNDS; round++) {
      const durationsMs: number[] = [];
      for (const { pool, tasks } of pools) {
        const startMs = performance.now();
        await pool.run(tasks, async () => {}, signal);
        durationsMs.push(performance.now() - startMs);
      }
      const speedupAfter = await independent.measure();
      const isQuiet = Math.min(speedupBefore, speedupAfter) >= MIN_QUIET_SPEEDUP;
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
