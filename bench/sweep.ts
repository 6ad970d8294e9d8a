// The sweep beside the C reference: 200 sets of the SMA cross over a million bars, as lanes, one by one, and on two threads.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storeBars } from '../dist/adapters/catalog/bars/catalog.js';
import { SYNTHETIC } from '../dist/adapters/catalog/bars/quality.js';
import { LaneMemory, runLanes } from '../dist/tasks/sweep/threads/lanes.js';
import { prepareBacktest, runRecordOf } from '../dist/tasks/backtest/run/runBacktest.js';
import { setUpSweep } from '../dist/tasks/sweep/plan/setUp.js';
import { threadRunner } from '../dist/tasks/sweep/threads/threads.js';
import { Scratch } from '../dist/base/memory/rowLog.js';
import { median } from '../dist/report/kernels/sums.js';
import { setFigures, type SetRecord } from '../dist/report/sweep/figures/setFigures.js';
import { tasksOf } from '../dist/tasks/sweep/search/tiles.js';
import type { RunPlan } from '../dist/definition/plan/plan.js';
import { runReference, writeUnits, type Figures, type Workload } from './reference.ts';
import { walk } from './series.ts';
import { Spinners } from './spinners.ts';
import { feedPlan, load, planFor } from './workloads.ts';

const ROWS = 1_000_000;
const FASTS = Array.from({ length: 20 }, (_, at) => 5 * (at + 1));
const SLOWS = Array.from({ length: 10 }, (_, at) => 120 + 20 * at);
const GRID = ['fast=5..100:5', 'slow=120..300:20'];
const SETS = FASTS.flatMap((fast) => SLOWS.map((slow) => ({ fast, slow })));
const WORK: Omit<Workload, 'fast' | 'slow'> = { lots: 1, cashUnits: 1e14, feePpm: 400 };
const CLASS = 'strategies/smaCross.ts';
/** The compiler is at work during the first ones. */
const PASSES = 4;
const ROOT = new URL('..', import.meta.url).pathname;

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
  /** What two threads that share nothing reached beside it: what the machine had to give at the time. */
  readonly twoThreadCeiling: number;
}

/** Throws when a set leaves another result as a lane, alone, or in C. */
export async function sweepBench(folder: string, program: string | null): Promise<SweepBench> {
  const bars = walk('AAAUSDT', ROWS, 1);
  const plan = planFor(await load(CLASS), [feedPlan('bars', bars)], { ...WORK, fast: 5, slow: 120 }, SETS[0]!);
  const { lanesNs, aloneNs, records } = await compare(plan);
  const c = program === null ? null : inC(folder, program, records);
  const scaling = await threads(folder, bars);
  const cpu = lanesNs / (ROWS * SETS.length);
  const alone = aloneNs / (ROWS * SETS.length);
  return {
    sets: SETS.length,
    bars: ROWS,
    equal: true,
    cNsPerBarAndSet: c,
    cpuNsPerBarAndSet: cpu,
    ratioToC: c === null ? null : cpu / c,
    separateNsPerBarAndSet: alone,
    lanesGain: alone / cpu,
    twoWorkerSpeedup: scaling.speedup,
    twoThreadCeiling: scaling.ceiling,
  };
}

function same(set: number, where: string, found: readonly number[], expected: readonly number[]) {
  if (found.every((value, at) => Object.is(value, expected[at]))) return;
  throw new Error(`set ${JSON.stringify(SETS[set])} ${where}: ${JSON.stringify({ found, expected })}`);
}

function cpuNs(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from);
  return (user + system) * 1000;
}

interface Compared {
  readonly lanesNs: number;
  readonly aloneNs: number;
  readonly records: readonly SetRecord[];
}

/**
 * All sets in the groups that the product would make for one thread: each group as lanes, then its sets one by one, several times in turn;
 * of each group the best time of both, as the reference has the best of each set. Throws when a set leaves another result alone.
 */
async function compare(plan: RunPlan): Promise<Compared> {
  const groups = groupsOf();
  const [memory, scratch] = [new LaneMemory(), new Scratch()];
  const min = groups.map(() => ({ lanesNs: Infinity, aloneNs: Infinity }));
  const records: SetRecord[] = [];
  for (let pass = 0; pass < PASSES; pass++) {
    for (const [at, group] of groups.entries()) {
      // Once: records that the caller keeps are memory that the product's own lanes do not take.
      const onRecord = (lane: number, record: SetRecord) => (records[group[lane]!] = record);
      let from = process.cpuUsage();
      const outcomes = await runLanes(plan, group.map((set) => SETS[set]!), { memory, ...(pass === 0 ? { onRecord } : {}) }); // prettier-ignore
      min[at]!.lanesNs = Math.min(min[at]!.lanesNs, cpuNs(from));
      from = process.cpuUsage();
      const alone: Float64Array[] = [];
      for (const set of group) alone.push(await runAlone(plan, SETS[set]!, scratch));
      min[at]!.aloneNs = Math.min(min[at]!.aloneNs, cpuNs(from));
      group.forEach((set, lane) => same(set, 'alone', [...alone[lane]!], [...outcomes[lane]!.values]));
    }
  }
  const sumOf = (key: 'lanesNs' | 'aloneNs') => min.reduce((sum, each) => sum + each[key], 0);
  return { lanesNs: sumOf('lanesNs'), aloneNs: sumOf('aloneNs'), records };
}

