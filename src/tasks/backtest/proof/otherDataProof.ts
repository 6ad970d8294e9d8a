// The part of the proof of purity that uses other data: state that an earlier run has left in the process must not change a run over other bars.

import { seededRng } from '../../../base/number/rng.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { STATE_TEXTS, type Proof } from '../../../model/run/proof.ts';
import { traceDifference, proofOf, type ComparedSide } from './traceDifference.ts';
import type { TracedRun, Tracer } from './tracedRun.ts';
import { poisonPlan } from './poisonPlan.ts';

/** Added to the seed of the run, so that the other bars are not drawn from the numbers that the run itself uses. */
const SEED_OFFSET = 31;

/**
 * Runs the strategies over other bars, once with modules that have already made a run and once with newly loaded ones. Returns a refuted proof of
 * purity if their decisions differ, else null. Such a difference comes from a cache by time or by bar number: it keeps values of the earlier bars.
 * `usedStrategies`: strategies whose modules have already made a run.
 */
export async function proveOtherData(tracer: Tracer, plan: RunPlan, usedStrategies = plan.strategies): Promise<Proof | null> {
  const otherPlan = poisonPlan(plan, -Infinity, seededRng(plan.seed + SEED_OFFSET));
  const sideOf = async (run: TracedRun): Promise<ComparedSide> => ({ run, trace: await tracer.run(run) });
  const usedSide = await sideOf({ plan: { ...otherPlan, strategies: usedStrategies } });
  const freshSide = await sideOf({ plan: otherPlan, isFresh: true });
  const difference = await traceDifference(tracer, freshSide, usedSide);
  return difference === null ? null : proofOf('purity', 'refuted', STATE_TEXTS.otherBars, difference, otherPlan);
}
