// Further forms of the benchmark: eight feeds, two intervals, blocks of one row, and a class that is the seventh of its process.

import { Scratch } from '../dist/base/memory/rowLog.js';
import type { RunPlan } from '../dist/definition/plan/plan.js';
import { inProcess } from './parts.ts';
import { coarser, head, walk } from './series.ts';
import { feedPlan, HEAVY, load, PASSES, planFor, ROWS, sameResult, timed, windows, type Loaded } from './workloads.ts';

const ROUNDS = 3;
const EIGHT_ROWS = 400_000;
const TWO_ROWS = 3_000_000;
const OTHER_ROWS = 500_000;
const CUSTOM_ROWS = 1_000_000;
const OTHERS = ['strategies/donchianBreakout.ts', 'strategies/smaCross.ts', 'bench/strategies/idle.ts', 'bench/strategies/burst.ts'];

export type Beside = 'eightFeeds' | 'twoIntervals' | 'seventhStrategy' | 'undeclaredCustom';

/** CPU time of a row, ns: each kind in processes of its own, as the single feed is, with as many passes. The best of the rounds. */
export function nsPerRow(kind: Beside): number {
  let min = Infinity;
  for (let round = 0; round < ROUNDS; round++) min = Math.min(min, Number(inProcess('--beside-part', kind)));
  return min;
}

/** One kind in this process: prints the ns a row of its best pass. */
export async function besidePart(kind: Beside): Promise<void> {
  const scratch = new Scratch();
  if (kind === 'seventhStrategy') await sixOthers(scratch);
  const plan = await planOf(kind);
  let min = Infinity;
  for (let pass = 0; pass < PASSES; pass++) min = Math.min(min, (await timed(plan, scratch)).ns);
  process.stdout.write(String(min / plan.feeds.reduce((rows, { bars }) => rows + bars.length, 0)));
}

/** Several feeds in blocks of 2,048 rows leave what they leave in blocks of one. */
export async function isSameInBlocksOfOne(kind: 'eightFeeds' | 'twoIntervals'): Promise<boolean> {
  const plan = await planOf(kind);
  return sameResult(plan, { ...plan, blockRows: 1 });
}

async function planOf(kind: Beside): Promise<RunPlan> {
  if (kind === 'eightFeeds') {
    const feeds = Array.from({ length: 8 }, (_, at) =>
      feedPlan('all', walk(`${String.fromCharCode(65 + at).repeat(3)}USDT`, EIGHT_ROWS, at + 1)),
    );
    return planFor(await load('bench/strategies/eightFeeds.ts'), feeds, HEAVY, windows(HEAVY));
  }
  const bars = walk('AAAUSDT', ROWS, 1);
  if (kind === 'undeclaredCustom') {
    const feeds = [feedPlan('bars', head(bars, CUSTOM_ROWS))];
    return planFor(await load('bench/strategies/undeclaredCustom.ts'), feeds, HEAVY, windows(HEAVY));
  }
  if (kind === 'seventhStrategy')
    return planFor(await load('strategies/smaCrossOnBar.ts', 'seventh'), [feedPlan('bars', bars)], HEAVY, windows(HEAVY));
  const minutes = head(bars, TWO_ROWS);
  const feeds = [feedPlan('bars', minutes), feedPlan('hours', coarser(minutes, '1h', 60))];
  return planFor(await load('bench/strategies/twoIntervals.ts'), feeds, HEAVY, windows(HEAVY));
}

/** Classes of other kinds, and two of the same kind under other names. */
async function sixOthers(scratch: Scratch): Promise<void> {
  // One of them asks for it at every bar.
  Object.assign(globalThis, { isobarBench: undefined });
  const feeds = [feedPlan('bars', head(walk('AAAUSDT', OTHER_ROWS, 1), OTHER_ROWS))];
  const run = (other: Loaded, params: Record<string, unknown>) => timed(planFor(other, feeds, HEAVY, params), scratch);
  for (const file of OTHERS) await run(await load(file), {});
  for (const name of ['fifth', 'sixth']) await run(await load('strategies/smaCrossOnBar.ts', name), windows(HEAVY));
}
