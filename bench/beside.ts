// Measures forms of a run besides the single feed: eight feeds, two intervals, an undeclared custom indicator, and a strategy class that is
// the seventh of its process.

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
/** Bars of each feed of a form; and of the classes that run before the measured one (WARM_UP_ROWS). */
const EIGHT_FEEDS_ROWS = 400_000;
const TWO_INTERVALS_ROWS = 3_000_000;
const WARM_UP_ROWS = 500_000;
const CUSTOM_ROWS = 1_000_000;
/** Strategies that a process runs before the measured one. */
const OTHER_STRATEGIES = [
  'strategies/donchianBreakout.ts',
  'strategies/smaCross.ts',
  'bench/strategies/idle.ts',
  'bench/strategies/burst.ts',
];

/** The forms that are measured besides the single feed. */
export type BesideKind = 'eightFeeds' | 'twoIntervals' | 'seventhStrategy' | 'undeclaredCustom';

/** Returns the CPU time of a row in ns: the best of the rounds, each in a process of its own, with as many passes as the single feed. */
export function nsPerRow(kind: BesideKind): number {
  let minNs = Infinity;
  for (let round = 0; round < ROUNDS; round++) minNs = Math.min(minNs, Number(runPartProcess('--beside-part', kind)));
  return minNs;
}

/** Runs one kind in this process and prints the ns for each row of its best pass. */
export async function besidePart(kind: BesideKind): Promise<void> {
  const scratch = new Scratch();
  if (kind === 'seventhStrategy') await runSixOtherClasses(scratch);
  const plan = await planOf(kind);
  let minNs = Infinity;
  for (let pass = 0; pass < PASSES; pass++) minNs = Math.min(minNs, (await runTimed(plan, scratch)).ns);
  const rowCount = plan.feeds.reduce((rows, { bars }) => rows + bars.length, 0);
  process.stdout.write(String(minNs / rowCount));
}

/** True when several feeds have the same result in blocks of 2,048 rows and in blocks of one row. */
export async function isSameInBlocksOfOne(kind: 'eightFeeds' | 'twoIntervals'): Promise<boolean> {
  const plan = await planOf(kind);
  return haveSameResult(plan, { ...plan, blockRows: 1 });
}

/** Returns the plan of a form. */
async function planOf(kind: BesideKind): Promise<RunPlan> {
  if (kind === 'eightFeeds') {
    // AAAUSDT to HHHUSDT.
    const symbols = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'].map((letter) => `${letter.repeat(3)}USDT`);
    const feeds = symbols.map((symbol, index) => feedPlan('all', randomWalk(symbol, EIGHT_FEEDS_ROWS, index + 1)));
    return benchPlan(await loadStrategyFile('bench/strategies/eightFeeds.ts'), feeds, HEAVY, windowParams(HEAVY));
  }
  const bars = randomWalk('AAAUSDT', ROWS, 1);
  if (kind === 'undeclaredCustom') {
    const feeds = [feedPlan('bars', firstRows(bars, CUSTOM_ROWS))];
    return benchPlan(await loadStrategyFile('bench/strategies/undeclaredCustom.ts'), feeds, HEAVY, windowParams(HEAVY));
  }
  if (kind === 'seventhStrategy') {
    const strategy = await loadStrategyFile('strategies/smaCrossOnBar.ts', 'seventh');
    return benchPlan(strategy, [feedPlan('bars', bars)], HEAVY, windowParams(HEAVY));
  }
  const minutes = firstRows(bars, TWO_INTERVALS_ROWS);
  const feeds = [feedPlan('bars', minutes), feedPlan('hours', aggregateBars(minutes, '1h', 60))];
  return benchPlan(await loadStrategyFile('bench/strategies/twoIntervals.ts'), feeds, HEAVY, windowParams(HEAVY));
}

/** Runs four classes of other kinds, and two copies of the measured class under other names. */
async function runSixOtherClasses(scratch: Scratch): Promise<void> {
  // The strategy of burst.ts reads this global at every bar.
  Object.assign(globalThis, { isobarBench: undefined });
  const feeds = [feedPlan('bars', firstRows(randomWalk('AAAUSDT', WARM_UP_ROWS, 1), WARM_UP_ROWS))];
  const run = (loaded: BenchStrategy, params: Record<string, unknown>) => runTimed(benchPlan(loaded, feeds, HEAVY, params), scratch);
  for (const file of OTHER_STRATEGIES) await run(await loadStrategyFile(file), {});
  for (const name of ['fifth', 'sixth']) await run(await loadStrategyFile('strategies/smaCrossOnBar.ts', name), windowParams(HEAVY));
}