/** One set alone: the whole engine with its own feeds and indicators, then the same figures. */
async function runAlone(plan: RunPlan, params: (typeof SETS)[number], scratch: Scratch): Promise<Float64Array> {
  const own = { ...plan, strategies: [{ ...plan.strategies[0]!, params }] };
  const prepared = await prepareBacktest(own, { scratch });
  prepared.loop(prepared.engine);
  const figures = setFigures(runRecordOf(own, prepared, false));
  prepared.engine.release();
  return figures;
}

function groupsOf(): readonly (readonly number[])[] {
  const axes = [
    { name: 'fast', values: FASTS },
    { name: 'slow', values: SLOWS },
  ];
  return tasksOf(axes, SETS, ROWS, 1);
}

/** Mean of the best passes of each set. Ends, fees and fills must be those of the lanes. */
function inC(folder: string, program: string, records: readonly SetRecord[]): number {
  const file = join(folder, 'sweep.bin');
  writeUnits(file, walk('AAAUSDT', ROWS, 1));
  let sum = 0;
  SETS.forEach((set, at) => {
    const reference = runReference(program, file, { ...WORK, ...set }, 3);
    const { fills, equity } = records[at]!;
    const fees = fills.fee.reduce((total, fee) => total + fee, 0);
    const own: Pick<Figures, 'equity' | 'fees' | 'fills'> = { equity: equity.units[equity.length - 1]!, fees, fills: fills.length };
    same(at, 'in C', [reference.equity, reference.fees, reference.fills], [own.equity, own.fees, own.fills]);
    sum += reference.nsPerBar;
  });
  return sum / SETS.length;
}

/**
 * Sweeps that each thread has behind it before the compiler has settled, by its own trace: in the first it took 0.9 s, up to the seventh
 * 0.1 to 0.3 s a sweep. Of two threads each runs half of the sets, so that they need twice as many.
 */
const WARM_SWEEPS = 7;
/** Enough rounds in which both cores were the bench's own, by the spinners before and after them. */
const QUIET_ROUNDS = 8;
const QUIET_SPEEDUP = 1.9;
/** On a machine that others use as well: something shared a core for seconds at a time, which then did 0.7 of its work. */
const MAX_ROUNDS = 15;

/** With fewer quiet rounds than this, all rounds count. */
const MIN_QUIET = 3;

interface Round {
  readonly tookMs: number;
  readonly isQuiet: boolean;
}

function middleMs(rounds: readonly Round[]): number {
  const quiet = rounds.filter(({ isQuiet }) => isQuiet);
  return median(Float64Array.from(quiet.length >= MIN_QUIET ? quiet : rounds, ({ tookMs }) => tookMs));
}

interface Scaling {
  readonly speedup: number;
  readonly ceiling: number;
}

/**
 * Wall time of the whole sweep on one thread over that on two, each as the product cuts and hands out its tasks, the middle one of its
 * quiet rounds, in turn, threads started and warm: where others use the machine too, the best round of one thread is one in which they left
 * it one core, and the best of two needs both, so that best rounds compare unlike things. Between the rounds the same of a loop that needs
 * nothing but a core.
 */
async function threads(folder: string, bars: ReturnType<typeof walk>): Promise<Scaling> {
  const setup = await setUpSweep({ definition: define(folder, bars), settings: [], grid: GRID, random: null, family: null }, null);
  const { signal } = new AbortController();
  const pools = [1, 2].map((count) => ({
    pool: threadRunner(setup, { threads: count, barTimeoutMs: 0, laneBytes: null }),
    tasks: tasksOf(setup.axes, setup.sets, ROWS, count),
    rounds: [] as Round[],
  }));
  const spinners = new Spinners();
  try {
    for (const { pool, tasks } of pools) {
      for (let sweep = 0; sweep < WARM_SWEEPS * pool.threads; sweep++) await pool.run(tasks, async () => {}, signal);
    }
    let before = await spinners.pass();
    let quiet = 0;
    for (let round = 0; round < MAX_ROUNDS && quiet < QUIET_ROUNDS; round++) {
      const tookMs: number[] = [];
      for (const { pool, tasks } of pools) {
        const from = performance.now();
        await pool.run(tasks, async () => {}, signal);
        tookMs.push(performance.now() - from);
      }
      const after = await spinners.pass();
      const isQuiet = Math.min(before, after) >= QUIET_SPEEDUP;
      pools.forEach(({ rounds }, at) => rounds.push({ tookMs: tookMs[at]!, isQuiet }));
      if (isQuiet) quiet++;
      before = after;
    }
    const [one, two] = pools;
    return { speedup: middleMs(one!.rounds) / middleMs(two!.rounds), ceiling: spinners.speedup };
  } finally {
    for (const { pool } of pools) await pool.close();
    await spinners.close();
  }
}

function define(folder: string, bars: ReturnType<typeof walk>): string {
  const catalog = join(folder, 'sweep');
  storeBars(catalog, bars, SYNTHETIC);
  const definition = join(folder, 'sweep.yaml');
  writeFileSync(
    definition,
    `strategy: ${ROOT}${CLASS}\nfeeds: { bars: { symbol: AAAUSDT, interval: 1m } }\nmarket: spot\ncash: { USDT: '10000000' }\n` +
      `size: { base: '1' }\nfees: { maker: '0.0004', taker: '0.0004', in: quote }\nrisk: { maxLeverage: '1' }\nseed: 1\ncatalog: ${catalog}\n`,
  );
  return definition;
}
