// Checks whether first decisions depend on where the data begin: runs with 1, 2 and 4 times the warm-up before the start.

import { firstAfter } from '../../../base/number/search.ts';
import { counted } from '../../../base/text/format.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { traceDifference, proofOf, type ComparedSide } from '../../backtest/proof/traceDifference.ts';
import { leadFeed, slicePlan } from '../../backtest/proof/dataSlices.ts';
import type { TracedRun, Tracer } from '../../backtest/proof/tracedRun.ts';
import { plainProof, type Proof } from '../../../model/run/proof.ts';

const FACTORS = [1, 2, 4] as const;
const MAX_FACTOR = 4;
/** Number of starts within the data, and rows of the lead feed that are run from each start. */
const STARTS = 5;
const RUN_ROWS = 1024;

/** Returns the proof of the warm-up. `warmUpRows`: rows of each feed, in the order of the plan, that the strategies need before their first decision. */
export async function informOnWarmUp(
  tracer: Tracer,
  plan: RunPlan,
  warmUpRows: readonly number[],
  isFresh: boolean,
  onRun: (share: number) => void,
): Promise<Proof> {
  const notApplicable = (why: string): Proof => plainProof('warm-up', 'not-applicable', why);
  if (warmUpRows.every((rows) => rows === 0)) return notApplicable('the strategy needs no bars before its first decision');
  let decisions = 0;
  let runs = 0;
  for (let start = 1; start <= STARTS; start++) {
    onRun((start - 1) / STARTS);
    const plans = plansAt(plan, warmUpRows, start / (STARTS + 1));
    if (plans === null) continue;
    const sides: ComparedSide[] = [];
    for (const longerPlan of plans) {
      const run: TracedRun = { plan: longerPlan, isFresh };
      sides.push({ run, trace: await tracer.run(run) });
    }
    runs++;
    const [base, ...longer] = sides;
    decisions += base!.trace.timeMs.length;
    for (const [index, side] of longer.entries()) {
      const difference = await traceDifference(tracer, side, base!);
      if (difference === null) continue;
      const text = `decisions depend on how far back the data begin: with ${FACTORS[index + 1]} times the warm-up the strategy decides otherwise`;
      return proofOf('warm-up', 'depends', text, difference, plan);
    }
  }
  if (runs === 0) return notApplicable(`the data are shorter than ${MAX_FACTOR} times the warm-up of the strategy`);
  if (decisions === 0) return notApplicable('the strategy decides nothing in the rows behind these starts');
  return plainProof(
    'warm-up',
    'holds',
    `${counted(decisions, 'decision')} behind ${counted(runs, 'start')} are the same with 1, 2 and 4 times the warm-up`,
  );
}

/** Returns the plans that begin at the given share of the data, one for each factor; null if too few rows lie before or after that point. */
function plansAt(plan: RunPlan, warmUpRows: readonly number[], share: number): readonly RunPlan[] | null {
  const { bars, firstRow } = leadFeed(plan);
  const row = firstRow + Math.floor((bars.length - firstRow) * share);
  const fromMs = bars.openMs[row]!;
  const toMs = bars.closeMs[Math.min(bars.length - 1, row + RUN_ROWS)]!;
  const hasRows = plan.feeds.every(
    (feed, feedIndex) => firstAfter(feed.bars.closeMs, 0, feed.bars.length, fromMs) >= MAX_FACTOR * warmUpRows[feedIndex]!,
  );
  if (!hasRows) return null;
  const plans = FACTORS.map((factor) => slicePlan(plan, { fromMs, toMs, warmUpRows: (feed) => factor * warmUpRows[feed]! }));
  return plans.every((longerPlan): longerPlan is RunPlan => longerPlan !== null) ? plans : null;
}
