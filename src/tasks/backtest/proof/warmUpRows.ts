// Determines how many rows strategies need before their first decision.

import { firstAfter } from '../../../base/number/search.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { DecisionTrace } from './decisionTrace.ts';
import type { Tracer } from './tracedRun.ts';

/** Returns the rows of each feed that the strategies need before their first decision, in the order of the plan. */
export async function warmUpOf(tracer: Tracer, plan: RunPlan): Promise<readonly number[]> {
  return tracer.bot({ plan }, new DecisionTrace(), ({ engine }) =>
    plan.feeds.map(({ bars: { closeMs, length } }, index) => {
      const feed = engine.feeds[index]!;
      const neededRows = Math.max(0, ...engine.runs.map((run) => run.readyRow(feed)));
      // A feed without indicators of its own may still be read at the first decision.
      const row = firstAfter(closeMs, 0, length, plan.fromMs);
      return neededRows === 0 && row > 0 ? 1 : neededRows;
    }),
  );
}
