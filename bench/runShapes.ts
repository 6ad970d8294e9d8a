// Measures the cost of a row in four run shapes, which the benchmark compares with a run of one feed. The shapes are eight feeds, two intervals,
// a custom indicator not declared pure, and a strategy class that runs after six others. The last one matters for a process that runs many
// strategies: compiled code that has run with several classes is slower.

import { Scratch } from '../dist/base/memory/rowLog.js';
import type { RunPlan } from '../dist/definition/plan/plan.js';
import { runPartProcess } from './partProcess.ts';
import { aggregateBars, firstRows, randomWalk } from './series.ts';
import {
  feedPlan,
  HEAVY,
  loadStrategyFile,
  PASSES,
  benchPlan,
  ROWS,
  haveSameResult,
  runTimed,
  windowParams,
  type BenchStrategy,
} from './workloads.ts';

/** Each figure is the best of this many processes. */
const ROUNDS = 3;
/** Bars of each of the eight feeds. */
const EIGHT_FEEDS_ROWS = 400_000;
/** One-minute bars of the shape with two intervals. */
const TWO_INTERVALS_ROWS = 3_000_000;
/** Bars of the shape with the custom indicator. It runs in blocks of one row, so it is slow. */
const CUSTOM_ROWS = 1_000_000;
/** Bars of each strategy that runs before the seventh. */
const WARM_UP_ROWS = 500_000;
/** The first four of the six strategies that run before the seventh. The other two are copies of it under other class names. */
const DIFFERENT_STRATEGIES = [
  'strategies/donchianBreakout.ts',
  'strategies/smaCross.ts',
  'bench/strategies/idle.ts',
  'bench/strategies/burst.ts',
];

/** A run shape that is compared with a run of one feed. */
export type RunShape = 'eightFeeds' | 'twoIntervals' | 'seventhStrategy' | 'undeclaredCustom';

/** Returns the CPU time of a row, ns: the best of several processes. Each process makes as many passes as one that measures a run of one feed. */
export function nsPerRow(shape: RunShape): number {
  let minNs = Infinity;
  for (let round = 0; round < ROUNDS; round++) minNs = Math.min(minNs, Number(runPartProcess('--shape-part', shape)));
  return minNs;
}

/** Runs one shape in this process and prints the ns for each row of its best pass. */
export async function shapePart(shape: RunShape): Promise<void> {
  const scratch = new Scratch();
  if (shape === 'seventhStrategy') await runSixOtherClasses(scratch);
  const plan = await shapePlan(shape);
  let minNs = Infinity;
  for (let pass = 0; pass < PASSES; pass++) minNs = Math.min(minNs, (await runTimed(plan, scratch)).cpuNs);
  const rowCount = plan.feeds.reduce((rows, { bars }) => rows + bars.length, 0);
  process.stdout.write(String(minNs / rowCount));
}

/** True when a run of several feeds has the same result in blocks of 2,048 rows and in blocks of one row. */
export async function isSameInBlocksOfOne(shape: 'eightFeeds' | 'twoIntervals'): Promise<boolean> {
  const plan = await shapePlan(shape);
  return haveSameResult(plan, { ...plan, blockRows: 1 });
}

/** Returns the plan of a shape. The names of its feeds are those by which its strategy file asks for them. */
async function shapePlan(shape: RunShape): Promise<RunPlan> {
  if (shape === 'eightFeeds') {
    // AAAUSDT to HHHUSDT.
    const symbols = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'].map((letter) => `${letter.repeat(3)}USDT`);
    const feeds = symbols.map((symbol, index) => feedPlan('all', randomWalk(symbol, EIGHT_FEEDS_ROWS, index + 1)));
    return benchPlan(await loadStrategyFile('bench/strategies/eightFeeds.ts'), feeds, HEAVY, windowParams(HEAVY));
  }
  const bars = randomWalk('AAAUSDT', ROWS, 1);
  if (shape === 'undeclaredCustom') {
    const feeds = [feedPlan('bars', firstRows(bars, CUSTOM_ROWS))];
    return benchPlan(await loadStrategyFile('bench/strategies/impureIndicator.ts'), feeds, HEAVY, windowParams(HEAVY));
  }
  if (shape === 'seventhStrategy') {
    const strategy = await loadStrategyFile('strategies/smaCrossOnBar.ts', 'SeventhSmaCross');
    return benchPlan(strategy, [feedPlan('bars', bars)], HEAVY, windowParams(HEAVY));
  }
  const minutes = firstRows(bars, TWO_INTERVALS_ROWS);
  const feeds = [feedPlan('bars', minutes), feedPlan('hours', aggregateBars(minutes, '1h', 60))];
  return benchPlan(await loadStrategyFile('bench/strategies/twoIntervals.ts'), feeds, HEAVY, windowParams(HEAVY));
}

/** Runs the six strategy classes that come before the measured seventh one. */
async function runSixOtherClasses(scratch: Scratch): Promise<void> {
  // burst.ts calls this hook at every bar where it is set. Nothing is measured here, so it is absent.
  Object.assign(globalThis, { isobarBench: undefined });
  const feeds = [feedPlan('bars', randomWalk('AAAUSDT', WARM_UP_ROWS, 1))];
  const runOnce = (loaded: BenchStrategy, params: Record<string, unknown>) => runTimed(benchPlan(loaded, feeds, HEAVY, params), scratch);
  for (const file of DIFFERENT_STRATEGIES) await runOnce(await loadStrategyFile(file), {});
  for (const className of ['FifthSmaCross', 'SixthSmaCross'])
    await runOnce(await loadStrategyFile('strategies/smaCrossOnBar.ts', className), windowParams(HEAVY));
}
