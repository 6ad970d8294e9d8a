// The part of the proof of purity that other data make: what an earlier run of the process has left must not show in a run over them.

import { seededRng } from '../../../base/number/rng.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { STATE_TEXTS, type Proof } from '../../../model/run/proof.ts';
import { traceDifference, proofOf, type ComparedSide } from './comparison.ts';
import type { TracedRun, Tracer } from './tracedRun.ts';
import { poisonPlan } from './poison.ts';

const SEED_OFFSET = 31;

/**
 * Returns the proof of purity that a difference refutes; null: both runs decide alike. A cache by time, or by the number of the bar, gives two runs
 * over the same bars the same values. Over other bars it gives those of the earlier run. `lived`: strategies whose modules have made a run.
 */
export async function proveOtherData(tracer: Tracer, plan: RunPlan, lived = plan.strategies): Promise<Proof | null> {
  const other = poisonPlan(plan, -Infinity, seededRng(plan.seed + SEED_OFFSET));
  const sideOf = async (run: TracedRun): Promise<ComparedSide> => ({ run, trace: await tracer.run(run) });
  const after = await sideOf({ plan: { ...other, strategies: lived } });
  const otherSide = await sideOf({ plan: other, isFresh: true });
  const difference = await traceDifference(tracer, otherSide, after);
  return difference === null ? null : proofOf('purity', 'refuted', STATE_TEXTS.otherBars, difference, other);
}
