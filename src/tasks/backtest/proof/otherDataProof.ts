// The part of the proof of purity that uses other data: state that an earlier run has left in the process must not change a run over other bars.

import { seededRng } from '../../../base/number/rng.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { STATE_TEXTS, type Proof } from '../../../model/run/proof.ts';
import { traceDifference, proofOf, type ComparedSide } from './traceDifference.ts';
import type { TracedRun, Tracer } from './tracedRun.ts';
import { poisonPlan } from './poisonPlan.ts';

const SEED_OFFSET = 31;

/**
 * Returns a refuted proof of purity if the decisions differ; null if both runs make the same decisions. A cache by time, or by the number of the
 * bar, gives two runs over the same bars the same values. Over other bars it gives the values of the earlier run. `lived`: strategies whose
 * modules have already made a run.
 */
export async function proveOtherData(tracer: Tracer, plan: RunPlan, lived = plan.strategies): Promise<Proof | null> {
  const other = poisonPlan(plan, -Infinity, seededRng(plan.seed + SEED_OFFSET));
  const sideOf = async (run: TracedRun): Promise<ComparedSide> => ({ run, trace: await tracer.run(run) });
  const after = await sideOf({ plan: { ...other, strategies: lived } });
  const otherSide = await sideOf({ plan: other, isFresh: true });
  const difference = await traceDifference(tracer, otherSide, after);
  return difference === null ? null : proofOf('purity', 'refuted', STATE_TEXTS.otherBars, difference, other);
}
